import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { VAULT_MIGRATIONS } from '../../main/vault/schema.ts'
import type { VaultFileOpening } from '../../main/vault/vault-file.ts'

/** The kind of data that a transaction commits. */
export type Commit = 'intent' | 'token' | 'outbox' | 'note'
export type DiskHealth = 'ok' | 'full' | 'read-only'

/** SQLite's result codes for a disk that rejects a write. */
const REFUSALS = { dead: 10, full: 13, 'read-only': 8 } as const

/**
 * From the least to the most important one. A transaction may write several of them, and counts as the last
 * one in this list.
 */
const COMMITS: readonly Commit[] = ['note', 'intent', 'token', 'outbox']

/** The stored data of a key. Sealed data is not opened. */
export interface OnDisk {
  readonly isRevocationPending: boolean
  readonly isSignInRequired: boolean
  readonly isRevoked: boolean
  readonly hasRotated: boolean
}

/**
 * A disk under `vault.db`. After a crash, committed data is still there, and all other data is gone.
 *
 * The app's own store runs on it, with SQLite's own transactions.
 */
export class VirtualDisk {
  health: DiskHealth = 'ok'
  readonly #database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true })
  readonly #statements = new Map<string, StatementSync>()

  constructor() {
    for (const step of VAULT_MIGRATIONS) this.#database.exec(step)
  }

  /** Opens the file for one process. */
  open(committing: (when: 'before' | 'after', what: Commit) => void): OpenDisk {
    return new OpenDisk(this, this.#database, (sql) => this.prepare(sql), committing)
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  holds(profile: string): OnDisk {
    const newest = `SELECT about FROM records WHERE profile = ? AND kind = 'refresh-token' ORDER BY generation DESC LIMIT 1`
    const record = this.prepare(newest).get(profile)
    const waiting = this.prepare('SELECT 1 FROM outbox WHERE profile = ?').get(profile)
    const about = String(record?.['about'])
    return {
      isRevocationPending: waiting !== undefined,
      isSignInRequired: about.includes('sign-in-required'),
      isRevoked: about.includes('"revoked"'),
      hasRotated: about.includes('rotatedAtMs'),
    }
  }
}

/** The part of `DatabaseSync` that the store uses, until the process that opened it dies. */
export class OpenDisk {
  isOpen = true
  readonly #disk: VirtualDisk
  readonly #database: DatabaseSync
  readonly #prepare: (sql: string) => StatementSync
  readonly #committing: (when: 'before' | 'after', what: Commit) => void
  #writes: Commit | undefined

  constructor(
    disk: VirtualDisk,
    database: DatabaseSync,
    prepare: (sql: string) => StatementSync,
    committing: (when: 'before' | 'after', what: Commit) => void,
  ) {
    this.#disk = disk
    this.#database = database
    this.#prepare = prepare
    this.#committing = committing
  }

  readonly openFile = (): VaultFileOpening => ({
    kind: 'open',
    database: this as unknown as DatabaseSync,
    notices: [],
  })

  get isTransaction(): boolean {
    return this.isOpen && this.#database.isTransaction
  }

  location(): null {
    return null
  }

  prepare(sql: string): StatementSync {
    this.#isThere()
    const what = COMMITS.findLastIndex((commit) => sql.includes(`INTO ${TABLES[commit]}`))
    if (what > COMMITS.indexOf(this.#writes ?? 'note') || this.#writes === undefined) {
      this.#writes = COMMITS[what] ?? this.#writes
    }
    return this.#prepare(sql)
  }

  exec(sql: string): void {
    this.#isThere()
    if (sql.startsWith('BEGIN')) this.#writes = undefined
    if (sql === 'COMMIT') this.#commit()
    else this.#database.exec(sql)
  }

  close(): void {
    this.die()
  }

  /** From now on, no write of this process reaches the disk. */
  die(): void {
    if (this.isTransaction) this.#database.exec('ROLLBACK')
    this.isOpen = false
  }

  #commit(): void {
    const what = this.#writes
    if (what !== undefined) this.#committing('before', what)
    this.#isThere()
    if (this.#disk.health !== 'ok') throw refusal(this.#disk.health)
    this.#database.exec('COMMIT')
    if (what !== undefined) this.#committing('after', what)
  }

  #isThere(): void {
    if (!this.isOpen) throw refusal('dead')
  }
}

const TABLES: Readonly<Record<Commit, string>> = {
  note: 'journal',
  intent: 'intents',
  token: 'records',
  outbox: 'outbox',
}

const refusal = (why: keyof typeof REFUSALS): Error =>
  Object.assign(new Error(`the disk is ${why}`), { errcode: REFUSALS[why] })
