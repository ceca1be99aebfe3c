import { DatabaseSync } from 'node:sqlite'
import { onTestFinished, vi } from 'vitest'

/** The line about keys that could not be listed. */
export const UNREADABLE_KEYS =
  "Your saved keys can't be opened: the disk reported an error. Nothing was changed."

/**
 * The disk fails when stored profiles are listed, after `successes` more successful lists. Returns a function
 * that repairs it.
 */
export function unreadableProfiles(successes = 0): () => void {
  let lists = 0
  const { prepare } = DatabaseSync.prototype
  const broken = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
    this: DatabaseSync,
    sql,
  ) {
    if (sql.includes('FROM profiles') && ++lists > successes)
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
    return prepare.call(this, sql)
  })
  const repair = () => broken.mockRestore()
  onTestFinished(repair)
  return repair
}
