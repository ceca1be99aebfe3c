import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  MINUTE_MS,
  MinuteBuilder,
  merged,
  QUARTER_MS,
  type Rollup,
  startOf,
} from '../../app/history/rollup.ts'
import { HOLD_MS, type Sample } from '../../app/history/sample.ts'
import { ROLLUP_COLUMNS, type Row, rollupOf, rollupValues, SAMPLE_COLUMNS, sampleOf } from './rows.ts'

/** The stretch of one series that is not over yet. */
interface Open {
  readonly minute: MinuteBuilder
  quarter: Rollup | undefined
}

/**
 * Keeps `minutes` and `quarters` in step with `samples`, a stretch at a time as each ends.
 *
 * What is open lives in memory only and is built again from the file after a start or a failed write: the samples
 * are what must not be lost, everything else follows from them.
 */
export class Tiers {
  readonly #open = new Map<number, Open>()
  readonly #insertMinute: StatementSync
  readonly #insertQuarter: StatementSync
  readonly #lastMinute: StatementSync
  readonly #lastQuarter: StatementSync
  readonly #minutesSince: StatementSync
  readonly #samplesSince: StatementSync

  constructor(database: DatabaseSync) {
    const insert = (table: string) =>
      database.prepare(
        `INSERT OR REPLACE INTO ${table} (series, ${ROLLUP_COLUMNS}) VALUES (${'?, '.repeat(11)}?)`,
      )
    const last = (table: string) => database.prepare(`SELECT max(at) AS at FROM ${table} WHERE series = ?`)
    this.#insertMinute = insert('minutes')
    this.#insertQuarter = insert('quarters')
    this.#lastMinute = last('minutes')
    this.#lastQuarter = last('quarters')
    this.#minutesSince = asArrays(
      database.prepare(`SELECT ${ROLLUP_COLUMNS} FROM minutes WHERE series = ? AND at >= ? ORDER BY at`),
    )
    this.#samplesSince = asArrays(
      database.prepare(`SELECT ${SAMPLE_COLUMNS} FROM samples WHERE series = ? AND at >= ? ORDER BY at`),
    )
  }

  /** To be called within the transaction that inserts the sample, before that. */
  add(series: number, sample: Sample): void {
    const open = this.#openOf(series)
    const closed = open.minute.add(sample)
    if (closed) this.#closed(series, open, closed)
  }

  /** Ends what is over at `nowMs` although nothing came after it. Within a transaction. */
  closeAt(nowMs: number): void {
    for (const [series, open] of this.#open) {
      const closed = open.minute.closeAt(nowMs)
      if (closed) this.#closed(series, open, closed)
      this.#closeQuarter(series, open, nowMs)
    }
  }

  /** After a transaction that failed: what memory holds is ahead of the file. */
  forget(): void {
    this.#open.clear()
  }

  load(series: number): void {
    this.#openOf(series)
  }

  openMinute(series: number, nowMs: number): Rollup | undefined {
    return this.#openOf(series).minute.openAt(nowMs)
  }

  /** Quarters from here on are not written yet. */
  openQuarterMs(series: number): number {
    return this.#openOf(series).quarter?.atMs ?? Number.POSITIVE_INFINITY
  }

  #openOf(series: number): Open {
    const known = this.#open.get(series)
    if (known) return known
    const open: Open = { minute: new MinuteBuilder(), quarter: undefined }
    this.#open.set(series, open)
    const lastQuarterMs = timeOf(this.#lastQuarter.get(series))
    const sinceMs = lastQuarterMs === undefined ? 0 : lastQuarterMs + QUARTER_MS
    for (const row of this.#minutesSince.iterate(series, sinceMs)) {
      this.#intoQuarter(series, open, rollupOf(row as unknown as Row))
    }
    const lastMinuteMs = timeOf(this.#lastMinute.get(series)) ?? Number.NEGATIVE_INFINITY
    // From a little before, for what still held when the first minute to build began.
    const fromMs = Math.max(0, lastMinuteMs + MINUTE_MS - HOLD_MS)
    for (const row of this.#samplesSince.iterate(series, fromMs)) {
      const closed = open.minute.add(sampleOf(row as unknown as Row))
      if (closed && closed.atMs > lastMinuteMs) this.#closed(series, open, closed)
    }
    return open
  }

  #closed(series: number, open: Open, minute: Rollup): void {
    this.#insertMinute.run(series, ...rollupValues(minute))
    this.#intoQuarter(series, open, minute)
  }

  #intoQuarter(series: number, open: Open, minute: Rollup): void {
    this.#closeQuarter(series, open, minute.atMs)
    const atMs = startOf(minute.atMs, QUARTER_MS)
    open.quarter = open.quarter ? merged(open.quarter, minute) : { ...minute, atMs }
  }

  #closeQuarter(series: number, open: Open, nowMs: number): void {
    const { quarter } = open
    if (!quarter || startOf(nowMs, QUARTER_MS) <= quarter.atMs) return
    // The last of its minutes may not be over yet, or not be told.
    const openMinuteMs = open.minute.openAt(nowMs)?.atMs ?? nowMs
    if (openMinuteMs < quarter.atMs + QUARTER_MS) return
    this.#insertQuarter.run(series, ...rollupValues(quarter))
    open.quarter = undefined
  }
}

const timeOf = (row: Readonly<Record<string, unknown>> | undefined): number | undefined => {
  const at = row?.['at']
  return typeof at === 'number' ? at : undefined
}

/** `node:sqlite` types rows as objects whatever the statement was told. */
export function asArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true)
  return statement
}
