import type { KeyState } from '../../app/tokens/key-state.ts'
import type { TokenStore } from '../vault/token-store.ts'
import { startState } from './start-state.ts'
import { sureStore } from './sure-store.ts'
import { type SaverDeps, TokenSaver } from './token-saver.ts'
import { newestOf } from './write-ahead.ts'

/** What is held of one key's tokens: the state that is in use, and its copy in the store. */
export class HeldKey {
  readonly store: TokenStore
  readonly saver: TokenSaver
  readonly #nowMs: () => number
  #state: KeyState

  constructor(store: TokenStore, deps: Omit<SaverDeps, 'state'>) {
    this.store = sureStore(store)
    this.saver = new TokenSaver(this.store, { ...deps, state: () => this.#state })
    this.#nowMs = deps.nowMs
    this.#state = startState(this.store.read(), this.#nowMs())
  }

  get state(): KeyState {
    return this.#state
  }

  /** In use from here on, and nothing that has to outlive this process. */
  hold(state: KeyState): void {
    this.#state = state
  }

  /** In use at once, because it takes something out of use, and then durable. */
  holdAndSave(state: KeyState): void {
    this.#state = state
    this.saver.save(state)
  }

  /** Durable before anything of it is used. */
  saveAndHold(state: KeyState): void {
    this.saver.save(state)
    this.#state = state
  }

  /** What could not be read at the start, as behind another program's lock, may be readable now. */
  readIfLost(): void {
    if (this.#state.token === undefined) this.#state = startState(this.store.read(), this.#nowMs())
  }

  /** A token is sent only once: before that, what another process may have stored is looked for. */
  takeNewest(): void {
    this.#state = newestOf(this.#state, this.store, this.#nowMs())
  }
}
