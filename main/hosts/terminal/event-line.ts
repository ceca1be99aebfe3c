import type { LoggedEvent } from '../../../app/contract/events.ts'
import { eventSentence } from '../../../app/status/event-sentence.ts'
import { printable } from './cells.ts'

/** Formats an event as one line, with the request id that the provider's support needs. */
export function eventLine(event: LoggedEvent): string {
  const { text, requestId } = eventSentence(event, { as: 'countdown' })
  return printable(requestId === undefined ? text : `${text} · request ${requestId}`)
}
