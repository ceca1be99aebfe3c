import type { LoggedEvent } from '../contract/events.ts'
import { urgencyOf } from '../contract/severity.ts'
import type { Snapshot } from '../contract/snapshot.ts'
import { conditionsOf } from './evaluate.ts'
import { alikeAs, type EventSentence, eventSentence, lineSentence } from './event-sentence.ts'
import type { EventStyle } from './messages/event-words.ts'
import { beginsCondition, ConditionTracker } from './tracker.ts'

/** One of several events that share a line. */
export interface IncidentPart {
  /** Epoch ms. */
  readonly at: number
  readonly text: string
}

/**
 * One line of the log. It shows a lasting condition, a single event, or several events of one kind within a
 * second.
 */
export interface IncidentLine extends EventSentence {
  /** The events of the line, worst first. Never empty. */
  readonly events: readonly [LoggedEvent, ...LoggedEvent[]]
  /** Start, epoch ms. */
  readonly at: number
  /** End, epoch ms. Absent while the condition lasts or if no duration was recorded. */
  readonly endedAt?: number
  /** The events of a shared line, each with its own text, worst first. Absent for a single event. */
  readonly parts?: readonly IncidentPart[]
  /** Events that ended the condition. There may be several, because the condition may have begun again. */
  readonly ends: readonly LoggedEvent[]
  /** Whether the condition still lasts. */
  readonly isOpen: boolean
}

/**
 * Facts that events lack. With them, the log shows whether a condition is still open and whether it is
 * critical.
 */
export interface LogStyle extends EventStyle {
  /**
   * The present time, epoch ms. A 429 whose wait ended before this time is not shown as open. Only the next
   * response will show whether 429s continue.
   */
  readonly nowMs?: number
  /**
   * Start of this run of the app, epoch ms. An older condition may have ended while the app was not running,
   * so it is not shown as open even if no end was recorded.
   */
  readonly runSinceMs?: number
  /** Whether all calls fail now. A condition in `TRAFFIC` may then have ended, so it is not shown as open. */
  readonly isStopped?: boolean
  /**
   * Categories and hosts that are critical now. Some become critical only after their event. For example, an
   * unreachable sign-in host becomes critical when the access token expires.
   */
  readonly critical?: ReadonlySet<string>
}

/** The rows and hosts of a key that are critical at `nowMs`, epoch ms. See `LogStyle.critical`. */
export function criticalSubjects(snapshot: Snapshot, nowMs: number): readonly string[] {
  const { roots, consequences } = conditionsOf(snapshot, nowMs)
  const critical = [...roots, ...consequences].filter(({ severity }) => severity === 'critical')
  const host = (kind: string) =>
    kind === 'sign-in-host-gone' || kind === 'hosts-unreachable' ? snapshot.signInHost?.host : undefined
  return critical.flatMap(({ kind, subject }) => subject ?? host(kind) ?? [])
}

/** Maximum delay between a consequence and the report of its cause. Milliseconds. */
const FOUND_WITHIN_MS = 1_000

/**
 * Maximum time from a silent stream or a 401 to the report of the unreachable host that caused it. The time
 * is long, because Headroom notices an unreachable host only by sending a request. Milliseconds.
 */
const UNREACHABLE_WITHIN_MS = 60_000

/**
 * Whether `cause` explains an event, so that the event needs no line of its own. Causes and explained events:
 * - an unreachable host: a refresh that was not sent;
 * - an unreachable service: silent streams;
 * - an unreachable sign-in host: 401s, because the access token expires and can't be refreshed;
 * - a required sign-in: 401s.
 */
function isExplainedBy({ event, at, endedAt }: Happened, cause: Happened): boolean {
  const isRejected = event.kind === 'requests-refused' && event.status === 401
  const isAway = cause.event.kind === 'service-unreachable'
  const servesCalls = isAway && cause.event.serves === 'calls'
  const isSlowToFind = isAway && (servesCalls ? event.kind === 'stream-silent' : isRejected)
  const follows =
    isSlowToFind ||
    (isAway && event.kind === 'token-refresh-failed' && event.outcome === 'not-sent') ||
    (isRejected && cause.event.kind === 'sign-in-required')
  return (
    follows &&
    event.profile === cause.event.profile &&
    cause.at - at <= (isSlowToFind ? UNREACHABLE_WITHIN_MS : FOUND_WITHIN_MS) &&
    cause.at <= (endedAt ?? Number.POSITIVE_INFINITY) &&
    (cause.endedAt === undefined || cause.endedAt >= at)
  )
}

/** A single event, or all events of one condition. Has a line of the log, or shares one. */
interface Happened {
  /** The latest event that began or repeated the condition. */
  readonly event: LoggedEvent
  readonly begins: readonly LoggedEvent[]
  readonly ends: readonly LoggedEvent[]
  readonly at: number
  readonly endedAt: number | undefined
  readonly isOpen: boolean
}

/**
 * The lines of a log, from events in any order. Open lines come first, worst at the top. Ended lines
 * follow, newest first.
 */
export function incidentLines(events: readonly LoggedEvent[], style: LogStyle = {}): readonly IncidentLine[] {
  const happened = [...Map.groupBy(identified(events), keyOf).values()].map((of) => happenedOf(of, style))
  const lines = happened.filter((one) => !happened.some((cause) => isExplainedBy(one, cause)))
  return [...Map.groupBy(lines, lineKeyOf).values()]
    .map((of) => lineOf(of, style))
    .sort((a, b) => openUrgencyOf(b) - openUrgencyOf(a) || b.at - a.at || seqOf(b) - seqOf(a))
}

/** Sorts events by time. Gives condition ids to events of older versions, which have none. */
function identified(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const trackers = new Map<string, ConditionTracker>()
  return events
    .toSorted((a, b) => a.at - b.at || a.seq - b.seq)
    .map((event) => {
      if (event.id !== undefined) return event
      const tracker = trackers.get(event.profile) ?? new ConditionTracker()
      trackers.set(event.profile, tracker)
      const { id, count } = tracker.eventOf(event, event.at) ?? {}
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

/**
 * Identifies the line of an event. Events of a kind that began within one second share a line. All open
 * incidents about others' use share one line.
 */
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
  const isCritical = isOpen && events.some((event) => style.critical?.has(worseningSubject(event)))
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

/** The row or host of a condition that may become critical while open. Empty for any other condition. */
function worseningSubject(event: LoggedEvent): string {
  if (event.kind === 'quota-short') return event.category
  return event.kind === 'service-unreachable' ? event.host : ''
}

/** Rank in the log: higher is more urgent, and 0 is an ended line. */
const openUrgencyOf = ({ isOpen, severity }: IncidentLine): number => (isOpen ? 1 + urgencyOf(severity) : 0)

const seqOf = ({ events: [first] }: IncidentLine): number => first.seq

const weightOf = (event: LoggedEvent): number => ('perSecond' in event ? event.perSecond : 0)

/**
 * For a refreshed token, when the refresh began. For a restarted stream, when its interruption began. For any
 * other event, the event's own time. Epoch ms.
 */
function beganAt(event: LoggedEvent): number {
  if (event.kind === 'token-refreshed') return event.at - (event.tookMs ?? 0)
  return event.kind === 'stream-restarted' ? Math.min(event.at, event.since ?? event.at) : event.at
}

/**
 * End time of a refresh or of a stream's interruption. `undefined` for other events, or if no start was
 * recorded.
 */
function finishedAt(event: LoggedEvent): number | undefined {
  const isFinished =
    (event.kind === 'token-refreshed' && event.tookMs !== undefined) ||
    (event.kind === 'stream-restarted' && event.since !== undefined)
  return isFinished ? event.at : undefined
}

/** Events of conditions that only responses show, such as the rate of other programs. */
const TRAFFIC: ReadonlySet<LoggedEvent['kind']> = new Set([
  'elsewhere',
  'rate-limited',
  'quota-short',
  'slots-exhausted',
])

/** Whether a condition without a recorded end may still be open. */
function mayLast(event: LoggedEvent, { nowMs, runSinceMs, isStopped }: LogStyle): boolean {
  if (runSinceMs !== undefined && event.at < runSinceMs) return false
  if (isStopped && TRAFFIC.has(event.kind)) return false
  if (event.kind !== 'rate-limited' || nowMs === undefined) return true
  return event.nextTryAt !== undefined || event.retryAt > nowMs
}
