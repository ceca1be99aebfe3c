import type { LoggedEvent } from '../../../app/contract/events.ts'
import { eventSentence } from '../../../app/status/event-sentence.ts'
import { printable } from './cells.ts'

/** One event as one line for a person, with the id that the provider's support asks for. */
export function eventLine(event: LoggedEvent): string {
  const { text, requestId } = eventSentence(event, { as: 'countdown' })
  return printable(requestId === undefined ? text : `${text} · request ${requestId}`)
}
