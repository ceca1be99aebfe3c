import type { LoggedEvent } from '../../app/contract/events.ts'
import { eventSentence } from '../../app/status/event-sentence.ts'

/** Formats events as lines for a message, with times in UTC. */
export function eventText(events: readonly LoggedEvent[], stored: 'sealed' | 'memory'): string {
  return events
    .map((event) => {
      const { text, requestId } = eventSentence(event, { stored })
      const id = requestId === undefined ? '' : ` · request ${requestId}`
      return `${new Date(event.at).toISOString()}  ${text}${id}\n`
    })
    .join('')
}
