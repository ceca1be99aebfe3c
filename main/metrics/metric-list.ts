import { arch, platform } from 'node:process'
import type {
  QuotaState,
  RequestQuota,
  SlotQuota,
  Snapshot,
  StreamSummary,
  Verdict,
} from '../../app/contract/snapshot.ts'
import { shownRows } from '../../app/quota/shown-rows.ts'
import { STATE_LABELS } from '../../app/status/quota-status.ts'

/** One metric, as Prometheus' text and OTLP both have it. */
export interface Metric {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly Sample[]
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Of the running process. */
export interface ProcessFacts {
  /** The app's. */
  readonly version: string
  /** Epoch ms: counters count from here. */
  readonly startedMs: number
}

/** Restarts of streams since the app started, of one profile by category. */
export type RestartCounts = (profile: string) => ReadonlyMap<string, number>

export interface MetricsInput {
  readonly snapshots: readonly Snapshot[]
  readonly restarts: RestartCounts
  readonly process: ProcessFacts
}

/**
 * The snapshots of all profiles as metrics.
 *
 * Labels name the profile, the category and a state: nothing secret, no account, no token. Times are epoch
 * seconds and rates per second, as is the custom there. A category that another row counts has no numbers of its own.
 */
export function metricsOf({ snapshots, restarts, process }: MetricsInput): readonly Metric[] {
  const perProfile = (of: (snapshot: Snapshot) => number | undefined): readonly Sample[] =>
    snapshots.flatMap((snapshot) => sample(profileLabels(snapshot), of(snapshot)))
  const perRow = (of: (row: RequestQuota) => number | undefined): readonly Sample[] =>
    snapshots.flatMap((snapshot) =>
      shownRows(snapshot.requests).flatMap((row) => sample(rowLabels(snapshot, row), of(row))),
    )
  const perSlot = (of: (row: SlotQuota) => number | undefined): readonly Sample[] =>
    snapshots.flatMap((snapshot) =>
      snapshot.slots.flatMap((row) => sample(rowLabels(snapshot, row), of(row))),
    )
  const perState = <S extends string>(
    states: readonly S[],
    label: string,
    of: (row: RequestQuota) => S,
  ): readonly Sample[] =>
    snapshots.flatMap((snapshot) =>
      shownRows(snapshot.requests).flatMap((row) =>
        stateSet({ labels: rowLabels(snapshot, row), label, states, holds: of(row) }),
      ),
    )
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
  return [
    gauge('headroom_build_info', 'Which Headroom this is; always 1.', [
      { labels: { version: process.version, platform, arch }, value: 1 },
    ]),
    gauge('process_start_time_seconds', 'When this process started: its counters count from then.', [
      { labels: {}, value: process.startedMs / 1000 },
    ]),
    gauge(
      'headroom_profile_info',
      'A connected key: where it is used and how its tokens are stored; always 1.',
      snapshots.map((snapshot) => ({
        labels: {
          ...profileLabels(snapshot),
          host: snapshot.service.host,
          keystore: snapshot.keystore,
          rotating: String(snapshot.refresh.rotating),
        },
        value: 1,
      })),
    ),
    gauge(
      'headroom_verdict',
      'The headline over all quotas of a key: 1 for the one that holds, 0 for the others.',
      snapshots.flatMap((snapshot) =>
        stateSet({
          labels: profileLabels(snapshot),
          label: 'verdict',
          states: VERDICTS,
          holds: snapshot.verdict.kind,
        }),
      ),
    ),
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
      perState(STATES, 'state', (row) => row.state),
    ),
    gauge(
      'headroom_requests_counted_by_info',
      'A category whose requests another row counts, which therefore has no numbers of its own; always 1.',
      snapshots.flatMap((snapshot) =>
        snapshot.requests.flatMap((row) =>
          row.countedBy === undefined
            ? []
            : [{ labels: { ...rowLabels(snapshot, row), counted_by: row.countedBy }, value: 1 }],
        ),
      ),
    ),
    gauge(
      'headroom_requests_own_per_second',
      "This app's use of late, as it estimates it.",
      perRow((row) => row.use?.own),
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
      'headroom_requests_empty_timestamp_seconds',
      'When nothing will be left at the present use; absent where that is not to be expected.',
      perRow((row) => seconds(row.emptyAt)),
    ),
    gauge(
      'headroom_requests_full_timestamp_seconds',
      'When all of the limit will be back at the present use; absent where it is, or will not be.',
      perRow((row) => seconds(row.fullAt)),
    ),
    gauge(
      'headroom_requests_blocked_until_timestamp_seconds',
      'Until when a refusal (429) is waited out; absent while none is in force.',
      perRow((row) => seconds(row.blockedUntil)),
    ),
    gauge(
      'headroom_requests_source',
      'Where the numbers of a quota come from, 1 for the one that holds: a header, the model grown from one, the table.',
      perState(SOURCES, 'source', (row) => row.source),
    ),
    {
      name: 'headroom_requests_used_total',
      type: 'counter',
      help: 'Requests since this app started, by who made them. Those of others are counted when a header shows them: rate() over 5m or more; over 1m for by="own".',
      samples: [
        ...perRow((row) => row.used?.own).map(withLabel('by', 'own')),
        ...perRow((row) => row.used?.elsewhere).map(withLabel('by', 'elsewhere')),
      ],
    },
    counter(
      'headroom_requests_rejected_total',
      'Requests refused with 429 since this app started: increase() over 5m or more, they are rare.',
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
    counter(
      'headroom_stream_restarts_total',
      'Restarts of own streams since this app started: increase() over 1h or more, they are rare.',
      snapshots.flatMap((snapshot) => restartSamples(snapshot, restarts(snapshot.profile.id))),
    ),
    gauge(
      'headroom_snapshot_timestamp_seconds',
      'When these numbers were true.',
      perProfile(({ at }) => at / 1000),
    ),
  ]
}

const STATES = Object.keys(STATE_LABELS) as readonly QuotaState[]
const SOURCES: readonly RequestQuota['source'][] = ['header', 'modelled', 'default']
const VERDICTS: readonly Verdict['kind'][] = ['unknown', 'lasts', 'near-limit', 'runs-out', 'blocked']

interface StateSet<S extends string> {
  readonly labels: Sample['labels']
  readonly label: string
  readonly states: readonly S[]
  readonly holds: S
}

/** A series a state, whichever holds: one that came and went with it would look like a restart. */
const stateSet = <S extends string>({ labels, label, states, holds }: StateSet<S>): readonly Sample[] =>
  states.map((state) => ({ labels: { ...labels, [label]: state }, value: state === holds ? 1 : 0 }))

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

/** Also of categories without one yet: a counter that begins at 1 has no increase. */
function restartSamples(snapshot: Snapshot, restarts: ReadonlyMap<string, number>): readonly Sample[] {
  const categories = new Set([...snapshot.streams.map(({ category }) => category), ...restarts.keys()])
  return [...categories].map((category) => ({
    labels: { ...profileLabels(snapshot), category },
    value: restarts.get(category) ?? 0,
  }))
}
