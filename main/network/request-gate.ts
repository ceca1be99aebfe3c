import { pathOf } from '../../app/service/categories.ts'

/**
 * The head of a request before it is routed.
 *
 * Any web page, or a page on another port of this machine, can make a browser send requests here. If a host
 * name is rebound to 127.0.0.1, requests from its pages look like those of our own page. But a page can't
 * choose its `Host` and `Origin`. Both are compared exactly: no case folding, no normalising, no second
 * header of the same name.
 */
export interface RequestHead {
  readonly method: string
  /** Path and query as received, undecoded. */
  readonly url: string
  /** Alternating names and values, from `IncomingMessage.rawHeaders`, which keeps duplicates. */
  readonly rawHeaders: readonly string[]
}

export type Gate = { readonly pass: true } | { readonly pass: false; readonly status: 403 | 404 | 405 | 421 }

const METHODS = new Set(['GET', 'HEAD', 'POST'])
const PASS: Gate = { pass: true }
const refuse = (status: 403 | 404 | 405 | 421): Gate => ({ pass: false, status })

/** The three `Host` values of this address. Browsers omit port 80. */
function hostsOf(port: number): readonly string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => (port === 80 ? name : `${name}:${port}`))
}

/** The value of `Host` if it occurs once and is this address. Otherwise `undefined`. */
export function ownHost(rawHeaders: readonly string[], port: number): string | undefined {
  const [host, ...moreHosts] = valuesOf(rawHeaders, 'host')
  return host !== undefined && moreHosts.length === 0 && hostsOf(port).includes(host) ? host : undefined
}

/** Decides whether a request may be routed, by its method, path, `Host`, `Origin` and `Sec-Fetch-Site`. */
export function gate({ method, url, rawHeaders }: RequestHead, port: number): Gate {
  const host = ownHost(rawHeaders, port)
  if (host === undefined) return refuse(421)

  if (!METHODS.has(method)) return refuse(405)
  // A proxy request has an absolute URL, which contains a second, unchecked host.
  if (!url.startsWith('/')) return refuse(404)
  // The router decodes paths, but some rules compare undecoded paths. No path here needs encoding, so encoded
  // paths are rejected.
  if (pathOf(url).includes('%')) return refuse(404)

  const origins = valuesOf(rawHeaders, 'origin')
  if (origins.length > 1 || origins.some((origin) => origin !== `http://${host}`)) return refuse(403)
  if (method === 'POST' && origins.length === 0) return refuse(403)

  const sites = valuesOf(rawHeaders, 'sec-fetch-site')
  if (sites.length > 1) return refuse(403)
  if (sites.length === 0 || sites[0] === 'same-origin') return PASS
  if (isApi(url)) return refuse(403)
  // Links and the address bar (`none`) may navigate here. Other sites must not load any part of a page.
  if (sites[0] === 'none' || isTopNavigation(rawHeaders)) return PASS
  return refuse(403)
}

export const isApi = (url: string): boolean => url === '/api' || url.startsWith('/api/')

function isTopNavigation(rawHeaders: readonly string[]): boolean {
  const only = (name: string, wanted: string) => {
    const values = valuesOf(rawHeaders, name)
    return values.length === 1 && values[0] === wanted
  }
  return only('sec-fetch-mode', 'navigate') && only('sec-fetch-dest', 'document')
}

/** All values of a header field, in order. `name` is in lower case. */
export function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name)
}
