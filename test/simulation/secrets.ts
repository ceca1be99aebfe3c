/** Minimum length of a part. Shorter parts occur by chance. */
const PART_LENGTH = 12

/** Every secret that was ever sent over the network. The app's output is searched for them. */
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
   * Whether `text` contains the beginning or the end of a secret. The words of the text are looked up,
   * because they are fewer than the secrets.
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
