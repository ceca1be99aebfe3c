import type { WindowClock } from '../../renderer/api/window-clock.ts'

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

/** Time that passes only when a test says so. */
export class VirtualWindowClock implements WindowClock {
  #nowMs: number
  #timers: Timer[] = []

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  wallMs(): number {
    return this.#nowMs
  }

  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }

  /** Runs the timers that become due on the way, in order, and lets promises settle in between. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await settled()
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > endMs) break
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      this.#timers = this.#timers.filter((one) => one !== next)
      next.run()
      await settled()
    }
    this.#nowMs = endMs
  }

  /** Time passes but no timer runs, as when a person sets the computer's clock or a tab is frozen. */
  jump(ms: number): void {
    this.#nowMs += ms
  }

  get timers(): number {
    return this.#timers.length
  }
}

/** Promises resolve in microtasks. A few turns of the event loop are enough for chains of them. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
