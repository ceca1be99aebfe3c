import type { RequestQuota } from '../contract/snapshot.ts'

/**
 * The rows to show, one a quota.
 *
 * A category whose requests another row counts, as headers have shown, has no row: the counting row names it
 * (`alsoCounts`).
 */
export function shownRows(rows: readonly RequestQuota[]): readonly RequestQuota[] {
  return rows.filter((row) => row.countedBy === undefined)
}

/** The categories whose requests this row counts besides its own. */
export function alsoCounts(rows: readonly RequestQuota[], category: string): readonly string[] {
  return rows.filter((row) => row.countedBy === category).map((row) => row.category)
}
