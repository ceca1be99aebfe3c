const EVERY_MS = 50
/** Delay of a timer on an idle machine. */
const USUAL_MS = 10

/** How much time this process has lost to a busy machine, measured by how late a timer fires. */
export class Lateness {
  readonly #late: { readonly atMs: number; readonly ms: number }[] = []
  readonly #timer: NodeJS.Timeout

  constructor() {
    let dueMs = Date.now() + EVERY_MS
    this.#timer = setInterval(() => {
      const ms = Date.now() - dueMs
      if (ms > USUAL_MS) this.#late.push({ atMs: dueMs, ms })
      dueMs = Date.now() + EVERY_MS
    }, EVERY_MS)
  }

  since(fromMs: number): number {
    return this.#late.filter(({ atMs }) => atMs >= fromMs).reduce((sum, { ms }) => sum + ms, 0)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
