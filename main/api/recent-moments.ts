/** Expired times are removed together, as soon as there are this many. */
const MAX_FORGOTTEN = 256

/** Times within the last `keptMs` milliseconds. Adding one takes constant time. */
export class RecentMoments {
  readonly #keptMs: number
  /** Oldest first. Times before index `#first` have expired. */
  #atMs: number[] = []
  #first = 0

  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  add(nowMs: number): void {
    this.#forget(nowMs)
    this.#atMs.push(nowMs)
  }

  /** How many of the recorded times are less than `keptMs` before `nowMs`. */
  count(nowMs: number): number {
    this.#forget(nowMs)
    return this.#atMs.length - this.#first
  }

  #forget(nowMs: number): void {
    while (this.#first < this.#atMs.length && nowMs - (this.#atMs[this.#first] ?? 0) >= this.#keptMs)
      this.#first += 1
    if (this.#first < MAX_FORGOTTEN || this.#first * 2 < this.#atMs.length) return
    this.#atMs = this.#atMs.slice(this.#first)
    this.#first = 0
  }
}
