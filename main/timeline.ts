import type { Clock } from './ports/ports.ts'

/** The wall clock may be this far ahead of the monotonic one before it means sleep or a correction. */
const GAP_MS = 2_000

/**
 * Epoch milliseconds that never go back.
 *
 * Follows the monotonic clock, so that a correction of the wall clock cannot undo a countdown; a forward gap
 * between the two means that the machine slept (timers stood still, the service did not), and is taken over.
 */
export class Timeline {
  readonly #clock: Clock
  #offsetMs: number
  /** The wall clock less the monotonic one, as it was when the two last agreed. */
  #aheadMs: number
  #latestMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offsetMs = clock.wallMs() - clock.monotonicMs()
    this.#aheadMs = this.#offsetMs
    this.#latestMs = clock.wallMs()
  }

  now(): number {
    const monotonicMs = this.#clock.monotonicMs()
    const aheadMs = this.#clock.wallMs() - monotonicMs
    const gapMs = aheadMs - this.#aheadMs
    if (gapMs > GAP_MS) this.#offsetMs += gapMs
    // A correction backwards is not followed, but the next sleep is measured from it.
    if (gapMs > GAP_MS || gapMs < 0) this.#aheadMs = aheadMs
    this.#latestMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)
    return this.#latestMs
  }
}
