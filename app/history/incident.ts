import type { LoggedEvent } from '../contract/events.ts'
import type { Report } from '../contract/history.ts'
import type { Snapshot } from '../contract/snapshot.ts'
import { EXPORT_FORMAT, isoTime as iso } from './report-csv.ts'

/**
 * An incident in the service's own terms, so that the provider's support can look it up.
 *
 * It contains no secret. A stream's target would name accounts, so only its category is included.
 */
export interface Incident {
  readonly kind: 'headroom-incident'
  readonly formatVersion: number
  /** The profile's id. */
  readonly profile: string
  readonly version: string
  readonly environment: string
  readonly host: string
  /** ISO 8601 in UTC, as in the provider's logs. */
  readonly from: string
  readonly to: string
  readonly requestIds: readonly string[]
  readonly happened: readonly RecordedLine[]
  readonly quotas: readonly IncidentQuota[]
}

export interface RecordedLine {
  readonly at: string
  readonly what: LoggedEvent['kind']
  /** Id of the condition that this event begins, repeats or ends. */
  readonly id?: string
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
  /** Requests of the desk's other machines; absent if none. */
  readonly desk?: number
  readonly rejected: number
  /** Lowest level in requests, as in the report. Absent if no level was known. */
  readonly lowest?: number
}

export interface IncidentInput {
  readonly version: string
  readonly snapshot: Snapshot
  readonly report: Report
  readonly events: readonly LoggedEvent[]
}

/**
 * Builds the incident of one key from its snapshot, report and `events` (oldest first). Account ids and
 * symbols are left out.
 */
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
function lineOf(event: LoggedEvent): RecordedLine {
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
