/** Time constants of the use estimates: about the last minute and the last five. */
export const HORIZONS_MS = { short: 60_000, long: 300_000 } as const
export type Horizon = keyof typeof HORIZONS_MS

/** Minimum time over which an estimate is spread, so that one request does not look like a storm. */
const MIN_SPAN_MS = 10_000

/** Requests per second from requests at known times: an exponentially decaying count. */
export interface CountedRate {
  readonly horizonMs: number
  readonly sum: number
  readonly atMs: number
  readonly sinceMs: number
}

/** A counted rate that starts at `nowMs` without requests. */
export const countedFrom = (nowMs: number, horizonMs: number): CountedRate => ({
  horizonMs,
  sum: 0,
  atMs: nowMs,
  sinceMs: nowMs,
})

/** Adds one request at `nowMs`, or `requests` of them. */
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
  // Start-up correction: after ten seconds, divide by ten seconds, not by a minute.
  return (sum * 1000) / (horizonMs * (1 - Math.exp(-span / horizonMs)))
}

/**
 * Requests per second from counts over intervals between observations.
 *
 * Decays by observed time only: silence between two headers shows nothing about others.
 */
export interface IntervalRate {
  readonly horizonMs: number
  readonly sum: number
  readonly weight: number
}

/** An interval rate before its first interval. */
export const noIntervals = (horizonMs: number): IntervalRate => ({ horizonMs, sum: 0, weight: 0 })

/** Adds an interval of `spanMs` with `count` requests. An empty interval adds nothing. */
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

/** Minimum observed time for a rate. */
const MIN_OBSERVED_MS = 600

/** The rate, requests per second; `undefined` before 0.6 s were observed. */
export function intervalPerSecond(rate: IntervalRate): number | undefined {
  return rate.weight > MIN_OBSERVED_MS / rate.horizonMs ? rate.sum / rate.weight : undefined
}
