import { createContext } from 'react'
import { eventGroup, eventSentence } from '../../app/conditions/event-sentence.ts'
import type { EventGroup } from '../../app/conditions/messages/event-words.ts'
import type { LoggedEvent } from '../../app/contract/events.ts'

export type EventFilter = 'all' | EventGroup

export const EVENT_FILTER_LABELS: Readonly<Record<EventFilter, string>> = {
  all: 'Any kind',
  tokens: 'Tokens',
  quotas: 'Quotas',
  streams: 'Streams',
  service: 'Service, storage',
}

export const EVENT_FILTERS = Object.keys(EVENT_FILTER_LABELS) as readonly EventFilter[]

/** Whether an event passes the filter. A kind from a newer version passes only `all`. */
export function passes(event: LoggedEvent, filter: EventFilter): boolean {
  return filter === 'all' || eventGroup(event) === filter
}

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
