/** Minimum interval between two attempts while the service serves no stream, in milliseconds. */
export const TRY_EVERY_MS = 5_000

/**
 * Whether the service serves the streams of one key, judged by their connections.
 *
 * During an outage, only one stream at a time tries to open, at most every `TRY_EVERY_MS`, because each
 * attempt uses one request of the quota. After a success, the other streams follow. First openings are not
 * delayed, because a program or a person waits for their response.
 */
export class StreamOutage {
  readonly #now: () => number
  readonly #over: () => void
  #isOn = false
  #triedAtMs = Number.NEGATIVE_INFINITY

  /** `over` is called when a stream opens, which ends the outage. */
  constructor(now: () => number, over: () => void) {
    this.#now = now
    this.#over = over
  }

  /**
   * Requests permission for an attempt. Returns `undefined` if the stream may try now. Otherwise returns when
   * it may request permission again, epoch ms.
   */
  takeTry(): number | undefined {
    if (!this.#isOn) return undefined
    const now = this.#now()
    const nextMs = this.#triedAtMs + TRY_EVERY_MS
    if (nextMs > now) return nextMs
    this.#triedAtMs = now
    return undefined
  }

  /** Records that an opening failed or an open stream was lost. */
  failed(): void {
    this.#isOn = true
  }

  /**
   * Records that a stream opened, which ends the outage.
   *
   * A `fleeting` stream repeatedly opens and ends, so the next outage may start soon. That outage's first
   * attempt is no sooner than `TRY_EVERY_MS` after the last attempt of this outage.
   */
  served(how: 'lasting' | 'fleeting'): void {
    if (!this.#isOn) return
    this.#isOn = false
    if (how === 'lasting') this.#triedAtMs = Number.NEGATIVE_INFINITY
    this.#over()
  }
}
