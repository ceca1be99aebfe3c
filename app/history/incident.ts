import type { LoggedEvent } from '../contract/events.ts'
import type { Report } from '../contract/history.ts'
import type { Snapshot } from '../contract/snapshot.ts'
import { EXPORT_FORMAT, isoTime as iso } from './report-csv.ts'

export interface IncidentInput {
  readonly version: string
  readonly snapshot: Snapshot
  readonly report: Report
  readonly events: readonly LoggedEvent[]
}

/**
 * Builds the incident of one key from its snapshot, report and `events` (oldest first), in the service's own
 * terms, so that the provider's support can look it up. Times are ISO 8601 in UTC, as in the provider's logs.
 *
 * It contains no secret. Account ids and symbols are left out. A stream's target would name accounts, so only
 * its category is included.
 */
export function incidentOf({ version, snapshot, report, events }: IncidentInput) {
  const happened = events.map(lineOf)
  return {
    kind: 'headroom-incident' as const,
    formatVersion: EXPORT_FORMAT,
    profile: snapshot.profile.id,
    version,
    environment: snapshot.profile.environment,
    host: snapshot.service.host,
    from: iso(report.from),
    to: iso(report.to),
    requestIds: [...new Set(happened.flatMap(({ requestId }) => requestId ?? []))],
    happened,
    quotas: report.requests.map(({ category, limit, own, elsewhere, desk, rejected, lowest, knownMs }) => {
      const row = snapshot.requests.find((quota) => quota.category === category)
      return {
        category,
        ...(row?.resource !== undefined && { resource: row.resource }),
        limit,
        ...(row && { periodSeconds: row.period }),
        own,
        elsewhere,
        ...(desk !== undefined && { desk }),
        rejected,
        ...(knownMs > 0 && { lowest }),
      }
    }),
  }
}

/**
 * The fields of an event that are copied. Other fields, such as a stream's target, may name an account or a
 * symbol.
 */
const COPIED = [
  'host',
  'status',
  'state',
  'remaining',
  'limit',
  'outcome',
  'perSecond',
  'refused',
  'count',
] as const

/** One event with a fixed list of fields, so that a new field can't leak. */
function lineOf(event: LoggedEvent) {
  const fields = event as Partial<Record<(typeof COPIED)[number], string | number>>
  const facts = [
    ...COPIED.flatMap((name) => (fields[name] === undefined ? [] : `${name} ${fields[name]}`)),
    ...('stream' in event && 'reason' in event ? [event.reason] : []),
    ...('since' in event && event.since !== undefined ? [`since ${iso(event.since)}`] : []),
    ...(event.kind === 'program-refused' ? ['timed out in the gateway’s queue'] : []),
  ]
  return {
    at: iso(event.at),
    what: event.kind,
    ...(event.id !== undefined && { id: event.id }),
    ...('category' in event && { category: event.category }),
    ...('requestId' in event && event.requestId !== undefined && { requestId: event.requestId }),
    ...('retryAt' in event && event.retryAt !== undefined && { retryAt: iso(event.retryAt) }),
    ...(facts.length > 0 && { detail: facts.join(', ') }),
  }
}
