import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { LoggedEvent } from '../../app/contract/events.ts'
import type { MachineReport, ProgramUseHistory, SlotSample } from '../../app/contract/history.ts'
import type { Environment } from '../../app/contract/snapshot.ts'
import { HOUR_MS, MINUTE_MS } from '../../app/contract/units.ts'
import type { Extent } from '../../app/history/columns.ts'
import { type Rollup, startOf } from '../../app/history/rollup.ts'
import type { DeskSample, ProgramSample, Sample } from '../../app/history/sample.ts'
import { RECORDED_STRETCH_MS, type RecordedStretch } from '../../app/history/usual-day.ts'
import { transaction } from '../storage/sqlite-file.ts'
import { FORGOTTEN } from './compaction.ts'
import {
  asRow,
  columnOf,
  type Row,
  rollupOf,
  sampleOf,
  sampleValues,
  slotSampleOf,
  slotValues,
  storedEvent,
} from './rows.ts'
import { STATEMENTS, type StatementName, type TierName } from './statements.ts'
import { asArrays, LEVELS, Tiers } from './tiers.ts'

interface RowName {
  readonly profile: string
  readonly category: string
}

/** Part of a profile's history, epoch ms. */
export interface Interval {
  readonly profile: string
  readonly fromMs: number
  readonly toMs: number
}

/** Part of the history of one row, epoch ms. */
export interface RowInterval extends Interval, RowName {}

/** An entry in the write queue. */
export type Entry =
  | (RowName &
      (
        | { readonly kind: 'sample'; readonly sample: Sample }
        | { readonly kind: 'slots'; readonly sample: SlotSample }
        | { readonly kind: 'program'; readonly sample: ProgramSample }
        | { readonly kind: 'desk'; readonly sample: DeskSample }
      ))
  | { readonly kind: 'event'; readonly event: LoggedEvent }
  | { readonly kind: 'profile'; readonly profile: string; readonly environment: Environment }
  /** Detaches the series of a disconnected key from its id, because a later key may get the same id. */
  | { readonly kind: 'forget'; readonly profile: string }
  | { readonly kind: 'alert'; readonly id: string; readonly body: string | undefined }

export type SeriesKind = 'requests' | 'slots'

/** Index of the table `minutes`, which is one level below the first of `LEVELS`. */
const MINUTES = -1

/** An interval in columns of `columnMs`. `fromMs` and `columnMs` are multiples of a minute. */
interface InColumns extends RowInterval {
  readonly columnMs: number
}

export const emptyColumns = ({ fromMs, toMs, columnMs }: InColumns): number[] =>
  new Array<number>(Math.max(0, Math.ceil((toMs - fromMs) / columnMs))).fill(0)

interface Piece {
  readonly tier: TierName
  readonly lengthMs: number
  readonly fromMs: number
  readonly toMs: number
}

/** The extent of one chart column, with its number of 429s. */
export type Stretch = Extent & Pick<Sample, 'rejected'>

/** The open `history.db`. Every method throws SQLite's errors. `HistoryStore` handles them. */
export class HistoryFile {
  readonly database: DatabaseSync
  readonly #tiers: Tiers
  readonly #series = new Map<string, number>()
  readonly #statements: Record<StatementName, StatementSync>

  constructor(database: DatabaseSync) {
    this.database = database
    this.#tiers = new Tiers(database)
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, asArrays(database.prepare(sql))])
    this.#statements = Object.fromEntries(prepared)
  }

  /** Rolls up the samples of minutes that an earlier process did not roll up. */
  catchUp(nowMs: number): void {
    this.#tiers.goTo(nowMs)
    this.#transaction(() => {
      for (const row of this.database.prepare(`SELECT id FROM series WHERE kind = 'requests'`).all()) {
        if (typeof row['id'] === 'number') this.#tiers.open(row['id'])
      }
      this.#tiers.closeAt(nowMs)
    })
  }

  write(entries: readonly Entry[], nowMs: number): void {
    this.#tiers.goTo(nowMs)
    this.#transaction(() => {
      for (const entry of entries) this.#write(entry)
      this.#tiers.closeAt(nowMs)
    })
  }

  categories(profile: string, kind: SeriesKind): readonly string[] {
    return this.#all('categories', profile, kind).map((row) => String(row[0]))
  }

  /**
   * The time of the oldest sample of a series, epoch ms. `undefined` without samples.
   *
   * A rollup stores only the start of its interval, and the first sample of the interval may be later. If a
   * finer table's oldest sample lies in that interval, the result is the time of that sample.
   */
  since(row: RowName): number | undefined {
    const series = this.#find(row, 'requests')
    if (series === undefined) return undefined
    const tiers = [
      ['rawFrom', 0],
      ['minutesFrom', MINUTE_MS],
      ['hoursFrom', HOUR_MS],
    ] as const
    return tiers.reduce<number | undefined>((sinceMs, [name, lengthMs]) => {
      const fromMs = this.#number(name, series)
      return fromMs === undefined || (sinceMs !== undefined && fromMs + lengthMs > sinceMs) ? sinceMs : fromMs
    }, undefined)
  }

  /**
   * The extents of the chart columns, oldest first. An extent has the lowest and highest level of a column. A
   * column is `columnMs` long.
   */
  extents({ fromMs, toMs, ...row }: RowInterval, columnMs: number): Stretch[] {
    const series = this.#find(row, 'requests')
    if (series === undefined) return []
    if (columnMs >= MINUTE_MS) {
      const level = LEVELS.findLastIndex(({ lengthMs }) => lengthMs <= columnMs)
      const pieces = this.#pieces(series, startOf(fromMs, MINUTE_MS), toMs, level)
      return [
        ...pieces.flatMap((piece) => this.#columns(series, piece, columnMs)),
        ...this.#open(series, toMs),
      ]
    }
    const rawFromMs = this.#number('rawFrom', series) ?? Number.POSITIVE_INFINITY
    const before =
      rawFromMs > fromMs
        ? this.#pieces(series, startOf(fromMs, MINUTE_MS), Math.min(toMs, rawFromMs), MINUTES)
        : []
    const samples = this.#all('samples', series, fromMs, toMs).map(sampleOf)
    return [
      ...before
        .flatMap((piece) => this.#columns(series, piece, MINUTE_MS))
        .filter((extent) => extent.endMs <= rawFromMs),
      ...samples.map(({ atMs, remaining, source, rejected }) => ({
        atMs,
        endMs: atMs,
        low: remaining,
        high: remaining,
        lowFirst: true,
        source,
        rejected,
      })),
    ]
  }

  /**
   * The rollups that cover an interval, each an hour, a quarter of an hour or a minute long. `fromMs` is
   * rounded down to a whole minute.
   */
  accounts({ fromMs, toMs, ...row }: RowInterval): readonly Rollup[] {
    const series = this.#find(row, 'requests')
    if (series === undefined) return []
    const startMs = startOf(fromMs, MINUTE_MS)
    const pieces = this.#pieces(series, startMs, toMs, LEVELS.length - 1)
    const closed = pieces.flatMap((piece) =>
      this.#all(piece.tier, series, piece.fromMs, piece.toMs).map(rollupOf),
    )
    const open = this.#open(series, toMs).filter(({ atMs }) => atMs >= startMs)
    return [...closed, ...open]
  }

  /** Completed minutes that begin in the interval, oldest first, as far back as minutes are stored. */
  minutes(asked: RowInterval): readonly Rollup[] {
    return this.#rows('minutes', asked).map(rollupOf)
  }

  /** Like `minutes`, and includes the current minute. */
  minutesAndOpen(asked: RowInterval): readonly Rollup[] {
    const series = this.#find(asked, 'requests')
    if (series === undefined) return []
    const open = this.#open(series, asked.toMs).filter(({ atMs }) => atMs >= asked.fromMs)
    return [...this.minutes(asked), ...open]
  }

  /** Others' requests and mean levels in intervals of three minutes, oldest first. */
  stretches(asked: RowInterval): readonly RecordedStretch[] {
    return this.#rows('stretches', asked, RECORDED_STRETCH_MS).map(([atMs, requests, knownMs, level]) => ({
      atMs: Number(atMs),
      requests: Number(requests),
      knownMs: Number(knownMs),
      level: Number(level),
    }))
  }

  /** The slot samples within the interval, preceded by the sample that was valid when the interval began. */
  slots({ fromMs, toMs, ...row }: RowInterval): readonly SlotSample[] {
    const series = this.#find(row, 'slots')
    if (series === undefined) return []
    const sinceMs = this.#number('slotBefore', series, fromMs) ?? fromMs
    return this.#all('slots', series, sinceMs, toMs).map(slotSampleOf)
  }

  /** Requests of the desk's other machines by column. `undefined` if there are none. */
  deskUse(asked: InColumns): readonly number[] | undefined {
    const rows = this.#rows('deskUse', asked, asked.columnMs)
    if (rows.length === 0) return undefined
    const found = emptyColumns(asked)
    for (const [column, requests] of rows) found[Number(column)] = Number(requests)
    return found
  }

  /** Total requests of each of the desk's other machines. */
  machineTotals(asked: RowInterval): readonly MachineReport[] {
    return this.#rows('machineTotals', asked).map(([machine, requests]) => ({
      machine: String(machine),
      requests: Number(requests),
    }))
  }

  /** Requests of each program behind the gateway by column. Programs without a request are left out. */
  programUse(asked: InColumns): readonly ProgramUseHistory[] {
    const found = new Map<string, number[]>()
    for (const [program, column, requests] of this.#rows('programUse', asked, asked.columnMs)) {
      const name = String(program)
      const known = found.get(name) ?? emptyColumns(asked)
      known[Number(column)] = Number(requests)
      found.set(name, known)
    }
    return [...found].map(([program, requests]) => ({ program, requests }))
  }

  /** The last `most` events of the interval, oldest first. */
  events({ profile, fromMs, toMs }: Interval, most: number): readonly LoggedEvent[] {
    return this.#all('events', profile, fromMs, toMs, most)
      .flatMap((row) => storedEvent(row[0]) ?? [])
      .reverse()
  }

  openAlerts(): readonly string[] {
    return this.#all('openAlerts').map((row) => String(row[0]))
  }

  close(): void {
    this.database.close()
  }

  #write(entry: Entry): void {
    switch (entry.kind) {
      case 'sample': {
        const series = this.#seriesOf(entry, 'requests')
        this.#tiers.add(series, entry.sample)
        this.#statements.addSample.run(series, ...sampleValues(entry.sample))
        break
      }
      case 'slots': {
        const series = this.#seriesOf(entry, 'slots')
        this.#statements.addSlots.run(series, ...slotValues(entry.sample))
        break
      }
      case 'program': {
        const { atMs, program, class: own, requests } = entry.sample
        const series = this.#seriesOf(entry, 'requests')
        this.#statements.addProgramUse.run(series, startOf(atMs, MINUTE_MS), program, own, requests)
        break
      }
      case 'desk': {
        const series = this.#seriesOf(entry, 'requests')
        const { atMs, machine, requests } = entry.sample
        this.#statements.addDeskUse.run(series, startOf(atMs, MINUTE_MS), machine, requests)
        break
      }
      case 'event': {
        const { event } = entry
        this.#statements.addEvent.run(event.profile, event.at, JSON.stringify(event))
        break
      }
      case 'profile':
        this.#statements.addProfile.run(entry.profile, entry.environment)
        break
      case 'forget':
        this.#forget(entry.profile)
        break
      case 'alert':
        if (entry.body === undefined) this.#statements.dropAlert.run(entry.id)
        else this.#statements.addAlert.run(entry.id, entry.body)
        break
    }
  }

  /** Detaches all series from the profile. Compaction later deletes their rows in slices. */
  #forget(profile: string): void {
    for (const [id] of this.#all('seriesOfProfile', profile)) {
      this.#tiers.drop(Number(id))
      this.#statements.disownSeries.run(`${FORGOTTEN}${id}`, Number(id))
    }
    this.#series.clear()
    this.#statements.dropEvents.run(profile)
    this.#statements.dropProfile.run(profile)
  }

  /**
   * Splits an interval into parts. The coarsest table covers the middle, and finer tables cover both ends.
   */
  #pieces(series: number, fromMs: number, toMs: number, level: number): readonly Piece[] {
    if (fromMs >= toMs) return []
    const coarsest = LEVELS[level]
    if (!coarsest) return [{ tier: 'minutes', lengthMs: MINUTE_MS, fromMs, toMs }]
    const { table: tier, lengthMs } = coarsest
    const midFromMs = startOf(fromMs + lengthMs - 1, lengthMs)
    const midToMs = Math.min(startOf(toMs, lengthMs), this.#tiers.openFromMs(series, level))
    if (midFromMs >= midToMs) return this.#pieces(series, fromMs, toMs, level - 1)
    return [
      ...this.#pieces(series, fromMs, midFromMs, level - 1),
      { tier, lengthMs, fromMs: midFromMs, toMs: midToMs },
      ...this.#pieces(series, midToMs, toMs, level - 1),
    ]
  }

  /** The levels of each column. Computed in SQL, because copying a week of rows into JavaScript is slow. */
  #columns(series: number, { tier, lengthMs, fromMs, toMs }: Piece, columnMs: number): Stretch[] {
    return this.#all(`${tier}Columns`, series, fromMs, toMs, fromMs, columnMs).map((row) =>
      columnOf(row, lengthMs),
    )
  }

  #open(series: number, toMs: number): readonly (Rollup & Extent)[] {
    const open = this.#tiers.openMinute(series, toMs)
    return open && open.atMs < toMs ? [{ ...open, endMs: open.atMs + MINUTE_MS }] : []
  }

  #find({ profile, category }: RowName, kind: SeriesKind): number | undefined {
    const key = `${kind}\n${profile}\n${category}`
    const known = this.#series.get(key)
    if (known !== undefined) return known
    const id = this.#number('findSeries', profile, category, kind)
    if (id !== undefined) this.#series.set(key, id)
    return id
  }

  #seriesOf(row: RowName, kind: SeriesKind): number {
    const known = this.#find(row, kind)
    if (known !== undefined) return known
    this.#statements.addSeries.run(row.profile, row.category, kind)
    const made = this.#find(row, kind)
    if (made === undefined) throw new Error('a series that was just made is not there')
    return made
  }

  #transaction(run: () => void): void {
    try {
      transaction(this.database, run)
    } catch (error) {
      this.#tiers.forget()
      this.#series.clear()
      throw error
    }
  }

  /** The rows of a series of requests. Empty if nothing is recorded. */
  #rows(name: StatementName, { fromMs, toMs, ...row }: RowInterval, ...values: number[]): Row[] {
    const series = this.#find(row, 'requests')
    return series === undefined ? [] : this.#all(name, series, fromMs, toMs, ...values)
  }

  #all(name: StatementName, ...values: (string | number)[]): Row[] {
    return this.#statements[name].all(...values).map(asRow)
  }

  #number(name: StatementName, ...values: (string | number)[]): number | undefined {
    const row = this.#statements[name].get(...values)
    const value = row === undefined ? undefined : asRow(row)[0]
    return typeof value === 'number' ? value : undefined
  }
}
