import type { ProgramClass } from '../../app/contract/programs.ts'

/** Window over which rates are averaged, in seconds. */
const WINDOW_SECONDS = 60

/** Requests of the last minute, in bins of one second. */
class MinuteCount {
  readonly #bins = new Float64Array(WINDOW_SECONDS)
  #second = Number.NEGATIVE_INFINITY

  add(nowMs: number): void {
    const second = this.#advance(nowMs)
    const at = second % WINDOW_SECONDS
    this.#bins[at] = (this.#bins[at] ?? 0) + 1
  }

  perSecond(nowMs: number): number {
    this.#advance(nowMs)
    return this.#bins.reduce((sum, count) => sum + count, 0) / WINDOW_SECONDS
  }

  /** Clears bins that have expired. Returns the present second. */
  #advance(nowMs: number): number {
    const second = Math.max(this.#second, Math.floor(nowMs / 1000))
    const from = Math.max(this.#second + 1, second - WINDOW_SECONDS + 1)
    for (let one = from; one <= second; one += 1) this.#bins[one % WINDOW_SECONDS] = 0
    this.#second = second
    return second
  }
}

/** Name for paths without a known category. */
const OTHER_PATHS = 'Other paths'

/**
 * A bucket's name for display. A bucket without a category is named by its path, which may contain an
 * account.
 */
export const shownCategory = (bucket: string): string => (bucket.startsWith('/') ? OTHER_PATHS : bucket)

/** The requests of one program in one category. */
export interface CategoryUse {
  readonly category: string
  readonly forwarded: number
  readonly perSecond: number
}

/** Activity of one program on one connected key since the gateway was turned on. */
export class ProgramUse {
  readonly #byCategory = new Map<string, { forwarded: number; readonly recent: MinuteCount }>()
  /** Requests served by another one's response. */
  coalesced = 0
  /** Requests that the gateway declined. */
  refused = 0
  /** Rate 429s from the service for its requests. */
  rejected = 0
  /** Streams open now. */
  streams = 0
  class: ProgramClass = 'normal'
  /** Time of the last request, epoch ms. */
  lastSeenAtMs: number | undefined

  /** Counts a request that the service answered, or that was forwarded to it. */
  forwarded(category: string, nowMs: number): void {
    const known = this.#byCategory.get(category)
    const use = known ?? { forwarded: 0, recent: new MinuteCount() }
    if (known === undefined) this.#byCategory.set(category, use)
    use.forwarded += 1
    use.recent.add(nowMs)
  }

  byCategory(nowMs: number): readonly CategoryUse[] {
    return [...this.#byCategory].map(([category, { forwarded, recent }]) => ({
      category,
      forwarded,
      perSecond: recent.perSecond(nowMs),
    }))
  }
}
