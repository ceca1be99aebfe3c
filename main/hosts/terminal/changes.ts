import { eventSentence } from '../../../app/conditions/event-sentence.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import { type Snapshot, snapshotSchema } from '../../../app/contract/snapshot.ts'
import { printable } from './cells.ts'

type Row = Readonly<Record<string, unknown>>

/** The changes of one profile since the previous line about it. */
export interface Changes {
  readonly revision: number
  readonly at: number
  /** The profile's id. */
  readonly profile: string
  /** The changed rows. Each has its category or id, and its changed fields. A removed field is `null`. */
  readonly requests?: readonly Row[]
  readonly slots?: readonly Row[]
  readonly streams?: readonly Row[]
  readonly programs?: readonly Row[]
  /** The categories of removed quotas, and the ids of removed streams and programs. */
  readonly gone?: Readonly<Record<string, readonly string[]>>
  /** Other fields of a snapshot. A changed field is sent as a whole, and a removed field is `null`. */
  readonly [name: string]: unknown
}

const TABLES = { requests: 'category', slots: 'category', streams: 'id', programs: 'id' } as const
type TableName = keyof typeof TABLES
const IDENTITY: ReadonlySet<string> = new Set(['revision', 'at', 'profile'])
/** All other fields of a snapshot, including any that are added later. */
const OTHERS = (Object.keys(snapshotSchema.shape) as (keyof typeof snapshotSchema.shape)[]).filter(
  (name) => !(name in TABLES) && !IDENTITY.has(name),
)

/** Fields that change almost constantly. Their changes are not reported. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set([
  'asOf',
  'level',
  'slope',
  'emptyChance',
  'lastFrameAt',
  'lastSeenAt',
  'lastSeenMs',
  'longestWaitMs',
  'roundTripMs',
])
/** A forecast is reported again if it has changed by at least this many milliseconds. */
const FORECAST_MS = 10_000
const FORECASTS: ReadonlySet<string> = new Set([
  'nextAt',
  'fullAt',
  'emptyAt',
  'emptyFrom',
  'emptyTo',
  'nextTurnAt',
  'lastTurnAt',
])
/**
 * An estimate is reported again if it has changed by at least `ESTIMATE_SHARE` of its value and by at least
 * `ESTIMATE_STEP`.
 */
const ESTIMATE_SHARE = 0.1
const ESTIMATE_STEP = 0.02
const ESTIMATES: ReadonlySet<string> = new Set([
  'use',
  'safe',
  'framesPerSecond',
  'perSecond',
  'probes',
  'verdict',
  'desk',
])

/** The counts in a program's `use`. Every change is reported, as for their sums, the program's own counts. */
const USE_COUNTS: ReadonlySet<string> = new Set(['forwarded', 'waiting'])

/**
 * Computes the changes of one profile since the last report about it.
 *
 * Forecasts and estimates are compared with the last reported value, not with the previous snapshot. So small
 * changes are reported once they add up.
 */
export class ChangeReporter {
  #reported: Snapshot | undefined
  readonly #rows: Record<TableName, Map<string, Row>> = {
    requests: new Map(),
    slots: new Map(),
    streams: new Map(),
    programs: new Map(),
  }

  /** Call this after a whole snapshot was reported. */
  whole(snapshot: Snapshot): void {
    this.#reported = snapshot
    for (const [table, key] of tables()) {
      this.#rows[table] = new Map(rowsOf(snapshot, table).map((row) => [String(row[key]), row]))
    }
  }

  /** The changes since the last report. `undefined` if there are none, or before the first whole snapshot. */
  changes(now: Snapshot): Changes | undefined {
    const reported = this.#reported
    if (reported === undefined) return undefined
    const found: Record<string, unknown> = {}
    const gone: Record<string, readonly string[]> = {}
    for (const [table, key] of tables()) {
      const before = this.#rows[table]
      const rows = rowsOf(now, table)
      const changed = rows.flatMap((row) => this.#rowChanges(table, key, row) ?? [])
      if (changed.length > 0) found[table] = changed
      const kept = new Set(rows.map((row) => String(row[key])))
      const lost = [...before.keys()].filter((one) => !kept.has(one))
      for (const one of lost) before.delete(one)
      if (lost.length > 0) gone[table] = lost
    }
    for (const name of OTHERS) if (differs(name, reported[name], now[name])) found[name] = now[name] ?? null
    const { requests, slots, streams } = reported
    this.#reported = { ...reported, ...found, requests, slots, streams }
    if (Object.keys(gone).length > 0) found['gone'] = gone
    if (Object.keys(found).length === 0) return undefined
    return { revision: now.revision, at: now.at, profile: now.profile.id, ...found }
  }

  #rowChanges(table: TableName, key: string, row: Row): Row | undefined {
    const id = String(row[key])
    const reported = this.#rows[table].get(id)
    if (reported === undefined) {
      this.#rows[table].set(id, row)
      return row
    }
    const names = new Set([...Object.keys(reported), ...Object.keys(row)])
    const changed = [...names].filter(
      (name) => !IGNORED_FIELDS.has(name) && differs(name, reported[name], row[name]),
    )
    if (changed.length === 0) return undefined
    const news = Object.fromEntries(changed.map((name) => [name, row[name] ?? null]))
    this.#rows[table].set(id, { ...reported, ...news })
    return { [key]: id, ...news }
  }
}

const tables = () => Object.entries(TABLES) as readonly (readonly [TableName, string])[]

const rowsOf = (snapshot: Snapshot, table: TableName): readonly Row[] =>
  (snapshot[table] ?? []).map((row): Row => ({ ...row }))

/**
 * The fields of `health` that are compared. Its other fields follow from the time and the rows, whose changes
 * are reported anyway.
 */
const identityOf = ({ severity, cause, subject }: Row) => [severity, cause, subject].join()

function differs(name: string, reported: unknown, now: unknown): boolean {
  const isThere = (value: unknown) => value !== undefined && value !== null
  if (isThere(reported) !== isThere(now)) return true
  if (!isThere(now)) return false
  if (typeof reported === 'number' && typeof now === 'number') {
    if (FORECASTS.has(name)) return Math.abs(now - reported) >= FORECAST_MS
    if (ESTIMATES.has(name)) return isFar(reported, now)
    return reported !== now
  }
  if (name === 'health' && isRecord(reported) && isRecord(now))
    return identityOf(reported) !== identityOf(now)
  if (ESTIMATES.has(name) && isRecord(reported) && isRecord(now)) {
    const fields = new Set([...Object.keys(reported), ...Object.keys(now)])
    return [...fields].some(
      (field) => !IGNORED_FIELDS.has(field) && differs(ruleOf(name, field), reported[field], now[field]),
    )
  }
  return JSON.stringify(reported) !== JSON.stringify(now)
}

/** Name of the field whose rule applies to `field` of the estimate `name`. `at` is a forecast. */
function ruleOf(name: string, field: string): string {
  if (field === 'at') return 'emptyAt'
  return FORECASTS.has(field) || (name === 'use' && USE_COUNTS.has(field)) ? field : name
}

const isRecord = (value: unknown): value is Row => typeof value === 'object' && value !== null

const isFar = (reported: number, now: number): boolean =>
  Math.abs(now - reported) >= Math.max(ESTIMATE_STEP, ESTIMATE_SHARE * Math.abs(reported))

/** Formats an event as one line, with the request id that the provider's support needs. */
export function eventLine(event: LoggedEvent): string {
  const { text, requestId } = eventSentence(event, { as: 'countdown' })
  return printable(requestId === undefined ? text : `${text} · request ${requestId}`)
}
