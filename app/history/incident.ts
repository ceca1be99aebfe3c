import type { LoggedEvent } from '../contract/events.ts'
import type { Report } from '../contract/history.ts'
import type { Snapshot } from '../contract/snapshot.ts'
import { EXPORT_FORMAT, isoTime as iso } from './report-csv.ts'

/**
 * What a provider's support needs to look up what happened, in the service's own words.
 *
 * No secret is in it, and a stream is named by its category: its target would name accounts.
 */
export interface Incident {
  readonly kind: 'headroom-incident'
  readonly formatVersion: number
  /** The profile's id. */
  readonly profile: string
  readonly version: string
  readonly environment: string
  readonly host: string
  /** ISO 8601, UTC: the provider's logs are read by people. */
  readonly from: string
  readonly to: string
  readonly requestIds: readonly string[]
  readonly happened: readonly RecordedLine[]
  readonly quotas: readonly IncidentQuota[]
}

export interface RecordedLine {
  readonly at: string
  readonly what: LoggedEvent['kind']
  readonly category?: string
  readonly requestId?: string
  readonly retryAt?: string
  readonly detail?: string
}

export interface IncidentQuota {
  readonly category: string
  readonly resource?: string
  readonly limit: number
  readonly periodSeconds?: number
  readonly own: number
  readonly elsewhere: number
  readonly rejected: number
  /** Requests left at the lowest, as in the report; absent where no level was known. */
  readonly lowest?: number
}

export interface IncidentInput {
  readonly version: string
  readonly snapshot: Snapshot
  readonly report: Report
  readonly events: readonly LoggedEvent[]
}

/** The incident of one key: its snapshot and report, and `events` oldest first, without account ids and symbols. */
export function incidentOf({ version, snapshot, report, events }: IncidentInput): Incident {
  const happened = events.map(lineOf)
  return {
    kind: 'headroom-incident',
    formatVersion: EXPORT_FORMAT,
    profile: snapshot.profile.id,
    version,
    environment: snapshot.profile.environment,
    host: snapshot.service.host,
    from: iso(report.from),
    to: iso(report.to),
    requestIds: [...new Set(happened.flatMap(({ requestId }) => requestId ?? []))],
    happened,
    quotas: report.requests.map(({ category, limit, own, elsewhere, rejected, lowest, knownMs }) => {
      const row = snapshot.requests.find((quota) => quota.category === category)
      return {
        category,
        ...(row?.resource !== undefined && { resource: row.resource }),
        limit,
        ...(row && { periodSeconds: row.period }),
        own,
        elsewhere,
        rejected,
        ...(knownMs > 0 && { lowest }),
      }
    }),
  }
}

/** One event, copied field by field, so that a field added later does not leave unseen: a stream's target names accounts. */
function lineOf(event: LoggedEvent): RecordedLine {
  const line = { at: iso(event.at), what: event.kind }
  const request = 'requestId' in event && event.requestId !== undefined ? { requestId: event.requestId } : {}
  switch (event.kind) {
    case 'rate-limited':
      return { ...line, category: event.category, ...request, retryAt: iso(event.retryAt) }
    case 'slots-exhausted':
      return { ...line, category: event.category, ...request }
    case 'requests-refused':
      return { ...line, category: event.category, detail: `answered ${event.status}` }
    case 'requests-answered':
      return {
        ...line,
        category: event.category,
        detail: `after ${event.status} since ${iso(event.since)}`,
      }
    case 'rate-limit-over':
      return { ...line, category: event.category, detail: `after ${event.refused} since ${iso(event.since)}` }
    case 'quota-short':
      return {
        ...line,
        category: event.category,
        detail: `${event.state}: ${event.remaining} of ${event.limit} left`,
      }
    case 'quota-short-ended':
      return { ...line, category: event.category, detail: `${event.state} since ${iso(event.since)}` }
    case 'stream-opened':
    case 'stream-restarted':
    case 'stream-closed':
      return { ...line, category: event.category, detail: event.reason }
    case 'stream-silent':
    case 'stream-resumed':
      return { ...line, category: event.category, detail: `no data since ${iso(event.since)}` }
    case 'elsewhere':
      return { ...line, category: event.category, detail: `${event.perSecond} a second by other programs` }
    case 'elsewhere-ended':
      return {
        ...line,
        category: event.category,
        detail: `${event.perSecond} a second by other programs since ${iso(event.since)}`,
      }
    case 'program-refused':
      return {
        ...line,
        category: event.category,
        ...(event.retryAt !== undefined && { retryAt: iso(event.retryAt) }),
        detail: 'refused by Headroom, not by the service',
      }
    case 'service-unreachable':
    case 'service-back':
      return { ...line, detail: event.host }
    case 'token-refresh-failed':
      return { ...line, detail: event.outcome }
    case 'token-refreshed':
    case 'sign-in-required':
    case 'sign-in-due':
    case 'signed-in':
    case 'revoked':
    case 'revoke-unconfirmed':
    case 'storage-problem':
    case 'window-admitted':
    case 'program-cut':
    case 'gateway-on':
    case 'gateway-off':
      return line
  }
}
