import type { RequestQuota } from '../contract/snapshot.ts'
import type { Bucket } from './bucket.ts'
import { HORIZONS_MS, type Horizon } from './rates.ts'

type Burn = NonNullable<RequestQuota['burn']>

/** By how many of its standard deviations a count has to be off before it is a change and no accident. */
const NOTABLE_DEVIATIONS = 2

/** Use by everybody over about the last minute and the last five; `undefined` while use elsewhere is not known. */
export function burnOf(bucket: Bucket, nowMs: number): Burn | undefined {
  const short = bucket.elsewherePerSecond(nowMs)
  const long = bucket.elsewherePerSecond(nowMs, 'long')
  if (short === undefined || long === undefined) return undefined
  const perSecond = {
    short: short + bucket.ownPerSecond(nowMs),
    long: long + bucket.ownPerSecond(nowMs, 'long'),
  }
  return { ...perSecond, basis: basisOf(perSecond) }
}

/**
 * The horizon that a forecast rests on.
 *
 * The long one has seen more, so it is right while the load is what it was. Where the last minute differs from it by
 * more than chance explains, the load has changed and only the short one knows. A count of n is off by about √n.
 */
function basisOf({ short, long }: Readonly<Record<Horizon, number>>): Horizon {
  const seconds = HORIZONS_MS.short / 1000
  const off = Math.abs(short - long) * seconds
  return off > NOTABLE_DEVIATIONS * Math.sqrt(Math.max(1, Math.max(short, long) * seconds)) ? 'short' : 'long'
}
