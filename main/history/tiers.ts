import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { MINUTE_MS } from '../../app/contract/units.ts'
import { MinuteBuilder, merged, type Rollup, startOf } from '../../app/history/rollup.ts'
import { HOLD_MS, type Sample } from '../../app/history/sample.ts'
import { asRow, ROLLUP_COLUMNS, rollupOf, rollupValues, SAMPLE_COLUMNS, sampleOf } from './rows.ts'

/** The rollup levels above minutes, finest first. Each length divides an hour or is a multiple of an hour. */
export const LEVELS = [
  { table: 'quarters', lengthMs: 15 * MINUTE_MS },
  { table: 'hours', lengthMs: 60 * MINUTE_MS },
] as const

/**
 * If the clock is set back by more than this many milliseconds, its earlier time was wrong. See
 * main/ports/timeline.ts.
 */
const WRONG_CLOCK_MS = 24 * 60 * MINUTE_MS

interface Open {
  readonly minute: MinuteBuilder
  readonly levels: (Rollup | undefined)[]
}

/** A level of rollups, with statements for its own table and, in `below`, for the next finer table. */
interface Level {
  readonly lengthMs: number
  readonly insert: StatementSync
  readonly last: StatementSync
  /** Reads the rows of the next finer table that are not rolled up yet. */
  readonly below: StatementSync
}

/**
 * Rolls up `samples` into `minutes`, and `minutes` into the coarser levels, as soon as a rollup is complete.
 *
 * Open rollups are in memory. They derive from samples, so they can be rebuilt from the file after a start or
 * a failed write.
 */
export class Tiers {
  readonly #open = new Map<number, Open>()
  #nowMs = Number.POSITIVE_INFINITY
  readonly #levels: readonly Level[]
  readonly #insertMinute: StatementSync
  readonly #lastMinute: StatementSync
  readonly #samplesSince: StatementSync

  constructor(database: DatabaseSync) {
    const insert = (table: string) =>
      database.prepare(
        `INSERT OR REPLACE INTO ${table} (series, ${ROLLUP_COLUMNS}) VALUES (${'?, '.repeat(11)}?)`,
      )
    const last = (table: string) =>
      database.prepare(`SELECT max(at) AS at FROM ${table} WHERE series = ? AND at <= ?`)
    const since = (table: string, columns: string) =>
      asArrays(
        database.prepare(
          `SELECT ${columns} FROM ${table} WHERE series = ? AND at >= ? AND at <= ? ORDER BY at`,
        ),
      )
    this.#insertMinute = insert('minutes')
    this.#lastMinute = last('minutes')
    this.#samplesSince = since('samples', SAMPLE_COLUMNS)
    this.#levels = LEVELS.map(({ table, lengthMs }, level) => ({
      lengthMs,
      insert: insert(table),
      last: last(table),
      below: since(LEVELS[level - 1]?.table ?? 'minutes', ROLLUP_COLUMNS),
    }))
  }

  /**
   * Sets the current time. If the clock was set back, drops open rollups, because they would be in the
   * future.
   */
  goTo(nowMs: number): void {
    if (nowMs < this.#nowMs - WRONG_CLOCK_MS) this.#open.clear()
    this.#nowMs = nowMs
  }

  /** Adds a sample. Call this in the inserting transaction, before the insert. */
  add(series: number, sample: Sample): void {
    const open = this.open(series)
    const closed = open.minute.add(sample)
    if (closed) this.#closed(series, open, closed)
  }

  /**
   * Closes rollups that ended before `nowMs`, even if no further sample arrived. Call this in a transaction.
   */
  closeAt(nowMs: number): void {
    for (const [series, open] of this.#open) {
      const closed = open.minute.closeAt(nowMs)
      if (closed) this.#closed(series, open, closed)
      for (const level of this.#levels.keys()) this.#close(series, open, level, nowMs)
    }
  }

  /**
   * Drops the open rollups after a failed transaction, because they contain data that is not in the file.
   * They are rebuilt from the file later.
   */
  forget(): void {
    this.#open.clear()
  }

  drop(series: number): void {
    this.#open.delete(series)
  }

  openMinute(series: number, nowMs: number): Rollup | undefined {
    return this.open(series).minute.openAt(nowMs)
  }

  /** Start of the first rollup that is not written yet at this level, epoch ms. */
  openFromMs(series: number, level: number): number {
    return this.open(series).levels[level]?.atMs ?? Number.POSITIVE_INFINITY
  }

  /** The open rollups of a series. Builds them from the file if they are not in memory. */
  open(series: number): Open {
    const known = this.#open.get(series)
    if (known) return known
    const open: Open = { minute: new MinuteBuilder(), levels: LEVELS.map(() => undefined) }
    this.#open.set(series, open)
    // Rows after `untilMs` were written while the clock was wrong. They are skipped until the clock reaches
    // their time.
    const untilMs = Math.min(this.#nowMs + WRONG_CLOCK_MS, Number.MAX_SAFE_INTEGER)
    // The levels are loaded from coarse to fine. If loading a finer level completes a rollup, the coarser
    // level is already loaded and can include it.
    for (const [level, { lengthMs, last, below }] of [...this.#levels.entries()].reverse()) {
      const lastMs = timeOf(last.get(series, untilMs))
      for (const row of below.iterate(series, lastMs === undefined ? 0 : lastMs + lengthMs, untilMs)) {
        this.#into(series, open, level, rollupOf(asRow(row)))
      }
    }
    const lastMinuteMs = timeOf(this.#lastMinute.get(series, untilMs)) ?? Number.NEGATIVE_INFINITY
    // Samples are loaded from `HOLD_MS` before the open minute on, because such a sample may still be valid
    // when the minute begins.
    const fromMs = Math.max(0, lastMinuteMs + MINUTE_MS - HOLD_MS)
    for (const row of this.#samplesSince.iterate(series, fromMs, untilMs)) {
      const sample = sampleOf(asRow(row))
      if (sample.atMs < lastMinuteMs + MINUTE_MS) {
        open.minute.resume(sample)
        continue
      }
      const closed = open.minute.add(sample)
      if (closed) this.#closed(series, open, closed)
    }
    return open
  }

  #closed(series: number, open: Open, minute: Rollup): void {
    this.#insertMinute.run(series, ...rollupValues(minute))
    this.#into(series, open, 0, minute)
  }

  #into(series: number, open: Open, level: number, part: Rollup): void {
    const lengthMs = this.#levels[level]?.lengthMs
    if (lengthMs === undefined) return
    this.#close(series, open, level, part.atMs)
    const held = open.levels[level]
    open.levels[level] = held ? merged(held, part) : { ...part, atMs: startOf(part.atMs, lengthMs) }
  }

  #close(series: number, open: Open, level: number, nowMs: number): void {
    const held = open.levels[level]
    const kept = this.#levels[level]
    if (!held || !kept || nowMs < held.atMs + kept.lengthMs) return
    kept.insert.run(series, ...rollupValues(held))
    open.levels[level] = undefined
    this.#into(series, open, level + 1, held)
  }
}

const timeOf = (row: Readonly<Record<string, unknown>> | undefined): number | undefined => {
  const at = row?.['at']
  return typeof at === 'number' ? at : undefined
}

/** Makes a statement return rows as arrays. `node:sqlite` still types them as objects. */
export function asArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true)
  return statement
}
