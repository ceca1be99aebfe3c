import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { writeWhole } from '../storage/write-whole.ts'

/**
 * The number of the newest commit, stored in `vault.seen.json` next to `vault.db`.
 *
 * If a person restores an old copy of `vault.db`, the copy is intact and can be opened, but the service has
 * since replaced its tokens. Only a second file can reveal this. It is written after each commit, so a crash
 * between the two writes never makes the vault look older than it is.
 */
export class NewestCommit {
  readonly #file: string
  readonly #database: DatabaseSync

  constructor(folder: string, database: DatabaseSync) {
    this.#file = noteIn(folder)
    this.#database = database
  }

  /** A line for a person if the vault is older than the last commit. Otherwise `undefined`. */
  notice(): string | undefined {
    const seen = noted(this.#file)
    const now = this.#now()
    if (seen === undefined || now === undefined) return undefined
    if (seen.madeAtMs !== now.madeAtMs || seen.step <= now.step) return undefined
    return 'vault.db is an older copy, perhaps restored from a backup. You may have to sign in again.'
  }

  /**
   * Stores the number of the newest commit. Call this after each commit. Errors are ignored, although an old
   * copy of `vault.db` might then not be recognised.
   */
  note(): void {
    const now = this.#now()
    if (now === undefined) return
    const stored = this.#database.prepare('SELECT count(*) AS keys FROM profiles').get()
    writeWhole(this.#file, `${JSON.stringify({ ...now, ...stored })}\n`)
  }

  /** The newest commit in the vault. `undefined` without a data key, because the vault is then empty. */
  #now(): Commit | undefined {
    const found = this.#database
      .prepare(
        `SELECT (SELECT made_at_ms FROM data_keys ORDER BY id LIMIT 1) AS madeAtMs,
         coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'journal'), 0) AS step`,
      )
      .get()
    return commit.safeParse(found).data
  }
}

/**
 * Whether keys were stored at the newest commit. If so, a missing `vault.db` was removed from outside. True
 * for a note of an earlier version, which has no count.
 */
export const hadKeys = (folder: string): boolean => {
  const { keys = 1 } = noted(noteIn(folder)) ?? { keys: 0 }
  return keys > 0
}

const noteIn = (folder: string): string => join(folder, 'vault.seen.json')

function noted(file: string): Commit | undefined {
  try {
    return commit.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined // missing or damaged
  }
}

/**
 * `madeAtMs` identifies the vault. `step` is the total number of journal rows ever written. `keys` is the
 * number of stored keys.
 */
const commit = z.object({ madeAtMs: z.number(), step: z.int(), keys: z.int().optional() })
type Commit = z.output<typeof commit>
