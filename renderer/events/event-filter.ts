import type { LoggedEvent } from '../../app/contract/events.ts'

/** The filters of the event list. */
export const EVENT_FILTERS = ['all', 'open', 'tokens', 'quotas', 'streams', 'service'] as const
export type EventFilter = (typeof EVENT_FILTERS)[number]

export const EVENT_FILTER_LABELS: Readonly<Record<EventFilter, string>> = {
  all: 'All',
  open: 'Open',
  tokens: 'Tokens',
  quotas: 'Quotas',
  streams: 'Streams',
  service: 'Service, storage',
}

const FILTER_OF: Readonly<Record<LoggedEvent['kind'], Exclude<EventFilter, 'all' | 'open'>>> = {
  'token-refreshed': 'tokens',
  'token-refresh-failed': 'tokens',
  'sign-in-required': 'tokens',
  'sign-in-due': 'tokens',
  'signed-in': 'tokens',
  revoked: 'tokens',
  'revoke-unconfirmed': 'tokens',
  'service-unreachable': 'service',
  'service-back': 'service',
  'storage-problem': 'service',
  'window-admitted': 'service',
  'rate-limited': 'quotas',
  'slots-exhausted': 'quotas',
  'requests-refused': 'service',
  'requests-answered': 'service',
  elsewhere: 'quotas',
  'elsewhere-ended': 'quotas',
  'program-refused': 'quotas',
  'program-cut': 'service',
  'gateway-on': 'service',
  'gateway-off': 'service',
  'stream-opened': 'streams',
  'stream-restarted': 'streams',
  'stream-closed': 'streams',
  'stream-silent': 'streams',
  'stream-resumed': 'streams',
}

/** Whether an event passes the filter; what is open is known of lines only. A kind from a newer version passes both. */
export function passes(event: LoggedEvent, filter: EventFilter): boolean {
  return filter === 'all' || filter === 'open' || FILTER_OF[event.kind] === filter
}
