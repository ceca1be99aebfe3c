import type { KeyReport, ShortState } from '../contract/events.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'

/**
 * Whether a row is short of requests, as a report: it is low, runs out or is empty, or it is none of these.
 */
export function shortReport(row: RequestQuota): KeyReport {
  const state = shortStateOf(row)
  return state === undefined ? { kind: 'quota-short-ended', category: row.category } : shortIn(row, state)
}

/** A row that is watched is not short: much may be left of it, and it comes and goes. */
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

const hundredths = (perSecond: number): number => Math.round(perSecond * 100) / 100
