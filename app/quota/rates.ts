/** Time constant of the use estimates: about what the last minute looked like. */
const HORIZON_MS = 60_000
/** An estimate is spread over at least this, so that one request is never read as a storm. */
const LEAST_SPAN_MS = 10_000

/** Requests per second, from requests whose moments are known: an exponentially decaying count. */
export interface CountedRate {
  readonly sum: number
  readonly atMs: number
  readonly sinceMs: number
}

export const countedFrom = (nowMs: number): CountedRate => ({ sum: 0, atMs: nowMs, sinceMs: nowMs })

export function counted(rate: CountedRate, nowMs: number): CountedRate {
  const at = Math.max(nowMs, rate.atMs)
  return { ...rate, sum: rate.sum * Math.exp((rate.atMs - at) / HORIZON_MS) + 1, atMs: at }
}

export function countedPerSecond(rate: CountedRate, nowMs: number): number {
  const sum = rate.sum * Math.exp(Math.min(0, rate.atMs - nowMs) / HORIZON_MS)
  const span = Math.max(LEAST_SPAN_MS, nowMs - rate.sinceMs)
  // Corrects the start: an estimate that has watched for ten seconds divides by ten seconds, not by a minute.
  return (sum * 1000) / (HORIZON_MS * (1 - Math.exp(-span / HORIZON_MS)))
}

/**
 * Requests per second, from counts over intervals between observations.
 *
 * Decays by observed time only: silence between two headers says nothing about what others do.
 */
export interface IntervalRate {
  readonly sum: number
  readonly weight: number
}

export const NO_INTERVALS: IntervalRate = { sum: 0, weight: 0 }

export function observedOver(rate: IntervalRate, count: number, spanMs: number): IntervalRate {
  if (spanMs <= 0) return rate
  const kept = Math.exp(-spanMs / HORIZON_MS)
  const perSecond = (count * 1000) / spanMs
  return { sum: rate.sum * kept + perSecond * (1 - kept), weight: rate.weight * kept + (1 - kept) }
}

/** `undefined` before there was an interval to look at. */
export function intervalPerSecond(rate: IntervalRate): number | undefined {
  return rate.weight > 0.01 ? rate.sum / rate.weight : undefined
}
