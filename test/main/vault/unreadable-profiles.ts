import { DatabaseSync } from 'node:sqlite'
import { onTestFinished, vi } from 'vitest'

/** The disk fails from now on when stored profiles are listed. Returns a function that repairs it. */
export function unreadableProfiles(): () => void {
  const { prepare } = DatabaseSync.prototype
  const broken = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
    this: DatabaseSync,
    sql,
  ) {
    if (sql.includes('FROM profiles')) throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
    return prepare.call(this, sql)
  })
  const repair = () => broken.mockRestore()
  onTestFinished(repair)
  return repair
}
