import { createContext } from 'react'
import { eventSentence } from '../../app/conditions/event-sentence.ts'
import type { LoggedEvent } from '../../app/contract/events.ts'

/** The events shown in the list, for the export menu. */
export const ExportsOf = createContext<{
  readonly shown: readonly LoggedEvent[]
  readonly stored: 'sealed' | 'memory'
}>({ shown: [], stored: 'memory' })

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
