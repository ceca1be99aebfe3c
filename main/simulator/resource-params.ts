import { ACCOUNT_IDS } from './rules/payloads-brokerage.ts'
import { type Answer, errorAnswer } from './wire.ts'

/** Reading of what a resource's path and query ask for. A problem is already the answer to it. */
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly answer: Answer }

const read = <T>(value: T): Read<T> => ({ ok: true, value })
const bad = (message: string): Read<never> => ({ ok: false, answer: errorAnswer(400, 'BadRequest', message) })

const MOST_ACCOUNTS = 25
const MOST_SYMBOLS = 100
const MOST_LEGS = 10

export interface AskedAccounts {
  readonly known: readonly string[]
  readonly unknown: readonly string[]
}

export function readAccounts(text: string): Read<AskedAccounts> {
  const asked = listOf(text)
  if (asked.length === 0 || asked.length > MOST_ACCOUNTS) return bad(`Name 1 to ${MOST_ACCOUNTS} accounts.`)
  const known = asked.filter((id) => ACCOUNT_IDS.includes(id))
  if (known.length === 0) return { ok: false, answer: errorAnswer(404, 'NotFound', 'Account not found.') }
  return read({ known, unknown: asked.filter((id) => !ACCOUNT_IDS.includes(id)) })
}

export function readSymbols(text: string): Read<readonly string[]> {
  const symbols = listOf(text)
  return symbols.length >= 1 && symbols.length <= MOST_SYMBOLS
    ? read(symbols)
    : bad(`Name 1 to ${MOST_SYMBOLS} symbols.`)
}

export function readOrderIds(text: string): Read<readonly string[]> {
  const ids = listOf(text)
  const readable = ids.length >= 1 && ids.length <= 50 && ids.every((id) => /^[\w-]{1,40}$/.test(id))
  return readable ? read(ids) : bad('Name 1 to 50 order ids.')
}

export function readWhole(
  query: URLSearchParams,
  name: string,
  range: { readonly low: number; readonly high: number; readonly otherwise: number },
): Read<number> {
  const text = parameter(query, name)
  if (text === undefined) return read(range.otherwise)
  return readWholeText(text, name, range)
}

export function readWholeText(
  text: string,
  name: string,
  { low, high }: { readonly low: number; readonly high: number },
): Read<number> {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= low && value <= high ? read(value) : bad(`${name} must be from ${low} to ${high}.`)
}

const BAR_UNITS = ['Minute', 'Daily', 'Weekly', 'Monthly'] as const

export function readBarUnit(query: URLSearchParams): Read<(typeof BAR_UNITS)[number]> {
  const text = parameter(query, 'unit') ?? 'Daily'
  const unit = BAR_UNITS.find((known) => known.toLowerCase() === text.toLowerCase())
  return unit === undefined ? bad('unit must be Minute, Daily, Weekly or Monthly.') : read(unit)
}

/** `legs[0].Symbol=…&legs[1].Symbol=…` */
export function readLegs(query: URLSearchParams): Read<readonly string[]> {
  const legs = [...query]
    .filter(([name, value]) => /^legs\[\d+\]\.symbol$/i.test(name) && value.trim() !== '')
    .map(([, value]) => value.trim())
  return legs.length >= 1 && legs.length <= MOST_LEGS
    ? read(legs)
    : bad(`Name 1 to ${MOST_LEGS} legs, as in legs[0].Symbol=.`)
}

export function readSince(query: URLSearchParams): Read<string> {
  const since = parameter(query, 'since')
  return since !== undefined && !Number.isNaN(Date.parse(since)) ? read(since) : bad('since must be a date.')
}

/** Query names are not case-sensitive, like those of the real service. */
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
