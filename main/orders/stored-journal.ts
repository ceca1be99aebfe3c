import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { JournalEntry } from '../../app/orders/ports.ts'
import { storageErrorText, unreadable } from '../storage/storage-error.ts'
import { systemErrorText } from '../storage/system-error.ts'
import { JOURNAL_VERSION, JournalFile } from './journal-file.ts'

/** A read-only view of the journal of orders. */
export interface StoredJournal {
  /** Orders sent in the interval, oldest first. */
  entries(fromMs: number, toMs: number): readonly JournalEntry[]
  close(): void
}

export type StoredJournalOpening =
  | { readonly kind: 'open'; readonly journal: StoredJournal }
  | { readonly kind: 'failed'; readonly line: string }

/** Opens the journal of a data folder read-only, even while an app is writing it. */
export function openStoredJournal(folder: string): StoredJournalOpening {
  const path = join(folder, 'orders.db')
  const failed = (why: string) =>
    ({ kind: 'failed', line: unreadable('the journal of orders', folder, why) }) as const
  if (!existsSync(path)) return { kind: 'failed', line: `there is no journal of orders in ${folder}` }
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true })
    if (Number(database.prepare('PRAGMA user_version').get()?.['user_version']) > JOURNAL_VERSION) {
      database.close()
      return failed('it was written by a newer version of Headroom')
    }
    const file = new JournalFile(database)
    return {
      kind: 'open',
      journal: { entries: (fromMs, toMs) => file.between(fromMs, toMs), close: () => file.close() },
    }
  } catch (error) {
    if (database?.isOpen) database.close()
    return failed(storageErrorText(error) ?? systemErrorText(error))
  }
}
