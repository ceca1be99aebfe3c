import type {
  History,
  ProgramHistory,
  RecordedUse,
  RecordedUses,
  Report,
} from '../../app/contract/history.ts'
import { MINUTE_MS } from '../../app/contract/units.ts'
import { minMaxColumns, thinnedMoments } from '../../app/history/columns.ts'
import { reportOf } from '../../app/history/report.ts'
import { startOf } from '../../app/history/rollup.ts'
import { emptyColumns, type HistoryFile, type Interval, type RowInterval } from './history-file.ts'

/** A chart of one row with at most `points` points. */
export interface HistoryQuery extends RowInterval {
  readonly points: number
}

/** An interval, and the maximum number of columns to divide it into. */
export interface ProgramQuery extends RowInterval {
  readonly columns: number
}

const MAX_REPORTED_EVENTS = 50_000

/** The lows and highs of each pixel column, and the times of 429s. Each list has at most `points` items. */
export function historyOf(file: HistoryFile, { points, ...row }: HistoryQuery): History {
  const { fromMs, toMs } = row
  const stretches = file.extents(row, (toMs - fromMs) / Math.max(1, Math.floor(points / 2)))
  const rejectedAt = stretches
    .filter(({ rejected }) => rejected > 0)
    .map(({ atMs, endMs }) => Math.round((atMs + endMs) / 2))
  const since = file.since(row)
  return {
    ...(since !== undefined && { since }),
    points: minMaxColumns(stretches, fromMs, toMs, points),
    rejectedAt: thinnedMoments(rejectedAt, fromMs, toMs, points),
  }
}

/** The minutes with at least one request, by quota row and by program behind the gateway. */
export function recordedUsesOf(file: HistoryFile, interval: Interval): RecordedUses {
  const startMs = startOf(interval.fromMs, MINUTE_MS)
  const inMinutes = { ...interval, fromMs: startMs, columnMs: MINUTE_MS }
  const categories = file.categories(interval.profile, 'requests')
  const rows = categories.map((category) => {
    const deskUse = file.deskUse({ ...inMinutes, category })
    const minutes = file
      .minutes({ ...interval, category })
      .map(({ atMs, own, elsewhere }): RecordedUse => {
        const desk = deskUse?.[(atMs - startMs) / MINUTE_MS] ?? 0
        return desk > 0 ? [atMs, own, elsewhere + desk, desk] : [atMs, own, elsewhere]
      })
      .filter(([, own, elsewhere]) => own > 0 || elsewhere > 0)
    return [category, minutes] as const
  })
  return {
    rows: Object.fromEntries(rows.filter(([, minutes]) => minutes.length > 0)),
    programs: categories.flatMap((category) =>
      file.programUse({ ...inMinutes, category }).map(({ program, requests }) => ({
        program,
        category,
        minutes: requests.flatMap((count, at) =>
          count > 0 ? [[startMs + at * MINUTE_MS, count] as const] : [],
        ),
      })),
    ),
  }
}

/**
 * Requests in a category over time, made by each program behind the gateway, the whole app, the desk's other
 * machines, and others. Each column covers a whole number of minutes.
 */
export function programHistoryOf(file: HistoryFile, { columns, ...asked }: ProgramQuery): ProgramHistory {
  const from = startOf(asked.fromMs, MINUTE_MS)
  const row = { ...asked, fromMs: from }
  const resolutionMs = MINUTE_MS * Math.max(1, Math.ceil((row.toMs - from) / MINUTE_MS / columns))
  const inColumns = { ...row, columnMs: resolutionMs }
  const desk = file.deskUse(inColumns)
  const own = emptyColumns(inColumns)
  const elsewhere = emptyColumns(inColumns)
  for (const minute of file.minutesAndOpen(row)) {
    const column = Math.floor((minute.atMs - from) / resolutionMs)
    own[column] = (own[column] ?? 0) + minute.own
    elsewhere[column] = (elsewhere[column] ?? 0) + minute.elsewhere
  }
  const programs = file.programUse(inColumns)
  return { from, resolutionMs, programs, own, elsewhere, ...(desk && { desk }) }
}

/** A report of the interval, widened to whole minutes because finer samples are stored only briefly. */
export function reportFrom(file: HistoryFile, { profile, ...asked }: Interval): Report {
  const fromMs = startOf(asked.fromMs, MINUTE_MS)
  const toMs = startOf(asked.toMs + MINUTE_MS - 1, MINUTE_MS)
  const ofEach = <T>(kind: 'requests' | 'slots', read: (row: RowInterval) => T): ReadonlyMap<string, T> =>
    new Map(
      file
        .categories(profile, kind)
        .map((category) => [category, read({ profile, category, fromMs, toMs })] as const),
    )
  return reportOf({
    profile,
    fromMs,
    toMs,
    requests: ofEach('requests', (row) => file.accounts(row)),
    programs: ofEach('requests', (row) =>
      file
        .programUse({ ...row, columnMs: toMs - fromMs })
        .map(({ program, requests: [requests = 0] }) => ({ program, requests })),
    ),
    machines: ofEach('requests', (row) => file.machineTotals(row)),
    slots: ofEach('slots', (row) => file.slots(row)),
    events: file.events({ profile, fromMs, toMs: toMs - 1 }, MAX_REPORTED_EVENTS),
  })
}
