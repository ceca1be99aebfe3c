import type { Clock } from '../ports/ports.ts'

/** More than a day of the shortest lifetime a schedule allows to matter. */
const KEPT = 2_000

/** How often a key was refreshed since local midnight, as a person counts days. */
export class RefreshesToday {
  readonly #clock: Pick<Clock, 'wallMs'>
  #atMs: number[] = []

  constructor(clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock
  }

  add(): void {
    this.#atMs = [...this.#atMs.slice(-KEPT), this.#clock.wallMs()]
  }

  get count(): number {
    const today = new Date(this.#clock.wallMs()).toDateString()
    return this.#atMs.filter((at) => new Date(at).toDateString() === today).length
  }
}
