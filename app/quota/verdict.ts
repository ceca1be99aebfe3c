import type { RequestQuota, Verdict } from '../contract/snapshot.ts'
import { isStale } from './stale.ts'

const GRAVITY = { blocked: 4, 'runs-out': 3, 'near-limit': 2, lasts: 1, idle: 1, 'not-seen': 0 } as const

/** The one category that limits the whole: the gravest row, then the soonest, then the emptiest. */
export function verdictOf(rows: readonly RequestQuota[]): Verdict {
  const known = rows.filter((row) => row.verdict !== 'not-seen')
  // What an old header leaves of a quota is a model: no ground to say that it lasts, where nothing newer says so.
  if (known.every((row) => isStale(row, row.asOf) && GRAVITY[row.verdict] < GRAVITY['runs-out'])) {
    return { kind: 'unknown' }
  }
  const [worst] = [...known].sort(
    (a, b) =>
      GRAVITY[b.verdict] - GRAVITY[a.verdict] ||
      (whenOf(a) ?? Number.POSITIVE_INFINITY) - (whenOf(b) ?? Number.POSITIVE_INFINITY) ||
      a.level / a.limit - b.level / b.limit,
  )
  if (!worst) return { kind: 'unknown' }
  const at = whenOf(worst)
  switch (worst.verdict) {
    case 'blocked':
    case 'runs-out':
    case 'near-limit':
      return { kind: worst.verdict, category: worst.category, ...(at !== undefined && { at }) }
    case 'lasts':
    case 'idle':
      return { kind: 'lasts', category: worst.category }
    case 'not-seen':
      return { kind: 'unknown' }
  }
}

function whenOf(row: RequestQuota): number | undefined {
  return row.verdict === 'blocked' ? row.blockedUntil : row.emptyAt
}
