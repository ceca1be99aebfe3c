import { arch, platform } from 'node:process'
import { keyFindings } from '../../app/conditions/key-status.ts'
import { NO_ORDERS } from '../../app/contract/orders.ts'
import type {
  ProgramSummary,
  QuotaState,
  RequestQuota,
  SlotQuota,
  Snapshot,
  Verdict,
} from '../../app/contract/snapshot.ts'
import { shownRows } from '../../app/quota/verdict.ts'
import { STATE_LABELS } from '../../app/status/quota-status.ts'

/** One metric, in terms common to Prometheus' text format and OTLP. */
export interface Metric {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly MetricSample[]
}

export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ProcessFacts {
  readonly version: string
  /** The process start in epoch milliseconds. Counters start here. */
  readonly startedMs: number
}

/** The restarts of a profile's streams since the app started, by category. */
export type RestartCounts = (profile: string) => ReadonlyMap<string, number>

export interface MetricsInput {
  readonly snapshots: readonly Snapshot[]
  readonly restarts: RestartCounts
  readonly process: ProcessFacts
}

type Values =
  | { readonly profile: (snapshot: Snapshot) => number | undefined }
  | { readonly row: (row: RequestQuota) => number | undefined }
  | { readonly slot: (slot: SlotQuota) => number | undefined }
  | { readonly program: (program: ProgramSummary) => number | undefined }
  | { readonly programUse: (use: ProgramSummary['use'][number]) => number | undefined }
  | { readonly samples: (input: MetricsInput) => readonly MetricSample[] }

/**
 * The definition of one metric. A function computes its values for each profile, request quota, slot quota or
 * program, or returns all its samples at once.
 */
type Definition = Pick<Metric, 'name' | 'help'> & { readonly type?: 'counter' } & Values

/**
 * The snapshots of all profiles as metrics.
 *
 * Labels contain the profile, the category and a state, but no secret, account or token. Times are epoch
 * seconds and rates are per second, as Prometheus recommends. If the requests of a category count in another
 * category's row, only that row has samples.
 */
export const metricsOf = (input: MetricsInput): readonly Metric[] =>
  METRICS.map((definition) => ({
    name: definition.name,
    type: definition.type ?? 'gauge',
    help: definition.help,
    samples: samplesOf(input, definition),
  }))

function samplesOf(input: MetricsInput, values: Values): readonly MetricSample[] {
  if ('samples' in values) return values.samples(input)
  if ('row' in values) return perRow(input, values.row)
  if ('program' in values) return perProgram(input, (program) => [[{}, values.program(program)]])
  if ('programUse' in values)
    return perProgram(input, ({ use }) =>
      use.map((one) => [{ category: one.category }, values.programUse(one)]),
    )
  return input.snapshots.flatMap((snapshot) =>
    'profile' in values
      ? sample(profileLabels(snapshot), values.profile(snapshot))
      : snapshot.slots.flatMap((slot) => sample(rowLabels(snapshot, slot), values.slot(slot))),
  )
}

const perRow = (
  { snapshots }: MetricsInput,
  of: (row: RequestQuota) => number | undefined,
): readonly MetricSample[] =>
  snapshots.flatMap((snapshot) =>
    shownRows(snapshot.requests).flatMap((row) => sample(rowLabels(snapshot, row), of(row))),
  )

/** Samples of each program behind the gateway (at most 64), for each category that the program has used. */
const perProgram = (
  { snapshots }: MetricsInput,
  of: (program: ProgramSummary) => readonly (readonly [MetricSample['labels'], number | undefined])[],
): readonly MetricSample[] =>
  snapshots.flatMap((snapshot) =>
    (snapshot.programs ?? []).flatMap((program) =>
      of(program).flatMap(([labels, value]) =>
        sample({ ...profileLabels(snapshot), program: program.name, ...labels }, value),
      ),
    ),
  )

const perState =
  <S extends string>(states: readonly S[], label: string, of: (row: RequestQuota) => S) =>
  ({ snapshots }: MetricsInput): readonly MetricSample[] =>
    snapshots.flatMap((snapshot) =>
      shownRows(snapshot.requests).flatMap((row) =>
        stateSet({ labels: rowLabels(snapshot, row), label, states, holds: of(row) }),
      ),
    )

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)

const STATES = Object.keys(STATE_LABELS) as readonly QuotaState[]
const SOURCES: readonly RequestQuota['source'][] = ['header', 'modelled', 'default']
const VERDICTS: readonly Verdict['kind'][] = ['unknown', 'lasts', 'near-limit', 'runs-out', 'blocked']

const METRICS: readonly Definition[] = [
  {
    name: 'headroom_build_info',
    help: 'Version of Headroom; always 1.',
    samples: ({ process: { version } }) => [{ labels: { version, platform, arch }, value: 1 }],
  },
  {
    name: 'process_start_time_seconds',
    help: 'Start time of this process; its counters start then.',
    samples: ({ process }) => [{ labels: {}, value: process.startedMs / 1000 }],
  },
  {
    name: 'headroom_profile_info',
    help: 'A connected key: its environment, and how its tokens are stored; always 1.',
    samples: ({ snapshots }) =>
      snapshots.map((snapshot) => ({
        labels: {
          ...profileLabels(snapshot),
          host: snapshot.service.host,
          keystore: snapshot.keystore,
          rotating: String(snapshot.refresh.rotating),
        },
        value: 1,
      })),
  },
  {
    name: 'headroom_verdict',
    help: 'The verdict over all quotas of a key: 1 for the current one, 0 for the others.',
    samples: ({ snapshots }) =>
      snapshots.flatMap((snapshot) =>
        stateSet({
          labels: profileLabels(snapshot),
          label: 'verdict',
          states: VERDICTS,
          holds: snapshot.verdict.kind,
        }),
      ),
  },
  {
    name: 'headroom_service_reachable',
    help: '1 while the service responds; absent before the first request.',
    profile: ({ service }) => (service.pending ? undefined : service.reachable ? 1 : 0),
  },
  {
    name: 'headroom_sign_in_host_reachable',
    help: '1 while the sign-in host responds; always 1 if it is also the service’s host.',
    profile: ({ signInHost }) => (signInHost === undefined ? 1 : 0),
  },
  {
    name: 'headroom_access_token_valid',
    help: '1 while there is a valid access token.',
    profile: ({ access }) => (access.state === 'valid' || access.state === 'refreshing' ? 1 : 0),
  },
  {
    name: 'headroom_access_token_expires_timestamp_seconds',
    help: 'When the access token expires.',
    profile: ({ access }) => seconds(access.expiresAt),
  },
  {
    name: 'headroom_sign_in_required',
    help: '1 when a person must sign in again.',
    profile: ({ refresh }) => (refresh.state === 'sign-in-required' ? 1 : 0),
  },
  {
    name: 'headroom_sign_in_ends_timestamp_seconds',
    help: 'When the sign-in ends for good.',
    profile: ({ refresh }) => seconds(refresh.endsAt),
  },
  {
    name: 'headroom_requests_remaining',
    help: 'Whole requests that can be made now.',
    row: (row) => seen(row.source, row.remaining),
  },
  {
    name: 'headroom_requests_low',
    help: 'Lower bound of the requests left, as a whole number.',
    row: (row) => seen(row.source, row.low),
  },
  {
    name: 'headroom_requests_high',
    help: 'Upper bound of the requests left, as a whole number.',
    row: (row) => seen(row.source, row.high),
  },
  {
    name: 'headroom_requests_state',
    help: 'The state of a quota: 1 for the current one, 0 for the others.',
    samples: perState(STATES, 'state', (row) => row.state),
  },
  {
    name: 'headroom_requests_counted_by_info',
    help: 'A category whose requests another row counts, so it has no numbers of its own; always 1.',
    samples: ({ snapshots }) =>
      snapshots.flatMap((snapshot) =>
        snapshot.requests.flatMap((row) =>
          row.countedBy === undefined
            ? []
            : [{ labels: { ...rowLabels(snapshot, row), counted_by: row.countedBy }, value: 1 }],
        ),
      ),
  },
  {
    name: 'headroom_requests_own_per_second',
    help: 'Estimated recent use by this app.',
    row: (row) => row.use?.own,
  },
  {
    name: 'headroom_requests_desk_per_second',
    help: 'Recent use by the desk’s other machines; absent without a desk.',
    row: (row) => row.use?.desk,
  },
  {
    name: 'headroom_requests_elsewhere_per_second',
    help: "Others' use: its median, and both ends of its likely range.",
    samples: (input) => [
      ...perRow(input, (row) => row.use?.elsewhere).map(withLabel('bound', 'middle')),
      ...perRow(input, (row) => row.use?.elsewhereLow).map(withLabel('bound', 'low')),
      ...perRow(input, (row) => row.use?.elsewhereHigh).map(withLabel('bound', 'high')),
    ],
  },
  {
    name: 'headroom_requests_safe_interval_seconds',
    help: 'Safe interval between requests, in seconds; +Inf if others use the whole refill.',
    row: (row) => row.safe && (row.safe.everySeconds ?? Number.POSITIVE_INFINITY),
  },
  {
    name: 'headroom_requests_safe_burst',
    help: 'Requests that can be made at once without touching the gateway’s reserve.',
    row: (row) => row.safe?.burst,
  },
  {
    name: 'headroom_requests_next_check_timestamp_seconds',
    help: 'Next check of a quota, if no header arrives first.',
    row: (row) => seconds(row.nextCheckAt),
  },
  { name: 'headroom_requests_limit', help: 'Requests allowed in the period.', row: (row) => row.limit },
  { name: 'headroom_requests_period_seconds', help: 'Length of the period.', row: (row) => row.period },
  {
    name: 'headroom_requests_observed_timestamp_seconds',
    help: 'Time of the last header about this quota.',
    row: (row) => seconds(row.observedAt),
  },
  {
    name: 'headroom_requests_blocked',
    help: '1 while a 429 is in force.',
    row: (row) => (row.blockedUntil === undefined && row.nextTryAt === undefined ? 0 : 1),
  },
  {
    name: 'headroom_requests_problem_status',
    help: 'HTTP status of the latest response if it had no quota headers, such as 401, 403 or 503; otherwise absent.',
    row: (row) => row.problem?.status,
  },
  {
    name: 'headroom_requests_problem_since_timestamp_seconds',
    help: 'When responses began to lack quota headers; absent if the latest one had them.',
    row: (row) => seconds(row.problem?.since),
  },
  {
    name: 'headroom_requests_empty_timestamp_seconds',
    help: 'When the quota runs out at the present use; absent if it will not.',
    row: (row) => seconds(row.emptyAt),
  },
  {
    name: 'headroom_requests_full_timestamp_seconds',
    help: 'When the quota is full at the present use; absent if it is full now or never will be.',
    row: (row) => seconds(row.fullAt),
  },
  {
    name: 'headroom_requests_blocked_until_timestamp_seconds',
    help: 'End of the wait after a 429; absent while none is in force.',
    row: (row) => seconds(row.blockedUntil),
  },
  {
    name: 'headroom_requests_source',
    help: 'Source of a quota’s numbers: a header, the model since a header, or the table. 1 for the current one.',
    samples: perState(SOURCES, 'source', (row) => row.source),
  },
  {
    name: 'headroom_requests_used_total',
    type: 'counter',
    help: 'Requests since this app started, by origin. Others’ requests are counted once a header shows them, so use rate() over 5m or more. For by="own", 1m is enough.',
    samples: (input) => [
      ...perRow(input, (row) => row.used?.own).map(withLabel('by', 'own')),
      ...perRow(input, (row) => row.used?.desk).map(withLabel('by', 'desk')),
      ...perRow(input, (row) => row.used?.elsewhere).map(withLabel('by', 'elsewhere')),
    ],
  },
  {
    name: 'headroom_requests_rejected_total',
    help: 'Requests that got 429 since this app started. They are rare: use increase() over 5m or more.',
    type: 'counter',
    row: (row) => row.rejected,
  },
  { name: 'headroom_slots_limit', help: 'Streams that can be open at once.', slot: (row) => row.limit },
  {
    name: 'headroom_slots_free',
    help: 'Further streams that can be opened.',
    slot: (row) => seen(row.source, row.free),
  },
  { name: 'headroom_slots_own', help: 'Slots used by this app.', slot: (row) => row.own },
  {
    name: 'headroom_slots_desk',
    help: 'Slots used by the desk’s other machines; absent without a desk.',
    slot: (row) => row.desk,
  },
  {
    name: 'headroom_slots_elsewhere',
    help: 'Slots used by other programs.',
    slot: (row) => seen(row.source, row.elsewhere),
  },
  {
    name: 'headroom_streams',
    help: 'Own streams by category and state.',
    samples: ({ snapshots }) => snapshots.flatMap(streamCounts),
  },
  {
    name: 'headroom_stream_restarts_total',
    help: 'Restarts of own streams since this app started. They are rare: use increase() over 1h or more.',
    type: 'counter',
    samples: ({ snapshots, restarts }) =>
      snapshots.flatMap((snapshot) => restartSamples(snapshot, restarts(snapshot.profile.id))),
  },
  {
    name: 'headroom_orders_unknown',
    help: 'Orders with an unknown outcome that have not been dismissed; absent while orders are off and every outcome is known.',
    profile: ({ orders = NO_ORDERS }) =>
      orders.state === 'off' && orders.unknown.length === 0 ? undefined : orders.unknown.length,
  },
  {
    name: 'headroom_desk_reachable',
    help: '1 while the desk’s server can be reached; absent without a desk.',
    profile: ({ desk }) => desk && (desk.engine.reachable ? 1 : 0),
  },
  {
    name: 'headroom_desk_members',
    help: 'Machines of the desk that respond, this one included; absent without a desk.',
    profile: ({ desk }) => desk?.members.filter(({ present }) => present).length,
  },
  {
    name: 'headroom_desk_dispatches',
    help: '1 on the machine that dispatches the desk’s queue, 0 on the others; absent without a queue.',
    profile: ({ desk }) =>
      desk?.queue && (desk.members.some(({ self, dispatcher }) => self && dispatcher) ? 1 : 0),
  },
  {
    name: 'headroom_desk_alone',
    help: '1 while this machine reaches no dispatcher and uses only its share of each quota; absent without a queue.',
    profile: ({ desk }) => desk?.queue && (desk.queue.mode === 'alone' ? 1 : 0),
  },
  {
    name: 'headroom_desk_dropped_total',
    help: 'Messages of the desk that were dropped. They are rare: use increase() over 1h or more.',
    type: 'counter',
    profile: ({ desk }) => desk?.dropped,
  },
  {
    name: 'headroom_gateway_up',
    help: '1 while the gateway serves programs, 0 while it should but cannot; absent while it is off.',
    profile: ({ gateway }) => gateway && (gateway.state === 'serving' ? 1 : 0),
  },
  {
    name: 'headroom_program_forwarded_total',
    help: 'A program’s requests that the service answered since the gateway was turned on; also counted in headroom_requests_used_total as by="own". Use rate() over 1m or more.',
    type: 'counter',
    programUse: ({ forwarded }) => forwarded,
  },
  {
    name: 'headroom_program_coalesced_total',
    help: 'Requests from a program that reused the response to an identical request. Use rate() over 1m or more.',
    type: 'counter',
    program: ({ coalesced }) => coalesced,
  },
  {
    name: 'headroom_program_refused_total',
    help: 'Requests of a program that the gateway declined. Use increase() over 5m or more.',
    type: 'counter',
    program: ({ refused }) => refused,
  },
  {
    name: 'headroom_program_waiting',
    help: 'Requests of a program that wait for their turn.',
    program: ({ waiting }) => waiting,
  },
  {
    name: 'headroom_program_longest_wait_seconds',
    help: 'How long a program’s oldest waiting request has waited.',
    program: ({ longestWaitMs }) => longestWaitMs / 1000,
  },
  {
    name: 'headroom_program_streams',
    help: 'Streams that a program reads now.',
    program: ({ streams }) => streams,
  },
  {
    name: 'headroom_key_condition',
    help: 'Root causes of a key’s problems, 1 for each; absent while all is well.',
    samples: ({ snapshots }) =>
      snapshots.flatMap((snapshot) =>
        keyFindings(snapshot, snapshot.at).map(({ kind, severity, subject = '' }) => ({
          labels: { ...profileLabels(snapshot), cause: kind, severity, category: subject },
          value: 1,
        })),
      ),
  },
  {
    name: 'headroom_snapshot_timestamp_seconds',
    help: 'Time of these numbers.',
    profile: ({ at }) => at / 1000,
  },
]

interface StateSet<S extends string> {
  readonly labels: MetricSample['labels']
  readonly label: string
  readonly states: readonly S[]
  readonly holds: S
}

/**
 * One series per state, with 1 for the current state and 0 for all others. A missing series would look like a
 * restart.
 */
const stateSet = <S extends string>({ labels, label, states, holds }: StateSet<S>): readonly MetricSample[] =>
  states.map((state) => ({ labels: { ...labels, [label]: state }, value: state === holds ? 1 : 0 }))

const profileLabels = ({ profile }: Snapshot) => ({ profile: profile.id, environment: profile.environment })

const rowLabels = (snapshot: Snapshot, { category }: { readonly category: string }) => ({
  ...profileLabels(snapshot),
  category,
})

/** The value, or `undefined` for a documented default, which is not a measurement. */
const seen = (source: string, value: number): number | undefined => (source === 'default' ? undefined : value)

const sample = (labels: MetricSample['labels'], value: number | undefined): readonly MetricSample[] =>
  value === undefined ? [] : [{ labels, value }]

const withLabel =
  (name: string, text: string) =>
  ({ labels, value }: MetricSample): MetricSample => ({ labels: { ...labels, [name]: text }, value })

function streamCounts(snapshot: Snapshot): readonly MetricSample[] {
  const alike = Map.groupBy(snapshot.streams, ({ category, state }) => `${category}\n${state}`)
  return [...alike.values()].flatMap((streams) => {
    const [first] = streams
    if (first === undefined) return []
    const { category, state } = first
    return { labels: { ...profileLabels(snapshot), category, state }, value: streams.length }
  })
}

/**
 * Restart counters. Categories without restarts have zeros, because a counter that first appears at 1 shows
 * no increase.
 */
function restartSamples(snapshot: Snapshot, restarts: ReadonlyMap<string, number>): readonly MetricSample[] {
  const categories = new Set([...snapshot.streams.map(({ category }) => category), ...restarts.keys()])
  return [...categories].map((category) => ({
    labels: { ...profileLabels(snapshot), category },
    value: restarts.get(category) ?? 0,
  }))
}
