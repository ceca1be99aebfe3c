import type { Intent, StoredTokens } from '../../app/tokens/stored-token.ts'
import type { Profile } from '../monitor/profile.ts'
import type { SealedHome } from './sealed-home.ts'
import { SAVED, type Saved } from './storage-words.ts'
import type { JournalStep, TokenReading, TokenStore } from './token-store.ts'

/**
 * The tokens of one connected key: sealed where its home can seal, else in memory until it can.
 *
 * A home that opens late, or takes writes again, takes in what memory has by then.
 */
export class HomeTokens implements TokenStore {
  #profile: Profile
  readonly #home: SealedHome
  #memory: StoredTokens | undefined
  #sealed: TokenStore | undefined
  /**
   * How far the stored generations are ahead of those that the key counts by: a sign-in is stored above all that the
   * profile ever had, and one that was sealed late has counted from 1 by then. Without it the next token would be stored
   * below the one it replaces, and never be found again.
   */
  #ahead = 0
  #lost: 'key-changed' | 'record-corrupt' | undefined
  /** Its key was forgotten or signed in anew: an answer that is still on its way belongs to nobody. */
  #detached = false

  private constructor(profile: Profile, home: SealedHome) {
    this.#profile = profile
    this.#home = home
  }

  static signedIn(profile: Profile, home: SealedHome, tokens: StoredTokens): HomeTokens {
    const created = new HomeTokens(profile, home)
    created.#memory = tokens
    return created
  }

  static stored(profile: Profile, home: SealedHome, sealed: TokenStore): HomeTokens {
    const created = new HomeTokens(profile, home)
    created.#sealed = sealed
    return created
  }

  get kind(): 'sealed' | 'memory' {
    return this.#sealed === undefined ? 'memory' : 'sealed'
  }

  /** Why what is stored was of no use at the start, until something newer is saved. */
  get lost(): 'key-changed' | 'record-corrupt' | undefined {
    return this.#lost
  }

  read(): TokenReading {
    if (this.#sealed === undefined) {
      return this.#memory === undefined ? { kind: 'none' } : { kind: 'found', stored: this.#memory }
    }
    const reading = this.#sealed.read()
    if (reading.kind === 'found') return { kind: 'found', stored: raised(reading.stored, -this.#ahead) }
    if (reading.kind !== 'lost') return reading
    this.#lost = reading.state
    const { standing } = this.#home
    const ofAll = standing.state === 'ok' ? undefined : standing.line
    const why =
      ofAll ?? (reading.state === 'key-changed' ? this.#home.sealedElsewhere(this.#profile.id) : undefined)
    return why === undefined ? reading : { ...reading, why }
  }

  intend(intent: Intent, refreshToken: string): Saved {
    if (this.#detached) return SAVED
    const sealed = this.seal()
    if (this.#sealed !== undefined) {
      return this.#sealed.intend({ ...intent, generation: intent.generation + this.#ahead }, refreshToken)
    }
    if (this.#memory !== undefined) this.#memory = { ...this.#memory, intent }
    return sealed
  }

  save(tokens: StoredTokens): Saved {
    if (this.#detached) return SAVED
    if (this.#sealed === undefined) {
      this.#memory = tokens
      return this.seal()
    }
    const saved = this.#sealed.save(raised(tokens, this.#ahead))
    if (saved.ok) this.#lost = undefined
    return saved
  }

  note(step: JournalStep, generation: number, refreshToken: string): void {
    if (!this.#detached) this.#sealed?.note(step, generation + this.#ahead, refreshToken)
  }

  /** Ok also where its home keeps nothing: that is the home's standing to tell, not a failed write. */
  seal(): Saved {
    const { vault } = this.#home
    if (this.#detached || this.#sealed !== undefined || this.#memory === undefined) return SAVED
    if (vault === undefined || !vault.canSeal) return SAVED
    const saved = vault.signIn(this.#profile, this.#memory)
    if (!saved.ok) return saved
    this.#ahead = saved.generation - this.#memory.token.generation
    this.#sealed = vault.tokens(this.#profile.id)
    this.#memory = undefined
    return SAVED
  }

  /** What a person chose of this key, stored where the key is; one that is sealed later is sealed with it. */
  keepSettings(profile: Profile): Saved {
    const saved = this.#sealed === undefined ? SAVED : (this.#home.vault?.keepSettings(profile) ?? SAVED)
    if (saved.ok) this.#profile = profile
    return saved
  }

  /** As its settings. */
  keepSecret(profile: Profile): Saved {
    const saved = this.#sealed === undefined ? SAVED : (this.#home.vault?.keepSecret(profile) ?? SAVED)
    if (saved.ok) this.#profile = profile
    return saved
  }

  detach(): void {
    this.#detached = true
  }
}

/** The same tokens, counted from elsewhere. */
function raised(stored: StoredTokens, by: number): StoredTokens {
  const { token, intent } = stored
  return {
    ...stored,
    token: { ...token, generation: token.generation + by },
    ...(intent && { intent: { ...intent, generation: intent.generation + by } }),
  }
}
