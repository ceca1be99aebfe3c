import type { KeyReport, ShortState } from '../contract/events.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { hundredths } from './rates.ts'
import { replenishedPerSecond } from './replenishment.ts'

/** A report that a row is short of requests (low, running out or empty), or that it no longer is. */
export function shortReport(row: RequestQuota): KeyReport {
  const state = shortStateOf(row)
  return state === undefined ? { kind: 'quota-short-ended', category: row.category } : shortIn(row, state)
}

/**
 * A row's state if the row is short of requests, otherwise `undefined`. A watched row does not count as
 * short: it may still have plenty left, and its state often changes.
 */
const shortStateOf = ({ state }: RequestQuota): ShortState | undefined =>
  state === 'low' || state === 'running-out' || state === 'empty' ? state : undefined

function shortIn(row: RequestQuota, state: ShortState): KeyReport {
  const { category, limit, remaining, emptyAt, use, model, period } = row
  return {
    kind: 'quota-short',
    category,
    state,
    limit,
    remaining,
    ...(emptyAt !== undefined && { emptyAt: Math.round(emptyAt) }),
    ...(use && {
      othersLow: hundredths(use.elsewhereLow ?? use.elsewhere),
      othersHigh: hundredths(use.elsewhereHigh ?? use.elsewhere),
    }),
    ...(model === 'rolling' && { refill: hundredths(replenishedPerSecond(limit, period)) }),
  }
}
