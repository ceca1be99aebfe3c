import type { History } from '../../app/contract/contract.ts'
import { minMaxColumns, thinnedMoments } from '../../app/history/columns.ts'
import { type Report, reportOf } from '../../app/history/report.ts'
import { MINUTE_MS, startOf } from '../../app/history/rollup.ts'
import type { HistoryFile } from './history-file.ts'

/** A report counts more events than anybody reads. */
const MAX_REPORTED_EVENTS = 50_000

/** At most `points`: the lows and highs of each pixel column, and when 429s were. */
export function historyOf(
  file: HistoryFile,
  profile: string,
  category: string,
  fromMs: number,
  toMs: number,
  points: number,
): History {
  const columnMs = (toMs - fromMs) / Math.max(1, Math.floor(points / 2))
  const stretches = file.extents(profile, category, fromMs, toMs, columnMs)
  const rejectedAt = stretches
    .filter(({ rejected }) => rejected > 0)
    .map(({ atMs, endMs }) => Math.round((atMs + endMs) / 2))
  return {
    points: minMaxColumns(stretches, fromMs, toMs, points),
    rejectedAt: thinnedMoments(rejectedAt, fromMs, toMs, points),
  }
}

/** Of whole minutes, rounded outwards: finer is not kept for long. */
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
    slots: new Map(slots.map((category) => [category, file.slots(profile, category, from, to)])),
    events: file.events(profile, from, to - 1, MAX_REPORTED_EVENTS),
  })
}
