import type { LoggedEvent } from '../contract/events.ts'
import { mostUrgent, type Severity } from '../contract/severity.ts'
import type { EventGroup, EventStyle, Words } from './messages/event-words.ts'
import { EVENTS } from './messages/events.ts'

/** The text of an event: two lines, or one sentence if space is short. */
export interface EventSentence {
  readonly severity: Severity
  /** Event and subject: `429 on Positions`. */
  readonly title: string
  /** Consequence or context: `safe to retry at 14:31:52`. Empty if the title is enough. */
  readonly detail: string
  /** Title and detail in one text. */
  readonly text: string
  /** The id that the provider's support needs. */
  readonly requestId?: string
}

const wordsOf = (event: LoggedEvent) => EVENTS[event.kind] as Words<LoggedEvent>

/** Title, detail and severity of an event, for every surface. */
export function eventSentence(event: LoggedEvent, style: EventStyle = {}): EventSentence {
  const [severity, title, ...details] = wordsOf(event).say(event, style)
  const requestId = 'requestId' in event ? event.requestId : undefined
  return {
    ...sentenceOf(severity, title, details.filter(Boolean).join(' · ')),
    ...(requestId !== undefined && { requestId }),
  }
}

/**
 * The text of one line, for a single event or for several events of one kind, worst first. `count`: how often
 * a single event occurred, shown after its title. `ends`: the events that ended the condition.
 */
export function lineSentence(
  events: readonly [LoggedEvent, ...LoggedEvent[]],
  {
    style,
    count,
    ends,
  }: { readonly style: EventStyle; readonly count: number; readonly ends?: readonly LoggedEvent[] },
): EventSentence {
  const [first] = events
  const { many, over } = wordsOf(first)
  const severity = mostUrgent(events.map((event) => eventSentence(event, style)))?.severity ?? 'unknown'
  if (events.length > 1 && many !== undefined) {
    const [title, detail = ''] = many(events)
    return sentenceOf(ends === undefined ? severity : 'ok', title, detail)
  }
  const said = eventSentence(first, style)
  const title = count > 1 ? `${said.title} ×${count}` : said.title
  const detail = ends === undefined ? said.detail : (over?.(first, ends) ?? said.detail)
  return { ...said, ...sentenceOf(ends === undefined ? severity : 'ok', title, detail) }
}

/**
 * A name for the group of an event. Two events with equal names share a line if they are within one second of
 * each other. `undefined` for a kind whose events have separate lines.
 */
export function alikeAs(event: LoggedEvent): string | undefined {
  const { alike, many } = wordsOf(event)
  return alike === undefined && many === undefined ? undefined : `${event.kind} ${alike?.(event) ?? ''}`
}

/** The group of an event in the log. `undefined` for a kind from a newer version. */
export const eventGroup = ({ kind }: LoggedEvent): EventGroup | undefined => EVENTS[kind]?.of

const sentenceOf = (severity: Severity, title: string, detail: string): EventSentence => ({
  severity,
  title,
  detail,
  text: detail === '' ? title : `${title} · ${detail}`,
})
