/** Time constant of a rate's decay. Milliseconds. */
export const HORIZON_MS = 60_000

/** Minimum time over which requests are averaged, so that one request does not look like a burst. */
const MIN_SPAN_MS = 10_000

/** A rate of counted requests, as an exponentially decaying sum. */
export interface CountedRate {
  readonly sum: number
  readonly atMs: number
  readonly sinceMs: number
}

/** A count that starts at `nowMs`, epoch ms. */
export const countedFrom = (nowMs: number): CountedRate => ({ sum: 0, atMs: nowMs, sinceMs: nowMs })

/** Adds `requests` requests at `nowMs`. */
export function counted(rate: CountedRate, nowMs: number, requests = 1): CountedRate {
  const at = Math.max(nowMs, rate.atMs)
  const kept = rate.sum * Math.exp((rate.atMs - at) / HORIZON_MS)
  return { sum: kept + requests, atMs: at, sinceMs: rate.sinceMs }
}

/** Subtracts the requests of `part` from `rate` at `nowMs`. Both must have counted them at the same times. */
export function without(rate: CountedRate, part: CountedRate, nowMs: number): CountedRate {
  const all = counted(rate, nowMs, 0)
  return { ...all, sum: Math.max(0, all.sum - counted(part, nowMs, 0).sum) }
}

/** The rate at `nowMs`, requests per second. */
export function countedPerSecond(rate: CountedRate, nowMs: number): number {
  const sum = rate.sum * Math.exp(Math.min(0, rate.atMs - nowMs) / HORIZON_MS)
  const span = Math.max(MIN_SPAN_MS, nowMs - rate.sinceMs)
  // Just after the start, the sum covers less time than the horizon. The divisor is then smaller too.
  return (sum * 1000) / (HORIZON_MS * (1 - Math.exp(-span / HORIZON_MS)))
}

/** Rounds a rate to hundredths, as shown in events. */
export const hundredths = (perSecond: number): number => Math.round(perSecond * 100) / 100

/** Events of the last `windowSeconds`, in bins of one second. */
export class SecondCounts {
  readonly #bins: Float64Array
  #second = Number.NEGATIVE_INFINITY

  constructor(windowSeconds: number) {
    this.#bins = new Float64Array(windowSeconds)
  }

  /** Adds events. If the clock was set back, they count in the latest second. */
  add(nowMs: number, events = 1): void {
    const at = this.#advance(nowMs) % this.#bins.length
    this.#bins[at] = (this.#bins[at] ?? 0) + events
  }

  sum(nowMs: number): number {
    this.#advance(nowMs)
    return this.#bins.reduce((sum, count) => sum + count, 0)
  }

  /** Clears bins that have expired. Returns the present second. */
  #advance(nowMs: number): number {
    const second = Math.max(this.#second, Math.floor(nowMs / 1000))
    const { length } = this.#bins
    for (let one = Math.max(this.#second, second - length) + 1; one <= second; one += 1)
      this.#bins[one % length] = 0
    this.#second = second
    return second
  }
}
