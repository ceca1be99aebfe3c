/** Minimum interval between two attempts while the service serves no stream, in milliseconds. */
export const TRY_EVERY_MS = 5_000

/**
 * Whether the service serves the streams of one key, judged by their connections.
 *
 * In an outage one stream tries, at most every `TRY_EVERY_MS`, and the others follow its success, because
 * each attempt costs a request of their quota. First openings are not delayed: a program or a person waits
 * for their response.
 */
export class StreamOutage {
  readonly #now: () => number
  readonly #over: () => void
  #isOn = false
  #triedAtMs = Number.NEGATIVE_INFINITY

  /** `over` is called when a stream opened during an outage. */
  constructor(now: () => number, over: () => void) {
    this.#now = now
    this.#over = over
  }

  /**
   * Requests the next attempt: `undefined` if the stream may try now, else when to ask again, in epoch ms.
   */
  takeTry(): number | undefined {
    if (!this.#isOn) return undefined
    const now = this.#now()
    const nextMs = this.#triedAtMs + TRY_EVERY_MS
    if (nextMs > now) return nextMs
    this.#triedAtMs = now
    return undefined
  }

  /** An opening failed, or an open stream was lost. */
  failed(): void {
    this.#isOn = true
  }

  /**
   * A stream opened. `fleeting`: it opens and ends repeatedly, so its attempt also counts in the next outage.
   */
  served(how: 'lasting' | 'fleeting'): void {
    if (!this.#isOn) return
    this.#isOn = false
    if (how === 'lasting') this.#triedAtMs = Number.NEGATIVE_INFINITY
    this.#over()
  }
}
