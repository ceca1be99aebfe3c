import type { LoggedEvent } from '../../app/contract/events.ts'
import type { RequestQuota, RowVerdict, SlotQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { levelAt } from '../../app/quota/model.ts'
import { alsoCounts, shownRows } from '../../app/quota/shown-rows.ts'
import { isStale } from '../../app/quota/stale.ts'
import { bar, type Cell, duration, left, paint, right, shortDuration, type Tone } from './cells.ts'
import { eventLine } from './event-line.ts'
import { type FittedCell, fitHeight, fitWidth, leaving, type WeighedLine } from './fit.ts'
import { refreshLine, serviceLine, tokenLine } from './status-lines.ts'
import { streamRows } from './stream-rows.ts'

export interface TableOptions {
  /** Columns of the terminal; where they are fewer than 80, whole columns of the table leave. */
  readonly columns: number
  /** Lines there is room for; absent: all. What matters least leaves first, and a last line says so. */
  readonly rows?: number
  readonly colour: boolean
}

const LEAST_COLUMNS = 80
const MOST_BAR = 30
const LAST_EVENTS = 5

/** What leaves a window that is too low, from the first to the last. */
const WEIGHTS = {
  blank: 0,
  event: 1,
  unseen: 2,
  note: 3,
  stream: 4,
  slot: 5,
  quota: 6,
  urgent: 7,
  head: 8,
} as const

/** What leaves a window that is too narrow, from the last to the first. */
const LEAVES = { category: 1, age: 2, next: 3, full: 4, elsewhere: 5, use: 6, bar: 7 } as const

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
  { columns, rows: room = Number.POSITIVE_INFINITY, colour }: TableOptions,
): string {
  const width = Math.max(LEAST_COLUMNS, columns)
  const category = Math.min(24, Math.max(18, ...snapshot.requests.map((quota) => quota.category.length)))
  const layout: Layout = {
    width,
    category: Math.min(category, width - FIXED - 8),
    bar: Math.min(MOST_BAR, width - FIXED - Math.min(category, width - FIXED - 8) - 1),
  }
  const tokens = toneOfTokens(snapshot)
  const recent = events.slice(-LAST_EVENTS)
  const sections: readonly (readonly WeighedLine[])[] = [
    weighed(WEIGHTS.head, [
      [left(serviceLine(snapshot, nowMs), width, 'bold')],
      [left(tokenLine(snapshot, nowMs), width, tokens)],
      [left(refreshLine(snapshot, nowMs), width, tokens)],
    ]),
    [
      ...weighed(WEIGHTS.head, [requestHeading(layout)]),
      ...shownRows(snapshot.requests).flatMap((quota) =>
        weighed(weightOf(quota, URGENT.has(quota.verdict) ? WEIGHTS.urgent : WEIGHTS.quota), [
          requestRow(quota, nowMs, layout),
        ]),
      ),
      ...weighed(WEIGHTS.note, countedRows(snapshot.requests, width)),
    ],
    [
      ...weighed(snapshot.slots.some(isSeen) ? WEIGHTS.slot : WEIGHTS.unseen, [SLOT_HEADING]),
      ...snapshot.slots.flatMap((slot) => weighed(weightOf(slot, WEIGHTS.slot), [slotRow(slot, nowMs)])),
    ],
    snapshot.streams.length > 0 ? weighed(WEIGHTS.stream, streamRows(snapshot.streams, nowMs, width)) : [],
    recent.length > 0
      ? [
          ...weighed(WEIGHTS.event + 0.9, [[left('EVENTS', width, 'dim')]]),
          // The older leave first.
          ...recent.flatMap((event, at) => weighed(WEIGHTS.event + at / 10, [eventRow(event, nowMs, width)])),
        ]
      : [],
  ]
  const lines = sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : [{ cells: [], weight: WEIGHTS.blank }, ...section]))
  return fitHeight(lines, room)
    .map(({ cells }) => line(fitWidth(cells, columns), colour))
    .join('\n')
}

const URGENT: ReadonlySet<RowVerdict> = new Set(['near-limit', 'runs-out', 'blocked'])

const weighed = (weight: number, lines: readonly (readonly FittedCell[])[]): readonly WeighedLine[] =>
  lines.map((cells) => ({ cells, weight }))

const isSeen = ({ source }: Pick<RequestQuota | SlotQuota, 'source'>) => source !== 'default'

const weightOf = (quota: RequestQuota | SlotQuota, seen: number) => (isSeen(quota) ? seen : WEIGHTS.unseen)

interface Layout {
  readonly width: number
  readonly category: number
  readonly bar: number
}

function eventRow(event: LoggedEvent, nowMs: number, width: number): readonly FittedCell[] {
  return [right(`${duration(nowMs - event.at)} ago`, 9, 'dim'), left(eventLine(event, event.at), width - 10)]
}

function line(cells: readonly Cell[], colour: boolean): string {
  const last = cells.length - 1
  return cells
    .map((cell, index) => paint(index === last ? { ...cell, text: cell.text.trimEnd() } : cell, colour))
    .join(' ')
}

/** Categories that have no line of their own, because another one counts their requests. */
function countedRows(requests: readonly RequestQuota[], width: number): readonly (readonly FittedCell[])[] {
  const said = shownRows(requests).flatMap(({ category }) => {
    const also = alsoCounts(requests, category)
    return also.length === 0 ? [] : [`${category} also counts ${also.join(', ')}`]
  })
  return said.map((text) => [left(text, width, 'dim')])
}

function requestHeading({ category, bar: barWidth }: Layout): readonly FittedCell[] {
  const { use, elsewhere, next, full, verdict, age } = WIDTHS
  return [
    left('REQUESTS', category, 'dim'),
    leaving(left('', barWidth), LEAVES.bar),
    right('LEFT', WIDTHS.left, 'dim'),
    leaving(right('USE/s', use, 'dim'), LEAVES.use),
    leaving(right('ELSE', elsewhere, 'dim'), LEAVES.elsewhere),
    leaving(right('+1', next, 'dim'), LEAVES.next),
    leaving(right('FULL', full, 'dim'), LEAVES.full),
    left('VERDICT', verdict, 'dim'),
    leaving(right('AGE', age, 'dim'), LEAVES.age),
  ]
}

function requestRow(quota: RequestQuota, nowMs: number, layout: Layout): readonly FittedCell[] {
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
    leaving(left(barOf(quota, level, layout.bar), layout.bar, tone), LEAVES.bar),
    right(`${mark}${Math.floor(level)}/${quota.limit}`, WIDTHS.left, seen ? 'plain' : 'dim'),
    leaving(right(rate(quota.use?.total), use), LEAVES.use),
    leaving(right(rate(quota.use?.elsewhere), elsewhere), LEAVES.elsewhere),
    leaving(right(until(quota.nextAt), next), LEAVES.next),
    leaving(right(until(quota.fullAt), full), LEAVES.full),
    left(verdictText(quota, nowMs), verdict, tone),
    leaving(right(ageText(quota, nowMs), age, 'dim'), LEAVES.age),
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

const SLOT_HEADING: readonly FittedCell[] = [
  left('SLOTS', 24, 'dim'),
  right('FREE', 9, 'dim'),
  leaving(right('OWN', 5, 'dim'), 2),
  leaving(right('ELSE', 5, 'dim'), 3),
  leaving(left(' AGE', 9, 'dim'), 1),
]

function slotRow(slot: SlotQuota, nowMs: number): readonly FittedCell[] {
  const tone: Tone = slot.source === 'default' ? 'dim' : slot.free > 0 ? 'plain' : 'bad'
  return [
    left(slot.category, 24, slot.source === 'default' ? 'dim' : 'plain'),
    right(`${slot.free}/${slot.limit}`, 9, tone),
    leaving(right(String(slot.own), 5), 2),
    leaving(right(String(slot.elsewhere), 5), 3),
    leaving(left(` ${ageText(slot, nowMs)}`, 9, 'dim'), 1),
  ]
}

function toneOfTokens({ access, refresh }: Snapshot): Tone {
  if (refresh.state === 'sign-in-required' || refresh.state === 'revoked') return 'bad'
  return access.state === 'valid' ? 'plain' : 'warn'
}
