import { uriDecoded } from './service-origin.ts'
import { STREAM_KINDS, STREAM_TABLE, type StreamKind, type StreamRequest } from './stream-kinds.ts'

/** The parsed value, or a phrase that describes the expected text. */
type ReadText<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string }

const parsed = <T>(value: T): ReadText<T> => ({ ok: true, value })
const expected = (what: string): ReadText<never> => ({ ok: false, expected: what })

const MAX_TARGET = 512
const MAX_OPTION = 64

/**
 * Parses a stream in the form of flags and plan files: kind, target and options, such as
 * `barcharts:MSFT?interval=5&unit=Minute`.
 */
export function readStreamText(text: string): ReadText<StreamRequest> {
  const colon = text.indexOf(':')
  if (colon < 0) return expected('KIND:TARGET, such as positions:SIM1001')
  const name = text.slice(0, colon)
  const kind = STREAM_KINDS.find((known) => known === name)
  if (kind === undefined) return expected(`one of the kinds ${STREAM_KINDS.join(', ')}; not "${name}"`)

  const [path = '', query, ...more] = text.slice(colon + 1).split('?')
  if (more.length > 0) return expected('one "?" before the options')
  const target = parseTarget(kind, path)
  if (!target.ok) return target
  const options = parseOptions(query)
  return options.ok ? parsed({ kind, target: target.value, options: options.value }) : options
}

function parseTarget(kind: StreamKind, path: string): ReadText<string> {
  if (path.length > MAX_TARGET) return expected(`at most ${MAX_TARGET} characters after ${kind}:`)
  if (STREAM_TABLE[kind].target === 'orders') {
    const [account = '', ids, ...more] = path.split('/')
    const parts = [account, ...(ids ?? '').split(',')].map((part) => part.trim())
    return ids === undefined || more.length > 0 || !parts.every(isName)
      ? expected(`${kind}:ACCOUNT/ID1,ID2`)
      : parsed(`${parts[0]}/${parts.slice(1).join(',')}`)
  }
  const names = path.split(',').map((part) => part.trim())
  if (!names.every(isName)) return expected(`names separated by commas after ${kind}:`)
  if (names.length > 1 && STREAM_TABLE[kind].target === 'symbol') return expected(`one symbol after ${kind}:`)
  return parsed(names.join(','))
}

/**
 * Whether a text is a valid symbol or account. It may contain dots, dollar signs and spaces ("MSFT
 * 261218C400"), but no slashes, control characters or characters that set the text direction.
 */
function isName(text: string): boolean {
  return (
    text.length > 0 &&
    !/[/\\#\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(text) &&
    text !== '.' &&
    text !== '..'
  )
}

function parseOptions(query: string | undefined): ReadText<Readonly<Record<string, string>>> {
  const options: Record<string, string> = {}
  if (query === undefined) return parsed(options)
  for (const part of query.split('&').filter((one) => one !== '')) {
    const [key = '', ...rest] = part.split('=')
    // An invalid encoding counts as an empty value, which is never valid.
    const value = uriDecoded(rest.join('=').replaceAll('+', ' ')) ?? ''
    const valid = /^[A-Za-z][A-Za-z0-9]{0,31}$/.test(key) && value.length > 0 && value.length <= MAX_OPTION
    if (!valid || Object.hasOwn(options, key))
      return expected('options such as ?interval=5&unit=Minute, each once')
    options[key] = value
  }
  return Object.keys(options).length > 0 ? parsed(options) : expected('at least one option after "?"')
}
