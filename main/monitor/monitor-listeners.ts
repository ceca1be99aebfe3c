import type { MonitorListener } from './monitor-surface.ts'

/** Who is told what happens. One window's bug is not the others', and least of all the tokens'. */
export class MonitorListeners {
  readonly #listeners = new Set<MonitorListener>()
  readonly #broke: (cause: unknown) => void

  constructor(broke: (cause: unknown) => void) {
    this.#broke = broke
  }

  add(listener: MonitorListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(say: (listener: MonitorListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        say(listener)
      } catch (error) {
        this.#broke(error)
      }
    }
  }
}
