/** The relevant parts of a parsed URL, named as in the URL standard. */
interface ParsedUrl {
  readonly protocol: string
  readonly hostname: string
  readonly username: string
  readonly password: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
  readonly origin: string
}

/** Whether a URL's host name refers to this computer. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/**
 * Whether a token may be sent to a URL: it uses https or refers to this computer, and it has no credentials.
 */
export const isSafe = ({ protocol, hostname, username, password }: ParsedUrl): boolean =>
  (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) &&
  username === '' &&
  password === ''

/** What `serviceOrigin` accepts, in words. */
export const ORIGIN_FORM = 'https://HOST without a path (http only on this computer)'

/** The origin of a safe URL without path and query. Otherwise `undefined`. */
export const serviceOrigin = (url: ParsedUrl): string | undefined =>
  isSafe(url) && url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : undefined

/** Decodes a part of a URL. `undefined` for an invalid encoding. */
export function uriDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
