import { pathOf } from '../../app/service/categories.ts'
import { ownHost, type RequestHead, valuesOf } from '../network/request-gate.ts'
import { denied, type Problem } from './problem.ts'

/** An encoded slash, or a backslash, which some servers treat as a slash. */
const HIDDEN_SLASH = /%2f|%5c|\\/i
const CONTROL = /\p{Cc}/u
const BROKEN_ENCODING = /%(?![\da-f]{2})/i

/**
 * Why a request may not proceed to authentication. `undefined` if it may. The Host header must name this
 * server. The request must not come from a web page. The path must mean the same to every server that decodes
 * it.
 */
export function callerGate(
  { url, rawHeaders }: Pick<RequestHead, 'url' | 'rawHeaders'>,
  port: number,
): Problem | undefined {
  if (ownHost(rawHeaders, port) === undefined)
    return denied(421, "Wrong Host header. Send the gateway's address.")
  if (isFromPage(rawHeaders)) return denied(403, "Pages in a browser can't call the gateway.")
  const path = pathOf(url)
  if (!path.startsWith('/')) return denied(400, 'Send a path, not a full address.')
  if (BROKEN_ENCODING.test(path)) return denied(400, 'The path has an invalid percent-encoding.')
  const readings = readingsOf(path)
  if (readings === undefined) return denied(400, 'Send a path in UTF-8, percent-encoded once.')
  if (readings.some((reading) => HIDDEN_SLASH.test(reading)))
    return denied(400, 'Send a path without encoded slashes or backslashes.')
  if (readings.some((reading) => CONTROL.test(reading)))
    return denied(400, 'Send a path without control characters.')
  if (namesOf(readings).includes('..')) return denied(400, 'Send a path without ".." segments.')
  return undefined
}

/**
 * Whether a web page sent the request. Browsers send Sec-Fetch-Site with each request to this machine. Node's
 * fetch, which many programs use, sends only Sec-Fetch-Mode.
 */
const isFromPage = (rawHeaders: readonly string[]): boolean =>
  valuesOf(rawHeaders, 'origin').length > 0 ||
  rawHeaders.some((name, i) => {
    const lower = i % 2 === 0 ? name.toLowerCase() : ''
    return lower.startsWith('sec-fetch-') && lower !== 'sec-fetch-mode'
  })

const MAX_ROUTED_PATH = 8 * 1024

/**
 * Where a path leads: to the service (`forward`), to the order lane (`orders`), or to an error, because the
 * path is unknown (`nowhere`) or over 8 KiB (`too-long`).
 */
export type Destination = 'forward' | 'orders' | 'nowhere' | 'too-long'

/**
 * Where a path is routed. Every spelling of the order path is recognized (`namesOf`). The caller has checked
 * `path` with `callerGate`.
 *
 * A path goes to `orders` if any of its segments has the order path's name. A server might ignore the
 * segments before that one.
 */
export function destinationOf(path: string): Destination {
  if (path.length > MAX_ROUTED_PATH) return 'too-long'
  if (namesOf(readingsOf(path) ?? []).includes('orderexecution')) return 'orders'
  // Only the service's own spelling is forwarded. The service might read another spelling as another request.
  return /^\/(?:v3|v2\/stream)\/./.test(path) ? 'forward' : 'nowhere'
}

/** Maximum number of times a path is decoded. Clients encode once, and relays may encode again. */
const MAX_DECODINGS = 8
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/**
 * All forms in which servers may read a path, from the received form to the fully decoded one. `undefined` if
 * the path is not UTF-8, or still changes after `MAX_DECODINGS` steps.
 *
 * Each step decodes percent escapes and replaces compatibility characters (full-width letters, dots and
 * slashes), until nothing changes.
 */
function readingsOf(path: string): readonly string[] | undefined {
  // A path of plain ASCII is the same in each form.
  if (/^[!-$&-~]*$/.test(path)) return [path]
  const readings: string[] = []
  try {
    // Node returns the bytes of a path as Latin-1 characters.
    let reading = UTF8.decode(Buffer.from(path, 'latin1')).normalize('NFKC')
    while (reading !== readings.at(-1)) {
      if (readings.push(reading) > MAX_DECODINGS) return undefined
      reading = reading
        .replace(/(?:%[\da-f]{2})+/gi, (bytes) => UTF8.decode(Buffer.from(bytes.replaceAll('%', ''), 'hex')))
        .normalize('NFKC')
    }
  } catch {
    return undefined
  }
  return readings
}

/**
 * The names of a path's segments, taken from the fully decoded form. They are in lower case and without
 * parameters, query and fragment. Surrounding spaces and trailing dots are removed, because some servers
 * ignore them. A segment of only dots and spaces, with at least two dots, becomes `..`.
 */
function namesOf(readings: readonly string[]): readonly string[] {
  // Conversion to upper case and then to lower case maps the Turkish ı and i to one letter.
  const segments = (readings.at(-1) ?? '').toUpperCase().toLowerCase().split('/')
  return segments.map((segment) => {
    const [name = ''] = segment.split(/[;?#]/, 1)
    // No regular expression here: it would take quadratic time on a long run of dots.
    let end = name.length
    while (end > 0 && /[\s.]/.test(name.charAt(end - 1))) end -= 1
    return end === 0 && name.indexOf('.') !== name.lastIndexOf('.') ? '..' : name.slice(0, end).trimStart()
  })
}

/** Path of the only POST that reads data (service 11). It places no order. */
export const READING_POST = '/v3/marketdata/options/riskreward'
