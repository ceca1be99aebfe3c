import { PROBED_CATEGORIES } from '../../app/service/categories.ts'
import type { Past } from '../ports/profile.ts'
import type { RequestQuotas } from './rules/request-quotas.ts'

type Header = Past['headers'][number]

/**
 * Interval in milliseconds between readings of a category, as in a monitor with a small budget for checks.
 */
const EVERY_MS = 15_000
/** Interval in milliseconds at which each quota is checked for its first 429. */
const LOOK_MS = 1_000
/** When a stream was restarted in the simulated past, in milliseconds before the simulator's start. */
const GOAWAY_BEFORE_MS = 6 * 60_000

/**
 * Simulates a monitor's readings from `fromMs` to `untilMs`. Call this before anything else reads the quotas.
 *
 * Reports at most one 429 for each category, at the first time at which no request is left.
 */
export function pastOf(
  quotas: Pick<RequestQuotas, 'reading' | 'elsewhere'>,
  fromMs: number,
  untilMs: number,
): Past {
  const headers: Header[] = []
  const lasts = new Map<
    string,
    { readonly index: number; readonly header: Header; readonly accepted: number }
  >()
  const events: Past['events'][number][] = []
  const refused = new Map<string, { readonly sinceMs: number; isOver: boolean }>()
  for (let atMs = fromMs; atMs < untilMs; atMs += LOOK_MS) {
    for (const category of PROBED_CATEGORIES) {
      const reading = quotas.reading(category, atMs)
      if (reading === undefined) continue
      const refusal = refused.get(category)
      if ((atMs - fromMs) % EVERY_MS === 0) {
        const { accepted } = quotas.elsewhere(category, atMs)
        const before = lasts.get(category)
        if (before !== undefined) {
          const elsewhere = (accepted - before.accepted) / (EVERY_MS / 1000)
          headers[before.index] = { ...before.header, elsewhere }
        }
        const header = { category, atMs, remaining: reading.remaining }
        lasts.set(category, { index: headers.length, header, accepted })
        headers.push(header)
        if (refusal?.isOver === false && reading.remaining >= 1) {
          refusal.isOver = true
          const over = { kind: 'rate-limit-over', category, since: refusal.sinceMs, refused: 1 } as const
          events.push({ atMs, event: over })
        }
      }
      if (reading.remaining >= 1 || refusal !== undefined) continue
      refused.set(category, { sinceMs: atMs, isOver: false })
      const retryAt = Math.round(atMs + reading.resetSeconds * 1000)
      events.push({ atMs, event: { kind: 'rate-limited', category, retryAt } })
    }
  }
  const restarted = {
    kind: 'stream-restarted',
    stream: 'past',
    category: 'Order Stream',
    target: 'SIM1001',
    reason: 'server going away',
  } as const
  const goAwayMs = untilMs - GOAWAY_BEFORE_MS
  if (goAwayMs > fromMs) events.push({ atMs: goAwayMs, event: restarted })
  return { headers, events: events.toSorted((a, b) => a.atMs - b.atMs) }
}
