import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { DataKeys } from './data-keys.ts'
import { SAVED, type Saved, storageWords } from './storage-words.ts'

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }

/** An answer of the service may come after the end of the app began. */
const CLOSED = { ok: false, why: 'the store is closed' } as const

/** The open file and its keys: whole transactions or none, and the disk's failures as values. */
export class VaultConnection {
  readonly database: DatabaseSync
  readonly keys: DataKeys
  readonly #wallMs: () => number
  readonly #committed: () => void
  readonly #file: FileIdentity | undefined

  /** `committed` is called after each commit. */
  constructor(
    database: DatabaseSync,
    keys: DataKeys,
    wallMs: () => number,
    committed: () => void = () => {},
  ) {
    this.database = database
    this.keys = keys
    this.#wallMs = wallMs
    this.#committed = committed
    const path = database.location()
    this.#file = path === null ? undefined : identityOf(path)
  }

  get canSeal(): boolean {
    return this.keys.current !== undefined
  }

  get nowMs(): number {
    return this.#wallMs()
  }

  read<T>(run: () => T): Read<T> {
    if (!this.database.isOpen) return CLOSED
    try {
      return { ok: true, value: run() }
    } catch (error) {
      const why = storageWords(error)
      if (why === undefined) throw error
      return { ok: false, why }
    }
  }

  /** As `write`, for what has to be sealed. */
  seal(run: (database: DatabaseSync, keys: DataKeys, nowMs: number) => void): Saved {
    return this.canSeal ? this.write(run) : { ok: false, why: 'the stored key is not open' }
  }

  /** Answers ok only after the commit reached the disk (`synchronous=FULL`). */
  write(run: (database: DatabaseSync, keys: DataKeys, nowMs: number) => void): Saved {
    if (!this.database.isOpen) return CLOSED
    try {
      this.database.exec('BEGIN IMMEDIATE')
      run(this.database, this.keys, this.nowMs)
      this.database.exec('COMMIT')
      // A deleted file takes writes without a word, and is gone with this process.
      if (this.#isInPlace()) {
        this.#committed()
        return SAVED
      }
      return { ok: false, why: 'its file was removed or replaced' }
    } catch (error) {
      this.#rollBack()
      const why = storageWords(error)
      if (why === undefined) throw error
      return { ok: false, why }
    }
  }

  close(): void {
    if (this.database.isOpen) this.database.close()
  }

  #isInPlace(): boolean {
    if (this.#file === undefined) return true
    const now = identityOf(this.#file.path)
    return now?.device === this.#file.device && now.inode === this.#file.inode
  }

  #rollBack(): void {
    try {
      // SQLite has already rolled back by itself after some failures.
      if (this.database.isTransaction) this.database.exec('ROLLBACK')
    } catch (error) {
      if (storageWords(error) === undefined) throw error
    }
  }
}

interface FileIdentity {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
}

function identityOf(path: string): FileIdentity | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && { path, device: stats.dev, inode: stats.ino }
}
