import { delayMs, type Look, PUSH_MS, SLACK } from './look.ts'
import type { ShownRow } from './shown.ts'
import { durationMs } from './times.ts'
import type { Truth } from './truth.ts'

/**
 * Tolerance for the rate of others, which changes only with a header: a statement about it counts as wrong
 * only if their use has lasted, or has been over, for this long.
 */
export const USE_MS = 30_000
/** Maximum time between two checks of a row that a person looks at. */
const FRESH_MS = 60_000

/**
 * The lowest and the highest count of a category around a look. The two counts before and after the look are
 * its ends, with a tolerance.
 */
export function countOf(category: string, look: Look) {
  const { before, after } = look
  const [first, last] = [before, after].map(({ requests }) =>
    requests.find((request) => request.category === category),
  )
  if (first === undefined || last === undefined) return undefined
  const { limit, periodSeconds } = last
  const slack = SLACK + Math.ceil((limit / periodSeconds) * ((delayMs(look) + PUSH_MS) / 1000))
  return {
    limit,
    periodSeconds,
    isFull: first.remaining >= limit && last.remaining >= limit,
    fewest: Math.max(0, Math.min(first.remaining, last.remaining) - slack),
    most: Math.min(limit, Math.max(first.remaining, last.remaining) + slack),
    fullAtMs: last.remaining >= limit ? after.at : after.at + last.resetSeconds * 1000,
    told: `${first.remaining} to ${last.remaining} of ${limit}`,
  }
}

export type Count = NonNullable<ReturnType<typeof countOf>>

/** The shown level: a range, or twice the same; the full range if nothing is shown. */
export function numberOf({ left, limit }: Pick<ShownRow, 'left' | 'limit'>): readonly [number, number] {
  if (left === '–') return [0, limit]
  const [low = 0, high = low] = left.replace('~', '').split('–').map(Number)
  return [low, high]
}

/**
 * Requests of others since the row's last header that exceed the shown rate of others. Headroom can't know
 * them before the next header. 0 if the header is old, because such a row should have been checked again.
 */
export function unforeseen(category: string, looks: readonly Look[]): number {
  const now = looks.at(-1)
  const row = now?.shown.rows.find((one) => one.category === category)
  const ageMs = durationMs(row?.age ?? '')
  if (now === undefined || row === undefined || ageMs === undefined || ageMs > FRESH_MS) return 0
  const from = looks.findLast(({ shown }) => shown.atMs <= now.shown.atMs - ageMs)
  const most = Number(row.others.split('–').at(-1))
  if (from === undefined || Number.isNaN(most)) return 0
  const made = madeByOthers(category, now.after) - madeByOthers(category, from.before)
  return Math.max(0, made - (most * ageMs) / 1000)
}

/** All requests of others in a category so far, whether accepted or refused. */
export function madeByOthers(category: string, { requests }: Truth): number {
  const elsewhere = requests.find((request) => request.category === category)?.elsewhere
  return elsewhere === undefined ? 0 : elsewhere.accepted + elsewhere.refused
}

/**
 * The rates of others on a row in requests per second, from well before its last header until now: the rate
 * between each two looks, and the mean. `undefined` if the looks do not go back that far.
 */
export function othersOf({ category, age }: Pick<ShownRow, 'category' | 'age'>, looks: readonly Look[]) {
  const now = looks.at(-1)
  const ageMs = durationMs(age)
  if (now === undefined || ageMs === undefined) return undefined
  const fromMs = now.shown.atMs - 2 * (ageMs + USE_MS)
  const from = looks.findLast(({ shown }) => shown.atMs <= fromMs)
  if (from === undefined) return undefined
  const made = (truth: Truth) => madeByOthers(category, truth)
  const steps = looks.slice(looks.indexOf(from))
  const rates = steps.slice(1).map((step, index) => {
    const before = steps[index] ?? from
    return (made(step.after) - made(before.after)) / ((step.after.at - before.after.at) / 1000)
  })
  const mean = (made(now.after) - made(from.after)) / Math.max(1, (now.after.at - from.after.at) / 1000)
  return { rates, mean }
}

/** The time of the last 429 that the row may still show, which is at most one period old. */
export function lastRefusalMs(category: string, look: Look): number | undefined {
  const { after } = look
  const period = after.requests.find((request) => request.category === category)?.periodSeconds ?? 0
  const fromMs = after.at - (period + 5) * 1000 - delayMs(look)
  return after.ledger.findLast((one) => one.category === category && one.status === 429 && one.atMs > fromMs)
    ?.atMs
}

export const longestNamed = (text: string, { requests }: Truth): string | undefined =>
  requests
    .map(({ category }) => category)
    .filter((category) => text.startsWith(category))
    .toSorted((a, b) => b.length - a.length)[0]
