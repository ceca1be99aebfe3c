import type { Clock } from '../ports/ports.ts'

/** The wall clock may be this far ahead of the monotonic one before it means sleep or a correction. */
const GAP_MS = 2_000
/** A wall clock this far behind was wrong before, and by more than a wait can be too long for. */
const SET_BACK_MS = 24 * 3_600_000
/** Following costs each key a refresh: a clock that two programs fight over is followed so often and no more. */
const SET_BACK_EVERY_MS = 10 * 60_000

/**
 * Epoch milliseconds that do not go back, but for a clock that was wrong by more than a day: see `onSetBack`.
 *
 * Follows the monotonic clock, so that a correction of the wall clock cannot undo a countdown. A forward gap between the
 * two is taken over: most often the machine slept (timers stood still, the service did not). It may also be somebody
 * who set the clock, which looks the same from here, so that a gap is told of unless a sleep was announced.
 */
export class Timeline {
  readonly #clock: Clock
  readonly #onClockUncertain: (fromMs: number, toMs: number) => void
  readonly #onSetBack: () => void
  #isSuspended = false
  #offsetMs: number
  /** The wall clock less the monotonic one, as it was when the two last agreed. */
  #aheadMs: number
  #latestMs: number
  /** Monotonic. */
  #setBackNotBeforeMs = Number.NEGATIVE_INFINITY

  /** `onSetBack` is called when time went back: each moment that is remembered may be in the future. */
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
      // Nothing is concluded from a clock in dispute: its way back ahead would read as another sleep.
      this.#latestMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)
      return this.#latestMs
    }
    const gapMs = aheadMs - this.#aheadMs
    const fromMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)
    if (gapMs > GAP_MS) this.#offsetMs += gapMs
    // A correction backwards is not followed, but the next sleep is measured from it.
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

  /** The system says that it goes to sleep: the gap that follows is no riddle. */
  suspended(): void {
    this.#isSuspended = true
  }

  resumed(): void {
    this.now()
    this.#isSuspended = false
  }
}
