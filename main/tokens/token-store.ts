import type { KeyReport } from '../../app/contract/events.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import { restoredState, type StoredTokens, storedTokens } from '../../app/tokens/stored-token.ts'
import { lostTokenState, type TokenState } from '../../app/tokens/token-state.ts'
import type { Clock } from '../ports/ports.ts'
import { SAVED, type Saved, unexpectedText } from '../storage/storage-error.ts'
import type { TokenReading } from '../vault/token-records.ts'
import type { VaultTokens } from '../vault/vault.ts'

/** Gives the tokens of one key access to the vault. */
export interface TokenSealer {
  /**
   * Seals the first tokens of a sign-in. `undefined` while the vault can't seal. The caller must then try
   * again later.
   */
  seal(tokens: StoredTokens): Sealing | undefined
  /** Why a stored token can't be opened, if the vault knows more than the record shows. */
  whyLost?(state: LostState): string | undefined
}

/**
 * The result of sealing. `generation` belongs to the stored token, and is higher than all earlier generations
 * of the key.
 */
export type Sealing =
  | { readonly ok: true; readonly generation: number; readonly tokens: VaultTokens }
  | { readonly ok: false; readonly why: string }

/** Why a stored token cannot be opened. */
export type LostState = Extract<TokenReading, { kind: 'lost' }>['state']

/** The keeper's clock and callbacks. */
export interface TokenStoreListener {
  readonly clock: Pick<Clock, 'after'>
  /** Epoch milliseconds. */
  readonly nowMs: () => number
  /** Called for `storage-problem` and `storage-ok` only. */
  readonly event: (report: KeyReport) => void
  /** Called when a token that was only in memory has been stored. */
  readonly changed: () => void
}

const MEMORY_ONLY: TokenSealer = { seal: () => undefined }

/** The listener until a keeper opens the store. */
const NO_LISTENER: TokenStoreListener = {
  clock: { after: () => () => {} },
  nowMs: () => 0,
  event: () => {},
  changed: () => {},
}

const LOST_TEXTS = {
  'key-changed': 'can’t decrypt the saved token: the keyring has another key',
  'record-corrupt': 'the saved token is damaged',
} as const

/**
 * The tokens of one key: the state in use, and its copy in the vault. Until the vault can seal, the copy is
 * in memory.
 *
 * A token that can't be stored is reported once. It is used from memory and stored when possible, because
 * after a rotation no other token works. No method throws.
 */
export class TokenStore {
  readonly #sealer: TokenSealer
  #listener = NO_LISTENER
  #state: TokenState = lostTokenState('no token is saved')
  #memory: StoredTokens | undefined
  #sealed: VaultTokens | undefined
  #lost: LostState | undefined
  #isUnread = false
  #failures = 0
  #whyUnsaved: string | undefined
  #stopped = false
  /**
   * Whether the key was removed or signed in again. If so, the response to a pending refresh must not be
   * stored.
   */
  #detached = false
  #cancelRetry: () => void = () => {}

  private constructor(
    sealer: TokenSealer,
    from: { readonly memory?: StoredTokens; readonly sealed?: VaultTokens },
  ) {
    this.#sealer = sealer
    this.#memory = from.memory
    this.#sealed = from.sealed
  }

  /** The tokens of a new sign-in, sealed as soon as `sealer` can. Without a `sealer`, they stay in memory. */
  static signedIn(tokens: StoredTokens, sealer: TokenSealer = MEMORY_ONLY): TokenStore {
    return new TokenStore(sealer, { memory: tokens })
  }

  /** The store of an unreadable key. */
  static empty(): TokenStore {
    return new TokenStore(MEMORY_ONLY, {})
  }

  /** The tokens of a key that was connected in an earlier run of the app. */
  static stored(sealed: VaultTokens, sealer: TokenSealer = MEMORY_ONLY): TokenStore {
    return new TokenStore(sealer, { sealed })
  }

  /** Reads the stored state for a keeper, which is notified of failures from then on. Can be called again. */
  open(listener: TokenStoreListener): void {
    this.#listener = listener
    this.#stopped = false
    this.#failures = 0
    this.#whyUnsaved = undefined
    this.#state = this.#stateAtStart()
  }

  /** Ends the retries, after a last attempt to store unsaved tokens. */
  stop(): void {
    this.#stopped = true
    this.retry()
    this.#cancelRetry()
  }

  /** Stops storing, because the key is removed or signed in again. */
  detach(): void {
    this.#detached = true
  }

  get state(): TokenState {
    return this.#state
  }

  /** Whether the tokens are stored beyond this run of the app. */
  get kind(): 'sealed' | 'memory' {
    return this.#sealed === undefined ? 'memory' : 'sealed'
  }

  /** Where the newest token is. A crash loses a token that is only in memory. */
  get newest(): 'sealed' | 'memory' {
    return this.#failures === 0 ? this.kind : 'memory'
  }

  /** Why the newest token is only in memory, if the vault could not store it. */
  get unsaved(): string | undefined {
    return this.#whyUnsaved
  }

  /** Why the stored tokens can't be opened. `undefined` after a newer token was stored. */
  get lost(): LostState | undefined {
    return this.#lost
  }

  /** Whether there is no token because the last read failed, for example with a disk error. */
  get isUnread(): boolean {
    return this.#isUnread && this.#state.token === undefined
  }

  /** Reads the stored tokens. They are in the vault or, until the vault can seal them, in memory. */
  read(): TokenReading {
    if (this.#sealed === undefined) {
      return this.#memory === undefined ? { kind: 'none' } : { kind: 'found', stored: this.#memory }
    }
    const reading = readSafely(this.#sealed)
    this.#isUnread = reading.kind === 'unreadable'
    if (reading.kind !== 'lost') return reading
    this.#lost = reading.state
    const why = this.#sealer.whyLost?.(reading.state)
    return why === undefined ? reading : { ...reading, why }
  }

  /** Uses `state` from now on, without storing it. */
  use(state: TokenState): void {
    this.#state = state
  }

  /**
   * Stores `state` and uses it, in one step. A new token is therefore durable before any part of it is used.
   * A revoked token is no longer used after its revocation is stored.
   */
  save(state: TokenState): void {
    this.#state = state
    if (state.token === undefined) return
    const saved = this.#store(storedTokens(state.token, state, this.#listener.nowMs()))
    this.#cancelRetry()
    if (saved.ok) {
      const isStored = this.#sealed !== undefined && !this.#detached
      if (this.#failures > 0 && isStored)
        this.#listener.event({ kind: 'storage-ok', unsaved: 'refresh-token' })
      this.#failures = 0
      this.#whyUnsaved = undefined
      return
    }
    this.#failures += 1
    this.#whyUnsaved = saved.why
    if (this.#stopped) return
    if (this.#failures === 1) {
      const what = `the new token is in memory only: ${saved.why}`
      this.#listener.event({ kind: 'storage-problem', what, unsaved: 'refresh-token' })
    }
    const waitMs = retryDelayMs(RETRY.tokenSave, this.#failures, 0)
    this.#cancelRetry = this.#listener.clock.after(waitMs, () => this.retry())
  }

  /** Stores the unsaved tokens, if any, for example after a person freed disk space. */
  retry(): void {
    if (this.#failures === 0) return
    this.save(this.#state)
    if (this.#failures === 0) this.#listener.changed()
  }

  /**
   * Stores that the token is about to be sent. The next start then knows that the token may be used up.
   *
   * A failure is reported but does not prevent sending, because an unused token expires within half an hour.
   */
  intend(): void {
    const saved = this.#intend()
    if (!saved.ok) this.#problem(`recording an upcoming refresh failed: ${saved.why}`)
  }

  /** Records in the journal that the token was sent. */
  noteSent(): void {
    const { token } = this.#state
    if (token !== undefined) this.#note('sent', token.generation, token.refreshToken)
  }

  /** Records in the journal that a response contained `refreshToken`. Call this before storing it. */
  noteReceived(refreshToken: string): void {
    this.#note('received', (this.#state.token?.generation ?? 0) + 1, refreshToken)
  }

  /** Reads again if the first attempt failed, for example because of another program's lock. */
  readIfLost(): void {
    if (this.#state.token === undefined) this.#state = this.#stateAtStart()
  }

  /** Adopts a newer token that another process stored. */
  takeNewest(): void {
    const reading = this.read()
    if (reading.kind !== 'found') return
    const { token, lostAnswer } = restoredState(reading.stored, this.#listener.nowMs())
    const generation = this.#state.token?.generation ?? 0
    if (token === undefined || token.generation <= generation) return
    this.#state = { ...this.#state, token, lostAnswer: this.#state.lostAnswer || lostAnswer }
  }

  /**
   * Seals the tokens that are in memory, and adopts the generation of the stored token. If the vault can't
   * seal, returns ok, because the vault reports its own state.
   */
  seal(): Saved {
    const memory = this.#memory
    if (this.#detached || memory === undefined) return SAVED
    const sealing = safely((): Sealing | typeof SAVED => this.#sealer.seal(memory) ?? SAVED)
    if (!sealing.ok || !('tokens' in sealing)) return sealing
    const { generation, tokens } = sealing
    const { token } = this.#state
    if (token !== undefined) this.#state = { ...this.#state, token: { ...token, generation } }
    this.#sealed = tokens
    this.#memory = undefined
    return SAVED
  }

  #store(tokens: StoredTokens): Saved {
    if (this.#detached) return SAVED
    const sealed = this.#sealed
    if (sealed === undefined) {
      this.#memory = tokens
      return this.seal()
    }
    const saved = safely(() => sealed.save(tokens))
    if (saved.ok) this.#lost = undefined
    return saved
  }

  #intend(): Saved {
    if (this.#detached) return SAVED
    const sealing = this.seal()
    const { token } = this.#state
    if (token === undefined) return sealing
    const intent = { generation: token.generation, atMs: this.#listener.nowMs() }
    const sealed = this.#sealed
    if (sealed !== undefined) return safely(() => sealed.intend(intent, token.refreshToken))
    if (this.#memory !== undefined) this.#memory = { ...this.#memory, intent }
    return sealing
  }

  #note(step: 'sent' | 'received', generation: number, refreshToken: string): void {
    const sealed = this.#sealed
    if (this.#detached || sealed === undefined) return
    // A failure is ignored, because only readers of the journal need this entry. The token itself is in the
    // vault.
    safely(() => {
      sealed.note(step, generation, refreshToken)
      return SAVED
    })
  }

  #stateAtStart(): TokenState {
    const reading = this.read()
    switch (reading.kind) {
      case 'found':
        return restoredState(reading.stored, this.#listener.nowMs())
      case 'lost':
        return lostTokenState(reading.why ?? LOST_TEXTS[reading.state])
      case 'none':
        return lostTokenState('no token is saved')
      case 'unreadable':
        return lostTokenState(`can't read the saved token: ${reading.why}`)
    }
  }

  #problem(what: string): void {
    this.#listener.event({ kind: 'storage-problem', what })
  }
}

/**
 * Returns the vault's result, or a failed write if the vault throws.
 *
 * An exception is a bug, but must not lose a new token, which can't be requested again. Only the exception's
 * name is reported, because its message may contain anything.
 */
function safely<T extends { readonly ok: boolean }>(
  run: () => T,
): T | { readonly ok: false; readonly why: string } {
  try {
    return run()
  } catch (error) {
    return { ok: false, why: unexpectedText(error) }
  }
}

function readSafely(sealed: VaultTokens): TokenReading {
  try {
    return sealed.read()
  } catch (error) {
    return { kind: 'unreadable', why: unexpectedText(error) }
  }
}
