/** Problems of a page that no page of the app may have. */
export class Problems {
  readonly #seen: string[] = []
  readonly #allowed: RegExp[] = []
  #over = false

  note(problem: string): void {
    if (!this.#over) this.#seen.push(problem)
  }

  /** Allows a problem that the test causes. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern)
  }

  /** To be called before the app is stopped. Problems that the page reports after that are ignored. */
  end(): void {
    this.#over = true
  }

  get left(): readonly string[] {
    return this.#seen.filter((problem) => !this.#allowed.some((pattern) => pattern.test(problem)))
  }
}
