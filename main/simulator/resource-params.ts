import { ACCOUNT_IDS } from './rules/payloads-brokerage.ts'
import { BAR_UNITS, type BarUnit, UNIT_MS } from './rules/payloads-market.ts'
import { type SpreadType, spreadTypeOf } from './rules/payloads-options.ts'
import { type Answer, errorAnswer } from './wire.ts'

/** A parameter read from a resource's path or query, or the answer to an invalid one. */
export type Read<T> = { readonly kind: 'read'; readonly value: T } | Answer

const read = <T>(value: T): Read<T> => ({ kind: 'read', value })
const bad = (message: string): Answer => errorAnswer(400, 'BadRequest', message)

/** The result of `then` for a valid parameter. For an invalid parameter, the error answer. */
export const whenRead = <T, R>(result: Read<T>, then: (value: T) => R): R | Answer =>
  result.kind === 'read' ? then(result.value) : result

const MAX_ACCOUNTS = 25
const MAX_SYMBOLS = 100
const MAX_LEGS = 10
const MAX_PAGE_SIZE = 600

export interface AskedAccounts {
  readonly known: readonly string[]
  readonly unknown: readonly string[]
}

/** Reads a list of account ids. 404 if none of them is known. */
export function readAccounts(text: string): Read<AskedAccounts> {
  const asked = listOf(text)
  if (asked.length === 0 || asked.length > MAX_ACCOUNTS)
    return bad(`Specify between 1 and ${MAX_ACCOUNTS} accounts.`)
  const known = asked.filter((id) => ACCOUNT_IDS.includes(id))
  if (known.length === 0) return errorAnswer(404, 'NotFound', 'Account not found.')
  return read({ known, unknown: asked.filter((id) => !ACCOUNT_IDS.includes(id)) })
}

export function readSymbols(text: string): Read<readonly string[]> {
  const symbols = listOf(text)
  return symbols.length >= 1 && symbols.length <= MAX_SYMBOLS
    ? read(symbols)
    : bad(`Specify between 1 and ${MAX_SYMBOLS} symbols.`)
}

export function readOrderIds(text: string): Read<readonly string[]> {
  const ids = listOf(text)
  const readable = ids.length >= 1 && ids.length <= 50 && ids.every((id) => /^[\w-]{1,40}$/.test(id))
  return readable ? read(ids) : bad('Specify between 1 and 50 order ids.')
}

/** Reads a whole number in [`low`, `high`] from the query. Returns `otherwise` if the parameter is absent. */
export function readWhole(
  query: URLSearchParams,
  name: string,
  range: { readonly low: number; readonly high: number; readonly otherwise: number },
): Read<number> {
  const text = parameter(query, name)
  if (text === undefined) return read(range.otherwise)
  return readWholeText(text, name, range)
}

/** Reads a whole number from `low` to `high`. `name` is for the error message. */
export function readWholeText(
  text: string,
  name: string,
  { low, high }: { readonly low: number; readonly high: number },
): Read<number> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= low && value <= high ? read(value) : bad(`${name} must be from ${low} to ${high}.`)
}

/** Reads `unit`, in upper or lower case. `Daily` if it is absent. */
export function readBarUnit(query: URLSearchParams): Read<BarUnit> {
  const text = parameter(query, 'unit') ?? 'Daily'
  const unit = BAR_UNITS.find((known) => known.toLowerCase() === text.toLowerCase())
  return unit === undefined ? bad('unit must be Minute, Daily, Weekly or Monthly.') : read(unit)
}

export interface AskedBars {
  readonly unit: BarUnit
  readonly interval: number
  readonly count: number
  readonly untilMs: number
}

/** Maximum number of bars, to limit memory. */
const MAX_BARS = 1000

/** Reads `unit`, `interval`, `lastdate`, and either `barsback` or `firstdate`. */
export function readBars(query: URLSearchParams, nowMs: number): Read<AskedBars> {
  return whenRead(readBarUnit(query), (unit) =>
    whenRead(readWhole(query, 'interval', { low: 1, high: 1440, otherwise: 1 }), (interval) =>
      whenRead(readWhole(query, 'barsback', { low: 1, high: 57_600, otherwise: 1 }), (barsBack) =>
        whenRead(readDate(query, 'lastdate'), (lastMs) =>
          whenRead(readDate(query, 'firstdate'), (firstMs) => {
            if (firstMs !== undefined && parameter(query, 'barsback') !== undefined) {
              return bad('Specify barsback or firstdate, not both.')
            }
            const untilMs = Math.min(lastMs ?? nowMs, nowMs)
            const lengthMs = UNIT_MS[unit] * interval
            const since = firstMs === undefined ? barsBack : Math.ceil((untilMs - firstMs) / lengthMs)
            return read({ unit, interval, count: Math.min(Math.max(since, 1), MAX_BARS), untilMs })
          }),
        ),
      ),
    ),
  )
}

function readDate(query: URLSearchParams, name: string): Read<number | undefined> {
  const text = parameter(query, name)
  if (text === undefined) return read(undefined)
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? bad(`${name} must be a date.`) : read(atMs)
}

/** Reads `spreadType`, one of the types that `spreadtypes` lists. Default: single options. */
export function readSpreadType(query: URLSearchParams): Read<SpreadType> {
  const type = spreadTypeOf(parameter(query, 'spreadType') ?? 'Single')
  return type === undefined ? bad('spreadType must be a type that options/spreadtypes lists.') : read(type)
}

/**
 * Reads `symbol`, a list. A trailing ` *` matches every option of an underlying. Without `symbol`, the filter
 * accepts every symbol.
 */
export function readSymbolFilter(query: URLSearchParams): Read<(symbol: string) => boolean> {
  const text = parameter(query, 'symbol')
  if (text === undefined) return read(() => true)
  return whenRead(readSymbols(text), (symbols) =>
    read((symbol) =>
      symbols.some((one) => (one.endsWith('*') ? symbol.startsWith(one.slice(0, -1)) : symbol === one)),
    ),
  )
}

export interface PageRequest {
  readonly size: number
  readonly offset: number
}

/**
 * Reads `pageSize`, 1 to 600 (the default), and `nextToken` from an earlier page. Without `nextToken`,
 * selects the first page.
 */
export function readPage(query: URLSearchParams): Read<PageRequest> {
  return whenRead(
    readWhole(query, 'pageSize', { low: 1, high: MAX_PAGE_SIZE, otherwise: MAX_PAGE_SIZE }),
    (size) => {
      const token = parameter(query, 'nextToken')
      if (token === undefined) return read({ size, offset: 0 })
      const offset = /^page-(\d{1,6})$/.exec(token)?.[1]
      return offset === undefined
        ? bad('nextToken must come from an earlier page.')
        : read({ size, offset: Number(offset) })
    },
  )
}

export function pageOf<T>(items: readonly T[], { size, offset }: PageRequest) {
  const nextToken = offset + size < items.length ? `page-${offset + size}` : undefined
  return { items: items.slice(offset, offset + size), nextToken }
}

/** Reads `legs[0].Symbol=…&legs[1].Symbol=…`. */
export function readLegs(query: URLSearchParams): Read<readonly string[]> {
  const legs = [...query]
    .filter(([name, value]) => /^legs\[\d+\]\.symbol$/i.test(name) && value.trim() !== '')
    .map(([, value]) => value.trim())
  return legs.length >= 1 && legs.length <= MAX_LEGS
    ? read(legs)
    : bad(`Specify between 1 and ${MAX_LEGS} legs, such as legs[0].Symbol=MSFT.`)
}

export function readSince(query: URLSearchParams): Read<string> {
  const since = parameter(query, 'since')
  return since !== undefined && !Number.isNaN(Date.parse(since))
    ? read(since)
    : bad('The parameter since must be a date.')
}

/** A query parameter by name. Names are not case-sensitive, as on the real service. */
const parameter = (query: URLSearchParams, name: string): string | undefined =>
  [...query].find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

const listOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
]
