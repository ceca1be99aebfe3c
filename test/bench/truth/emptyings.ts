import type { Looks } from './looks.ts'
import { isWarning } from './row-state.ts'

/** A warning is due if the rate would empty the quota within this time. */
const HORIZON_SECONDS = 600
/**
 * The rate at a second is the mean of the minute that begins then. So the first second of a burst already
 * counts as a part of it.
 */
const PACE_SECONDS = 60
const MIN_EPISODE_SECONDS = 30
const BRIDGED_SECONDS = 15
/** An emptying is a fall from above this share of the limit. */
const WAS_THERE = 0.1
export const WARNED_AHEAD_SECONDS = 15

/**
 * For each period in which own use and others' use would empty the quota within ten minutes: seconds from its
 * start to the first look that warns. A period without a warning counts with its whole length.
 */
export function warningDelays(looks: Looks): readonly number[] {
  const pressing = wouldRunOut(looks)
  const delays: number[] = []
  for (let from = 0; from < looks.count; from += 1) {
    if (!pressing[from]) continue
    let to = from
    while (to < looks.count && pressing[to]) to += 1
    const warnedAt = looks.state.findIndex((state, at) => at >= from && at < to && isWarning(state))
    // Periods that began before the first header are left out. So are periods without a warning that the last
    // look cuts off.
    const isWhole = looks.isSeen[from] === 1 && (to < looks.count || warnedAt >= 0)
    if (isWhole && to - from >= MIN_EPISODE_SECONDS) delays.push((warnedAt < 0 ? to : warnedAt) - from)
    from = to
  }
  return delays
}

/** For each look, whether the current rate of use would empty the quota within ten minutes. */
function wouldRunOut({ kind, count, truth, rate }: Looks): readonly boolean[] {
  const refill = kind.limit / kind.periodSeconds
  const pressing = Array.from({ length: count }, (_, at) => {
    if (truth[at]! < 1) return true
    let sum = 0
    for (let ahead = 0; ahead < PACE_SECONDS; ahead += 1) sum += rate[at + ahead]!
    const drain = sum / PACE_SECONDS + kind.own - refill
    return drain > 0 && truth[at]! / drain <= HORIZON_SECONDS
  })
  for (let at = 0; at < count; at += 1) {
    if (pressing[at] || !pressing[at - 1]) continue
    const next = pressing.indexOf(true, at)
    if (next > 0 && next - at <= BRIDGED_SECONDS) pressing.fill(true, at, next)
  }
  return pressing
}

/** For each look, whether the quota is empty at some time in the next ten minutes. */
export function comesEmpty({ count, truth }: Looks): readonly boolean[] {
  const comes = new Array<boolean>(count)
  let emptyAt = Number.POSITIVE_INFINITY
  for (let at = truth.length - 1; at >= 0; at -= 1) {
    if (truth[at]! < 1) emptyAt = at
    if (at < count) comes[at] = emptyAt - at <= HORIZON_SECONDS
  }
  return comes
}

/** For each look, whether the quota stays above half of its limit for the next ten minutes. */
export function staysOverHalf({ kind, count, truth }: Looks): readonly boolean[] {
  const stays = new Array<boolean>(count)
  let underAt = Number.POSITIVE_INFINITY
  for (let at = truth.length - 1; at >= 0; at -= 1) {
    if (truth[at]! <= kind.limit / 2) underAt = at
    if (at < count) stays[at] = underAt - at > HORIZON_SECONDS
  }
  return stays
}

/** Times at which the quota became empty, having held a tenth of its limit before. */
export function emptyings({ kind, count, truth, isSeen }: Looks): readonly number[] {
  const times: number[] = []
  let wasThere = true
  for (let at = 0; at < count; at += 1) {
    if (truth[at]! >= kind.limit * WAS_THERE) wasThere = true
    if (truth[at]! >= 1 || !wasThere) continue
    wasThere = false
    if (at >= WARNED_AHEAD_SECONDS && isSeen[at - WARNED_AHEAD_SECONDS]) times.push(at)
  }
  return times
}
