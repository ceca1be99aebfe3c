/** The shortest interval between two tries while the service serves no stream, in milliseconds. */
export const TRY_EVERY_MS = 5_000

/**
 * Whether the service serves the streams of one key, as their connections show.
 *
 * In an outage one stream tries, at most every `TRY_EVERY_MS`, and the others follow its success: each try costs a
 * request of their quota. First openings are not delayed: a program or a person waits for their answer.
 */
export class StreamOutage {
  readonly #now: () => number
  readonly #over: () => void
  #isOn = false
  #triedAtMs = Number.NEGATIVE_INFINITY

  /** `over` is called when a stream was opened in an outage. */
  constructor(now: () => number, over: () => void) {
    this.#now = now
    this.#over = over
  }

  /** Takes the next try: `undefined` where it may be made now, else when to ask again, in epoch milliseconds. */
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

  /** A stream was opened. `fleeting`: it opens and ends again and again, and its try counts for the next outage too. */
  served(how: 'lasting' | 'fleeting'): void {
    if (!this.#isOn) return
    this.#isOn = false
    if (how === 'lasting') this.#triedAtMs = Number.NEGATIVE_INFINITY
    this.#over()
  }
}
