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
  #latestMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offsetMs = clock.wallMs() - clock.monotonicMs()
    this.#latestMs = clock.wallMs()
  }

  now(): number {
    const monotonicMs = this.#clock.monotonicMs()
    const gapMs = this.#clock.wallMs() - monotonicMs - this.#offsetMs
    if (gapMs > GAP_MS) this.#offsetMs += gapMs
    this.#latestMs = Math.max(this.#latestMs, monotonicMs + this.#offsetMs)
    return this.#latestMs
  }
}
