import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './model.ts'

/**
 * What may be asked of a row without its running out, at the high end of others' use.
 *
 * Rolling: what comes back, `limit / period`, less what others take, may be used for ever; its inverse is the pace.
 * Fixed window: what is left now, less what others take until the window ends, spread evenly over that time.
 */
export function safePace(
  row: Pick<RequestQuota, 'model' | 'limit' | 'period' | 'low' | 'use' | 'blockedUntil' | 'windowEndsAt'>,
  nowMs: number,
): NonNullable<RequestQuota['safe']> {
  if (row.blockedUntil !== undefined) return { everySeconds: null, burst: 0 }
  const others = row.use?.elsewhereHigh ?? row.use?.elsewhere ?? 0
  const secondsLeft = Math.max(0, ((row.windowEndsAt ?? nowMs) - nowMs) / 1000)
  const perSecond =
    row.model === 'rolling' || secondsLeft === 0
      ? replenishedPerSecond(row.limit, row.period) - others
      : row.low / secondsLeft - others
  return { everySeconds: perSecond > 0 ? 1 / perSecond : null, burst: row.low }
}
