import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { MINUTE_MS, MinuteBuilder, merged, type Rollup, startOf } from '../../app/history/rollup.ts'
import { HOLD_MS, type Sample } from '../../app/history/sample.ts'
import { asRow, ROLLUP_COLUMNS, rollupOf, rollupValues, SAMPLE_COLUMNS, sampleOf } from './rows.ts'

/** The levels that minutes are rolled up to, finest first. Each divides an hour or is whole hours. */
export const LEVELS = [
  { table: 'quarters', lengthMs: 15 * MINUTE_MS },
  { table: 'hours', lengthMs: 60 * MINUTE_MS },
] as const

/** A clock that went back by more than this counts as wrong (main/monitor/timeline.ts follows it then). */
const WRONG_CLOCK_MS = 24 * 60 * MINUTE_MS

/** The stretches of one series that are still open. */
interface Open {
  readonly minute: MinuteBuilder
  /** One for each of `LEVELS`. */
  readonly levels: (Rollup | undefined)[]
}

/** A level of the tables with the level below it. */
interface Level {
  readonly lengthMs: number
  readonly insert: StatementSync
  readonly last: StatementSync
  /** The rows of the level below that are not rolled up into this one yet. */
  readonly below: StatementSync
}

/**
 * Keeps `minutes` and what they are put together to in step with `samples`, a stretch at a time as each ends.
 *
 * What is open lives in memory only and is built again from the file after a start or a failed write: the samples
 * are what must not be lost, everything else follows from them.
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

  /** Sets the time of what follows. After a clock was set back, open stretches lie in its former future. */
  goTo(nowMs: number): void {
    if (nowMs < this.#nowMs - WRONG_CLOCK_MS) this.#open.clear()
    this.#nowMs = nowMs
  }

  /** Adds a sample; to be called in the transaction that inserts it, before the insert. */
  add(series: number, sample: Sample): void {
    const open = this.#openOf(series)
    const closed = open.minute.add(sample)
    if (closed) this.#closed(series, open, closed)
  }

  /** Closes stretches that ended before `nowMs` although no sample followed. Within a transaction. */
  closeAt(nowMs: number): void {
    for (const [series, open] of this.#open) {
      const closed = open.minute.closeAt(nowMs)
      if (closed) this.#closed(series, open, closed)
      for (const level of this.#levels.keys()) this.#close(series, open, level, nowMs)
    }
  }

  /** Drops the open stretches after a failed transaction: they are ahead of the file, and are read from it again. */
  forget(): void {
    this.#open.clear()
  }

  drop(series: number): void {
    this.#open.delete(series)
  }

  load(series: number): void {
    this.#openOf(series)
  }

  openMinute(series: number, nowMs: number): Rollup | undefined {
    return this.#openOf(series).minute.openAt(nowMs)
  }

  /** The start of the first stretch not yet written at this level, in epoch milliseconds. */
  openFromMs(series: number, level: number): number {
    return this.#openOf(series).levels[level]?.atMs ?? Number.POSITIVE_INFINITY
  }

  #openOf(series: number): Open {
    const known = this.#open.get(series)
    if (known) return known
    const open: Open = { minute: new MinuteBuilder(), levels: LEVELS.map(() => undefined) }
    this.#open.set(series, open)
    // Rows beyond were written under a wrong clock, and are over when their time has come.
    const untilMs = Math.min(this.#nowMs + WRONG_CLOCK_MS, Number.MAX_SAFE_INTEGER)
    // From the coarsest down: what a finer level closes on the way belongs after what is there.
    for (const [level, { lengthMs, last, below }] of [...this.#levels.entries()].reverse()) {
      const lastMs = timeOf(last.get(series, untilMs))
      for (const row of below.iterate(series, lastMs === undefined ? 0 : lastMs + lengthMs, untilMs)) {
        this.#into(series, open, level, rollupOf(asRow(row)))
      }
    }
    const lastMinuteMs = timeOf(this.#lastMinute.get(series, untilMs)) ?? Number.NEGATIVE_INFINITY
    // From a little before, for what still held when the first minute to build began.
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

/** `node:sqlite` types rows as objects whatever the statement was told. */
export function asArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true)
  return statement
}
