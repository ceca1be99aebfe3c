import { MINUTE_MS } from '../contract/units.ts'

/** Maximum number of stored headers. If a minute has more headers, the mean covers less than a minute. */
const MAX_HEADERS = 64

/** One header. `requests`: running total of others' requests up to this header. */
interface Count {
  readonly atMs: number
  readonly requests: number
}

/**
 * Others' mean rate over the last minute, for a comparison with own use over the same time. Others' present
 * rate may differ from the mean if their use has just begun or ended.
 *
 * Mutable. Times are milliseconds on one clock, rates are requests per second.
 */
export class MinuteMean {
  #counts: Count[] = []

  /** Restarts at a header. Earlier use by others is unknown. */
  restart(atMs: number): void {
    this.#counts = [{ atMs, requests: 0 }]
  }

  /** Adds a header. `missing`: others' requests since the previous header. */
  header(atMs: number, missing: number): void {
    const counts = this.#counts
    const last = counts.at(-1)
    counts.push({ atMs, requests: (last?.requests ?? 0) + missing })
    // The last header before the minute is also kept, because the interval that it starts reaches into the
    // minute.
    while (counts.length > 2 && (counts[1]!.atMs <= atMs - MINUTE_MS || counts.length > MAX_HEADERS))
      counts.shift()
  }

  /**
   * The range of the rate over the minute before `nowMs`. `undefined` before the second header. `perSecond`:
   * the assumed rate since the last header.
   */
  at(nowMs: number, perSecond: number): { readonly least: number; readonly most: number } | undefined {
    const counts = this.#counts
    const [first, last] = [counts[0], counts.at(-1)]
    if (first === undefined || last === undefined || counts.length < 2) return undefined
    const fromMs = Math.max(first.atMs, nowMs - MINUTE_MS)
    if (fromMs >= last.atMs) return undefined
    let requests = ((nowMs - last.atMs) / 1000) * perSecond
    for (let at = counts.length - 1; at > 0 && counts[at]!.atMs > fromMs; at -= 1) {
      const [before, after] = [counts[at - 1]!, counts[at]!]
      const lengthMs = after.atMs - before.atMs
      const share = lengthMs > 0 ? (after.atMs - Math.max(fromMs, before.atMs)) / lengthMs : 1
      requests += share * (after.requests - before.requests)
    }
    // A count of n requests has a statistical error of about √n.
    const error = Math.sqrt(Math.max(0, requests) + 1)
    const perRequest = 1000 / (nowMs - fromMs)
    return { least: Math.max(0, requests - error) * perRequest, most: (requests + error) * perRequest }
  }
}
