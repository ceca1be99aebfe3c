import type { MonitorEvent } from '../../app/contract/events.ts'
import type { KeyState } from '../../app/tokens/key-state.ts'
import { storedTokens } from '../../app/tokens/stored-token.ts'
import type { Clock } from '../ports/ports.ts'
import type { TokenStore } from '../vault/token-store.ts'

export interface SaverDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly event: (event: MonitorEvent) => void
  readonly changed: () => void
  readonly nowMs: () => number
  /** As of now: a save that failed is made up for with what is known by then. */
  readonly state: () => KeyState
}

/** Waits after failures in a row; the last one repeats. A full disk is often freed within minutes. */
const RETRY_MS = [5_000, 15_000, 30_000, 60_000] as const

/**
 * Writes a key's state through to its store.
 *
 * What the store does not take stays in use from memory, is told once, and is saved when the store takes it:
 * a rotated token that cannot be written down is still the only one that works.
 */
export class TokenSaver {
  readonly #store: TokenStore
  readonly #deps: SaverDeps
  #failures = 0
  #why: string | undefined
  #stopped = false
  #cancelRetry: () => void = () => {}

  constructor(store: TokenStore, deps: SaverDeps) {
    this.#store = store
    this.#deps = deps
  }

  /** Where the newest token would be found after a crash now. */
  get stored(): 'sealed' | 'memory' {
    return this.#store.kind === 'sealed' && this.#failures === 0 ? 'sealed' : 'memory'
  }

  /** Why the newest token is not saved, where the store did not take it. */
  get unsaved(): string | undefined {
    return this.#why
  }

  /** Durable when it returns, or told and remembered. */
  save(state: KeyState): void {
    if (state.token === undefined) return
    const saved = this.#store.save(storedTokens(state.token, state, this.#deps.nowMs()))
    this.#cancelRetry()
    if (saved.ok) {
      this.#failures = 0
      this.#why = undefined
      return
    }
    this.#failures += 1
    this.#why = saved.why
    if (this.#stopped) return
    if (this.#failures === 1) this.problem(`the new token is only in memory: ${saved.why}`)
    const waitMs = RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] ?? RETRY_MS[0]
    this.#cancelRetry = this.#deps.clock.after(waitMs, () => this.#tryAgain())
  }

  problem(what: string): void {
    this.#deps.event({ kind: 'storage-problem', what })
  }

  /** A person made room, or believes so. */
  tryNow(): void {
    if (this.#failures > 0) this.#tryAgain()
  }

  /** Tries once more where something is unsaved, and stops trying. */
  stop(): void {
    this.#stopped = true
    if (this.#failures > 0) this.#tryAgain()
    this.#cancelRetry()
  }

  #tryAgain(): void {
    this.save(this.#deps.state())
    if (this.#failures === 0) this.#deps.changed()
  }
}
