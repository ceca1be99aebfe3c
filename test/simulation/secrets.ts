/** Shorter pieces turn up by chance. */
const PART_LENGTH = 12

/** Every secret that was ever on the wire, to be looked for in what the app shows. */
export class Secrets {
  readonly #parts = new Set<string>()

  constructor(known: readonly string[]) {
    for (const secret of known) this.#learn(secret)
  }

  learnFrom(body: string): void {
    for (const [, token] of body.matchAll(/"(?:access|refresh|id)_token":"([^"]+)"/g)) {
      if (token !== undefined) this.#learn(token)
    }
  }

  /**
   * Whether `text` holds the beginning or the end of one. Words are looked at, not secrets: there are fewer.
   */
  isIn(text: string): boolean {
    for (const [word] of text.matchAll(/[\w.-]{12,}/g)) {
      for (let at = 0; at + PART_LENGTH <= word.length; at += 1) {
        if (this.#parts.has(word.slice(at, at + PART_LENGTH))) return true
      }
    }
    return false
  }

  #learn(secret: string): void {
    this.#parts.add(secret.slice(0, PART_LENGTH))
    this.#parts.add(secret.slice(-PART_LENGTH))
  }
}
