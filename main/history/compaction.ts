import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { JsonFile } from '../storage/json-file.ts'

export interface Retention {
  readonly rawMs: number
  /** Rolled-up samples, slots and events. */
  readonly rollupMs: number
}

const HOUR_MS = 3_600_000
export const DEFAULT_RETENTION: Retention = { rawMs: 48 * HOUR_MS, rollupMs: 30 * 24 * HOUR_MS }

/** Prefix of the series of a disconnected key. No profile id begins with it. */
export const FORGOTTEN = 'forgotten:'

const DAY_MS = 24 * HOUR_MS

/**
 * What compaction counts from: the clock, but where that is more than a day ahead of what was seen last, the newest
 * sample, until the app has run for a day. A clock that is wrong for a while deletes nothing.
 */
export class CompactionTime {
  #trustedMs: number | undefined
  /** Monotonic. */
  #aheadSinceMs: number | undefined

  /** `newestMs` is called once and returns the newest sample of earlier runs. */
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

/** When the newest sample up to `nowMs` was, of slots too; `undefined` where there is none. A look-up for each series. */
export function newestBefore(database: DatabaseSync, nowMs: number): number | undefined {
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

/** Rows taken at a time: a millisecond or two, between which everything else runs. */
const SLICE_ROWS = 1_000
const SLICE_PAGES = 64

/**
 * Takes away one slice of what is too old. Returns whether there is more.
 *
 * What is to go is always the beginning of one series of one table, so a slice is one range of one tree.
 */
export function compactSlice(database: DatabaseSync, retention: Retention, nowMs: number): boolean {
  const cutoffs = {
    samples: nowMs - retention.rawMs,
    minutes: nowMs - retention.rollupMs,
    quarters: nowMs - retention.rollupMs,
    hours: nowMs - retention.rollupMs,
    slots: nowMs - retention.rollupMs,
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

/** Returns pages to the file system, but only where much of the file is empty: new rows reuse them. */
function freePages(database: DatabaseSync): boolean {
  const pragma = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0)
  const free = pragma('freelist_count')
  if (free < SLICE_PAGES || free < pragma('page_count') / 4) return false
  database.exec(`PRAGMA incremental_vacuum(${SLICE_PAGES})`)
  return true
}

/** Samples at least an hour, so that they are rolled up before they are deleted; a year at most, to bound the file. */
const schema = z.object({
  rawMs: z
    .number()
    .min(HOUR_MS)
    .max(14 * DAY_MS),
  rollupMs: z
    .number()
    .min(DAY_MS)
    .max(366 * DAY_MS),
})

/** How long history is stored: `history.json` of the data folder. */
export const retentionFile = (folder: string): JsonFile<Retention> =>
  new JsonFile({ folder, name: 'history', what: 'History settings', schema })
