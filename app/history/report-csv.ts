import type { Report } from '../contract/history.ts'

/** The key and its environment. Every row and file name contains them, so that exports can be joined. */
export interface ExportedKey {
  /** The profile's id. */
  readonly profile: string
  readonly environment: string
}

/** The columns of the report. No name is an SQL keyword, so none needs quotes. */
const COLUMNS = [
  'profile_id',
  'environment',
  'start_time',
  'end_time',
  'quota_type',
  'category',
  'quota_limit',
  'own_requests',
  'other_requests',
  'refused_429',
  'lowest_remaining',
  'near_limit_seconds',
  'known_seconds',
  'desk_requests',
] as const

/**
 * The report as CSV (RFC 4180): one row per category, times in ISO 8601. For slots, `own` and `other` are the
 * maximum in use (`other` includes the desk's), and `refused` counts streams that got no slot. Unknown
 * values are empty.
 */
export function reportCsv(report: Report, { profile, environment }: ExportedKey): string {
  const about = [profile, environment, isoTime(report.from), isoTime(report.to)]
  const rows: readonly Cells[] = [
    ...report.requests.map((row) => [
      ...about,
      'requests',
      row.category,
      row.limit,
      row.own,
      row.elsewhere,
      row.rejected,
      row.knownMs > 0 ? row.lowest : '',
      secondsOf(row.nearMs),
      secondsOf(row.knownMs),
      row.desk ?? 0,
    ]),
    ...report.slots.map((row) => [
      ...about,
      'slots',
      row.category,
      row.limit,
      row.mostOwn,
      row.mostElsewhere,
      row.refused,
      row.leastFree,
      '',
      '',
      '',
    ]),
  ]
  return [COLUMNS, ...rows].map(csvRow).join('')
}

/** Format version. Unchanged while fields are only added. */
export const EXPORT_FORMAT = 1

/** The report as one JSON object. `version` is the app's. */
export function reportJson(report: Report, { profile, environment }: ExportedKey, version: string): object {
  return {
    kind: 'headroom-report',
    formatVersion: EXPORT_FORMAT,
    version,
    profile,
    environment,
    from: isoTime(report.from),
    to: isoTime(report.to),
    requests: report.requests.map(({ nearMs, knownMs, lowest, ...row }) => ({
      ...row,
      lowest: knownMs > 0 ? lowest : null,
      nearLimitSeconds: secondsOf(nearMs),
      knownSeconds: secondsOf(knownMs),
    })),
    slots: report.slots,
    tokens: report.tokens,
    streams: report.streams,
    unreachable: report.unreachable,
  }
}

/** One row of a table, with a number or a text per column. */
type Cells = readonly (string | number)[]

/**
 * A row of CSV (RFC 4180) with its line end. Texts are quoted if needed, and possible formulas are
 * neutralised.
 */
const csvRow = (row: Cells): string => `${row.map(cell).join(',')}\r\n`

/** The value of each column for an item, in the order of the columns. `null` for an unknown value. */
export type ExportColumns<T> = Readonly<Record<string, (item: T) => string | number | null>>

/** One item as programs read it: a value for each column, without nested values. */
export const rowOf = <T, C extends ExportColumns<T>>(columns: C, item: T) =>
  Object.fromEntries(Object.entries(columns).map(([name, of]) => [name, of(item)])) as Readonly<
    Record<keyof C, string | number | null>
  >

/** Items as CSV (RFC 4180), produced in pieces. Unknown values are empty. */
export function* csvOf<T>(columns: ExportColumns<T>, items: Iterable<T>): Generator<string> {
  yield csvRow(Object.keys(columns))
  const values = Object.values(columns)
  for (const item of items) yield csvRow(values.map((of) => of(item) ?? ''))
}

/** Epoch milliseconds as ISO 8601, UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()
/** Milliseconds as seconds, to a tenth. */
export const secondsOf = (ms: number): number => Math.round(ms / 100) / 10

/**
 * A cell that a spreadsheet can't run as a formula. A category's name can come from a server's header.
 *
 * A spreadsheet that separates by semicolons or tabs recognises quotes only at the start of a cell. So a
 * formula is neutralised after any separator. Japanese spreadsheets accept full-width operators, so these
 * count too.
 */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = value.replace(/(^|[;,|"\t\r\n])(\s*)(?=[=+\-@＝＋－＠])/g, "$1$2'").replace(/^[\t\r]/, "'$&")
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
