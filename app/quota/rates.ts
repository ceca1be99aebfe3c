/** Time constants of the use estimates: about what the last minute, and the last five, looked like. */
export const HORIZONS_MS = { short: 60_000, long: 300_000 } as const
export type Horizon = keyof typeof HORIZONS_MS

/** Least time that an estimate is spread over, so that one request does not read as a storm. */
const MIN_SPAN_MS = 10_000

/** Requests per second, from requests whose moments are known: an exponentially decaying count. */
export interface CountedRate {
  readonly horizonMs: number
  readonly sum: number
  readonly atMs: number
  readonly sinceMs: number
}

/** A counted rate that begins at `nowMs`, with no request yet. */
export const countedFrom = (nowMs: number, horizonMs: number): CountedRate => ({
  horizonMs,
  sum: 0,
  atMs: nowMs,
  sinceMs: nowMs,
})

/** Adds one request at `nowMs`, or so much of it. */
export function counted(rate: CountedRate, nowMs: number, requests = 1): CountedRate {
  const at = Math.max(nowMs, rate.atMs)
  const kept = rate.sum * Math.exp((rate.atMs - at) / rate.horizonMs)
  return { horizonMs: rate.horizonMs, sum: kept + requests, atMs: at, sinceMs: rate.sinceMs }
}

/** The rate at `nowMs`, requests per second. */
export function countedPerSecond(rate: CountedRate, nowMs: number): number {
  const { horizonMs } = rate
  const sum = rate.sum * Math.exp(Math.min(0, rate.atMs - nowMs) / horizonMs)
  const span = Math.max(MIN_SPAN_MS, nowMs - rate.sinceMs)
  // Corrects the start: an estimate that has watched for ten seconds divides by ten seconds, not by a minute.
  return (sum * 1000) / (horizonMs * (1 - Math.exp(-span / horizonMs)))
}

/**
 * Requests per second, from counts over intervals between observations.
 *
 * Decays by observed time only: silence between two headers says nothing about what others do.
 */
export interface IntervalRate {
  readonly horizonMs: number
  readonly sum: number
  readonly weight: number
}

/** An interval rate before its first interval. */
export const noIntervals = (horizonMs: number): IntervalRate => ({ horizonMs, sum: 0, weight: 0 })

/** Adds an interval of `spanMs` with `count` requests; one without length adds nothing. */
export function observedOver(rate: IntervalRate, count: number, spanMs: number): IntervalRate {
  if (spanMs <= 0) return rate
  const kept = Math.exp(-spanMs / rate.horizonMs)
  const perSecond = (count * 1000) / spanMs
  return {
    horizonMs: rate.horizonMs,
    sum: rate.sum * kept + perSecond * (1 - kept),
    weight: rate.weight * kept + (1 - kept),
  }
}

/** Observed time that counts as evidence at all. */
const MIN_OBSERVED_MS = 600

/** The rate, requests per second; `undefined` before 0.6 s were observed. */
export function intervalPerSecond(rate: IntervalRate): number | undefined {
  return rate.weight > MIN_OBSERVED_MS / rate.horizonMs ? rate.sum / rate.weight : undefined
}
