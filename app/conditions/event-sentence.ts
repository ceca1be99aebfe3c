import type { LoggedEvent } from '../contract/events.ts'
import { mostUrgent, type Severity } from '../contract/severity.ts'
import type { EventGroup, EventStyle, Words } from './messages/event-words.ts'
import { EVENTS } from './messages/events.ts'

/** What is said of an event: in two lines where there is room for them, else as one sentence. */
export interface EventSentence {
  readonly severity: Severity
  /** What happened to whom: `429 on Positions`. */
  readonly title: string
  /**
   * What follows from it or belongs to it: `safe to retry at 14:31:52`. Empty where the title says it all.
   */
  readonly detail: string
  /** Title and detail. */
  readonly text: string
  /** What the provider's support asks for. */
  readonly requestId?: string
}

const wordsOf = (event: LoggedEvent) => EVENTS[event.kind] as Words<LoggedEvent>

/**
 * Title and detail of an event with its severity, for every surface. Pure: the same event gives the same
 * text.
 */
export function eventSentence(event: LoggedEvent, style: EventStyle = {}): EventSentence {
  const [severity, title, ...details] = wordsOf(event).say(event, style)
  const requestId = 'requestId' in event ? event.requestId : undefined
  return {
    ...sentenceOf(severity, title, details.filter(Boolean).join(' · ')),
    ...(requestId !== undefined && { requestId }),
  }
}

/**
 * The words of several events of one kind as one line, the worst first; of one, its own, with how often it
 * was seen.
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
 * What events of one second have to share to be one line; `undefined` of a kind whose events say something of
 * their own.
 */
export function alikeAs(event: LoggedEvent): string | undefined {
  const { alike, many } = wordsOf(event)
  return alike === undefined && many === undefined ? undefined : `${event.kind} ${alike?.(event) ?? ''}`
}

/** The group of an event; `undefined` of a kind from a newer version. */
export const eventGroup = ({ kind }: LoggedEvent): EventGroup | undefined => EVENTS[kind]?.of

const sentenceOf = (severity: Severity, title: string, detail: string): EventSentence => ({
  severity,
  title,
  detail,
  text: detail === '' ? title : `${title} · ${detail}`,
})
