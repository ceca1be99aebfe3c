import { uriDecoded } from '../service/service-origin.ts'
import { STREAM_KINDS, STREAM_TABLE, type StreamKind } from '../service/stream-kinds.ts'
import { namesIn, streamPattern } from '../service/stream-paths.ts'

/** A stream as a request identifies it. Requests with the same `key` share one stream of the service. */
export interface StreamAddress {
  /** The canonical path with sorted lists, the parameters sorted by name, and the requested format. */
  readonly key: string
  readonly kind: StreamKind
  /** Symbols or account ids in the window's notation. `ACCOUNT/ORDER,ORDER` for orders by id. */
  readonly target: string
  /** Parameters outside the target, by name in lower case. */
  readonly options: Readonly<Record<string, string>>
  /** A quote stream's symbols, in capitals. Absent for other kinds. */
  readonly symbols?: ReadonlySet<string>
  /** The requested format, if it is not plain JSON. */
  readonly accept?: string
}

const PATTERNS = STREAM_KINDS.map((kind) => [kind, streamPattern(kind)] as const)

const STREAM_OR_ENCODED = /\/stream\/|%/

const LEG = /^legs\[\d+\]\.symbol$/

/**
 * The address of the stream that a request opens. `undefined` if no known kind of stream has the path, or the
 * path can't be decoded. `accept` is the request's Accept header.
 */
export function streamAddressOf(pathAndQuery: string, accept?: string): StreamAddress | undefined {
  // Skips decoding for most requests, which are not for streams.
  if (!STREAM_OR_ENCODED.test(pathAndQuery)) return undefined
  const [path = '', ...rest] = pathAndQuery.split('?')
  const parts = path.split('/').map(uriDecoded)
  const pairs = parametersOf(rest.join('?'))
  if (parts.includes(undefined) || pairs === undefined) return undefined
  // A decoded slash, as in some symbols, would split one part of the path into two.
  if (parts.some((part) => part?.includes('/'))) return undefined
  const canonical = parts.join('/')
  for (const [kind, pattern] of PATTERNS) {
    const match = pattern.exec(canonical)
    if (match === null) continue
    const { target: inPath, ids, ...pathOptions } = match.groups ?? {}
    const form = formOf(accept)
    const sorted = pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    const legs = sorted.filter(([name]) => LEG.test(name)).map(([, value]) => value)
    const target = [inPath ?? legs.join(','), ...(ids === undefined ? [] : [ids])].join('/')
    const options = [...pairs.filter(([name]) => !name.startsWith('legs[')), ...inLowerCase(pathOptions)]
    const symbols = STREAM_TABLE[kind].frames === 'quote' ? symbolsOf(target) : undefined
    const listed = (symbols ? canonical.toUpperCase() : canonical).split('/').map(inOneOrder)
    return {
      key: JSON.stringify([listed.join('/'), sorted, form]),
      kind,
      target,
      options: Object.fromEntries(options),
      ...(symbols && { symbols }),
      ...(form !== '' && { accept: form }),
    }
  }
  return undefined
}

/** A sorted list without duplicates. The frames don't depend on the order of accounts, symbols or orders. */
const inOneOrder = (list: string): string => [...new Set(namesIn(list))].toSorted().join(',')

const inLowerCase = (options: Readonly<Record<string, string>>): readonly Pair[] =>
  Object.entries(options).map(([name, value]) => [name.toLowerCase(), value])

/**
 * Whether stream `open` provides everything that `wanted` needs: the two are equal, or `open` has quotes of
 * more symbols.
 */
export function covers(open: StreamAddress, wanted: StreamAddress): boolean {
  if (open.key === wanted.key) return true
  if (open.symbols === undefined || wanted.symbols === undefined || open.accept !== wanted.accept)
    return false
  return sameOptions(open, wanted) && [...wanted.symbols].every((symbol) => open.symbols?.has(symbol))
}

const sameOptions = (a: StreamAddress, b: StreamAddress): boolean =>
  JSON.stringify(Object.entries(a.options).toSorted()) ===
  JSON.stringify(Object.entries(b.options).toSorted())

const symbolsOf = (list: string): ReadonlySet<string> => new Set(namesIn(list.toUpperCase()))

/**
 * The format that `accept` requests. Empty for plain JSON. A stream in another format, such as a versioned
 * media type, is a separate stream.
 */
function formOf(accept: string | undefined): string {
  const wanted = (accept ?? '').trim().toLowerCase()
  return wanted === '' || wanted.includes('*/*') || /(?:^|[\s,])application\/json\b/.test(wanted)
    ? ''
    : wanted
}

type Pair = readonly [name: string, value: string]

/** The parameters with their names in lower case, because the service ignores case. */
function parametersOf(query: string): readonly Pair[] | undefined {
  const pairs: Pair[] = []
  for (const part of query.split('&').filter(Boolean)) {
    const at = part.indexOf('=')
    const name = uriDecoded(at < 0 ? part : part.slice(0, at))
    const value = uriDecoded(at < 0 ? '' : part.slice(at + 1).replaceAll('+', ' '))
    if (name === undefined || value === undefined) return undefined
    pairs.push([name.toLowerCase(), value])
  }
  return pairs
}
