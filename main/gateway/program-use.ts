import type { ProgramClass } from '../../app/contract/programs.ts'
import { SecondCounts } from '../../app/quota/rates.ts'

/** Window over which rates are averaged, in seconds. */
const WINDOW_SECONDS = 60

/** Displayed name of paths whose category is unknown. */
const OTHER_PATHS = 'Other paths'

/**
 * A bucket's name for display. A bucket without a category is identified by its path, which may contain an
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
  readonly #byCategory = new Map<string, { forwarded: number; readonly recent: SecondCounts }>()
  /** Requests that shared the response to another request. */
  coalesced = 0
  /** Requests that the gateway declined. */
  refused = 0
  /** Rate-limit 429s that the service sent for the program's requests. */
  rejected = 0
  /** Streams open now. */
  streams = 0
  class: ProgramClass = 'normal'
  lastSeenAtMs: number | undefined

  /** Counts a request that the service answered, except with a 429. */
  forwarded(category: string, nowMs: number): void {
    const known = this.#byCategory.get(category)
    const use = known ?? { forwarded: 0, recent: new SecondCounts(WINDOW_SECONDS) }
    if (known === undefined) this.#byCategory.set(category, use)
    use.forwarded += 1
    use.recent.add(nowMs)
  }

  byCategory(nowMs: number): readonly CategoryUse[] {
    return [...this.#byCategory].map(([category, { forwarded, recent }]) => ({
      category,
      forwarded,
      perSecond: recent.sum(nowMs) / WINDOW_SECONDS,
    }))
  }
}
