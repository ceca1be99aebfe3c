import type { LoggedEvent } from '../../app/contract/events.ts'

/** The filters of the event list. */
export const EVENT_FILTERS = ['all', 'tokens', 'quotas', 'streams', 'service'] as const
export type EventFilter = (typeof EVENT_FILTERS)[number]

export const EVENT_FILTER_LABELS: Readonly<Record<EventFilter, string>> = {
  all: 'All',
  tokens: 'Tokens',
  quotas: 'Quotas',
  streams: 'Streams',
  service: 'Service, storage',
}

const FILTER_OF: Readonly<Record<LoggedEvent['kind'], Exclude<EventFilter, 'all'>>> = {
  'token-refreshed': 'tokens',
  'token-refresh-failed': 'tokens',
  'sign-in-required': 'tokens',
  'sign-in-due': 'tokens',
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
}

/** Whether an event passes the filter. A kind from a newer version passes "all" only. */
export function passes(event: LoggedEvent, filter: EventFilter): boolean {
  return filter === 'all' || FILTER_OF[event.kind] === filter
}
