/** The parts of a parsed URL that decide, named as in the URL standard. */
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

/** Whether a URL's host name means this computer. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/** Whether a URL sends no token over the network in plain text: https or this computer, no credentials. */
export const isSafe = ({ protocol, hostname, username, password }: ParsedUrl): boolean =>
  (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) &&
  username === '' &&
  password === ''

/** The origin of a safe address without path and query; otherwise `undefined`. */
export const serviceOrigin = (url: ParsedUrl): string | undefined =>
  isSafe(url) && url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : undefined
