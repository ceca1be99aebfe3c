import {
  STREAM_KINDS,
  STREAM_TABLE,
  type StreamKind,
  type StreamRequest,
  type StreamTarget,
} from './stream-kinds.ts'

export type StreamPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string }

/**
 * A symbol. Segments of only dots are rejected, because a server that decodes twice would treat them as path
 * steps.
 */
const SYMBOL = /^(?!(?:.*\/)?\.+(?:\/|$))[A-Za-z0-9$@.,/ _+^=:-]{1,40}$/
const ORDER = /^[A-Za-z0-9-]{1,40}$/
const OPTION_NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/
const MAX_ACCOUNTS = 25
const MAX_SYMBOLS = 100
/** A variable part of a path. */
const PART = /\{(\w+)\}/g

/** The path of a kind as a pattern with a named group for each variable part. */
export const streamPattern = (kind: StreamKind): RegExp =>
  new RegExp(`^${STREAM_TABLE[kind].path.replace(PART, '(?<$1>[^/]+)')}$`)

/** The paths of the kinds that count against a category. */
export function streamCategoryPattern(category: string): RegExp {
  const kinds = STREAM_KINDS.filter((kind) => STREAM_TABLE[kind].category === category)
  return new RegExp(`^(?:${kinds.map((kind) => STREAM_TABLE[kind].path.replace(PART, '[^/]+')).join('|')})$`)
}

/**
 * The request that opens a stream, with its path and query under `{base_url}`.
 *
 * Validates the target, so that no request is wasted. Paths: service 11.
 */
export function streamPath({ kind, target, options }: StreamRequest): StreamPath {
  const { target: form, path, pathOptions = {} } = STREAM_TABLE[kind]
  const names = Object.keys(pathOptions)
  const inPath = { ...pathOptions, ...pick(options, names) }
  if (!Object.values(inPath).every((value) => /^\d{1,5}$/.test(value))) {
    return refused(`${names.join(' and ')} must be whole numbers`)
  }
  const encoded = ENCODED[form](target)
  if (!encoded.ok) return refused(encoded.message)
  const { parts, query } = encoded
  const all: Readonly<Record<string, string>> = { ...inPath, ...parts }
  const rest = Object.entries(options).filter(([name]) => !names.includes(name))
  const filled = path.replace(PART, (_, name: string) => all[name] ?? '')
  return withQuery(query === undefined ? filled : `${filled}?${query}`, rest)
}

const pick = (from: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))

interface Refused {
  readonly ok: false
  readonly message: string
}

/** A validated target: as parts of the path, or as the query. */
type Encoded = { readonly ok: true; readonly parts?: PathParts; readonly query?: string } | Refused

interface PathParts {
  readonly target: string
  /** The order ids. Only for the target `orders`. */
  readonly ids?: string
}

const refused = (message: string): Refused => ({ ok: false, message })
const badSymbol = (target: string): Refused => refused(`“${target.slice(0, 60)}” is not a symbol`)

/** The names in a list such as `MSFT, AAPL`. */
export function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

/** Whether a text can be an account id in a path. */
export const isAccount = (text: string): boolean => /^[A-Za-z0-9]{1,20}$/.test(text)

/** Whether this is a single symbol, valid in a request's path. */
export const isSymbol = (text: string): boolean => SYMBOL.test(text) && !text.includes(',')

const ENCODED: Readonly<Record<StreamTarget, (target: string) => Encoded>> = {
  symbol: (target) => {
    const one = target.trim()
    return isSymbol(one) ? { ok: true, parts: { target: encodeURIComponent(one) } } : badSymbol(target)
  },
  symbols: (target) =>
    symbols(target, (list) => ({ parts: { target: list.map(encodeURIComponent).join(',') } })),
  'option-symbols': (target) =>
    symbols(target, (list) => ({
      query: list.map((one, leg) => `legs[${leg}].Symbol=${encodeURIComponent(one)}`).join('&'),
    })),
  accounts,
  orders: (target) => {
    const [account = '', orders = '', ...more] = target.split('/')
    const ids = namesIn(orders)
    if (more.length > 0 || ids.length === 0 || !ids.every((id) => ORDER.test(id))) {
      return refused('expected ACCOUNT/ORDER,ORDER')
    }
    const encoded = accounts(account)
    return encoded.ok && encoded.parts
      ? { ...encoded, parts: { ...encoded.parts, ids: ids.join(',') } }
      : encoded
  },
}

function symbols(
  target: string,
  encode: (list: readonly string[]) => { readonly parts?: PathParts; readonly query?: string },
): Encoded {
  const list = namesIn(target)
  if (list.length === 0 || !list.every((one) => SYMBOL.test(one))) return badSymbol(target)
  if (list.length > MAX_SYMBOLS) return refused(`at most ${MAX_SYMBOLS} symbols per stream`)
  return { ok: true, ...encode(list) }
}

function accounts(target: string): Encoded {
  const list = namesIn(target)
  if (list.length === 0 || !list.every(isAccount)) {
    return refused(`“${target.slice(0, 60)}” is not an account id`)
  }
  if (list.length > MAX_ACCOUNTS) return refused(`at most ${MAX_ACCOUNTS} accounts per stream`)
  return { ok: true, parts: { target: list.join(',') } }
}

function withQuery(path: string, options: readonly (readonly [string, string])[]): StreamPath {
  const bad = options.find(([name]) => !OPTION_NAME.test(name))
  if (bad !== undefined) return refused(`“${bad[0].slice(0, 40)}” is not an option of this stream`)
  const broken = options.find(([, value]) => !value.isWellFormed())
  if (broken !== undefined) return refused(`the value of “${broken[0]}” is not text`)
  const query = options.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  if (query === '') return { ok: true, path }
  return { ok: true, path: `${path}${path.includes('?') ? '&' : '?'}${query}` }
}
