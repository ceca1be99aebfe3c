import type { LoggedEvent } from '../contract/events.ts'
import { mostUrgent, urgencyOf } from '../contract/severity.ts'
import { type EventSentence, type EventStyle, eventSentence } from './event-sentence.ts'
import { groupWords, overWords } from './incident-words.ts'

/** One event of several that are one line. */
export interface IncidentPart {
  /** Epoch ms. */
  readonly at: number
  readonly text: string
}

/** One line of the log: an event, or several of one kind in one second, or all use by others that lasts. */
export interface IncidentLine extends EventSentence {
  /** The events behind it, the worst first; never empty. */
  readonly events: readonly [LoggedEvent, ...LoggedEvent[]]
  /** When it began, epoch ms. */
  readonly at: number
  /** When it ended, epoch ms; absent while it lasts, and of what has no length that was recorded. */
  readonly endedAt?: number
  /** Each event of a line of several in its own words, the worst first; absent of one event. */
  readonly parts?: readonly IncidentPart[]
  /** The events that ended it; they are no lines of their own. Empty while it lasts. */
  readonly ends: readonly LoggedEvent[]
  /** Whether it is of a kind that lasts and has not ended. */
  readonly isOpen: boolean
}

/** What decides, beside the events, what lasts. */
export interface LogStyle extends EventStyle {
  /** Epoch ms. A 429 whose wait is over by then, and that no answer followed, is not open: whether it lasts is not known. */
  readonly nowMs?: number
  /** When this run of the app began, epoch ms. What began before and has no end was not seen to end; it is not open. */
  readonly runSinceMs?: number
  /** The rows whose state is critical now, by category: a quota that is short may have become so since it was told. */
  readonly criticalRows?: ReadonlySet<string>
}

/**
 * The lines of a log, the open ones first and the worst of them on top, then newest first, from events in any order.
 *
 * Events of one kind in one second are one line, the worst first in it, and so is all use by others that lasts; a refused
 * refresh and the sign-in that it asks for are one; a 429, a quota that is short, use by others, an unreachable service,
 * refused requests, a silent stream and a needed sign-in have an end once it was told, and that end is part of their line.
 * What is over is no longer a matter of concern, whatever it was while it lasted.
 */
export function incidentLines(events: readonly LoggedEvent[], style: LogStyle = {}): readonly IncidentLine[] {
  const groups = new Map<string, [LoggedEvent, ...LoggedEvent[]]>()
  for (const event of withoutAbsorbed(events)) {
    const isOfOne = event.kind === 'elsewhere' && mayLast(event, style) && endOf(event, events) === undefined
    const second = isOfOne ? 'open' : Math.floor(event.at / 1000)
    const key = `${event.profile}\n${second}\n${groupOf(event)}`
    const group = groups.get(key)
    if (group) group.push(event)
    else groups.set(key, [event])
  }
  const lines = [...groups.values()].map((group) => lineOf(group, events, style))
  const ends = new Set(lines.flatMap((line) => line.ends))
  return lines
    .filter((line) => !line.events.every((event) => ends.has(event) && !lasts(event)))
    .sort((a, b) => openUrgencyOf(b) - openUrgencyOf(a) || b.at - a.at || seqOf(b) - seqOf(a))
}

/** What comes first in the log: more is worse, and nothing that is over is worse than anything else. */
const openUrgencyOf = ({ isOpen, severity }: IncidentLine): number => (isOpen ? 1 + urgencyOf(severity) : 0)

const seqOf = ({ events: [first] }: IncidentLine): number => first.seq

/** What has to be alike, beside the second, for two events to be one line. */
function groupOf(event: LoggedEvent): string {
  switch (event.kind) {
    case 'stream-restarted':
    case 'stream-closed':
      return `${event.kind} ${event.reason}`
    case 'rate-limited':
    case 'slots-exhausted':
      return `${event.kind} ${event.category}`
    case 'program-refused':
      return `${event.kind} ${event.program}`
    case 'requests-refused':
    case 'requests-answered':
      return `${event.kind} ${event.status}`
    case 'quota-short':
    case 'quota-short-ended':
      return `${event.kind} ${event.state}`
    case 'stream-opened':
    case 'stream-silent':
    case 'stream-resumed':
    case 'elsewhere':
    case 'elsewhere-ended':
      return event.kind
    case 'rate-limit-over':
    case 'token-refreshed':
    case 'token-refresh-failed':
    case 'sign-in-required':
    case 'sign-in-due':
    case 'signed-in':
    case 'revoked':
    case 'revoke-unconfirmed':
    case 'service-unreachable':
    case 'service-back':
    case 'storage-problem':
    case 'window-admitted':
    case 'program-cut':
    case 'gateway-on':
    case 'gateway-off':
      // Each of these says something of its own.
      return `${event.kind} ${event.seq}`
  }
}

/** How long after a refused refresh the sign-in that it asks for is told, in milliseconds. */
const ABSORBED_WITHIN_MS = 1_000

/** Without refused refreshes that are told again as a sign-in that is needed. */
function withoutAbsorbed(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const required = events.filter(({ kind }) => kind === 'sign-in-required')
  if (required.length === 0) return events
  return events.filter(
    (event) =>
      event.kind !== 'token-refresh-failed' ||
      (event.outcome !== 'refused' && event.outcome !== 'misconfigured') ||
      !required.some(
        ({ profile, at }) => profile === event.profile && Math.abs(at - event.at) <= ABSORBED_WITHIN_MS,
      ),
  )
}

function lineOf(
  group: [LoggedEvent, ...LoggedEvent[]],
  all: readonly LoggedEvent[],
  style: LogStyle,
): IncidentLine {
  const events = group.toSorted((a, b) => weightOf(b) - weightOf(a)) as [LoggedEvent, ...LoggedEvent[]]
  const [first] = events
  const at = Math.min(...events.map(beganAt))
  const sentences = events.map((event) => eventSentence(event, style))
  const { requestId } = sentences.find((sentence) => sentence.requestId !== undefined) ?? {}
  const isCritical = events.some(
    (event) => event.kind === 'quota-short' && style.criticalRows?.has(event.category),
  )
  const severity = isCritical ? 'critical' : (mostUrgent(sentences)?.severity ?? 'unknown')
  const ends = lasts(first) ? events.map((event) => endOf(event, all)) : []
  const known = ends.filter((end) => end !== undefined)
  const isOver = ends.length > 0 && known.length === ends.length
  const endedAt = isOver ? Math.max(...known.map((end) => end.at)) : finishedAt(events)
  const isOpen = ends.length > 0 && !isOver && events.some((event) => mayLast(event, style))
  const words = events.length === 1 ? eventSentence(first, style) : groupWords(events, severity, style)
  return {
    ...(isOver ? overWords(words, events, known) : { ...words, severity }),
    events,
    at,
    ...(requestId !== undefined && { requestId }),
    ...(endedAt !== undefined && { endedAt }),
    ...(events.length > 1 && {
      parts: sentences.map(({ text }, index) => ({ at: events[index]?.at ?? at, text })),
    }),
    ends: isOver ? known : [],
    isOpen,
  }
}

/** When what an event tells the end of began, where that was recorded; else when it was told. Epoch ms. */
function beganAt(event: LoggedEvent): number {
  if (event.kind === 'token-refreshed') return event.at - (event.tookMs ?? 0)
  return event.kind === 'stream-restarted' ? Math.min(event.at, event.since ?? event.at) : event.at
}

/** When events that tell of something finished were told; `undefined` of those whose beginning was not recorded. */
function finishedAt(events: readonly LoggedEvent[]): number | undefined {
  const finished = events.filter(
    (event) =>
      (event.kind === 'token-refreshed' && event.tookMs !== undefined) ||
      (event.kind === 'stream-restarted' && event.since !== undefined),
  )
  return finished.length === 0 ? undefined : Math.max(...finished.map(({ at }) => at))
}

/** Whether what an event without an end began may last still. */
function mayLast(event: LoggedEvent, { nowMs, runSinceMs }: LogStyle): boolean {
  if (runSinceMs !== undefined && event.at < runSinceMs) return false
  if (event.kind !== 'rate-limited' || nowMs === undefined) return true
  return event.nextTryAt !== undefined || event.retryAt > nowMs
}

const weightOf = (event: LoggedEvent): number => ('perSecond' in event ? event.perSecond : 0)

/** Kinds that begin something whose end is an event too. */
const LASTING: ReadonlySet<LoggedEvent['kind']> = new Set([
  'rate-limited',
  'quota-short',
  'elsewhere',
  'service-unreachable',
  'requests-refused',
  'stream-silent',
  'sign-in-required',
])

const lasts = ({ kind }: LoggedEvent): boolean => LASTING.has(kind)

/** The event that ended what another began; `undefined` while it lasts. */
function endOf(begun: LoggedEvent, all: readonly LoggedEvent[]): LoggedEvent | undefined {
  return all
    .filter((event) => event.profile === begun.profile && event.at >= begun.at && isEndOf(event, begun))
    .reduce<LoggedEvent | undefined>(
      (first, event) => (first === undefined || event.at < first.at ? event : first),
      undefined,
    )
}

function isEndOf(event: LoggedEvent, begun: LoggedEvent): boolean {
  switch (begun.kind) {
    case 'rate-limited':
      return event.kind === 'rate-limit-over' && event.category === begun.category
    case 'quota-short':
      return (
        (event.kind === 'quota-short-ended' ||
          (event.kind === 'quota-short' && event.state !== begun.state)) &&
        event.category === begun.category
      )
    case 'elsewhere':
      return event.kind === 'elsewhere-ended' && event.category === begun.category
    case 'service-unreachable':
      return event.kind === 'service-back' && event.host === begun.host
    case 'stream-silent':
      return (
        (event.kind === 'stream-resumed' || event.kind === 'stream-closed') && event.stream === begun.stream
      )
    case 'sign-in-required':
      return event.kind === 'signed-in'
    case 'requests-refused':
      // One end is told for all rows of a status that concerns the whole key; a row may end with another status than it began.
      return (
        event.kind === 'requests-answered' &&
        (event.category === begun.category || (event.status === begun.status && event.since <= begun.at))
      )
    default:
      return false
  }
}
