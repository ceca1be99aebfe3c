/** What one line of a stream says, beyond its payload, which the app never keeps. */
export type Frame =
  | { readonly kind: 'data' }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'end-snapshot' }
  | { readonly kind: 'going-away' }
  /** Concerns one symbol; the stream goes on. */
  | { readonly kind: 'symbol-error'; readonly symbol: string; readonly error: string }
  /** Ends the stream. */
  | { readonly kind: 'fatal'; readonly error: string }
  /** Not JSON: `END` and `ERROR - …` close the older streams, anything else is noise. */
  | { readonly kind: 'ended'; readonly text: string }
  | { readonly kind: 'noise' }

const FATAL = new Set(['DualLogon', 'InternalServerError'])
const LONGEST_TEXT = 120

/** Classes one line as a full parse does, whatever the order of its keys (public reference, streams). */
export function frameOf(line: string): Frame {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    const text = line.trim()
    if (text === 'END' || text.startsWith('ERROR'))
      return { kind: 'ended', text: text.slice(0, LONGEST_TEXT) }
    return { kind: 'noise' }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return { kind: 'noise' }
  const object = parsed as { StreamStatus?: unknown; Error?: unknown; Symbol?: unknown }
  const { StreamStatus: status, Error: error, Symbol: symbol } = object
  if (status === 'GoAway' || error === 'GoAway') return { kind: 'going-away' }
  if (status === 'EndSnapshot') return { kind: 'end-snapshot' }
  if (typeof error === 'string' && error !== '') {
    if (typeof symbol === 'string' && !FATAL.has(error)) {
      return { kind: 'symbol-error', symbol: symbol.slice(0, 64), error: error.slice(0, LONGEST_TEXT) }
    }
    return { kind: 'fatal', error: error.slice(0, LONGEST_TEXT) }
  }
  if ('Heartbeat' in object) return { kind: 'heartbeat' }
  return { kind: 'data' }
}
