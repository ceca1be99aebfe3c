import { RETRY, retryDelayMs } from '../retry/schedules.ts'

/** A 429 says nothing of a try so much later: twice the longest period of service 8.2, for some wait for Reset. */
const FORGOTTEN_MS = 600_000
/** A 429 so soon after others slowed down is of the same storm. */
const RELAPSE_MS = 60_000

/**
 * Whether others use the whole refill of a quota, and when to try then: 429s go on until they slow down, and none can be
 * told when.
 *
 * After a 429 with Remaining 0 one try goes at a time. Where it, or any other request sent since, meets 429 with Remaining 0
 * again, others use the whole refill, and tries are spaced by `RETRY.othersTakeAll` until a header has room. Times are
 * milliseconds on one clock.
 */
export class OthersTakeAll {
  #state: 'no' | 'maybe' | 'yes' = 'no'
  #tries = 0
  #nextTryAtMs = Number.NEGATIVE_INFINITY
  /** Of the last 429: when it was sent, and when it was answered. */
  #refusedSentAtMs = Number.NEGATIVE_INFINITY
  #refusedAtMs = Number.NEGATIVE_INFINITY
  #endedAtMs = Number.NEGATIVE_INFINITY

  /** Whether they do. */
  get isSo(): boolean {
    return this.#state === 'yes'
  }

  /** No try goes before; any time where others leave some of it, as far as is known. */
  get nextTryAtMs(): number {
    return this.#nextTryAtMs
  }

  /** A request that is to be spaced went out. */
  tried(nowMs: number): void {
    if (this.#state === 'no') return
    this.#tries += 1
    this.#nextTryAtMs = nowMs + retryDelayMs(RETRY.othersTakeAll, this.#tries, 0)
  }

  /** A 429 with Remaining 0. */
  refused(sentAtMs: number, nowMs: number): void {
    if (nowMs - this.#refusedAtMs >= FORGOTTEN_MS) this.#end()
    const isRelapse = nowMs - this.#endedAtMs < RELAPSE_MS
    if (this.#state !== 'yes') {
      const isSo = isRelapse || (this.#state === 'maybe' && sentAtMs > this.#refusedAtMs)
      this.#state = isSo ? 'yes' : 'maybe'
      if (isSo && this.#nextTryAtMs <= nowMs) this.tried(nowMs)
    }
    if (sentAtMs > this.#refusedAtMs) this.#refusedAtMs = nowMs
    this.#refusedSentAtMs = Math.max(this.#refusedSentAtMs, sentAtMs)
  }

  /** An answer that is no 429 showed `remaining`. True if others slowed down. */
  answered(remaining: number, sentAtMs: number, nowMs: number): boolean {
    if (this.#state === 'no' || sentAtMs <= this.#refusedSentAtMs) return false
    if (this.#state === 'yes' && remaining < 1) return false
    const { isSo } = this
    if (isSo) this.#endedAtMs = nowMs
    this.#end()
    return isSo
  }

  #end(): void {
    this.#state = 'no'
    this.#tries = 0
    this.#nextTryAtMs = Number.NEGATIVE_INFINITY
  }
}
