import type { RequestQuota } from '../../app/contract/snapshot.ts'
import { isStale } from '../words/row-words.ts'

/** Shares of the limit in per cent, to a tenth: less cannot be seen, and would only redraw. */
export interface BarParts {
  /** What the last header said, as far as it is still there. */
  readonly seen: number
  /** What the model adds to it. */
  readonly modelled: number
}

export function barParts(quota: RequestQuota, level: number, nowMs: number): BarParts {
  const all = percent(level, quota.limit)
  // Of a header too old to speak of now nothing is solid.
  const seen =
    isStale(quota, nowMs) || quota.seen === undefined ? 0 : Math.min(all, percent(quota.seen, quota.limit))
  return { seen, modelled: Math.round((all - seen) * 10) / 10 }
}

function percent(part: number, whole: number): number {
  return whole > 0 ? Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 10 : 0
}
