import type { Clock } from '../../main/ports/ports.ts'

interface Due {
  readonly atMs: number
  readonly order: number
  readonly run: () => void
  cancelled: boolean
}

/** The earliest timer is first. Timers that are due together run in the order in which they were set. */
class DueQueue {
  readonly #heap: Due[] = []
  #order = 0

  get first(): Due | undefined {
    while (this.#heap[0]?.cancelled) this.#pop()
    return this.#heap[0]
  }

  get size(): number {
    return this.#heap.filter((due) => !due.cancelled).length
  }

  add(atMs: number, run: () => void): () => void {
    const due: Due = { atMs, order: this.#order++, run, cancelled: false }
    const heap = this.#heap
    let at = heap.push(due) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (isBefore(heap[parent]!, due)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = due
    return () => {
      due.cancelled = true
    }
  }

  take(): Due | undefined {
    const { first } = this
    if (first) this.#pop()
    return first
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= heap.length) break
      const right = left + 1
      const child = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left
      if (isBefore(last, heap[child]!)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
}

const isBefore = (a: Due, b: Due): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

const MAX_WAIT_MS = 2 ** 31 - 1
/** More events than this in one advance mean an endless loop, not a long day. */
const MAX_EVENTS = 20_000_000

/**
 * A clock that a test moves: the `Clock` port, and the time of the world around it.
 *
 * It has three times that can differ. Servers and networks use the world's time. The monotonic clock stops
 * while the machine sleeps. The wall clock may be set wrong. The code under test waits on the monotonic
 * clock, as timers of a real machine do.
 */
export class VirtualClock implements Clock {
  readonly #timers = new DueQueue()
  readonly #events = new DueQueue()
  readonly #startMs: number
  #worldMs = 0
  #sleptMs = 0
  #wallErrorMs = 0
  /** Number of timers and scheduled events that have run. */
  events = 0

  constructor(startMs = Date.UTC(2026, 0, 5, 14, 30)) {
    this.#startMs = startMs
  }

  /** The true time in epoch ms. */
  worldMs(): number {
    return this.#startMs + this.#worldMs
  }

  wallMs(): number {
    return this.worldMs() + this.#wallErrorMs
  }

  monotonicMs(): number {
    return this.#worldMs - this.#sleptMs
  }

  after(ms: number, run: () => void): () => void {
    const waitMs = Math.min(Math.max(0, Number.isNaN(ms) ? 0 : ms), MAX_WAIT_MS)
    return this.#timers.add(this.monotonicMs() + waitMs, run)
  }

  /** A timer outside the machine, which continues while it sleeps. */
  happen(afterMs: number, run: () => void): () => void {
    return this.#events.add(this.#worldMs + Math.max(0, afterMs), run)
  }

  /** Number of waiting timers. */
  get pending(): number {
    return this.#timers.size
  }

  /** Sets the wall clock `ms` forward or back. */
  jumpWall(ms: number): void {
    this.#wallErrorMs += ms
  }

  /** The machine sleeps. The world and the wall clock continue, but timers and the monotonic clock stop. */
  sleep(ms: number): void {
    this.#worldMs += ms
    this.#sleptMs += ms
  }

  /** Runs everything that is due within `ms`, in order. Promises settle after each. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#worldMs + ms
    await settled()
    for (let events = 0; ; events += 1) {
      if (events > MAX_EVENTS) throw new Error('virtual time does not move on: a hot loop')
      const timer = this.#timers.first
      const event = this.#events.first
      const timerMs = timer ? timer.atMs + this.#sleptMs : Number.POSITIVE_INFINITY
      const eventMs = event?.atMs ?? Number.POSITIVE_INFINITY
      const nextMs = Math.min(timerMs, eventMs)
      if (nextMs > endMs) break
      this.#worldMs = Math.max(this.#worldMs, nextMs)
      const due = (eventMs <= timerMs ? this.#events : this.#timers).take()
      this.events += 1
      due?.run()
      await settled()
    }
    this.#worldMs = Math.max(this.#worldMs, endMs)
  }
}

/** Resolves when every promise has settled that does not wait for time. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
