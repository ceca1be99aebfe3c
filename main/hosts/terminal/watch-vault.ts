import { Monitor, type MonitorPorts } from '../../monitor/monitor.ts'
import type { MonitorSurface } from '../../monitor/monitor-surface.ts'
import type { Profile } from '../../monitor/profile.ts'
import { openDataFolder } from '../../storage/data-folder.ts'
import { lockDataFolder } from '../../storage/lock.ts'
import { passphraseKeystore } from '../../vault/passphrase-keystore.ts'
import { type RestoredProfile, VaultProfileStore } from '../../vault/profile-store.ts'
import { VaultHandle } from '../../vault/vault-handle.ts'
import { settled } from '../settled.ts'
import { vaultTrouble } from './vault-trouble.ts'

/** Where a watched key lives: it is made a monitor of, connected, and at the end left in good order. */
export interface WatchVault {
  readonly monitor: MonitorSurface
  /** What a person should know about files that were found damaged. */
  readonly notices: readonly string[]
  /**
   * Connects the key, from what is stored where that is as new as what was given. What was chosen of a stored key
   * stays stored; `asWatched` says what becomes of it in this run.
   *
   * Returns its profile's id; nothing where no token was given and none is stored.
   */
  connect(profile: WatchedProfile, asWatched: (profile: Profile) => Profile): string | undefined
  close(): Promise<void>
}

/** A key may be known from an earlier run, and no token be given now. */
export type WatchedProfile = Omit<Profile, 'refreshToken'> & { readonly refreshToken?: string }

export type WatchVaultOpening =
  | { readonly kind: 'open'; readonly vault: WatchVault }
  /** `needsPerson`: it will fail again until a person has changed what is configured. */
  | { readonly kind: 'failed'; readonly line: string; readonly needsPerson: boolean }

/**
 * Opens the vault of `headroom watch --data DIR`.
 *
 * One owner for each folder, as for the windows: two programs refreshing one rotating token would end each other.
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
  // A damaged key is started over; a wrong passphrase is the person's to put right, and nothing is changed.
  if (status.state !== 'ok' && status.state !== 'record-corrupt') {
    handle.close()
    lock.release()
    const needsPerson = status.state === 'key-changed'
    return { kind: 'failed', line: vaultTrouble(data.path, status), needsPerson }
  }
  const storage: VaultProfileStore = new VaultProfileStore(handle, {
    startsOver: false,
    changed: () => monitor.storageChanged(),
  })
  const monitor = new Monitor(ports, storage)
  const restored = storage.restore()
  const signIn = (profile: Profile, watched: Profile) =>
    monitor.restore(watched, storage.signIn(profile, ports.clock.wallMs()))
  return {
    kind: 'open',
    vault: {
      monitor,
      notices: [
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
          return id
        }
        const { id } = stored.profile
        const known = refreshToken === '' || (handle.vault?.knows(id, refreshToken) ?? false)
        const kept = { ...stored.profile, ...(clientSecret !== undefined && { clientSecret }), refreshToken }
        // A token that was never here, for a key whose own is of no use any more, is a new sign-in.
        if (!known && hasEnded(stored)) signIn(kept, asWatched(kept))
        else monitor.restore(asWatched(kept), stored.tokens)
        return id
      },
      close: async () => {
        await settled(monitor.idle(), ports.clock)
        handle.close()
        lock.release()
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
