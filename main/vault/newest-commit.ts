import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { writeWhole } from '../storage/write-whole.ts'

/**
 * The number of the newest commit, in a file beside the vault's: `vault.seen.json`.
 *
 * A copy of `vault.db` that was put back is whole and opens, with tokens that the service has replaced since. Only
 * another file can tell; it is written after the commit, so that a crash never makes a vault look older.
 */
export class NewestCommit {
  readonly #file: string
  readonly #database: DatabaseSync

  constructor(folder: string, database: DatabaseSync) {
    this.#file = join(folder, 'vault.seen.json')
    this.#database = database
  }

  /** A line for a person where the vault is older than what was committed last; `undefined` where it is not. */
  notice(): string | undefined {
    const seen = this.#seen()
    const now = this.#now()
    if (seen === undefined || now === undefined) return undefined
    if (seen.madeAtMs !== now.madeAtMs || seen.step <= now.step) return undefined
    return 'vault.db is older than its last version, perhaps a restored copy. You may have to sign in again.'
  }

  /** Stores the newest commit, after each. A disk that does not take it costs the notice alone. */
  note(): void {
    const now = this.#now()
    if (now !== undefined) writeWhole(this.#file, `${JSON.stringify(now)}\n`)
  }

  #seen(): Commit | undefined {
    try {
      return commit.parse(JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      return undefined // not there yet, or damaged: then nothing is known
    }
  }

  /** `undefined` for a vault without a data key, which holds nothing. */
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

/** `madeAtMs` tells one vault from another; `step` is the number of rows that its journal has ever had. */
const commit = z.object({ madeAtMs: z.number(), step: z.int() })
type Commit = z.output<typeof commit>
