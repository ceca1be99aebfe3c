import { SecondCounts } from '../../app/quota/rates.ts'

const WINDOW_SECONDS = 10

/** Frames per second over the last ten seconds. */
export class FrameRate {
  readonly #counts = new SecondCounts(WINDOW_SECONDS)
  readonly #sinceMs: number

  constructor(nowMs: number) {
    this.#sinceMs = nowMs
  }

  add(nowMs: number, frames = 1): void {
    this.#counts.add(nowMs, frames)
  }

  perSecond(nowMs: number): number {
    const spanSeconds = Math.min(WINDOW_SECONDS, Math.max(1, (nowMs - this.#sinceMs) / 1000))
    return Math.round((this.#counts.sum(nowMs) / spanSeconds) * 10) / 10
  }
}
