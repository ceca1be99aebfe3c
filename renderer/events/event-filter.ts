import { eventGroup } from '../../app/conditions/event-sentence.ts'
import type { EventGroup } from '../../app/conditions/messages/event-words.ts'
import type { LoggedEvent } from '../../app/contract/events.ts'

/** The filters of the event list. */
export type EventFilter = 'all' | EventGroup

export const EVENT_FILTER_LABELS: Readonly<Record<EventFilter, string>> = {
  all: 'Any kind',
  tokens: 'Tokens',
  quotas: 'Quotas',
  streams: 'Streams',
  service: 'Service, storage',
}

export const EVENT_FILTERS = Object.keys(EVENT_FILTER_LABELS) as readonly EventFilter[]

/** Whether an event passes the filter. A kind from a newer version passes `all` only. */
export function passes(event: LoggedEvent, filter: EventFilter): boolean {
  return filter === 'all' || eventGroup(event) === filter
}
