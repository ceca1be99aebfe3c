/** Rates are means over so many seconds. */
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

  /** Empties the bins that time has passed over. Returns the present second. */
  #advance(nowMs: number): number {
    const second = Math.max(this.#second, Math.floor(nowMs / 1000))
    const from = Math.max(this.#second + 1, second - WINDOW_SECONDS + 1)
    for (let one = from; one <= second; one += 1) this.#bins[one % WINDOW_SECONDS] = 0
    this.#second = second
    return second
  }
}

/** Paths that no header has named a category for yet. */
const OTHER_PATHS = 'Other paths'

/** What a bucket is called where it is shown: one without a category goes by its path, which may name an account. */
export const shownCategory = (bucket: string): string => (bucket.startsWith('/') ? OTHER_PATHS : bucket)

/** The requests of one program in one category. */
export interface CategoryUse {
  readonly category: string
  readonly forwarded: number
  readonly perSecond: number
}

/** What one program did on one connected key since the gateway was turned on. */
export class ProgramUse {
  readonly #byCategory = new Map<string, { forwarded: number; readonly recent: MinuteCount }>()
  /** Requests that the answer of another one served. */
  coalesced = 0
  /** Requests that the gateway refused. */
  refused = 0
  /** 429s of the service, for the rate, that its requests met. */
  rejected = 0
  /** Streams open now. */
  streams = 0
  /** Epoch milliseconds of the last request. */
  lastSeenAtMs: number | undefined

  /** A request that the service answered, or that was passed on to it. */
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
