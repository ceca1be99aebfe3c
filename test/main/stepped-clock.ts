import type { Clock } from '../../main/ports/ports.ts'

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

/** Time that passes only on request, and at once: promises do not settle on the way. */
export class SteppedClock implements Clock {
  #nowMs = 0
  readonly #timers = new Set<Timer>()
  readonly #epochMs: number

  constructor(epochMs = 0) {
    this.#epochMs = epochMs
  }

  wallMs(): number {
    return this.#epochMs + this.#nowMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Runs what falls due on the way, in order. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#timers.delete(next)
      this.#nowMs = next.atMs
      next.run()
    }
    this.#nowMs = untilMs
  }

  /** Number of waiting timers. */
  get pending(): number {
    return this.#timers.size
  }

  #next(untilMs: number): Timer | undefined {
    return [...this.#timers].filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
  }
}
