import type { LoggedEvent } from '../contract/events.ts'
import { sinceText } from './durations.ts'
import { type EventSentence, type EventStyle, eventSentence } from './event-sentence.ts'
import { clockText } from './moments.ts'
import { countText, listText, rateText } from './rates.ts'
import { mostUrgent } from './severity.ts'

/** One line of the log: an event, or several of one kind in one second. */
export interface IncidentLine extends EventSentence {
  /** The events behind it, the worst first; never empty. */
  readonly events: readonly [LoggedEvent, ...LoggedEvent[]]
  /** When it began, epoch ms. */
  readonly at: number
  /** When it ended, epoch ms; absent while it lasts, and of what has no length. */
  readonly endedAt?: number
  /** Whether it is of a kind that lasts and has not ended. */
  readonly isOpen: boolean
}

/**
 * The lines of a log, newest first, from events in any order.
 *
 * Events of one kind in one second are one line, the worst first in it; a refused refresh and the sign-in that it asks for
 * are one; use by others, an unreachable service and refused requests have an end once it was told.
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
  return [...groups.values()]
    .map((group) => lineOf(group, events, style))
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
    case 'elsewhere':
    case 'elsewhere-ended':
      return event.kind
    case 'token-refreshed':
    case 'token-refresh-failed':
    case 'sign-in-required':
    case 'sign-in-due':
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
  const isOver = ends.length > 0 && ends.every((end) => end !== undefined)
  const endedAt = isOver ? Math.max(...ends.map((end) => end ?? at)) : undefined
  const ended = endedAt === undefined ? '' : ` · until ${clockText(endedAt)} (${sinceText(at, endedAt)})`
  return {
    events,
    at,
    severity,
    text: `${events.length === 1 ? eventSentence(first, style).text : groupText(events)}${ended}`,
    ...(requestId !== undefined && { requestId }),
    ...(endedAt !== undefined && { endedAt }),
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
      return `${countText(count, 'stream')} restarted · ${first.reason}`
    case 'stream-closed':
      return `${countText(count, 'stream')} closed · ${first.reason}`
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

/** Whether an event is the beginning of something whose end is an event too. */
const lasts = ({ kind }: LoggedEvent): boolean =>
  kind === 'elsewhere' || kind === 'service-unreachable' || kind === 'requests-refused'

/** When what an event began was over, epoch ms. */
function endOf(begun: LoggedEvent, all: readonly LoggedEvent[]): number | undefined {
  const ends = all.filter(
    (event) => event.profile === begun.profile && event.at >= begun.at && isEndOf(event, begun),
  )
  return ends.length === 0 ? undefined : Math.min(...ends.map(({ at }) => at))
}

function isEndOf(event: LoggedEvent, begun: LoggedEvent): boolean {
  switch (begun.kind) {
    case 'elsewhere':
      return event.kind === 'elsewhere-ended' && event.category === begun.category
    case 'service-unreachable':
      return event.kind === 'service-back' && event.host === begun.host
    case 'requests-refused':
      // One end is told for all rows of a status that concerns the whole key.
      return (
        event.kind === 'requests-answered' &&
        event.status === begun.status &&
        (event.category === begun.category || event.since <= begun.at)
      )
    default:
      return false
  }
}
