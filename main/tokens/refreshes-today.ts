import type { Clock } from '../ports/ports.ts'

/** A wall clock set back makes an earlier day today again: a few are remembered. */
const KEPT_DAYS = 3

/** How often a key was refreshed since local midnight, as a person counts days. */
export class RefreshesToday {
  readonly #clock: Pick<Clock, 'wallMs'>
  /** By the local midnight that the day began with. */
  readonly #perDay = new Map<number, number>()
  /** Asked for with every snapshot: the calendar is looked at once a day. */
  #day = { startMs: 0, endMs: 0 }

  constructor(clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock
  }

  add(): void {
    const today = this.#today()
    this.#perDay.set(today, this.count + 1)
    for (const day of [...this.#perDay.keys()].slice(0, -KEPT_DAYS)) this.#perDay.delete(day)
  }

  get count(): number {
    return this.#perDay.get(this.#today()) ?? 0
  }

  #today(): number {
    const nowMs = this.#clock.wallMs()
    if (nowMs < this.#day.startMs || nowMs >= this.#day.endMs) {
      const now = new Date(nowMs)
      const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()]
      this.#day = { startMs: +new Date(year, month, date), endMs: +new Date(year, month, date + 1) }
    }
    return this.#day.startMs
  }
}
