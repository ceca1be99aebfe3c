import type { LoggedEvent } from '../contract/events.ts'
import { urgencyOf } from '../contract/severity.ts'
import { alikeAs, type EventSentence, eventSentence, lineSentence } from './event-sentence.ts'
import type { EventStyle } from './messages/event-words.ts'
import { beginsCondition, ConditionTracker } from './tracker.ts'

/** One event of several that are one line. */
export interface IncidentPart {
  /** Epoch ms. */
  readonly at: number
  readonly text: string
}

/**
 * One line of the log: a condition from its beginning to its end, an event, or several of one kind in one
 * second.
 */
export interface IncidentLine extends EventSentence {
  /** The events behind it, the worst first; never empty. */
  readonly events: readonly [LoggedEvent, ...LoggedEvent[]]
  /** When it began, epoch ms. */
  readonly at: number
  /** When it ended, epoch ms; absent while it lasts, and of what has no length that was recorded. */
  readonly endedAt?: number
  /** Each event of a line of several in its own words, the worst first; absent of one event. */
  readonly parts?: readonly IncidentPart[]
  /** The events that ended it, the last time or before it began again. */
  readonly ends: readonly LoggedEvent[]
  /** Whether it lasts. */
  readonly isOpen: boolean
}

/** What decides, beside the events, what lasts. */
export interface LogStyle extends EventStyle {
  /**
   * Epoch ms. A 429 whose wait is over by then, and that no answer followed, is not open: whether it lasts is
   * not known.
   */
  readonly nowMs?: number
  /**
   * When this run of the app began, epoch ms. What began before and has no end was not seen to end; it is not
   * open.
   */
  readonly runSinceMs?: number
  /**
   * The rows whose state is critical now, by category: a quota that is short may have become so since it was
   * told.
   */
  readonly criticalRows?: ReadonlySet<string>
}

/** How much later than its consequence a cause may be told. Milliseconds. */
const FOUND_WITHIN_MS = 1_000

/**
 * Whether an event follows from one that is a line already: a refresh that was not sent, from its unreachable
 * host, and a 401, from the end of the sign-in.
 */
function isExplainedBy({ event, at }: Happened, cause: Happened): boolean {
  const follows =
    (event.kind === 'token-refresh-failed' &&
      event.outcome === 'not-sent' &&
      cause.event.kind === 'service-unreachable') ||
    (event.kind === 'requests-refused' && event.status === 401 && cause.event.kind === 'sign-in-required')
  return (
    follows &&
    event.profile === cause.event.profile &&
    cause.at - at <= FOUND_WITHIN_MS &&
    (cause.endedAt === undefined || cause.endedAt >= at)
  )
}

/** What becomes one line, or a part of one: an event, or all events of one condition. */
interface Happened {
  /** The last of those that began or repeated it. */
  readonly event: LoggedEvent
  readonly begins: readonly LoggedEvent[]
  readonly ends: readonly LoggedEvent[]
  readonly at: number
  readonly endedAt: number | undefined
  readonly isOpen: boolean
}

/**
 * The lines of a log, the open ones first and the worst of them on top, then newest first, from events in any
 * order.
 */
export function incidentLines(events: readonly LoggedEvent[], style: LogStyle = {}): readonly IncidentLine[] {
  const happened = [...Map.groupBy(identified(events), keyOf).values()].map((of) => happenedOf(of, style))
  const lines = happened.filter((one) => !happened.some((cause) => isExplainedBy(one, cause)))
  return [...Map.groupBy(lines, lineKeyOf).values()]
    .map((of) => lineOf(of, style))
    .sort((a, b) => openUrgencyOf(b) - openUrgencyOf(a) || b.at - a.at || seqOf(b) - seqOf(a))
}

/** The events in order of time, those of an older history with the ids that they would have today. */
function identified(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const trackers = new Map<string, ConditionTracker>()
  return events
    .toSorted((a, b) => a.at - b.at || a.seq - b.seq)
    .map((event) => {
      if (event.id !== undefined) return event
      const tracker = trackers.get(event.profile) ?? new ConditionTracker()
      trackers.set(event.profile, tracker)
      const { id, count } = tracker.told(event, event.at) ?? {}
      return { ...event, ...(id !== undefined && { id }), ...(count !== undefined && { count }) }
    })
}

const keyOf = ({ id, profile, seq, at }: LoggedEvent): string =>
  id === undefined ? `${profile}\n${seq} ${at}` : `${profile}\n${id}`

function happenedOf(events: readonly LoggedEvent[], style: LogStyle): Happened {
  const begins = events.filter(beginsCondition)
  const event = begins.at(-1) ?? events.at(-1)
  if (event === undefined) throw new Error('a group has an event')
  const last = events.at(-1)
  const ends = begins.length === 0 ? [] : events.filter((one) => !beginsCondition(one))
  const isOver = ends.length > 0 && last === ends.at(-1)
  return {
    event,
    begins: begins.length === 0 ? [event] : begins,
    ends,
    at: Math.min(...events.map(beganAt)),
    endedAt: isOver ? last?.at : finishedAt(event),
    isOpen: begins.length > 0 && !isOver && mayLast(event, style),
  }
}

/** What is one line: events of a kind that began in one second, and all use by others that lasts. */
function lineKeyOf({ event, at, isOpen }: Happened): string {
  const alike = alikeAs(event)
  const second = event.kind === 'elsewhere' && isOpen ? '' : Math.floor(at / 1000)
  return `${event.profile}\n${second} ${isOpen}\n${alike ?? `${event.kind} ${event.seq}`}`
}

function lineOf(group: readonly Happened[], style: LogStyle): IncidentLine {
  const sorted = group.toSorted((a, b) => weightOf(b.event) - weightOf(a.event))
  const events = sorted.map(({ event }) => event) as [LoggedEvent, ...LoggedEvent[]]
  const isOpen = group.some((one) => one.isOpen)
  const ended = group.flatMap(({ endedAt }) => endedAt ?? [])
  const isWhole = ended.length === group.length
  const ends = group.flatMap((one) => one.ends)
  const isOver = isWhole && !isOpen && ends.length > 0
  const count = Math.max(
    ...events.map((event) => event.count ?? 1),
    ...ends.flatMap((end) => (end.kind === 'rate-limit-over' ? end.refused : [])),
  )
  const words = lineSentence(events, { style, count, ...(isOver && { ends }) })
  const isCritical =
    isOpen && events.some((event) => event.kind === 'quota-short' && style.criticalRows?.has(event.category))
  const all = sorted.flatMap(({ begins }) => begins)
  const requestId = all.map((event) => eventSentence(event, style).requestId).find((id) => id !== undefined)
  return {
    ...words,
    severity: isCritical ? 'critical' : words.severity,
    ...(requestId !== undefined && { requestId }),
    events: all as [LoggedEvent, ...LoggedEvent[]],
    at: Math.min(...group.map((one) => one.at)),
    ...(isWhole && !isOpen && { endedAt: Math.max(...ended) }),
    ...(all.length > 1 && {
      parts: all.map((event) => ({ at: event.at, text: eventSentence(event, style).text })),
    }),
    ends,
    isOpen,
  }
}

/** What comes first in the log: more is worse, and nothing that is over is worse than anything else. */
const openUrgencyOf = ({ isOpen, severity }: IncidentLine): number => (isOpen ? 1 + urgencyOf(severity) : 0)

const seqOf = ({ events: [first] }: IncidentLine): number => first.seq

const weightOf = (event: LoggedEvent): number => ('perSecond' in event ? event.perSecond : 0)

/** When what an event tells the end of began, where that was recorded; else when it was told. Epoch ms. */
function beganAt(event: LoggedEvent): number {
  if (event.kind === 'token-refreshed') return event.at - (event.tookMs ?? 0)
  return event.kind === 'stream-restarted' ? Math.min(event.at, event.since ?? event.at) : event.at
}

/**
 * When an event that tells of something finished was told; `undefined` of one whose beginning was not
 * recorded.
 */
function finishedAt(event: LoggedEvent): number | undefined {
  const isFinished =
    (event.kind === 'token-refreshed' && event.tookMs !== undefined) ||
    (event.kind === 'stream-restarted' && event.since !== undefined)
  return isFinished ? event.at : undefined
}

/** Whether what an event without an end began may last still. */
function mayLast(event: LoggedEvent, { nowMs, runSinceMs }: LogStyle): boolean {
  if (runSinceMs !== undefined && event.at < runSinceMs) return false
  if (event.kind !== 'rate-limited' || nowMs === undefined) return true
  return event.nextTryAt !== undefined || event.retryAt > nowMs
}
