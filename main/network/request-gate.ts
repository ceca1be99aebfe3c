/**
 * The first thing that happens to every request, before any of it is routed or read.
 *
 * A page on any site, or on another port of this machine, can make a browser send requests here, and a name
 * that is rebound to 127.0.0.1 makes them look like ours. What such a page cannot do is choose its `Host` and
 * `Origin`, so both are compared exactly: no case folding, no normalising, no second header of the same name.
 */
export interface RequestHead {
  readonly method: string
  /** As it came: path and query, undecoded. */
  readonly url: string
  /** Name, value, name, value: `IncomingMessage.rawHeaders`, in which duplicates are still there. */
  readonly rawHeaders: readonly string[]
}

export type Gate = { readonly pass: true } | { readonly pass: false; readonly status: 403 | 404 | 405 | 421 }

const METHODS = new Set(['GET', 'HEAD', 'POST'])
const PASS: Gate = { pass: true }
const refuse = (status: 403 | 404 | 405 | 421): Gate => ({ pass: false, status })

/** The three spellings of this address. Port 80 is the one that browsers leave out. */
export function hostsOf(port: number): readonly string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => (port === 80 ? name : `${name}:${port}`))
}

export function gate({ method, url, rawHeaders }: RequestHead, port: number): Gate {
  const [host, ...moreHosts] = valuesOf(rawHeaders, 'host')
  if (host === undefined || moreHosts.length > 0 || !hostsOf(port).includes(host)) return refuse(421)

  if (!METHODS.has(method)) return refuse(405)
  // A proxy's absolute form names a second host, which nothing has compared.
  if (!url.startsWith('/')) return refuse(404)
  // The router decodes, and rules that look at the path as it came would meet another: no path here has a second
  // spelling, so one that needs decoding leads nowhere.
  if (url.split('?', 1)[0]?.includes('%')) return refuse(404)

  const origins = valuesOf(rawHeaders, 'origin')
  if (origins.length > 1 || origins.some((origin) => origin !== `http://${host}`)) return refuse(403)
  if (method === 'POST' && origins.length === 0) return refuse(403)

  const sites = valuesOf(rawHeaders, 'sec-fetch-site')
  if (sites.length > 1) return refuse(403)
  if (sites.length === 0 || sites[0] === 'same-origin') return PASS
  if (isApi(url)) return refuse(403)
  // A link may lead here (`none` is the address bar); nothing else of another site may load a part of it.
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

function valuesOf(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name)
}
