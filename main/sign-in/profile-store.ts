import { type KeystoreState, LOST_HOST, SAVED_KEYS } from '../../app/contract/key-health.ts'
import type { KeptSecrets } from '../../app/contract/windows.ts'
import { signedIn } from '../../app/tokens/stored-token.ts'
import { DEFAULT_PROBES, type Profile } from '../ports/profile.ts'
import { SAVED, type Saved } from '../storage/storage-error.ts'
import { type TokenSealer, TokenStore } from '../tokens/token-store.ts'
import type { SimulatorSettings } from '../vault/simulator-settings.ts'
import type { DeskReading, StoredProfile, Vault } from '../vault/vault.ts'
import type { VaultHandle } from '../vault/vault-handle.ts'

export interface ProfileStore {
  /** Stores a new sign-in. Its tokens replace the profile's former tokens. */
  signIn(profile: Profile, nowMs: number): TokenStore
  keepSettings(profile: Profile): Saved
  /** Stores only the profile's switch for orders. Other settings may apply only to this run of the app. */
  keepOrders(profile: Profile): Saved
  keepSecret(profile: Profile): Saved
  /** Whether the settings of this key are stored beyond this run of the app. */
  keepsSettings(profile: Profile): boolean
  forget(profile: string): Saved
  /** Whether this key survives a restart, and if not, why. */
  keystore(profile: string): KeystoreState
}

export const MEMORY_PROFILE_STORE: ProfileStore = {
  signIn: ({ refreshToken }, nowMs) => TokenStore.signedIn(signedIn(refreshToken, nowMs)),
  keepSettings: () => SAVED,
  keepOrders: () => SAVED,
  keepSecret: () => SAVED,
  keepsSettings: () => false,
  forget: () => SAVED,
  keystore: () => 'memory',
}

/** A key that was connected when the app last ended, with its tokens. */
export interface RestoredProfile {
  readonly profile: Profile
  readonly tokens: TokenStore
}

export interface VaultProfileStoreDeps {
  /**
   * Whether a newly connected API key is encrypted with a new data key if the existing data key can't be
   * opened. True for a keyring, because its old key might be lost. False for a passphrase, which might be
   * mistyped.
   */
  readonly startsOver: boolean
  /** Stores the settings of the built-in simulator. Its key is not stored. */
  readonly simulator?: Pick<SimulatorSettings, 'keep'>
  /** Called when the result of `keystore` may have changed. */
  readonly changed: () => void
}

interface ConnectedKey {
  readonly profile: Profile
  readonly tokens: TokenStore
  /** The key's desk as text. Present only until the text has been sealed. */
  readonly desk?: string
}

/** Stores the desk of each connected key. A desk is a text that contains secrets. */
export interface DeskStore {
  desk(profile: string): DeskReading
  keepDesk(profile: string, text: string): Saved
  forgetDesk(profile: string): Saved
}

/** The connected keys of a data folder, stored in its vault. */
export class VaultProfileStore implements ProfileStore, DeskStore {
  readonly #handle: VaultHandle
  readonly #deps: VaultProfileStoreDeps
  readonly #keys = new Map<string, ConnectedKey>()
  readonly #damaged = new Set<string>()

  constructor(handle: VaultHandle, deps: VaultProfileStoreDeps) {
    this.#handle = handle
    this.#deps = deps
  }

  /**
   * Stored keys that are not connected yet, and connected keys whose tokens can be opened only now. Keys that
   * still can't be opened are included, so that a person can sign in again.
   */
  restore(): readonly RestoredProfile[] {
    const stored = this.#handle.storedProfiles()
    this.#sealAll()
    if (this.#handle.vault === undefined && this.ids().includes(SAVED_KEYS) && !this.#keys.has(SAVED_KEYS)) {
      return [this.#unnamed()]
    }
    return stored.flatMap((found) => {
      const profile = profileOf(found)
      const former = this.#keys.get(found.id)?.tokens
      // A connected key is returned again if its tokens could not be opened before but can be opened now.
      const wasShut = former?.lost !== undefined || former?.isUnread === true
      const opensNow = wasShut && found.reading.kind === 'found'
      if (former !== undefined && !opensNow) return []
      if (found.about === undefined) this.#damaged.add(found.id)
      former?.detach()
      const tokens = TokenStore.stored(found.tokens, this.#sealerOf(found.id))
      this.#keys.set(found.id, { profile, tokens })
      return [{ profile, tokens }]
    })
  }

  /** The placeholder for keys in a file that can't be opened. */
  #unnamed(): RestoredProfile {
    const key = { profile: damagedProfile(SAVED_KEYS), tokens: TokenStore.empty() }
    this.#keys.set(SAVED_KEYS, key)
    return key
  }

  /** Lines that tell a person which restored keys are damaged. */
  notices(): readonly string[] {
    const isNew = this.#handle.notices.length > 0
    return [...this.#damaged].flatMap((id) => {
      if (id === SAVED_KEYS)
        return isNew ? [] : ['Your saved keys are damaged or missing. Connect them again.']
      return `The name and addresses of the saved key ${id} are damaged. Connect that key again, then disconnect ${id}.`
    })
  }

  /** The ids of connected and stored keys. */
  ids(): readonly string[] {
    return this.#handle.storedIds()
  }

  signIn(profile: Profile, nowMs: number): TokenStore {
    const signIn = signedIn(profile.refreshToken, nowMs)
    const former = this.#keys.get(profile.id)
    former?.tokens.detach()
    // The built-in simulator's tokens are not stored, because it has a new key at each start.
    if (profile.environment === 'simulator') return TokenStore.signedIn(signIn)
    const tokens = TokenStore.signedIn(signIn, this.#sealerOf(profile.id))
    this.#keys.set(profile.id, { ...former, profile, tokens })
    // If the record can't be written, the first refresh reports that and tries again.
    tokens.seal()
    if (tokens.kind === 'memory') this.#startOver()
    return tokens
  }

  keepSettings(profile: Profile): Saved {
    if (profile.environment === 'simulator') return this.#deps.simulator?.keep(profile) ?? SAVED
    return this.#keep(profile, (vault) => vault.keepSettings(profile))
  }

  keepOrders(profile: Profile): Saved {
    const { orders } = profile
    const stored = this.#keys.get(profile.id)?.profile ?? profile
    return this.keepSettings({ ...stored, ...(orders !== undefined && { orders }) })
  }

  keepSecret(profile: Profile): Saved {
    return this.#keep(profile, (vault) => vault.keepSecret(profile))
  }

  desk(id: string): DeskReading {
    const key = this.#keys.get(id)
    if (key?.desk !== undefined) return { kind: 'found', text: key.desk }
    const { vault } = this.#handle
    return key?.tokens.kind === 'sealed' && vault !== undefined ? vault.desk(id) : { kind: 'none' }
  }

  /** Stores the desk of a key next to its tokens, or in memory until the key can be sealed. */
  keepDesk(id: string, text: string): Saved {
    const key = this.#keys.get(id)
    if (key === undefined) return { ok: false, why: 'this key is not stored' }
    const { vault } = this.#handle
    if (key.tokens.kind === 'sealed' && vault !== undefined) return vault.keepDesk(id, text)
    this.#keys.set(id, { ...key, desk: text })
    return SAVED
  }

  forgetDesk(id: string): Saved {
    const key = this.#keys.get(id)
    if (key === undefined) return SAVED
    const saved = this.#handle.vault?.forgetDesk(id) ?? SAVED
    if (!saved.ok) return saved
    const { desk: _, ...rest } = key
    this.#keys.set(id, rest)
    return saved
  }

  keepsSettings({ id, environment }: Profile): boolean {
    if (environment === 'simulator') return this.#deps.simulator !== undefined
    return this.#keys.get(id)?.tokens.kind === 'sealed'
  }

  forget(profile: string): Saved {
    const { vault } = this.#handle
    const saved = vault !== undefined && this.#keys.has(profile) ? vault.forget(profile) : SAVED
    if (!saved.ok) return saved
    this.#keys.get(profile)?.tokens.detach()
    this.#keys.delete(profile)
    this.#damaged.delete(profile)
    return SAVED
  }

  /** Where the secrets of a newly connected key are stored. */
  get newKeys(): KeptSecrets {
    if (this.#handle.status.state !== 'ok' || this.#handle.vault === undefined) return 'memory'
    return this.#handle.hidesNothing ? 'unprotected' : 'sealed'
  }

  keystore(profile: string): KeystoreState {
    const tokens = this.#keys.get(profile)?.tokens
    const { state } = this.#handle.status
    if (tokens === undefined) return state === 'waiting' ? 'waiting' : 'memory'
    if (this.#damaged.has(profile)) return 'record-corrupt'
    // A key that was connected in this run of the app works from memory and is sealed later if possible.
    // States that concern only stored keys do not apply to it.
    const isOfThisRun = tokens.kind === 'memory' && profile !== SAVED_KEYS
    const isOfStored = state !== 'unavailable' && state !== 'unprotected'
    if (state !== 'ok' && !(isOfThisRun && isOfStored)) return state
    if (tokens.lost !== undefined) return tokens.lost
    if (tokens.kind !== 'sealed') return 'memory'
    return this.#handle.hidesNothing ? 'unprotected' : 'ok'
  }

  /** Seals the tokens of one key, with the key's settings at that time. */
  #sealerOf(id: string): TokenSealer {
    return {
      seal: (tokens) => {
        const { vault } = this.#handle
        const key = this.#keys.get(id)
        if (key === undefined || vault === undefined || !vault.canSeal) return undefined
        const { desk, ...sealed } = key
        const saved = vault.signIn(key.profile, tokens, desk)
        if (saved.ok) this.#keys.set(id, sealed)
        return saved.ok ? { ...saved, tokens: vault.tokens(id) } : saved
      },
      whyLost: (state) => {
        const { status } = this.#handle
        const ofAll = status.state === 'ok' ? undefined : status.line
        return ofAll ?? (state === 'key-changed' ? this.#handle.sealedElsewhere(id) : undefined)
      },
    }
  }

  /** Stores a change of a key next to its tokens, now or when the key is sealed. */
  #keep(profile: Profile, write: (vault: Vault) => Saved): Saved {
    const key = this.#keys.get(profile.id)
    if (key === undefined) return SAVED
    const { vault } = this.#handle
    const saved = key.tokens.kind === 'sealed' && vault !== undefined ? write(vault) : SAVED
    if (saved.ok) this.#keys.set(profile.id, { ...key, profile })
    return saved
  }

  #startOver(): void {
    const { state } = this.#handle.status
    // No passphrase can open a damaged data key, so a new data key loses nothing.
    if (state !== 'record-corrupt' && !(state === 'key-changed' && this.#deps.startsOver)) return
    void this.#handle.startOver().then(() => {
      this.#sealAll()
      this.#deps.changed()
    })
  }

  #sealAll(): void {
    for (const { tokens } of this.#keys.values()) tokens.seal()
  }
}

/** Nothing is sent for a key whose addresses are lost. */
const NO_ADDRESS = `https://${LOST_HOST}`

/**
 * A profile for a stored key of which only the id is readable. It is listed so that a person can disconnect
 * it.
 */
const damagedProfile = (id: string): Profile => ({
  id,
  name: id === SAVED_KEYS ? 'Saved keys' : `${id} (damaged)`,
  environment: 'custom',
  authUrl: NO_ADDRESS,
  baseUrl: NO_ADDRESS,
  clientId: '',
  refreshToken: '',
  probes: DEFAULT_PROBES,
  streams: [],
})

function profileOf({ id, about, clientSecret, reading }: StoredProfile): Profile {
  if (about === undefined) return damagedProfile(id)
  const { hasClientSecret: _, ...settings } = about
  return {
    id,
    ...settings,
    ...(clientSecret !== undefined && { clientSecret }),
    refreshToken: reading.kind === 'found' ? reading.stored.token.refreshToken : '',
  }
}
