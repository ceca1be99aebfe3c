import type {
  ProgramHistory,
  ProgramReport,
  RecordedUse,
  RecordedUses,
  Report,
} from '../../app/contract/history.ts'
import { MINUTE_MS } from '../../app/contract/units.ts'
import { reportOf } from '../../app/history/report.ts'
import { startOf } from '../../app/history/rollup.ts'
import type { HistoryFile } from './history-file.ts'

/*
 * Reads from the history how many requests this app's programs, the desk's other machines, and others made.
 */

/** An interval, epoch ms, and the maximum number of columns to divide it into. */
export interface ProgramQuery {
  readonly fromMs: number
  readonly toMs: number
  readonly columns: number
}

/** Maximum number of events in a report. */
const MAX_REPORTED_EVENTS = 50_000

/** The minutes with at least one request, by quota row and by program behind the gateway. */
export function recordedUsesOf(
  file: HistoryFile,
  profile: string,
  fromMs: number,
  toMs: number,
): RecordedUses {
  const categories = file.categories(profile, 'requests')
  const rows = categories.map((category) => {
    const deskOf = deskMinutes(file, profile, category, fromMs, toMs)
    const minutes = file
      .minutes(profile, category, fromMs, toMs)
      .map(({ atMs, own, elsewhere }): RecordedUse => {
        const desk = deskOf(atMs)
        return desk > 0 ? [atMs, own, elsewhere + desk, desk] : [atMs, own, elsewhere]
      })
      .filter(([, own, elsewhere]) => own > 0 || elsewhere > 0)
    return [category, minutes] as const
  })
  return {
    rows: Object.fromEntries(rows.filter(([, minutes]) => minutes.length > 0)),
    programs: categories.flatMap((category) =>
      programMinutes(file, profile, category, startOf(fromMs, MINUTE_MS), toMs),
    ),
  }
}

/**
 * Requests in a category over time, made by each program behind the gateway, the whole app, the desk's other
 * machines, and others. Each column covers a whole number of minutes.
 */
export function programHistoryOf(
  file: HistoryFile,
  profile: string,
  category: string,
  { fromMs, toMs, columns }: ProgramQuery,
): ProgramHistory {
  const from = startOf(fromMs, MINUTE_MS)
  const resolutionMs = MINUTE_MS * Math.max(1, Math.ceil((toMs - from) / MINUTE_MS / columns))
  const inColumns = { fromMs: from, toMs, columnMs: resolutionMs }
  const desk = file.deskUse(profile, category, inColumns)
  const count = Math.max(0, Math.ceil((toMs - from) / resolutionMs))
  const own = new Array<number>(count).fill(0)
  const elsewhere = new Array<number>(count).fill(0)
  for (const minute of file.minutesAndOpen(profile, category, from, toMs)) {
    const column = Math.floor((minute.atMs - from) / resolutionMs)
    own[column] = (own[column] ?? 0) + minute.own
    elsewhere[column] = (elsewhere[column] ?? 0) + minute.elsewhere
  }
  const programs = file.programUse(profile, category, inColumns)
  return { from, resolutionMs, programs, own, elsewhere, ...(desk && { desk }) }
}

/** The minutes in which each program sent requests. `fromMs` is the start of a minute. */
function programMinutes(
  file: HistoryFile,
  profile: string,
  category: string,
  fromMs: number,
  toMs: number,
): RecordedUses['programs'] {
  const used = file.programUse(profile, category, { fromMs, toMs, columnMs: MINUTE_MS })
  return used.map(({ program, requests }) => ({
    program,
    category,
    minutes: requests.flatMap((count, at) => (count > 0 ? [[fromMs + at * MINUTE_MS, count] as const] : [])),
  }))
}

/**
 * Returns a function that maps the start of a minute to that minute's requests of the desk's other machines.
 */
function deskMinutes(
  file: HistoryFile,
  profile: string,
  category: string,
  fromMs: number,
  toMs: number,
): (atMs: number) => number {
  const startMs = startOf(fromMs, MINUTE_MS)
  const use = file.deskUse(profile, category, { fromMs: startMs, toMs, columnMs: MINUTE_MS })
  return (atMs) => use?.[(atMs - startMs) / MINUTE_MS] ?? 0
}

/** Total requests of each program. `fromMs` and `toMs` are whole minutes. */
function programTotals(
  file: HistoryFile,
  profile: string,
  category: string,
  fromMs: number,
  toMs: number,
): readonly ProgramReport[] {
  const used = file.programUse(profile, category, { fromMs, toMs, columnMs: toMs - fromMs })
  return used.map(({ program, requests: [requests = 0] }) => ({ program, requests }))
}

/** A report of the interval, widened to whole minutes because finer samples are stored only briefly. */
export function reportFrom(file: HistoryFile, profile: string, fromMs: number, toMs: number): Report {
  const from = startOf(fromMs, MINUTE_MS)
  const to = startOf(toMs + MINUTE_MS - 1, MINUTE_MS)
  const requests = file.categories(profile, 'requests')
  const slots = file.categories(profile, 'slots')
  return reportOf({
    profile,
    fromMs: from,
    toMs: to,
    requests: new Map(requests.map((category) => [category, file.accounts(profile, category, from, to)])),
    programs: new Map(
      requests.map((category) => [category, programTotals(file, profile, category, from, to)]),
    ),
    machines: new Map(
      requests.map((category) => [category, file.machineTotals(profile, category, from, to)]),
    ),
    slots: new Map(slots.map((category) => [category, file.slots(profile, category, from, to)])),
    events: file.events(profile, from, to - 1, MAX_REPORTED_EVENTS),
  })
}
