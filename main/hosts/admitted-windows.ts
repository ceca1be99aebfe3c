import type { Outcome } from '../../app/contract/outcome.ts'
import type { WindowSummary } from '../../app/contract/windows.ts'
import type { Clock } from '../ports/ports.ts'

/** An admitted window, as its host provides it. */
export interface AdmittedWindow {
  isOpen(): boolean
  end(): void
}

export interface AdmittedWindowsDeps {
  readonly clock: Pick<Clock, 'wallMs'>
  /** Called after each admission with the number of windows, including the new one. */
  readonly admitted: (id: string, count: number) => void
}

interface Entry {
  readonly window: AdmittedWindow
  readonly admittedAt: number
  lastUsedAt: number
}

/** The windows that were admitted by a code. A person can list these windows and end an unfamiliar one. */
export class AdmittedWindows {
  readonly #deps: AdmittedWindowsDeps
  readonly #windows = new Map<string, Entry>()
  #count = 0

  constructor(deps: AdmittedWindowsDeps) {
    this.#deps = deps
  }

  /** Adds a window and returns its id for the list. The id is not a secret. */
  add(window: AdmittedWindow): string {
    this.#count += 1
    const id = `window-${this.#count}`
    const now = Math.round(this.#deps.clock.wallMs())
    this.#windows.set(id, { window, admittedAt: now, lastUsedAt: now })
    this.#deps.admitted(id, this.#windows.size)
    return id
  }

  used(id: string): void {
    const entry = this.#windows.get(id)
    if (entry !== undefined) entry.lastUsedAt = Math.round(this.#deps.clock.wallMs())
  }

  remove(id: string): void {
    this.#windows.delete(id)
  }

  /** Lists the windows. `asking` is the id of the requesting window. */
  list(asking?: string): readonly WindowSummary[] {
    return [...this.#windows].map(([id, { window, admittedAt, lastUsedAt }]) => ({
      id,
      admittedAt,
      lastUsedAt,
      isOpen: window.isOpen(),
      isThis: id === asking,
    }))
  }

  end(id: string, asking?: string): Outcome {
    if (id === asking) {
      return { ok: false, code: 'this-window', message: 'To disconnect this window, close it.' }
    }
    const entry = this.#windows.get(id)
    if (entry === undefined) {
      return { ok: false, code: 'unknown-window', message: 'That window is no longer connected.' }
    }
    this.#windows.delete(id)
    entry.window.end()
    return { ok: true }
  }
}
