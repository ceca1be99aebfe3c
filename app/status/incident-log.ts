import type { LoggedEvent } from '../contract/events.ts'
import { type EventSentence, type EventStyle, eventSentence, streamChange } from './event-sentence.ts'
import { countText, listText, rateText } from './rates.ts'
import { mostUrgent } from './severity.ts'
import { streamName } from './stream-status.ts'

/** One line of the log: an event, or several of one kind in one second. */
export interface IncidentLine extends EventSentence {
  /** The events behind it, the worst first; never empty. */
  readonly events: readonly [LoggedEvent, ...LoggedEvent[]]
  /** When it began, epoch ms. */
  readonly at: number
  /** When it ended, epoch ms; absent while it lasts, and of what has no length. */
  readonly endedAt?: number
  /** The events that ended it; they are no lines of their own. Empty while it lasts. */
  readonly ends: readonly LoggedEvent[]
  /** Whether it is of a kind that lasts and has not ended. */
  readonly isOpen: boolean
}

/**
 * The lines of a log, newest first, from events in any order.
 *
 * Events of one kind in one second are one line, the worst first in it; a refused refresh and the sign-in that it asks for
 * are one; use by others, an unreachable service, refused requests, a silent stream and a needed sign-in have an end once it
 * was told, and that end is part of their line.
 */
export function incidentLines(
  events: readonly LoggedEvent[],
  style: EventStyle = {},
): readonly IncidentLine[] {
  const groups = new Map<string, [LoggedEvent, ...LoggedEvent[]]>()
  for (const event of withoutAbsorbed(events)) {
    const key = `${event.profile}\n${Math.floor(event.at / 1000)}\n${groupOf(event)}`
    const group = groups.get(key)
    if (group) group.push(event)
    else groups.set(key, [event])
  }
  const lines = [...groups.values()].map((group) => lineOf(group, events, style))
  const ends = new Set(lines.flatMap((line) => line.ends))
  return lines
    .filter((line) => !line.events.every((event) => ends.has(event)))
    .sort((a, b) => b.at - a.at || seqOf(b) - seqOf(a))
}

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
    case 'stream-opened':
    case 'stream-silent':
    case 'stream-resumed':
    case 'elsewhere':
    case 'elsewhere-ended':
      return event.kind
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
  style: EventStyle,
): IncidentLine {
  const events = group.toSorted((a, b) => weightOf(b) - weightOf(a)) as [LoggedEvent, ...LoggedEvent[]]
  const [first] = events
  const at = Math.min(...events.map((event) => event.at))
  const sentences = events.map((event) => eventSentence(event, style))
  const { requestId } = sentences.find((sentence) => sentence.requestId !== undefined) ?? {}
  const severity = mostUrgent(sentences)?.severity ?? 'unseen'
  const ends = lasts(first) ? events.map((event) => endOf(event, all)) : []
  const known = ends.filter((end) => end !== undefined)
  const isOver = ends.length > 0 && known.length === ends.length
  const endedAt = isOver ? Math.max(...known.map((end) => end.at)) : undefined
  return {
    events,
    at,
    severity,
    text: events.length === 1 ? eventSentence(first, style).text : groupText(events),
    ...(requestId !== undefined && { requestId }),
    ...(endedAt !== undefined && { endedAt }),
    ends: isOver ? known : [],
    isOpen: ends.length > 0 && !isOver,
  }
}

const weightOf = (event: LoggedEvent): number => ('perSecond' in event ? event.perSecond : 0)

function groupText(events: readonly [LoggedEvent, ...LoggedEvent[]]): string {
  const [first] = events
  const count = events.length
  const rates = events.flatMap((event) =>
    'perSecond' in event ? `${event.category} ${rateText(event.perSecond)}` : [],
  )
  switch (first.kind) {
    case 'elsewhere':
      return `Others are active on ${countText(count, 'quota')}: ${rates.join(', ')}`
    case 'elsewhere-ended':
      return `Others stopped on ${countText(count, 'quota')}: ${rates.join(', ')}`
    case 'stream-opened':
      return `${countText(count, 'stream')} opened`
    case 'stream-restarted':
      return `${countText(count, 'stream')} ${streamChange('restarted', first.reason)}`
    case 'stream-closed':
      return `${countText(count, 'stream')} ${streamChange('closed', first.reason)}`
    case 'stream-silent':
      return `${countText(count, 'stream')} silent: ${listText(namesOf(events))}`
    case 'stream-resumed':
      return `${countText(count, 'stream')} ${count === 1 ? 'brings' : 'bring'} data again: ${listText(namesOf(events))}`
    case 'requests-refused':
      return `${countText(count, 'quota')} refused (${first.status}): ${listText(categoriesOf(events))}`
    case 'requests-answered':
      return `${countText(count, 'quota')} answer again after ${first.status}: ${listText(categoriesOf(events))}`
    case 'program-refused':
      return `${first.program} refused by Headroom in ${countText(count, 'quota')}: ${listText(categoriesOf(events))}`
    default:
      // Several refusals of one category: the request id of each is in the details.
      return eventSentence(first).text
  }
}

const categoriesOf = (events: readonly LoggedEvent[]): readonly string[] =>
  events.flatMap((event) => ('category' in event ? event.category : []))

/** How many streams of a line are named. */
const MAX_NAMED = 3

const namesOf = (events: readonly LoggedEvent[]): readonly string[] => {
  const names = events.flatMap((event) => ('target' in event ? streamName(event) : []))
  return names.length <= MAX_NAMED
    ? names
    : [...names.slice(0, MAX_NAMED - 1), `${names.length - MAX_NAMED + 1} more`]
}

/** Kinds that begin something whose end is an event too. */
const LASTING: ReadonlySet<LoggedEvent['kind']> = new Set([
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
