import type { Clock } from '../ports/ports.ts'

/** Number of days whose counts are kept. If the clock is set back, an earlier day becomes today again. */
const KEPT_DAYS = 3

/** Number of refreshes since local midnight. */
export class RefreshesToday {
  readonly #clock: Pick<Clock, 'wallMs'>
  /** Number of refreshes on each day, by the day's local midnight. */
  readonly #perDay = new Map<number, number>()
  /** The current day, cached because every snapshot needs it. The calendar is consulted only once a day. */
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
