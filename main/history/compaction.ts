import type { DatabaseSync } from 'node:sqlite'
import { type Retention, retention } from '../../app/contract/history.ts'
import { DAY_MS, HOUR_MS } from '../../app/contract/units.ts'
import { JsonFile } from '../storage/json-file.ts'

export const DEFAULT_RETENTION: Retention = { rawMs: 48 * HOUR_MS, rollupMs: 30 * 24 * HOUR_MS }

/**
 * Prefix of the profile id of a series whose key was disconnected. Compaction deletes such a series in
 * slices. No real profile id has this prefix.
 */
export const FORGOTTEN = 'forgotten:'

const WEEK_MS = 7 * DAY_MS

/**
 * The current time for compaction, which deletes rows by their age. A clock that jumps more than a day ahead
 * is trusted only after another day, because a wrong clock must not make rows look expired.
 */
export class CompactionTime {
  #trustedMs: number | undefined
  /**
   * When the clock was first seen more than a day ahead of the last trusted time, in monotonic milliseconds.
   * `undefined` if the clock is not ahead.
   */
  #aheadSinceMs: number | undefined

  /**
   * The time from which the ages of rows are computed, epoch ms. `newestMs` is called only once. It returns
   * the time of the newest trusted sample from earlier runs of the app.
   */
  at(nowMs: number, monotonicMs: number, newestMs: () => number | undefined): number {
    this.#trustedMs ??= newestMs() ?? nowMs
    if (nowMs - this.#trustedMs <= DAY_MS) {
      this.#aheadSinceMs = undefined
      this.#trustedMs = nowMs
      return nowMs
    }
    this.#aheadSinceMs ??= monotonicMs
    if (monotonicMs - this.#aheadSinceMs < DAY_MS) return this.#trustedMs
    this.#aheadSinceMs = undefined
    this.#trustedMs = nowMs
    return nowMs
  }
}

/**
 * The time of the newest sample or slot sample up to `nowMs`. `undefined` without samples. Costs one index
 * lookup per series and table.
 */
function newestBefore(database: DatabaseSync, nowMs: number): number | undefined {
  const newest = ['samples', 'minutes', 'slots']
    .map((table) =>
      database
        .prepare(
          `SELECT max((SELECT max(at) FROM ${table} WHERE ${table}.series = series.id AND at <= ?)) AS at FROM series`,
        )
        .get(nowMs),
    )
    .map((row) => row?.['at'])
    .filter((at) => typeof at === 'number')
  return newest.length === 0 ? undefined : Math.max(...newest)
}

/**
 * The time of the newest sample or slot sample up to `nowMs` that was probably written under a correct clock.
 *
 * An earlier run of the app may have had a wrong clock from its start. Samples are skipped if they cover less
 * than a day and follow a gap of more than a week. Otherwise they would confirm the wrong clock.
 */
export function newestTrusted(database: DatabaseSync, nowMs: number): number | undefined {
  let newest = newestBefore(database, nowMs)
  while (newest !== undefined) {
    const before = newestBefore(database, newest - DAY_MS)
    if (before === undefined || newest - before <= DAY_MS + WEEK_MS) return newest
    newest = before
  }
  return undefined
}

/**
 * Number of rows deleted at a time. Deleting them takes a millisecond or two, so other work is not blocked.
 */
const SLICE_ROWS = 1_000
const SLICE_PAGES = 64

/**
 * Deletes one slice of expired rows. Returns whether there are more.
 *
 * Rows are sorted by series and time, so the expired rows of a series come first. A slice is therefore one
 * range of one B-tree.
 */
export function compactSlice(database: DatabaseSync, retention: Retention, nowMs: number): boolean {
  const cutoffs = {
    samples: nowMs - retention.rawMs,
    minutes: nowMs - retention.rollupMs,
    quarters: nowMs - retention.rollupMs,
    hours: nowMs - retention.rollupMs,
    slots: nowMs - retention.rollupMs,
    program_use: nowMs - retention.rollupMs,
    desk_use: nowMs - retention.rollupMs,
  }
  const series = database.prepare('SELECT id, profile FROM series').all()
  for (const [table, cutoffMs] of Object.entries(cutoffs)) {
    for (const { id } of series) {
      if (typeof id !== 'number') continue
      if (deleteBefore(database, table, id, cutoffMs) > 0) return true
    }
  }
  for (const { id, profile } of series) {
    if (typeof id !== 'number' || !String(profile).startsWith(FORGOTTEN)) continue
    for (const table of Object.keys(cutoffs)) {
      if (deleteBefore(database, table, id, Number.MAX_SAFE_INTEGER) > 0) return true
    }
    database.prepare('DELETE FROM series WHERE id = ?').run(id)
    return true
  }
  const events = database
    .prepare(
      `DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY id LIMIT ${SLICE_ROWS}) AND at < ?`,
    )
    .run(nowMs - retention.rollupMs)
  if (events.changes > 0) return true
  return freePages(database)
}

function deleteBefore(database: DatabaseSync, table: string, series: number, cutoffMs: number): number {
  const first = database.prepare(`SELECT min(at) AS at FROM ${table} WHERE series = ?`).get(series)?.['at']
  if (typeof first !== 'number' || first >= cutoffMs) return 0
  const { changes } = database
    .prepare(
      `DELETE FROM ${table} WHERE series = ?1 AND at < min(?2, coalesce(
        (SELECT at FROM ${table} WHERE series = ?1 ORDER BY at LIMIT 1 OFFSET ${SLICE_ROWS}), ?2))`,
    )
    .run(series, cutoffMs)
  return Number(changes)
}

/**
 * Gives free pages back to the file system, at most `SLICE_PAGES` at a time. Returns whether any were given
 * back. Up to a quarter of the file may stay free, because SQLite reuses free pages.
 */
function freePages(database: DatabaseSync): boolean {
  const pragma = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0)
  const free = pragma('freelist_count')
  if (free < SLICE_PAGES || free < pragma('page_count') / 4) return false
  database.exec(`PRAGMA incremental_vacuum(${SLICE_PAGES})`)
  return true
}

/** The settings file for retention times: `history.json` of the data folder. */
export const retentionFile = (folder: string): JsonFile<Retention> =>
  new JsonFile({ folder, name: 'history', what: 'History settings', schema: retention })
