import type { LoggedEvent } from '../../app/contract/events.ts'

/** The kinds that the event list can be narrowed to. */
export const EVENT_FILTERS = ['all', 'tokens', 'quotas', 'streams', 'service'] as const
export type EventFilter = (typeof EVENT_FILTERS)[number]

export const EVENT_FILTER_LABELS: Readonly<Record<EventFilter, string>> = {
  all: 'Any kind',
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
  'signed-in': 'tokens',
  revoked: 'tokens',
  'revoke-unconfirmed': 'tokens',
  'service-unreachable': 'service',
  'service-back': 'service',
  'storage-problem': 'service',
  'window-admitted': 'service',
  'rate-limited': 'quotas',
  'rate-limit-over': 'quotas',
  'quota-short': 'quotas',
  'quota-short-ended': 'quotas',
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

/** Whether an event passes the filter. A kind from a newer version passes `all` only. */
export function passes(event: LoggedEvent, filter: EventFilter): boolean {
  return filter === 'all' || FILTER_OF[event.kind] === filter
}
