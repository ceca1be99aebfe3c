import type { RequestQuota } from '../contract/snapshot.ts'

/**
 * The rows a person is shown: one for each quota that there is.
 *
 * Where headers have shown that another row counts a category's requests, its own row is a default that nothing will
 * ever move. It is not shown; the row that counts says so instead (`alsoCounts`).
 */
export function shownRows(rows: readonly RequestQuota[]): readonly RequestQuota[] {
  return rows.filter((row) => row.countedBy === undefined)
}

/** The categories whose requests this row counts besides its own. */
export function alsoCounts(rows: readonly RequestQuota[], category: string): readonly string[] {
  return rows.filter((row) => row.countedBy === category).map((row) => row.category)
}
