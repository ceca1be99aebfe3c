import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { SAVED_KEYS } from '../../app/contract/key-health.ts'
import type { Outcome } from '../../app/contract/outcome.ts'
import type { Keystore } from '../ports/keystore.ts'
import { type Saved, storageErrorText, unexpectedText } from '../storage/storage-error.ts'
import { addDataKey, type DataKeys, NO_KEYS, type Unlocking, unlockDataKeys } from './data-keys.ts'
import { NewestCommit } from './newest-commit.ts'
import { type StoredProfile, Vault, type VaultRead } from './vault.ts'
import { missingKeys, openVaultFile, type VaultFileOpening } from './vault-file.ts'
import {
  keyChanged,
  type StartTrouble,
  sealedElsewhere,
  startTrouble,
  tokenSealedElsewhere,
} from './vault-status.ts'

/** Whether keys are stored, and if not, why. */
export type VaultStatus =
  /** No keystore was given. Nothing is stored, and stored keys are left unchanged. */
  { readonly state: 'memory'; readonly line?: string } | { readonly state: 'ok' } | StartTrouble

/**
 * Status after another attempt with the keystore. `line`: a text for a person, absent if the state is `ok`.
 */
type AskedAgain = { readonly state: VaultStatus['state']; readonly line?: string }

export interface VaultHandleDeps {
  readonly folder: string
  /** Without a keystore, keys are only in memory. */
  readonly keystore?: Keystore
  readonly wallMs: () => number
  /** Opens the database. Default: `vault.db` in the folder. */
  readonly openFile?: (folder: string, nowMs: number) => VaultFileOpening
}

/**
 * The vault of a data folder. It is open, waits for its keystore, or is unusable. Opening never fails. The
 * status shows problems.
 *
 * The caller must hold the lock of the folder (main/storage/lock.ts).
 */
export class VaultHandle {
  /** Lines that tell a person which files were damaged. */
  readonly notices: readonly string[]
  readonly #deps: VaultHandleDeps
  #database: DatabaseSync | undefined
  readonly #newest: NewestCommit | undefined
  #status: VaultStatus
  #vault: Vault | undefined
  #hidesNothing = false
  /** The ids that were listed last. */
  #ids: readonly string[] | undefined
  /** Whether the stored profiles were ever listed. With the built-in simulator, they never are. */
  #hasListed = false
  #closed = false
  #asking: Promise<AskedAgain> | undefined
  #startingOver: Promise<void> | undefined
  readonly #opened = new Set<() => void>()

  private constructor(
    deps: VaultHandleDeps,
    status: VaultStatus,
    notices: readonly string[],
    opened:
      | { readonly database: DatabaseSync; readonly newest: NewestCommit | undefined }
      | undefined = undefined,
  ) {
    this.#deps = deps
    this.#status = status
    this.notices = notices
    this.#database = opened?.database
    this.#newest = opened?.newest
  }

  static async open(deps: VaultHandleDeps): Promise<VaultHandle> {
    const { folder, keystore, wallMs, openFile = openVaultFile } = deps
    if (keystore === undefined && !existsSync(join(folder, 'vault.db'))) {
      const missing = missingKeys(folder)
      return new VaultHandle(deps, { state: 'memory' }, missing === undefined ? [] : [missing])
    }
    const opening = openFile(folder, wallMs())
    if (opening.kind === 'unusable') {
      const { isThere, line, notices } = opening
      return new VaultHandle(deps, startTrouble(isThere ? 'unreadable' : 'unavailable', line), notices)
    }
    if (keystore === undefined) return VaultHandle.#withoutKeystore(deps, opening)
    const newest = deps.openFile === undefined ? new NewestCommit(folder, opening.database) : undefined
    const older = newest?.notice()
    const handle = new VaultHandle(
      deps,
      startTrouble('waiting', 'opening the saved keys'),
      [...opening.notices, ...(older === undefined ? [] : [older])],
      { database: opening.database, newest },
    )
    handle.#take(await unlock(opening.database, keystore, wallMs()))
    handle.storedIds()
    return handle
  }

  /** Lists the stored keys without opening them. */
  static #withoutKeystore(
    deps: VaultHandleDeps,
    { database, notices }: Extract<VaultFileOpening, { kind: 'open' }>,
  ): VaultHandle {
    const locked = startTrouble('no-passphrase', 'HEADROOM_PASSPHRASE is not set')
    const handle = new VaultHandle(deps, locked, notices, { database, newest: undefined })
    handle.#vault = handle.#vaultWith(database, NO_KEYS)
    if (handle.storedIds().length === 0) handle.#status = { state: 'memory' }
    return handle
  }

  get status(): VaultStatus {
    return this.#status
  }

  /**
   * The vault, if its file could be opened. Without an open data key, no secret can be sealed or read, but
   * stored keys can be listed and deleted.
   */
  get vault(): Vault | undefined {
    return this.#vault
  }

  /**
   * The ids of the stored profiles, even without an open data key. If the file can't be read, the ids that
   * were listed last. If the file can't be opened, `SAVED_KEYS`.
   */
  storedIds(): readonly string[] {
    this.#ids = this.#list((vault) => vault.ids(), this.#ids !== undefined) ?? this.#ids
    if (this.#ids !== undefined) return this.#ids
    return this.#status.state === 'unreadable' ? [SAVED_KEYS] : []
  }

  /** The stored profiles, in the order of `storedIds`. Empty if the file can't be opened or read. */
  storedProfiles(): readonly StoredProfile[] {
    const profiles = this.#list((vault) => vault.profiles(), this.#hasListed)
    if (profiles === undefined) return []
    this.#hasListed = true
    this.#ids = profiles.map(({ id }) => id)
    return profiles
  }

  /**
   * Reads a list from the file. If that fails the first time, the file counts as one that can't be opened.
   * Otherwise stored keys would be missing without a word, or a new key could get the id of a stored key and
   * replace it.
   */
  #list<T>(from: (vault: Vault) => VaultRead<readonly T[]>, wasListed: boolean): readonly T[] | undefined {
    if (this.#vault === undefined) return undefined
    const reading = from(this.#vault)
    if (reading.ok) return reading.value
    if (!wasListed && !this.#closed) {
      this.#vault.close()
      this.#vault = undefined
      this.#database = undefined
      this.#ids = undefined
      this.#status = startTrouble('unreadable', reading.why)
    }
    return undefined
  }

  /** Whether a key is certainly not stored. False while the stored keys can't be opened or read. */
  isGone(profile: string): boolean {
    const ids = this.#status.state === 'ok' ? this.#vault?.ids() : undefined
    return ids?.ok === true && !ids.value.includes(profile)
  }

  /** Calls `listener` each time a pending keystore has responded. Returns the unsubscribe function. */
  onSettled(listener: () => void): () => void {
    this.#opened.add(listener)
    return () => this.#opened.delete(listener)
  }

  /**
   * Whether the keystore protects nothing. If so, anyone who can read the file can read the keys. A person
   * has consented to this.
   */
  get hidesNothing(): boolean {
    return this.#status.state === 'ok' && this.#hidesNothing
  }

  /** Why the token of a profile can't be opened, if another kind of keystore sealed it. */
  sealedElsewhere(profile: string): string | undefined {
    const backend = this.#vault?.backendOf(profile)
    if (backend === undefined || this.#deps.keystore?.mayHaveWrapped?.(backend) !== false) return undefined
    return tokenSealedElsewhere(backend)
  }

  /**
   * Tries the keystore again, for example after a person consented to an unprotected keystore. Concurrent
   * calls share one attempt.
   */
  askAgain(): Promise<AskedAgain> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /**
   * Creates a new data key if the existing data key can't be opened, so that API keys can be stored again.
   * Concurrent calls share one key. Not allowed in state `key-changed` of a passphrase keystore, because the
   * passphrase might be mistyped.
   */
  startOver(): Promise<void> {
    this.#startingOver ??= this.#startOver().finally(() => {
      this.#startingOver = undefined
    })
    return this.#startingOver
  }

  async #startOver(): Promise<void> {
    const { keystore, wallMs } = this.#deps
    if (this.#vault?.canSeal || this.#database === undefined || keystore === undefined) return
    if (this.#status.state !== 'key-changed' && this.#status.state !== 'record-corrupt') return
    try {
      this.#take(await addDataKey(this.#database, keystore, wallMs()))
    } catch (error) {
      this.#take({ kind: 'unavailable', why: unexpected(error) })
    }
  }

  close(): void {
    this.#closed = true
    this.#vault?.close()
    if (this.#database?.isOpen) this.#database.close()
  }

  async #ask(): Promise<AskedAgain> {
    const { keystore, wallMs } = this.#deps
    if (this.#closed || this.#database === undefined || keystore === undefined) return this.#status
    this.#take(await unlock(this.#database, keystore, wallMs()))
    for (const tell of this.#opened) tell()
    return this.#status
  }

  #take(unlocking: Unlocking): void {
    if (this.#closed || this.#database === undefined) return
    switch (unlocking.kind) {
      case 'unlocked':
        this.#status = { state: 'ok' }
        this.#hidesNothing = unlocking.hidesNothing
        break
      case 'key-changed':
        this.#status = keyChanged(unlocking.why, unlocking.backend)
        break
      case 'sealed-elsewhere':
        this.#status = sealedElsewhere(unlocking.backend)
        break
      case 'record-corrupt':
      case 'unavailable':
      case 'unprotected':
        this.#status = startTrouble(unlocking.kind, unlocking.why)
        break
      case 'unwritable':
        this.#status = startTrouble('unavailable', unlocking.why)
        break
      case 'waiting':
        this.#status = startTrouble('waiting', unlocking.why)
        // Until the data keys are open, the vault can only list the stored keys.
        this.#vault ??= this.#vaultWith(this.#database, NO_KEYS)
        void unlocking.settled.then(() => this.askAgain())
        return
    }
    const keys = unlocking.kind === 'unlocked' ? unlocking.keys : NO_KEYS
    this.#vault = this.#vaultWith(this.#database, keys)
  }

  #vaultWith(database: DatabaseSync, keys: DataKeys): Vault {
    return new Vault({
      database,
      keys,
      wallMs: this.#deps.wallMs,
      committed: () => this.#newest?.note(),
    })
  }
}

/** Opens the data keys. An unexpected failure becomes a status, so that the app can start. */
async function unlock(database: DatabaseSync, keystore: Keystore, nowMs: number): Promise<Unlocking> {
  try {
    return await unlockDataKeys(database, keystore, nowMs)
  } catch (error) {
    return { kind: 'unavailable', why: unexpected(error) }
  }
}

const unexpected = (error: unknown): string => storageErrorText(error) ?? unexpectedText(error)

/** Tries to unlock the system's keyring again. */
export async function unlockKeys(handle: Pick<VaultHandle, 'askAgain'>): Promise<Outcome> {
  const { state, line } = await handle.askAgain()
  if (state === 'ok') return { ok: true }
  return { ok: false, code: 'still-locked', message: line ?? 'The saved keys are still locked.' }
}

/** Stores a person's consent for later starts. An unprotected keystore is never used without consent. */
export type KeepConsent = () => Saved

/**
 * Stores keys in a keystore that does not protect them, after a person consented.
 *
 * This is possible only if nothing else prevents storing the keys (promise K2). Keys that were in memory are
 * stored when the keystore responds.
 */
export async function allowUnprotected(
  handle: Pick<VaultHandle, 'status' | 'askAgain'>,
  keep: KeepConsent | undefined,
): Promise<Outcome> {
  if (keep === undefined || handle.status.state !== 'unprotected') {
    const message = 'Your keys are protected. No consent is needed.'
    return { ok: false, code: 'not-needed', message }
  }
  const kept = keep()
  if (!kept.ok) {
    const message = `Nothing was saved: saving your consent failed (${kept.why}).`
    return { ok: false, code: 'not-kept', message }
  }
  const { state, line } = await handle.askAgain()
  if (state === 'ok') return { ok: true }
  return { ok: false, code: 'not-stored', message: line ?? 'Nothing is saved yet.' }
}
