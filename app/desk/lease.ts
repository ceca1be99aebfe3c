import type { Clocks } from './queue-ports.ts'

/** How long a holder may grant after it sent its last successful renewal. Milliseconds. */
const GRANTS_FOR_MS = 4_000
/**
 * If a machine's clocks drift apart by more than this, the machine is assumed to have slept. Milliseconds.
 */
const MAX_DRIFT_MS = 1_000
/** Longest gap between two events of a running program. Milliseconds. */
const MAX_GAP_MS = 1_000

/** Detects from a machine's two clocks whether the machine slept or froze. */
export class Wakefulness {
  readonly #clock: Clocks
  #differenceMs: number
  #lastMs: number

  constructor(clock: Clocks) {
    this.#clock = clock
    this.#differenceMs = clock.wallMs() - clock.monotonicMs()
    this.#lastMs = clock.monotonicMs()
  }

  /** Whether the clocks have agreed since `restart`. A monotonic clock may stand still during sleep. */
  get isSteady(): boolean {
    return this.driftMs <= MAX_DRIFT_MS
  }

  /** By how much the clocks have drifted apart since the last `restart`. Milliseconds. */
  get driftMs(): number {
    return Math.abs(this.#clock.wallMs() - this.#clock.monotonicMs() - this.#differenceMs)
  }

  /** Restarts the measurement of drift. */
  restart(): void {
    this.#differenceMs = this.#clock.wallMs() - this.#clock.monotonicMs()
  }

  /**
   * Records an event. Returns whether the program was frozen since the previous event. Must be called at
   * least every `MAX_GAP_MS`, because a longer gap counts as a freeze.
   */
  hadGap(): boolean {
    const nowMs = this.#clock.monotonicMs()
    const gapMs = nowMs - this.#lastMs
    this.#lastMs = nowMs
    return gapMs > MAX_GAP_MS
  }
}

/**
 * A dispatcher's lease, timed by the dispatcher's own clocks. Even while the store reports the lease as held,
 * only this class decides whether the holder may grant turns.
 */
export class Lease {
  readonly #clock: Clocks
  readonly #wakefulness: Wakefulness
  /** When the last successful renewal was sent. */
  #renewedMs: number
  /** Renewals that were sent before this time don't count. */
  #awakeSinceMs = Number.NEGATIVE_INFINITY

  /** `sentMs`: when the request that took the lease was sent. */
  constructor(clock: Clocks, sentMs: number) {
    this.#clock = clock
    this.#wakefulness = new Wakefulness(clock)
    this.#renewedMs = sentMs
  }

  /**
   * Whether the holder may grant: the last successful renewal was sent less than four seconds ago, and the
   * machine has not slept or frozen since.
   */
  get mayGrant(): boolean {
    return this.ageMs <= GRANTS_FOR_MS && this.#wakefulness.isSteady
  }

  /** Time since the last successful renewal was sent. */
  get ageMs(): number {
    return this.#clock.monotonicMs() - this.#renewedMs
  }

  /** Records an event. After a gap, the lease must be renewed before the next grant. */
  touch(): void {
    if (!this.#wakefulness.hadGap()) return
    this.#awakeSinceMs = this.#clock.monotonicMs()
    this.#renewedMs = Number.NEGATIVE_INFINITY
  }

  /** Records a renewal. `sent`: when the renewal was sent. */
  renewed(sent: ClockReading): void {
    const isOfNow = Math.abs(differenceOf(clockReadingOf(this.#clock)) - differenceOf(sent)) <= MAX_DRIFT_MS
    if (!isOfNow || sent.monotonicMs < this.#awakeSinceMs) return
    this.#renewedMs = Math.max(this.#renewedMs, sent.monotonicMs)
    this.#wakefulness.restart()
  }
}

/** A moment on both clocks of a machine. */
export interface ClockReading {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** Reads both clocks of a machine. */
export const clockReadingOf = (clock: Clocks): ClockReading => ({
  wallMs: clock.wallMs(),
  monotonicMs: clock.monotonicMs(),
})

const differenceOf = ({ wallMs, monotonicMs }: ClockReading): number => wallMs - monotonicMs
