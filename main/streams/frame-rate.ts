const WINDOW_SECONDS = 10

/** Frames per second over the last ten seconds, in constant memory. */
export class FrameRate {
  readonly #counts = new Array<number>(WINDOW_SECONDS).fill(0)
  #second = 0
  #sinceMs: number

  constructor(nowMs: number) {
    this.#sinceMs = nowMs
    this.#second = Math.floor(nowMs / 1000)
  }

  add(nowMs: number, frames = 1): void {
    this.#move(nowMs)
    const slot = this.#second % WINDOW_SECONDS
    this.#counts[slot] = (this.#counts[slot] ?? 0) + frames
  }

  perSecond(nowMs: number): number {
    this.#move(nowMs)
    const spanSeconds = Math.min(WINDOW_SECONDS, Math.max(1, (nowMs - this.#sinceMs) / 1000))
    const sum = this.#counts.reduce((total, count) => total + count, 0)
    return Math.round((sum / spanSeconds) * 10) / 10
  }

  #move(nowMs: number): void {
    const second = Math.floor(nowMs / 1000)
    const passed = Math.min(WINDOW_SECONDS, second - this.#second)
    for (let step = 1; step <= passed; step += 1) this.#counts[(this.#second + step) % WINDOW_SECONDS] = 0
    if (second > this.#second) this.#second = second
  }
}
