import { RETRY, retryDelayMs } from '../retry/schedules.ts'

/**
 * Age in milliseconds at which an earlier 429 is ignored. Twice the longest period of service 8.2, because
 * some programs wait until Reset before they continue.
 */
const FORGOTTEN_MS = 600_000
/** A 429 within this time after others slowed down means that they use the whole refill again. */
const RELAPSE_MS = 60_000

/**
 * Whether others use the whole refill of a quota, and when to send the next try. A try is a single request
 * that tests whether they still do. While they do, every request may get a 429. It can't be predicted when
 * they will stop.
 *
 * After a 429 with Remaining 0, tries are sent one at a time. If a try, or any later request, also gets a 429
 * with Remaining 0, others use the whole refill. Tries are then spaced by `RETRY.othersTakeAll` until a
 * header shows requests left. Times are milliseconds on one clock.
 */
export class OthersTakeAll {
  #state: 'no' | 'maybe' | 'yes' = 'no'
  #tries = 0
  #nextTryAtMs = Number.NEGATIVE_INFINITY
  /** When the request of the last 429 was sent, and when the 429 arrived. */
  #refusedSentAtMs = Number.NEGATIVE_INFINITY
  #refusedAtMs = Number.NEGATIVE_INFINITY
  #endedAtMs = Number.NEGATIVE_INFINITY

  /** Whether others use the whole refill. */
  get isSo(): boolean {
    return this.#state === 'yes'
  }

  /** Earliest time of the next try. `-Infinity` while others seem to use less than the refill. */
  get nextTryAtMs(): number {
    return this.#nextTryAtMs
  }

  /** Records that a try was sent, and schedules the next one. */
  tried(nowMs: number): void {
    if (this.#state === 'no') return
    this.#tries += 1
    this.#nextTryAtMs = nowMs + retryDelayMs(RETRY.othersTakeAll, this.#tries, 0)
  }

  /** Postpones the next try to `untilMs` or later, for example after a 429 that states no time. */
  postpone(untilMs: number): void {
    if (this.isSo) this.#nextTryAtMs = Math.max(this.#nextTryAtMs, untilMs)
  }

  /** Records a 429 with Remaining 0. */
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

  /** Records `remaining` from a response other than a 429. Returns true if others slowed down. */
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
