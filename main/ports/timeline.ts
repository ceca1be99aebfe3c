import type { Clock } from './ports.ts'

/**
 * If the wall clock gains at least this many milliseconds on the monotonic clock, the machine slept or the
 * wall clock was corrected.
 */
const GAP_MS = 2_000
/**
 * If the wall clock is set back by more than this many milliseconds, its earlier time was wrong, and the new
 * time is adopted. If it were not adopted, every wait would be longer by the difference.
 */
const SET_BACK_MS = 24 * 3_600_000
/**
 * If the clock is set back again within this many milliseconds after an adoption, the change is ignored. Each
 * adoption makes every key refresh its token, and two programs may keep setting the clock to different times.
 */
const SET_BACK_EVERY_MS = 10 * 60_000

/**
 * The current time in epoch milliseconds. It never goes back, unless the clock was wrong by more than a day,
 * see `onSetBack`.
 *
 * The time follows the monotonic clock, so that a correction of the wall clock can't extend or undo a
 * countdown. A forward gap between the two clocks is adopted: usually the machine slept, and its timers
 * stopped while the service's time continued. Setting the clock forward looks the same. So a gap without an
 * announced sleep is reported to `onClockUncertain`.
 */
export class Timeline {
  readonly #clock: Clock
  readonly #onClockUncertain: (fromMs: number, toMs: number) => void
  readonly #onSetBack: () => void
  #isSuspended = false
  #offsetMs: number
  /** Wall clock minus monotonic clock, at the last gap or backward correction. */
  #aheadMs: number
  #latestMs: number
  /** If the clock is set back before this time, the new time is not adopted. Monotonic milliseconds. */
  #setBackNotBeforeMs = Number.NEGATIVE_INFINITY

  /** `onSetBack` is called after the time went back. Stored times may then be in the future. */
  constructor(
    clock: Clock,
    onClockUncertain: (fromMs: number, toMs: number) => void = () => {},
    onSetBack: () => void = () => {},
  ) {
    this.#clock = clock
    this.#onClockUncertain = onClockUncertain
    this.#onSetBack = onSetBack
    this.#offsetMs = clock.wallMs() - clock.monotonicMs()
    this.#aheadMs = this.#offsetMs
    this.#latestMs = clock.wallMs()
  }

  now(): number {
    const monotonicMs = this.#clock.monotonicMs()
    const aheadMs = this.#clock.wallMs() - monotonicMs
    if (this.#offsetMs - aheadMs > SET_BACK_MS) {
      if (monotonicMs >= this.#setBackNotBeforeMs) return this.#setBack(monotonicMs, aheadMs)
      // The clock was set back again soon after the last adoption. Two programs may be setting it to
      // different times, so the timeline follows only the monotonic clock. Otherwise it would mistake each
      // jump forward for sleep.
      this.#latestMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)
      return this.#latestMs
    }
    const gapMs = aheadMs - this.#aheadMs
    const fromMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)
    if (gapMs > GAP_MS) this.#offsetMs += gapMs
    // The timeline does not follow a clock that was set back. The next gap is measured from the corrected
    // clock.
    if (gapMs > GAP_MS || gapMs < 0) this.#aheadMs = aheadMs
    this.#latestMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)
    if (gapMs > GAP_MS) {
      if (this.#isSuspended) this.#isSuspended = false
      else this.#onClockUncertain(fromMs, this.#latestMs)
    }
    return this.#latestMs
  }

  #setBack(monotonicMs: number, aheadMs: number): number {
    this.#setBackNotBeforeMs = monotonicMs + SET_BACK_EVERY_MS
    this.#offsetMs = aheadMs
    this.#aheadMs = aheadMs
    this.#latestMs = monotonicMs + aheadMs
    this.#onSetBack()
    return this.#latestMs
  }

  /** Records an announced sleep, so that the next gap is not reported as uncertain. */
  suspended(): void {
    this.#isSuspended = true
  }

  resumed(): void {
    this.now()
    this.#isSuspended = false
  }
}
