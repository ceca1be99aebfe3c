import { MAX_CLEANED } from '../service/errors.ts'
import { parseJson } from '../service/json.ts'

/** The kind of one line of a stream (service 12). Its payload is never stored. */
export type Frame =
  | { readonly kind: 'data' }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'end-snapshot' }
  | { readonly kind: 'going-away' }
  /** Concerns one symbol. The stream continues. */
  | { readonly kind: 'symbol-error'; readonly symbol: string; readonly error: string }
  /** Ends the stream. */
  | { readonly kind: 'fatal'; readonly error: string }
  /**
   * A line that is not JSON. `END` and `ERROR - …` end older kinds of streams, and anything else is noise.
   */
  | { readonly kind: 'ended'; readonly text: string }
  | { readonly kind: 'noise' }

const FATAL = new Set(['DualLogon', 'InternalServerError'])
const MAX_TEXT = 100
const MAX_SYMBOL = 64

/** Removes secrets from a text of the service. */
export type CleanText = (text: string) => string

const asItIs: CleanText = (text) => text

const shown = (text: string, length: number, clean: CleanText): string =>
  clean(text.slice(0, MAX_CLEANED)).slice(0, length)

/**
 * Classifies one line, regardless of the order of its keys (service 12).
 *
 * Texts that are stored pass through `clean` first, because a service may repeat a secret that it received.
 */
export function frameOf(line: string, clean: CleanText = asItIs): Frame {
  const parsed = parseJson(line)
  if (parsed === undefined) {
    const text = line.trim()
    if (text === 'END' || text.startsWith('ERROR'))
      return { kind: 'ended', text: shown(text, MAX_TEXT, clean) }
    return { kind: 'noise' }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { kind: 'noise' }
  const object = parsed as { StreamStatus?: unknown; Error?: unknown; Symbol?: unknown }
  const { StreamStatus: status, Error: error, Symbol: symbol } = object
  if (status === 'GoAway' || error === 'GoAway') return { kind: 'going-away' }
  if (status === 'EndSnapshot') return { kind: 'end-snapshot' }
  if (typeof error === 'string' && error !== '') {
    if (typeof symbol === 'string' && !FATAL.has(error)) {
      return {
        kind: 'symbol-error',
        symbol: shown(symbol, MAX_SYMBOL, clean),
        error: shown(error, MAX_TEXT, clean),
      }
    }
    return { kind: 'fatal', error: shown(error, MAX_TEXT, clean) }
  }
  if ('Heartbeat' in object) return { kind: 'heartbeat' }
  return { kind: 'data' }
}
