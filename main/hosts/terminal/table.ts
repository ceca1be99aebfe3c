import { headline, keyFindings } from '../../../app/conditions/key-status.ts'
import { reopenSentence } from '../../../app/conditions/messages/streams.ts'
import type { DeskSummary } from '../../../app/contract/desk.ts'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { QuotaState, RequestQuota, SlotQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import { alsoCounts, shownRows } from '../../../app/quota/verdict.ts'
import { safePaceText } from '../../../app/status/allowance.ts'
import { countdownSeconds } from '../../../app/status/durations.ts'
import { gatewayStatus } from '../../../app/status/gateway-status.ts'
import { isServiceAway } from '../../../app/status/problem-status.ts'
import {
  deskText,
  isUnchecked,
  leftText,
  othersText,
  ownText,
  quotaStatus,
  rowNote,
  stateAt,
} from '../../../app/status/quota-status.ts'
import { unlistedText } from '../../../app/status/sentences.ts'
import { accessStatus, refreshStatus } from '../../../app/status/token-status.ts'
import { type Cell, duration, left, levelBar, paint, printable, right, type Tone } from './cells.ts'
import { eventLine } from './changes.ts'
import { deskRows } from './desk-rows.ts'
import {
  type FittedCell,
  fitAlike,
  fitHeight,
  fitWidth,
  headed,
  leaving,
  type WeighedLine,
  wrapped,
} from './fit.ts'
import { gatewayText, programCells, programHeading } from './program-rows.ts'
import {
  DESK_WIDTH,
  isFull,
  isSeen,
  shortAge,
  slotHeading,
  slotRow,
  streamHeading,
  streamRows,
  TONES,
  toneOf,
} from './stream-rows.ts'

/** The available space for a table, and whether it has colours. */
export interface TableOptions {
  /** The terminal's width in columns. Below 94, whole columns of the table are removed. */
  readonly columns: number
  /**
   * Number of available lines. Absent if unlimited. The least important lines are removed first, and a last
   * line says how many were removed.
   */
  readonly rows?: number
  readonly colour: boolean
}

/** The width, in terminal columns, that the complete table needs. */
const MIN_COLUMNS = 94
const MAX_BAR = 30
const LAST_EVENTS = 5
/**
 * In a terminal with fewer than `columns` columns, a row shows only the state, a short name and the remaining
 * requests. `state` and `category` are widths in columns.
 */
const NARROW = { columns: 60, state: 11, category: 14 } as const

/** If there are too many lines, those with the lowest weight are removed first. */
const WEIGHTS = {
  blank: 0,
  event: 1,
  unseen: 2,
  note: 3,
  stream: 4,
  slot: 5,
  events: 5.5,
  quota: 6,
  urgent: 7,
  newest: 7.5,
  head: 8,
} as const

/** If the columns are too wide, those with the highest number are removed first. */
const LEAVES = { category: 1, age: 2, pace: 3, full: 4, others: 5, own: 6, desk: 6, bar: 7 } as const

/** Widths of the columns with a fixed width, without the space before each column. */
const WIDTHS = { left: 12, own: 4, others: 7, pace: 9, full: 5, age: 5 } as const
/** Width of the state: `running out <10m`, or `running out 14:34–14:36` if there is room. */
const STATE = { least: 17, most: 23 } as const
const MIN_BAR = 8
const FIXED = Object.values(WIDTHS).reduce((sum, width) => sum + width + 1, 0)

/**
 * Renders the whole table as of `nowMs`, starting with the headline.
 *
 * Every number shows its source. `~` marks a number that was computed from an old header. A documented
 * default is dimmed and has a dash in place of a header's age.
 */
export function renderTable(
  snapshot: Snapshot,
  events: readonly LoggedEvent[],
  nowMs: number,
  { columns, rows: room = Number.POSITIVE_INFINITY, colour }: TableOptions,
): string {
  const { desk } = snapshot
  const hasDesk = desk !== undefined
  const fixed = hasDesk ? FIXED + DESK_WIDTH + 1 : FIXED
  const width = Math.max(MIN_COLUMNS + fixed - FIXED, columns)
  const category = Math.min(24, Math.max(18, ...snapshot.requests.map((quota) => quota.category.length)))
  const isNarrow = columns < NARROW.columns
  const longest = Math.max(0, ...snapshot.requests.map((quota) => stateText(quota, nowMs, STATE.most).length))
  const roomForState = width - fixed - category - MIN_BAR - 2
  const state = Math.max(STATE.least, Math.min(longest, roomForState))
  const layout: Layout = {
    width,
    desk,
    state: isNarrow ? NARROW.state : state,
    category: isNarrow ? NARROW.category : category,
    bar: Math.min(MAX_BAR, width - fixed - category - state - 2),
  }
  const recent = events.slice(-LAST_EVENTS)
  const inOneLine = (parts: readonly string[], tone: Tone) => [left(fitParts(parts, columns), width, tone)]
  const head = headline(snapshot, nowMs)
  const sections: readonly (readonly WeighedLine[])[] = [
    weighed(WEIGHTS.head, [
      // The headline is wrapped. A narrow terminal would otherwise cut off its end.
      ...wrapped(printable(head.headline), columns).map((text) => [
        left(text, columns, TONES[head.severity]),
      ]),
      ...causeLines(snapshot, nowMs).flatMap((text) =>
        wrapped(printable(text), columns).map((part) => [left(part, columns)]),
      ),
      inOneLine(serviceParts(snapshot, nowMs), 'bold'),
      inOneLine(tokenParts(snapshot, nowMs), toneOf(accessStatus(snapshot.access, nowMs).severity)),
      inOneLine(refreshParts(snapshot, nowMs), toneOf(refreshStatus(snapshot.refresh, nowMs).severity)),
    ]),
    [
      ...headed(
        requestHeading(layout),
        shownRows(snapshot.requests).map((quota) => ({
          cells: requestRow(quota, nowMs, layout),
          weight: weightOf(quota, URGENT.has(stateAt(quota, nowMs)) ? WEIGHTS.urgent : WEIGHTS.quota),
        })),
      ),
      ...weighed(WEIGHTS.note, countedRows(snapshot.requests, width)),
      ...unlistedRows(snapshot, 'requests', width),
    ],
    [
      ...headed(
        slotHeading(hasDesk),
        snapshot.slots.map((slot) => ({
          cells: slotRow(slot, nowMs, hasDesk),
          weight: weightOf(slot, isFull(slot) ? WEIGHTS.urgent : WEIGHTS.slot),
        })),
      ),
      ...unlistedRows(snapshot, 'slots', width),
    ],
    [
      ...headedBy([streamHeading(width), ...streamRows(snapshot.streams, nowMs, width)]),
      ...noteRow(reopenSentence(snapshot, nowMs), width),
      ...unlistedRows(snapshot, 'streams', width),
    ],
    programRows(snapshot, columns),
    weighed(WEIGHTS.stream, deskRows(snapshot, width)),
    // If there is too little room, older events are removed first, and the newest one stays without its
    // heading. Otherwise a low terminal would show no event.
    headed(
      [left('EVENTS', width, 'dim')],
      recent.map((event, at) => ({
        cells: eventRow(event, nowMs, width),
        weight: at === recent.length - 1 ? WEIGHTS.newest : WEIGHTS.event + at / 10,
      })),
      WEIGHTS.events,
    ),
  ]
  const lines = sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : [{ cells: [], weight: WEIGHTS.blank }, ...section]))
  return fitHeight(lines, room)
    .map(({ cells }) => line(fitWidth(cells, columns), colour))
    .join('\n')
}

/** The gateway and its programs. Empty while the gateway is off. */
function programRows(snapshot: Snapshot, columns: number): readonly WeighedLine[] {
  const { gateway, programs = [] } = snapshot
  if (gateway === undefined) return []
  const tone = TONES[gatewayStatus(gateway).severity]
  return [
    ...weighed(WEIGHTS.stream, [[left(gatewayText(gateway), columns, tone)]]),
    ...headedBy(fitAlike([programHeading(), ...programs.map(programCells)], columns)),
    ...unlistedRows(snapshot, 'programs', columns),
  ]
}

/** A line with the number of items that do not fit in the snapshot, if there are any. */
function unlistedRows(
  { unlisted }: Snapshot,
  of: keyof NonNullable<Snapshot['unlisted']>,
  width: number,
): readonly WeighedLine[] {
  return noteRow(unlistedText(unlisted?.[of]), width)
}

const noteRow = (text: string, width: number): readonly WeighedLine[] =>
  text === '' ? [] : weighed(WEIGHTS.note, [[left(text, width, 'dim')]])

const URGENT: ReadonlySet<QuotaState> = new Set(['low', 'running-out', 'empty', 'blocked'])

const weighed = (weight: number, lines: readonly (readonly FittedCell[])[]): readonly WeighedLine[] =>
  lines.map((cells) => ({ cells, weight }))

/** A heading and its lines. Each line weighs as much as a line of the streams. */
const headedBy = ([heading = [], ...lines]: readonly (readonly FittedCell[])[]): readonly WeighedLine[] =>
  headed(heading, weighed(WEIGHTS.stream, lines))

const weightOf = (quota: RequestQuota | SlotQuota, seen: number) => (isSeen(quota) ? seen : WEIGHTS.unseen)

interface Layout {
  readonly width: number
  /** `undefined` without a desk. The table then has no desk column. */
  readonly desk: DeskSummary | undefined
  readonly state: number
  readonly category: number
  readonly bar: number
}

function eventRow(event: LoggedEvent, nowMs: number, width: number): readonly FittedCell[] {
  return [right(`${duration(nowMs - event.at)} ago`, 9, 'dim'), left(eventLine(event), width - 10)]
}

function line(cells: readonly Cell[], colour: boolean): string {
  const last = cells.length - 1
  return cells
    .map((cell, index) => paint(index === last ? { ...cell, text: cell.text.trimEnd() } : cell, colour))
    .join(' ')
}

/** One line for each quota that also counts the requests of other categories. */
function countedRows(requests: readonly RequestQuota[], width: number): readonly (readonly FittedCell[])[] {
  const said = shownRows(requests).flatMap(({ category }) => {
    const also = alsoCounts(requests, category)
    return also.length === 0 ? [] : [`${category} also counts ${also.join(', ')}`]
  })
  return said.map((text) => [left(text, width, 'dim')])
}

function requestHeading({ state, category, bar: barWidth, desk }: Layout): readonly FittedCell[] {
  const { own, others, pace, full, age } = WIDTHS
  return [
    left('STATE', state, 'dim'),
    left('CATEGORY', category, 'dim'),
    leaving(left('', barWidth), LEAVES.bar),
    right('LEFT', WIDTHS.left, 'dim'),
    leaving(right('OWN', own, 'dim'), LEAVES.own),
    ...(desk ? [leaving(right('DESK', DESK_WIDTH, 'dim'), LEAVES.desk)] : []),
    leaving(right('OTHERS', others, 'dim'), LEAVES.others),
    leaving(right('SAFE', pace, 'dim'), LEAVES.pace),
    leaving(right('FULL', full, 'dim'), LEAVES.full),
    leaving(right('AGE', age, 'dim'), LEAVES.age),
  ]
}

function requestRow(quota: RequestQuota, nowMs: number, layout: Layout): readonly FittedCell[] {
  const { severity } = quotaStatus(quota, nowMs)
  const seen = quota.source !== 'default'
  const tone = TONES[severity]
  const until = (at: number | undefined) => (at === undefined || at <= nowMs ? '–' : duration(at - nowMs))
  const { own, others, pace, full, age } = WIDTHS
  return [
    left(stateText(quota, nowMs, layout.state), layout.state, tone),
    left(quota.category, layout.category, seen ? 'plain' : 'dim'),
    leaving(left(barOf(quota, layout.bar), layout.bar, tone), LEAVES.bar),
    right(`${leftText(quota, nowMs)}/${quota.limit}`, WIDTHS.left, seen ? 'plain' : 'dim'),
    leaving(right(ownText(quota), own), LEAVES.own),
    ...(layout.desk ? [leaving(right(deskText(quota, layout.desk), DESK_WIDTH), LEAVES.desk)] : []),
    leaving(right(othersText(quota), others), LEAVES.others),
    leaving(right(safeText(quota, nowMs), pace), LEAVES.pace),
    leaving(right(isUnchecked(quota, nowMs) ? '–' : until(quota.fullAt), full), LEAVES.full),
    leaving(right(shortAge(quota, nowMs), age, 'dim'), LEAVES.age),
  ]
}

/**
 * The bar of a quota: filled up to `low`, shaded up to `high`. A documented default is not measured, so it
 * gets a dashed line.
 */
function barOf({ source, limit, low, high }: RequestQuota, width: number): string {
  if (source === 'default') return '┄'.repeat(width)
  return limit > 0 ? levelBar(low / limit, width, high / limit) : levelBar(0, width)
}

/** The safe pace in short form: `1/1.9s`. After a 429, the time until the next try: `in 5m10s`. */
function safeText(quota: RequestQuota, nowMs: number): string {
  const { untilMs } = quotaStatus(quota, nowMs)
  return untilMs !== undefined && untilMs > nowMs
    ? `in ${retryIn(untilMs, nowMs)}`
    : safePaceText(quota, nowMs).replace('1 per ', '1/').replace(' s', 's')
}

const retryIn = (untilMs: number, nowMs: number): string =>
  duration(countdownSeconds(untilMs - nowMs, 'up') * 1000)

/** The state and its note in short form: `429 40s`. Without the note if it does not fit into `width`. */
function stateText(quota: RequestQuota, nowMs: number, width: number): string {
  const { label, untilMs } = quotaStatus(quota, nowMs)
  const note = rowNote(quota, nowMs)
  const isCountdown = untilMs !== undefined && /\d/.test(note)
  const countdown = isCountdown ? retryIn(untilMs, nowMs) : note
  const short = note.startsWith('within') ? '<10m' : countdown
  const text = `${label} ${short}`.trimEnd()
  return text.length <= width ? text : label
}

/** Maximum number of causes that get a line, not counting the headline's cause. */
const MAX_CAUSES = 3

/** One line per cause, with what to do and why. The cause in the headline comes first. */
function causeLines(snapshot: Snapshot, nowMs: number): readonly string[] {
  const [first, ...others] = keyFindings(snapshot, nowMs)
  if (first === undefined) return []
  return [
    [first.action, first.detail],
    ...others.slice(0, MAX_CAUSES).map(({ title, text, action, detail }) => [title, text, action, detail]),
  ].map((parts) => parts.filter(Boolean).join(' '))
}

/** Parts of the line about the key and its service. The reason for an outage can be long, so it is last. */
function serviceParts({ profile, service }: Snapshot, nowMs: number): readonly string[] {
  const { host, pending, retryAt, why } = service
  const key = `${profile.name} (${profile.environment})  ${host}`
  if (!isServiceAway(service)) return [key, ...(pending ? ['no response yet'] : [])]
  return [`${key} unreachable`, ...[triesText(retryAt, nowMs), why].filter((part) => part !== undefined)]
}

/** When the next attempt starts: `next try in 12s` or `retrying now`. `undefined` if the time is unknown. */
function triesText(retryAtMs: number | undefined, nowMs: number): string | undefined {
  if (retryAtMs === undefined) return undefined
  return retryAtMs <= nowMs ? 'retrying now' : `next try in ${duration(retryAtMs - nowMs)}`
}

/** Joins as many parts as fit into `columns`, starting with the first, which is always included. */
function fitParts([first = '', ...more]: readonly string[], columns: number): string {
  return more.reduce(
    (text, part) => {
      const longer = `${text}, ${part}`
      return longer.length <= columns ? longer : text
    },
    columns < NARROW.columns ? first.replace(/ +/g, ' ') : first,
  )
}

function tokenParts({ access }: Snapshot, nowMs: number): readonly string[] {
  const { label } = accessStatus(access, nowMs)
  const first = `access token   ${label}`
  if (label !== 'valid') return [first]
  const { expiresAt, refreshAt } = access
  return [
    first,
    ...(expiresAt === undefined ? [] : [`ends in ${duration(expiresAt - nowMs)}`]),
    ...(refreshAt === undefined ? [] : [`next refresh in ${duration(refreshAt - nowMs)}`]),
  ]
}

/**
 * The parts of the line about the refresh token. A narrow terminal cuts off the later parts, so the part that
 * may need a person's action comes first.
 */
function refreshParts({ refresh }: Snapshot, nowMs: number): readonly string[] {
  const parts = [`refresh token  ${refreshStatus(refresh, nowMs).label}`]
  if (refresh.reason !== undefined) parts.push(refresh.reason)
  // After the sign-in has ended, neither its end time nor the token's rotation is shown.
  const isAlive = refresh.state === 'valid' || refresh.state === 'unconfirmed'
  if (isAlive && refresh.endsAt !== undefined) {
    const leftMs = refresh.endsAt - nowMs
    parts.push(leftMs > 0 ? `sign-in ends in ${duration(leftMs)}` : 'sign-in overdue')
  }
  const next = triesText(refresh.retryAt, nowMs)
  if (next !== undefined) parts.push(next)
  if (isAlive && refresh.rotating && refresh.rotatesBy !== undefined) {
    parts.push(`rotates within ${duration(refresh.rotatesBy - nowMs)}`)
  }
  parts.push(refresh.stored === 'sealed' ? 'encrypted on disk' : 'in memory only')
  return parts
}
