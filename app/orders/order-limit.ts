import { MINUTE_MS } from '../contract/units.ts'

/** The most orders of each program, by name, in any sliding minute. Times are milliseconds on one clock. */
export class OrderLimit {
  readonly #sent = new Map<string, number[]>()

  /** When the program may send its next order, at the earliest; not after `nowMs` if it may now. */
  nextAtMs(program: string, max: number, nowMs: number): number {
    const sent = this.#recent(program, nowMs)
    const oldest = sent.at(-max)
    return oldest === undefined ? nowMs : oldest + MINUTE_MS
  }

  /** Counts an order, also a cancel, which no limit refuses. */
  sent(program: string, nowMs: number): void {
    this.#recent(program, nowMs).push(nowMs)
  }

  #recent(program: string, nowMs: number): number[] {
    // A time in the future means that the clock was set back.
    const recent = (this.#sent.get(program) ?? []).filter((atMs) => atMs > nowMs - MINUTE_MS && atMs <= nowMs)
    this.#sent.set(program, recent)
    return recent
  }
}
