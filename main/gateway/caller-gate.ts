import { ownHost, valuesOf } from '../network/request-gate.ts'

/** The head of a request of a program, before any routing. */
export interface CallerHead {
  /** Path and query as received, undecoded. */
  readonly url: string
  /** Name, value, name, value, with duplicates. */
  readonly rawHeaders: readonly string[]
}

export type CallerGate =
  | { readonly pass: true }
  | { readonly pass: false; readonly status: 400 | 403 | 421; readonly detail: string }

const PASS: CallerGate = { pass: true }
const refuse = (status: 400 | 403 | 421, detail: string): CallerGate => ({ pass: false, status, detail })

/** A segment that goes up, with its dots encoded or not. */
const GOES_UP = /(?:^|[/\\])(?:\.|%2e){2}(?:[/\\;]|$)/i
/** An encoded slash, or a backslash, which some servers take for one. */
const HIDDEN_SLASH = /%2f|%5c|\\/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f]|%[01][\da-f]|%7f/i
const BROKEN_ENCODING = /%(?![\da-f]{2})/i

/**
 * Whether a request may go on to be authenticated: it is for this address, comes from no page in a browser, and has a path
 * that every server reads alike.
 */
export function callerGate({ url, rawHeaders }: CallerHead, port: number): CallerGate {
  if (ownHost(rawHeaders, port) === undefined)
    return refuse(421, 'This Host is not the address of the gateway.')
  if (isFromPage(rawHeaders)) return refuse(403, 'Pages in a browser may not call the gateway.')
  const path = url.split('?', 1)[0] ?? ''
  if (!path.startsWith('/')) return refuse(400, 'The request has to name a path, not an address.')
  if (GOES_UP.test(path)) return refuse(400, 'The path may not have a ".." segment.')
  if (HIDDEN_SLASH.test(path)) return refuse(400, 'The path may not have an encoded slash or a backslash.')
  if (CONTROL.test(path)) return refuse(400, 'The path may not have control characters.')
  if (BROKEN_ENCODING.test(path)) return refuse(400, 'The path has a percent sign that encodes nothing.')
  return PASS
}

/**
 * Whether a page in a browser made it. Browsers send Sec-Fetch-Site with each request to this machine; Node's own fetch,
 * which many programs use, sends Sec-Fetch-Mode alone.
 */
const isFromPage = (rawHeaders: readonly string[]): boolean =>
  valuesOf(rawHeaders, 'origin').length > 0 ||
  rawHeaders.some((name, i) => {
    const lower = i % 2 === 0 ? name.toLowerCase() : ''
    return lower.startsWith('sec-fetch-') && lower !== 'sec-fetch-mode'
  })

const MAX_ROUTED_PATH = 8 * 1024

/** What becomes of a path: `orders` is where orders are placed, `nowhere` what the gateway does not know. */
export type Destination = 'forward' | 'orders' | 'nowhere'

/**
 * Where a path leads, however it is spelled: decoded, in any case, with empty or single-dot segments. `path` has passed
 * `callerGate`.
 */
export function destinationOf(path: string): Destination {
  if (path.length > MAX_ROUTED_PATH) return 'nowhere'
  const decoded = decodedPath(path).toLowerCase()
  const [first, second] = decoded.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (first === 'v3' && second === 'orderexecution') return 'orders'
  // As the service spells it: another spelling is not known to mean the same there.
  return /^\/(?:v3|v2\/stream)\/./.test(path) ? 'forward' : 'nowhere'
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // No UTF-8: the ASCII part is what counts here.
    return path.replace(/%([2-7][\da-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
}

/** The one POST that asks and places nothing (service 11). */
export const READING_POST = '/v3/marketdata/options/riskreward'
