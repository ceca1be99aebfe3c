import type { Clock } from '../../main/ports/ports.ts'
import type { ServerPorts } from '../../main/simulator/server.ts'

/** The longest delay of setTimeout, in milliseconds. */
const MAX_WAIT_MS = 2 ** 31 - 1

interface Timer {
  readonly dueMs: number
  readonly run: () => void
  handle: NodeJS.Timeout | undefined
}

/**
 * The machine's time, in which a test can skip a wait. Sockets and processes stay in the machine's own time.
 */
export class SkippingClock implements Clock {
  /**
   * If midnight is near, the clock starts after it. Otherwise daily counts would start again during a test.
   */
  #skippedMs = new Date().getHours() === 23 ? 3_600_000 : 0
  readonly #timers = new Set<Timer>()

  #wallSetByMs = 0

  wallMs(): number {
    return Date.now() + this.#skippedMs + this.#wallSetByMs
  }

  /** Somebody sets the wall clock: no time passes. */
  setWall(byMs: number): void {
    this.#wallSetByMs += byMs
  }

  monotonicMs(): number {
    return performance.now() + this.#skippedMs
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { dueMs: this.monotonicMs() + Math.max(0, ms), run, handle: undefined }
    this.#timers.add(timer)
    this.#set(timer)
    return () => this.#cancel(timer)
  }

  /**
   * Advances both clocks by `ms`. Timers that were due on the way run at once, in order, as after a pause.
   */
  skip(ms: number): void {
    this.#skippedMs += ms
    const timers = [...this.#timers].sort((one, other) => one.dueMs - other.dueMs)
    for (const timer of timers) {
      if (!this.#timers.has(timer)) continue
      if (timer.dueMs > this.monotonicMs()) this.#set(timer)
      else this.#run(timer)
    }
  }

  #set(timer: Timer): void {
    clearTimeout(timer.handle)
    const inMs = Math.min(Math.max(0, timer.dueMs - this.monotonicMs()), MAX_WAIT_MS)
    timer.handle = setTimeout(() => this.#run(timer), inMs)
  }

  #run(timer: Timer): void {
    this.#cancel(timer)
    timer.run()
  }

  #cancel(timer: Timer): void {
    clearTimeout(timer.handle)
    this.#timers.delete(timer)
  }
}

/** The ports of a simulated service that lives by the clock of its test. */
export function servicePorts(clock: Clock): ServerPorts {
  return {
    nowMs: () => clock.wallMs(),
    random: Math.random,
    after: (ms, run) => clock.after(ms, run),
  }
}
