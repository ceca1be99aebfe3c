/** Expired times are removed together, when there are at least this many. */
const MIN_EXPIRED = 256

/** Times within the last `keptMs` milliseconds. Adding a time takes constant time. */
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

  /** Number of recorded times in the last `keptMs` milliseconds before `nowMs`. */
  count(nowMs: number): number {
    this.#forget(nowMs)
    return this.#atMs.length - this.#first
  }

  #forget(nowMs: number): void {
    while (this.#first < this.#atMs.length && nowMs - (this.#atMs[this.#first] ?? 0) >= this.#keptMs)
      this.#first += 1
    if (this.#first < MIN_EXPIRED || this.#first * 2 < this.#atMs.length) return
    this.#atMs = this.#atMs.slice(this.#first)
    this.#first = 0
  }
}
