import type { Clock } from '../../../../main/ports/ports.ts'

/** A clock that only moves on request. */
export class FakeClock implements Clock {
  #nowMs = 0
  #due: { readonly atMs: number; readonly run: () => void }[] = []

  wallMs(): number {
    return this.#nowMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  after(ms: number, run: () => void): () => void {
    const entry = { atMs: this.#nowMs + ms, run }
    this.#due.push(entry)
    return () => {
      this.#due = this.#due.filter((other) => other !== entry)
    }
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms
    for (;;) {
      const next = this.#due.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined) break
      this.#due = this.#due.filter((entry) => entry !== next)
      this.#nowMs = next.atMs
      next.run()
    }
    this.#nowMs = untilMs
  }

  get pending(): number {
    return this.#due.length
  }
}
