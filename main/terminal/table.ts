import type { LoggedEvent } from '../../app/contract/events.ts'
import type {
  RequestQuota,
  RowVerdict,
  SlotQuota,
  Snapshot,
  StreamSummary,
} from '../../app/contract/snapshot.ts'
import { levelAt } from '../../app/quota/model.ts'
import { alsoCounts, shownRows } from '../../app/quota/shown-rows.ts'
import { isStale } from '../../app/quota/stale.ts'
import { bar, type Cell, duration, left, paint, right, shortDuration, type Tone } from './cells.ts'
import { eventLine } from './event-line.ts'
import { refreshLine, serviceLine, tokenLine } from './status-lines.ts'

export interface TableOptions {
  /** Columns of the terminal; narrower than 80 is drawn as 80. */
  readonly columns: number
  readonly colour: boolean
}

const LEAST_COLUMNS = 80
const MOST_BAR = 30
const LAST_EVENTS = 5

/** Everything but the bar and the category, with one space before each: `~500/500` is the widest quota. */
const WIDTHS = { left: 9, use: 5, elsewhere: 5, next: 5, full: 5, verdict: 10, age: 7 } as const
const FIXED = Object.values(WIDTHS).reduce((sum, width) => sum + width + 1, 0)

/**
 * The whole table, as of `nowMs`. Modelled numbers carry a `~`, and what only the standard table says reads
 * `default` where a header's age would stand: a number that nobody has seen is never dressed as live.
 */
export function renderTable(
  snapshot: Snapshot,
  events: readonly LoggedEvent[],
  nowMs: number,
  { columns, colour }: TableOptions,
): string {
  const width = Math.max(LEAST_COLUMNS, columns)
  const category = Math.min(24, Math.max(18, ...snapshot.requests.map((quota) => quota.category.length)))
  const layout: Layout = {
    width,
    category: Math.min(category, width - FIXED - 8),
    bar: Math.min(MOST_BAR, width - FIXED - Math.min(category, width - FIXED - 8) - 1),
  }
  const rows: (readonly Cell[])[] = [
    [left(serviceLine(snapshot, nowMs), width, 'bold')],
    [left(tokenLine(snapshot, nowMs), width, toneOfTokens(snapshot))],
    [left(refreshLine(snapshot, nowMs), width, toneOfTokens(snapshot))],
    [],
    requestHeading(layout),
    ...shownRows(snapshot.requests).map((quota) => requestRow(quota, nowMs, layout)),
    ...countedRows(snapshot.requests, width),
    [],
    [
      left('SLOTS', 24, 'dim'),
      right('FREE', 9, 'dim'),
      right('OWN', 5, 'dim'),
      right('ELSE', 5, 'dim'),
      left(' AGE', 9, 'dim'),
    ],
    ...snapshot.slots.map((slot) => slotRow(slot, nowMs)),
  ]
  if (snapshot.streams.length > 0) rows.push([], ...streamRows(snapshot.streams, nowMs, width))
  const recent = events.slice(-LAST_EVENTS)
  if (recent.length > 0) rows.push([], [left('EVENTS', width, 'dim')])
  for (const event of recent) {
    rows.push([
      right(`${duration(nowMs - event.at)} ago`, 9, 'dim'),
      left(eventLine(event, event.at), width - 10),
    ])
  }
  return rows.map((cells) => line(cells, colour)).join('\n')
}

interface Layout {
  readonly width: number
  readonly category: number
  readonly bar: number
}

function line(cells: readonly Cell[], colour: boolean): string {
  const last = cells.length - 1
  return cells
    .map((cell, index) => paint(index === last ? { ...cell, text: cell.text.trimEnd() } : cell, colour))
    .join(' ')
}

/** Categories that have no line of their own, because another one counts their requests. */
function countedRows(requests: readonly RequestQuota[], width: number): readonly (readonly Cell[])[] {
  const said = shownRows(requests).flatMap(({ category }) => {
    const also = alsoCounts(requests, category)
    return also.length === 0 ? [] : [`${category} also counts ${also.join(', ')}`]
  })
  return said.map((text) => [left(text, width, 'dim')])
}

function requestHeading({ category, bar: barWidth }: Layout): readonly Cell[] {
  const { use, elsewhere, next, full, verdict, age } = WIDTHS
  return [
    left('REQUESTS', category, 'dim'),
    left('', barWidth),
    right('LEFT', WIDTHS.left, 'dim'),
    right('USE/s', use, 'dim'),
    right('ELSE', elsewhere, 'dim'),
    right('+1', next, 'dim'),
    right('FULL', full, 'dim'),
    left('VERDICT', verdict, 'dim'),
    right('AGE', age, 'dim'),
  ]
}

function requestRow(quota: RequestQuota, nowMs: number, layout: Layout): readonly Cell[] {
  const level = levelAt(quota, nowMs)
  const seen = quota.source !== 'default'
  const stale = isStale(quota, nowMs)
  const tone: Tone = seen && !stale ? TONES[quota.verdict] : 'dim'
  const until = (at: number | undefined) => (at === undefined || at <= nowMs ? '–' : duration(at - nowMs))
  const mark = quota.source === 'modelled' || stale ? '~' : ''
  const rate = (perSecond: number | undefined) => (perSecond === undefined ? '–' : perSecond.toFixed(2))
  const { use, elsewhere, next, full, verdict, age } = WIDTHS
  return [
    left(quota.category, layout.category, seen ? 'plain' : 'dim'),
    left(barOf(quota, level, layout.bar), layout.bar, tone),
    right(`${mark}${Math.floor(level)}/${quota.limit}`, WIDTHS.left, seen ? 'plain' : 'dim'),
    right(rate(quota.use?.total), use),
    right(rate(quota.use?.elsewhere), elsewhere),
    right(until(quota.nextAt), next),
    right(until(quota.fullAt), full),
    left(verdictText(quota, nowMs), verdict, tone),
    right(ageText(quota, nowMs), age, 'dim'),
  ]
}

/** The table's default is not a reading: it gets no bar. */
function barOf({ source, limit }: RequestQuota, level: number, width: number): string {
  return source === 'default' ? '┄'.repeat(width) : bar(limit > 0 ? level / limit : 0, width)
}

const TONES: Readonly<Record<RowVerdict, Tone>> = {
  'not-seen': 'dim',
  idle: 'good',
  lasts: 'good',
  'near-limit': 'warn',
  'runs-out': 'bad',
  blocked: 'bad',
}

function verdictText({ verdict, blockedUntil, emptyAt }: RequestQuota, nowMs: number): string {
  switch (verdict) {
    case 'not-seen':
      return 'not seen'
    case 'near-limit':
      return 'near limit'
    case 'runs-out':
      return emptyAt === undefined ? 'runs out' : `out in ${shortDuration(emptyAt - nowMs)}`
    case 'blocked':
      return blockedUntil === undefined ? 'blocked' : `wait ${shortDuration(blockedUntil - nowMs)}`
    default:
      return verdict
  }
}

/** Both kinds of quota: the age of the last header, or where the number comes from without one. */
function ageText(
  { source, observedAt }: Pick<RequestQuota | SlotQuota, 'source' | 'observedAt'>,
  nowMs: number,
): string {
  if (source === 'default') return 'default'
  if (observedAt !== undefined) return duration(nowMs - observedAt)
  return source === 'counted' ? 'counted' : '–'
}

function slotRow(slot: SlotQuota, nowMs: number): readonly Cell[] {
  const tone: Tone = slot.source === 'default' ? 'dim' : slot.free > 0 ? 'plain' : 'bad'
  return [
    left(slot.category, 24, slot.source === 'default' ? 'dim' : 'plain'),
    right(`${slot.free}/${slot.limit}`, 9, tone),
    right(String(slot.own), 5),
    right(String(slot.elsewhere), 5),
    left(` ${ageText(slot, nowMs)}`, 9, 'dim'),
  ]
}

const STREAM_TONES: Readonly<Record<StreamSummary['state'], Tone>> = {
  opening: 'warn',
  snapshot: 'good',
  live: 'good',
  stale: 'bad',
  waiting: 'warn',
  closed: 'dim',
}

function streamRows(
  streams: readonly StreamSummary[],
  nowMs: number,
  width: number,
): readonly (readonly Cell[])[] {
  const target = width - 24 - 9 - 7 - 7 - 9 - 5
  const row = ({ category, target: of, state, framesPerSecond, lastFrameAt, restarts }: StreamSummary) => [
    left(category, 24),
    left(of, target),
    left(state, 9, STREAM_TONES[state]),
    right(framesPerSecond.toFixed(1), 7),
    right(lastFrameAt === undefined ? '–' : duration(nowMs - lastFrameAt), 7),
    right(String(restarts), 9),
  ]
  const heading = [
    left('STREAMS', 24, 'dim'),
    left('TARGET', target, 'dim'),
    left('STATE', 9, 'dim'),
    right('MSG/s', 7, 'dim'),
    right('LAST', 7, 'dim'),
    right('RESTARTS', 9, 'dim'),
  ]
  return [heading, ...streams.map(row)]
}

function toneOfTokens({ access, refresh }: Snapshot): Tone {
  if (refresh.state === 'sign-in-required' || refresh.state === 'revoked') return 'bad'
  return access.state === 'valid' ? 'plain' : 'warn'
}
