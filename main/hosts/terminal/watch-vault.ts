import { SAVED_KEYS } from '../../../app/contract/key-health.ts'
import { Learning } from '../../monitor/learning.ts'
import { Monitor, type MonitorPorts } from '../../monitor/monitor.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import { settled } from '../../network/deadline.ts'
import type { Profile } from '../../ports/profile.ts'
import { type DeskStore, type RestoredProfile, VaultProfileStore } from '../../sign-in/profile-store.ts'
import { openDataFolder } from '../../storage/data-folder.ts'
import { lockDataFolder } from '../../storage/lock.ts'
import { passphraseKeystore } from '../../vault/passphrase-keystore.ts'
import { VaultHandle } from '../../vault/vault-handle.ts'
import { type KeysFailure, vaultFailure, vaultTrouble } from './stored-keys.ts'

/** The opened vault of `watch`, with a monitor of its keys. */
export interface WatchVault {
  readonly monitor: MonitorSurface
  readonly dataFolder: string
  /** Messages about damaged files. */
  readonly notices: readonly string[]
  /**
   * Connects the key with its stored token. Uses the given token if none is stored, or if the given token is
   * new and the stored sign-in has ended. Returns the profile's id, or `undefined` if no token is given or
   * stored.
   *
   * Stored settings do not change. `asWatched` applies the flags of this run of the app.
   */
  connect(profile: WatchedProfile, asWatched: (profile: Profile) => Profile): string | undefined
  readonly desks: DeskStore
  /** See `VaultHandle.isGone`. */
  readonly isGone: (profile: string) => boolean
  /** See `Vault.keysFor`. */
  keysFor(purpose: string): readonly Uint8Array[]
  close(): Promise<void>
}

/** A profile whose token is optional, because an earlier run of the app may have stored one. */
export type WatchedProfile = Omit<Profile, 'refreshToken'> & { readonly refreshToken?: string }

export type WatchVaultOpening = { readonly kind: 'open'; readonly vault: WatchVault } | KeysFailure

/**
 * Opens the vault of `headroom watch --data DIR`. Locks the folder, because two programs that refresh one
 * rotating token would invalidate each other's tokens.
 */
export async function openWatchVault(
  folder: string,
  passphrase: string,
  ports: MonitorPorts,
): Promise<WatchVaultOpening> {
  const data = openDataFolder(folder)
  if (data.kind === 'unusable') return { kind: 'failed', line: data.line, needsPerson: false }
  const lock = lockDataFolder(data.path, { pid: process.pid, host: 'terminal' })
  if (lock.kind !== 'held') return { kind: 'failed', line: lock.line, needsPerson: false }
  const keystore = passphraseKeystore(passphrase)
  const handle = await VaultHandle.open({ folder: data.path, keystore, wallMs: () => ports.clock.wallMs() })
  const { status } = handle
  const close = () => {
    handle.close()
    lock.release()
  }
  // A damaged data key does not end the command, because a new one replaces it. A wrong passphrase ends the
  // command and changes nothing, because a person can correct it.
  if (status.state !== 'ok' && status.state !== 'record-corrupt') {
    close()
    return vaultFailure(data.path, status)
  }
  const storage: VaultProfileStore = new VaultProfileStore(handle, {
    startsOver: false,
    changed: () => monitor.storageChanged(),
  })
  const notices: string[] = []
  const learning = new Learning(data.path, ports.clock.wallMs(), (what) => void notices.push(what))
  const monitor = new Monitor({ ...ports, learning }, storage)
  const restored = storage.restore()
  const signIn = (profile: Profile, watched: Profile) =>
    monitor.restore(watched, storage.signIn(profile, ports.clock.wallMs()))
  return {
    kind: 'open',
    vault: {
      monitor,
      dataFolder: data.path,
      notices: [
        ...notices,
        ...handle.notices,
        ...(status.state === 'ok' ? [] : [vaultTrouble(data.path, status)]),
        ...storage.notices(),
      ],
      connect: (profile, asWatched) => {
        const { refreshToken = '', clientSecret } = profile
        const stored = restored.find((key) => isSameKey(key.profile, profile))
        if (stored === undefined) {
          if (refreshToken === '') return undefined
          const id = freeId(profile.id, storage.ids())
          const created = { ...profile, id, refreshToken }
          signIn(created, asWatched(created))
          storage.forget(SAVED_KEYS)
          return id
        }
        const { id } = stored.profile
        const known = refreshToken === '' || (handle.vault?.knows(id, refreshToken) ?? false)
        const kept = { ...stored.profile, ...(clientSecret !== undefined && { clientSecret }), refreshToken }
        // The given token is used only if the vault does not know it and the stored token is no longer valid.
        // A token that the vault does not know comes from a new sign-in.
        if (!known && hasEnded(stored)) {
          const given: Profile = { ...kept, isGiven: true }
          signIn(given, asWatched(given))
        } else monitor.restore(asWatched(kept), stored.tokens)
        return id
      },
      desks: storage,
      isGone: (profile) => handle.isGone(profile),
      keysFor: (purpose) => handle.vault?.keysFor(purpose) ?? [],
      close: async () => {
        await settled(monitor.idle(), ports.clock)
        close()
      },
    },
  }
}

function isSameKey(one: Profile, other: WatchedProfile): boolean {
  return one.authUrl === other.authUrl && one.baseUrl === other.baseUrl && one.clientId === other.clientId
}

function hasEnded({ tokens }: RestoredProfile): boolean {
  const reading = tokens.read()
  if (reading.kind !== 'found') return true
  const { kind } = reading.stored.standing
  return kind === 'sign-in-required' || kind === 'revoked'
}

function freeId(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted
  let number = 2
  while (taken.includes(`${wanted}-${number}`)) number += 1
  return `${wanted}-${number}`
}
