import type {
  QuotaState,
  RequestQuota,
  SlotQuota,
  Snapshot,
  StreamSummary,
} from '../../app/contract/snapshot.ts'
import { STATE_LABELS } from '../../app/status/quota-status.ts'

/** One metric of the text format, version 0.0.4. */
interface Metric {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly Sample[]
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * The snapshots of all profiles in Prometheus' text format.
 *
 * Labels name the profile, the category and a state: nothing secret, no account, no token. Times are epoch
 * seconds and rates per second, as is the custom there.
 */
export function prometheusText(snapshots: readonly Snapshot[]): string {
  return metricsOf(snapshots)
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${numberText(value)}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

function metricsOf(snapshots: readonly Snapshot[]): readonly Metric[] {
  const perProfile = (of: (snapshot: Snapshot) => number | undefined): readonly Sample[] =>
    snapshots.flatMap((snapshot) => sample(profileLabels(snapshot), of(snapshot)))
  const perRow = (of: (row: RequestQuota) => number | undefined): readonly Sample[] =>
    snapshots.flatMap((snapshot) =>
      snapshot.requests.flatMap((row) => sample(rowLabels(snapshot, row), of(row))),
    )
  const perSlot = (of: (row: SlotQuota) => number | undefined): readonly Sample[] =>
    snapshots.flatMap((snapshot) =>
      snapshot.slots.flatMap((row) => sample(rowLabels(snapshot, row), of(row))),
    )
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
  return [
    gauge(
      'headroom_service_reachable',
      '1 while the service answers.',
      perProfile(({ service }) => (service.reachable ? 1 : 0)),
    ),
    gauge(
      'headroom_access_token_valid',
      '1 while there is a valid access token.',
      perProfile(({ access }) => (access.state === 'valid' || access.state === 'refreshing' ? 1 : 0)),
    ),
    gauge(
      'headroom_access_token_expires_timestamp_seconds',
      'When the access token expires.',
      perProfile(({ access }) => seconds(access.expiresAt)),
    ),
    gauge(
      'headroom_sign_in_required',
      '1 when somebody has to sign in again.',
      perProfile(({ refresh }) => (refresh.state === 'sign-in-required' ? 1 : 0)),
    ),
    gauge(
      'headroom_sign_in_ends_timestamp_seconds',
      'When the sign-in ends for good.',
      perProfile(({ refresh }) => seconds(refresh.endsAt)),
    ),
    gauge(
      'headroom_requests_remaining',
      'Whole requests that can be made now.',
      perRow((row) => seen(row.source, row.remaining)),
    ),
    gauge(
      'headroom_requests_low',
      'Whole requests that are surely left.',
      perRow((row) => seen(row.source, row.low)),
    ),
    gauge(
      'headroom_requests_high',
      'Whole requests that are possibly left.',
      perRow((row) => seen(row.source, row.high)),
    ),
    gauge(
      'headroom_requests_state',
      'The state of a quota: 1 for the one that holds, 0 for the others.',
      snapshots.flatMap((snapshot) =>
        snapshot.requests.flatMap((row) =>
          STATES.map((state) => ({
            labels: { ...rowLabels(snapshot, row), state },
            value: row.state === state ? 1 : 0,
          })),
        ),
      ),
    ),
    gauge('headroom_requests_elsewhere_per_second', "Others' use: the middle and the ends of its interval.", [
      ...perRow((row) => row.use?.elsewhere).map(withLabel('bound', 'middle')),
      ...perRow((row) => row.use?.elsewhereLow).map(withLabel('bound', 'low')),
      ...perRow((row) => row.use?.elsewhereHigh).map(withLabel('bound', 'high')),
    ]),
    gauge(
      'headroom_requests_safe_interval_seconds',
      'Seconds between requests that may go on without end; +Inf where others take all.',
      perRow((row) => row.safe && (row.safe.everySeconds ?? Number.POSITIVE_INFINITY)),
    ),
    gauge(
      'headroom_requests_next_check_timestamp_seconds',
      'When this app asks for a quota next if no header comes before.',
      perRow((row) => seconds(row.nextCheckAt)),
    ),
    gauge(
      'headroom_requests_limit',
      'Requests allowed in the period.',
      perRow((row) => row.limit),
    ),
    gauge(
      'headroom_requests_period_seconds',
      'Length of the period.',
      perRow((row) => row.period),
    ),
    gauge(
      'headroom_requests_observed_timestamp_seconds',
      'When a header last spoke of this quota.',
      perRow((row) => seconds(row.observedAt)),
    ),
    gauge(
      'headroom_requests_blocked',
      '1 while a refusal (429) is in force.',
      perRow((row) => (row.blockedUntil === undefined ? 0 : 1)),
    ),
    gauge(
      'headroom_requests_source',
      'Where the numbers of a quota come from: a header, the model grown from one, or the table.',
      snapshots.flatMap((snapshot) =>
        snapshot.requests.map((row) => ({
          labels: { ...rowLabels(snapshot, row), source: row.source },
          value: 1,
        })),
      ),
    ),
    {
      name: 'headroom_requests_used_total',
      type: 'counter',
      help: 'Requests counted since this app started, by who made them.',
      samples: [
        ...perRow((row) => row.used?.own).map(withLabel('by', 'own')),
        ...perRow((row) => row.used?.elsewhere).map(withLabel('by', 'elsewhere')),
      ],
    },
    counter(
      'headroom_requests_rejected_total',
      'Requests refused with 429 since this app started.',
      perRow((row) => row.rejected),
    ),
    gauge(
      'headroom_slots_limit',
      'Streams that may be open at once.',
      perSlot((row) => row.limit),
    ),
    gauge(
      'headroom_slots_free',
      'Further streams that may be opened.',
      perSlot((row) => seen(row.source, row.free)),
    ),
    gauge(
      'headroom_slots_own',
      'Slots held by this app.',
      perSlot((row) => row.own),
    ),
    gauge(
      'headroom_slots_elsewhere',
      'Slots held by other programs.',
      perSlot((row) => seen(row.source, row.elsewhere)),
    ),
    gauge('headroom_streams', 'Own streams by category and state.', snapshots.flatMap(streamCounts)),
    gauge(
      'headroom_stream_restarts',
      'Restarts of the own streams that are listed now.',
      snapshots.flatMap((snapshot) => restartCounts(snapshot)),
    ),
    gauge(
      'headroom_snapshot_timestamp_seconds',
      'When these numbers were true.',
      perProfile(({ at }) => at / 1000),
    ),
  ]
}

const STATES = Object.keys(STATE_LABELS) as readonly QuotaState[]

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'gauge',
  help,
  samples,
})
const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'counter',
  help,
  samples,
})

const profileLabels = ({ profile }: Snapshot) => ({ profile: profile.id, environment: profile.environment })

const rowLabels = (snapshot: Snapshot, { category }: { readonly category: string }) => ({
  ...profileLabels(snapshot),
  category,
})

/** The table's word is no measurement: a limit can be told from it, what is left cannot. */
const seen = (source: string, value: number): number | undefined => (source === 'default' ? undefined : value)

const sample = (labels: Sample['labels'], value: number | undefined): readonly Sample[] =>
  value === undefined ? [] : [{ labels, value }]

const withLabel =
  (name: string, text: string) =>
  ({ labels, value }: Sample): Sample => ({ labels: { ...labels, [name]: text }, value })

function streamCounts(snapshot: Snapshot): readonly Sample[] {
  const counts = new Map<string, { readonly one: StreamSummary; count: number }>()
  for (const stream of snapshot.streams) {
    const key = `${stream.category}\n${stream.state}`
    const held = counts.get(key)
    if (held) held.count += 1
    else counts.set(key, { one: stream, count: 1 })
  }
  return [...counts.values()].map(({ one: { category, state }, count }) => ({
    labels: { ...profileLabels(snapshot), category, state },
    value: count,
  }))
}

function restartCounts(snapshot: Snapshot): readonly Sample[] {
  const counts = new Map<string, number>()
  for (const { category, restarts } of snapshot.streams) {
    counts.set(category, (counts.get(category) ?? 0) + restarts)
  }
  return [...counts].map(([category, value]) => ({
    labels: { ...profileLabels(snapshot), category },
    value,
  }))
}

/** Category names can come from a server's header. */
function labelText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, text]) => {
    const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    return `${name}="${escaped}"`
  })
  return `{${pairs.join(',')}}`
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}
