import type { Report, RequestReport } from '../../app/contract/history.ts'
import { DAY_MS, HOUR_MS } from '../../app/contract/units.ts'
import { durationText } from '../../app/status/durations.ts'
import { startOfToday } from '../../app/status/moments.ts'
import { countText, listText } from '../../app/status/rates.ts'

export const REPORT_RANGES = ['1 h', 'today', '24 h', '7 d', '30 d'] as const
export type ReportRange = (typeof REPORT_RANGES)[number]

export const REPORT_RANGE_LABELS: Readonly<Record<ReportRange, string>> = {
  '1 h': 'Last hour',
  today: 'Today',
  '24 h': 'Last 24 hours',
  '7 d': 'Last 7 days',
  '30 d': 'Last 30 days',
}

/** The start of a range that ends at `nowMs`. Today begins at midnight in the displayed zone. */
export function reportStart(range: ReportRange, nowMs: number): number {
  return range === 'today' ? startOfToday(nowMs) : nowMs - RANGES_MS[range]
}

const RANGES_MS = { '1 h': HOUR_MS, '24 h': DAY_MS, '7 d': 7 * DAY_MS, '30 d': 30 * DAY_MS } as const

/** A text about the level. A dash if the level was never known. */
const ifKnown = ({ knownMs }: RequestReport, text: string): string => (knownMs > 0 ? text : '—')

/** The lowest level and the limit. */
export const lowestText = (report: RequestReport): string =>
  ifKnown(report, `${Math.floor(report.lowest)} / ${report.limit}`)

/** How long the level was below `LOW_THRESHOLD` of the limit. */
export const nearText = (report: RequestReport): string => ifKnown(report, durationText(report.nearMs / 1000))

/** How long the level was known. */
export const knownText = (report: RequestReport): string =>
  ifKnown(report, durationText(report.knownMs / 1000))

/** How this app's requests divide among programs behind the gateway: `bot 120, notes 4, Headroom 16`. */
export function programsLine({ own, programs = [] }: RequestReport): string {
  const rest = own - programs.reduce((sum, { requests }) => sum + requests, 0)
  const all = [...programs, ...(rest >= 1 ? [{ program: 'Headroom', requests: rest }] : [])]
  return all.map(({ program, requests }) => `${program} ${Math.round(requests)}`).join(', ')
}

/** The desk's requests for one quota, by machine: `SERVER 40, LAPTOP 2`. */
export const machinesLine = ({ machines = [] }: RequestReport): string =>
  machines.map(({ machine, requests }) => `${machine} ${Math.round(requests)}`).join(', ')

export const countOrDash = (count: number): string => (count === 0 ? '—' : String(Math.round(count)))

/** The counts of other events as a sentence, without zero counts. */
export function happenings({ tokens, streams, unreachable }: Report): string {
  const said = [
    ...some(tokens.refreshed, 'token refresh', 'token refreshes'),
    ...some(tokens.failed, 'failed refresh', 'failed refreshes'),
    ...some(tokens.signInRequired, 'sign-in ended', 'sign-ins ended'),
    ...some(streams.opened, 'stream opened', 'streams opened'),
    ...some(streams.restarted, 'stream restart', 'stream restarts'),
    ...some(streams.closed, 'stream closed', 'streams closed'),
    ...some(unreachable, 'time unreachable', 'times unreachable'),
  ]
  return said.length === 0 ? 'Nothing else happened.' : `${listText(said)}.`
}

const some = (count: number, one: string, many: string) => (count > 0 ? [countText(count, one, many)] : [])
