/** What a page did that no page of ours may do. */
export class Problems {
  readonly #seen: string[] = []
  readonly #allowed: RegExp[] = []
  #over = false

  note(problem: string): void {
    if (!this.#over) this.#seen.push(problem)
  }

  /** For a test that provokes one. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern)
  }

  /** From here on the app is being taken away from the page, which says so. */
  end(): void {
    this.#over = true
  }

  get left(): readonly string[] {
    return this.#seen.filter((problem) => !this.#allowed.some((pattern) => pattern.test(problem)))
  }
}
