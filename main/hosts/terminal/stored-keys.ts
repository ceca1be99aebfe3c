import type { RevocationResult } from '../../../app/tokens/revocation.ts'
import type { DeskKey } from '../../desk/marks.ts'
import type { Keystore } from '../../ports/keystore.ts'
import type { Clock, Http, Random } from '../../ports/ports.ts'
import type { Profile } from '../../ports/profile.ts'
import { Redactor } from '../../ports/redactor.ts'
import { Timeline } from '../../ports/timeline.ts'
import { type DeskStore, VaultProfileStore } from '../../sign-in/profile-store.ts'
import { lockDataFolder } from '../../storage/lock.ts'
import { whyNotTrusted } from '../../storage/private-files.ts'
import { TokenKeeper } from '../../tokens/keeper.ts'
import { passphraseKeystore } from '../../vault/passphrase-keystore.ts'
import { mayHoldKeys } from '../../vault/vault-file.ts'
import { VaultHandle, type VaultStatus } from '../../vault/vault-handle.ts'
import type { RunningKey } from './running-app.ts'

/** The keys of a data folder that no Headroom is using. */
export interface StoredKeys {
  readonly keys: readonly RunningKey[]
  readonly desks: DeskStore
  /** The fields of a key that must match its desk. `undefined` if the key is not stored here. */
  keyOf(profile: string): (DeskKey & Pick<Profile, 'environment'>) | undefined
  revoke(profile: string): Promise<RevocationResult>
  close(): void
}

/** The opened keys, or a line with the reason why they can't be opened. */
export type StoredKeysOpening =
  | { readonly kind: 'open'; readonly stored: StoredKeys }
  | { readonly kind: 'nothing-stored' }
  | KeysFailure

/** Keys that can't be opened, and why. `needsPerson`: see `exitCodeOf`. */
export interface KeysFailure {
  readonly kind: 'failed'
  readonly line: string
  readonly needsPerson: boolean
}

export interface StoredKeysPorts {
  readonly clock: Clock
  readonly random: Random
  readonly http: Http
}

/** Locks a folder with stored keys, and opens its vault. Without a keystore, the keys stay sealed. */
export async function lockedVault(folder: string, wallMs: () => number, keystore?: Keystore) {
  if (!mayHoldKeys(folder)) return { kind: 'nothing-stored' } as const
  const failed = (line: string) => ({ kind: 'failed', line, needsPerson: false }) as const
  const distrust = whyNotTrusted(folder)
  if (distrust !== undefined) return failed(`the keys in ${folder} aren't safe to use: ${distrust}`)
  const lock = lockDataFolder(folder, { pid: process.pid, host: 'terminal' })
  if (lock.kind !== 'held') return failed(lock.line)
  const handle = await VaultHandle.open({ folder, wallMs, ...(keystore && { keystore }) })
  const close = () => {
    handle.close()
    lock.release()
  }
  return { kind: 'open', handle, close } as const
}

/** The end of a message about a folder that no Headroom is using. */
export const NOT_STORED = ', and no key is saved there'

/**
 * Opens the keys of a data folder, to revoke a key or to change its desk. Locks the folder.
 *
 * The token is not refreshed, unless the response to its last refresh was lost. The outcome of a revocation
 * is stored for the next start.
 */
export async function openStoredKeys(
  folder: string,
  passphrase: string,
  { clock, random, http }: StoredKeysPorts,
): Promise<StoredKeysOpening> {
  const keystore = passphraseKeystore(passphrase)
  const opening = await lockedVault(folder, () => clock.wallMs(), keystore)
  if (opening.kind !== 'open') return opening
  const { handle, close } = opening
  if (handle.status.state !== 'ok') {
    close()
    return vaultFailure(folder, handle.status)
  }
  const storage = new VaultProfileStore(handle, { startsOver: false, changed: () => {} })
  const restored = storage.restore()
  return {
    kind: 'open',
    stored: {
      keys: restored.map(({ profile }) => ({ profile: profile.id, name: profile.name })),
      desks: storage,
      keyOf: (id) => {
        const key = restored.find(({ profile }) => profile.id === id)
        const reading = key?.tokens.read()
        const subject = reading?.kind === 'found' ? reading.stored.token.subject : undefined
        return key && { ...key.profile, subject }
      },
      revoke: async (id) => {
        const key = restored.find(({ profile }) => profile.id === id)
        if (key === undefined) return { kind: 'refused', why: 'that key is no longer stored' }
        const timeline = new Timeline(clock)
        const unheard = { changed: () => {}, event: () => {}, reached: () => {} }
        const keeper = new TokenKeeper(key.profile, key.tokens, {
          clock,
          random,
          http,
          secrets: new Redactor(),
          timeline,
          ...unheard,
        })
        const outcome = await keeper.revoke()
        keeper.stop()
        return outcome
      },
      close,
    },
  }
}

/** The failure of a vault that is not open. A wrong passphrase needs a person. */
export const vaultFailure = (folder: string, status: Exclude<VaultStatus, { state: 'ok' }>): KeysFailure => ({
  kind: 'failed',
  line: vaultTrouble(folder, status),
  needsPerson: status.state === 'key-changed',
})

/** Why HEADROOM_PASSPHRASE does not open the keys of a folder, and what a person can do. */
export function vaultTrouble(folder: string, status: Exclude<VaultStatus, { state: 'ok' }>): string {
  switch (status.state) {
    case 'key-changed':
      if (status.sealedBy === 'desktop') {
        return `HEADROOM_PASSPHRASE can't open the keys in ${folder}: ${status.why}; open them on the desktop, or choose another folder with --data; nothing was changed`
      }
      return `wrong HEADROOM_PASSPHRASE for the keys in ${folder}: set the right one, or choose another folder with --data; nothing was changed`
    case 'record-corrupt':
      return `a key in ${folder} is damaged (${status.why}) and was set aside; put a refresh token in HEADROOM_REFRESH_TOKEN to replace it`
    case 'unreadable':
      return status.line
    case 'no-passphrase':
    case 'memory':
      return `set HEADROOM_PASSPHRASE to open the keys in ${folder}`
    case 'waiting':
    case 'unavailable':
    case 'unprotected':
      return `can't open the keys in ${folder}: ${status.why}; nothing was changed`
  }
}
