import type { ProgramSummary, RequestQuota, Snapshot, StreamSummary } from '../contract/snapshot.ts'
import { STREAM_TABLE, type StreamRequest, streamKindOf } from '../service/stream-kinds.ts'
import type { Plan, PlannedProgram, PlannedRequests } from './plan.ts'

/** Name for Headroom's own requests on the key: its checks and the window's requests. */
export const OWN_NAME = 'Headroom'
/** Name of all use of the key outside this app. In a plan, this includes the desk's other machines. */
export const OTHERS_NAME = 'Others'

/**
 * Name of the desk's other machines where they are listed separately from others. The comma ensures that no
 * program has the same name.
 */
export const DESK_NAME = 'Desk, other machines'

/**
 * Others' estimated demand in one category, requests per second: the median, and the ends of a 90 % interval.
 */
export interface OthersEstimate {
  readonly category: string
  readonly perSecond: number
  readonly low: number
  readonly high: number
  /** The newest header that the estimate is based on, epoch ms. Absent without a header. */
  readonly observedAtMs?: number
}

/** The programs that run on a key now, as a plan. */
export interface RunningPlan {
  /** The gateway's programs, Headroom, and others. Programs without requests are left out. */
  readonly plan: Plan
  readonly others: readonly OthersEstimate[]
  /**
   * The first recorded minute that the rates cover, epoch ms. Absent if the rates are those of the last
   * minute.
   */
  readonly recordedFromMs?: number
  /** Minutes recorded since `recordedFromMs`. Absent if `recordedFromMs` is absent. */
  readonly recordedMinutes?: number
}

/**
 * A program's burst is often unknown. It is assumed to be the requests of this many seconds at the program's
 * rate. A person may change it.
 */
export const ASSUMED_BURST_SECONDS = 10
const RATE_SECONDS = 60
/** Minimum requests per second for a program to count as active. */
const MIN_PER_SECOND = 0.005

/**
 * The programs that run on a key now, as a plan.
 *
 * The plan has each program's demand in the last minute (forwarded or queued), the key's own requests, and
 * the estimated use by others. Limits, slots and the slots of others come from the snapshot.
 *
 * Requests of others bypass the gateway and never wait, so others count as critical. The desk's other
 * machines count as others. A stream belongs to each program that reads it. A slot whose stream is unnamed
 * counts as a slot of others.
 */
export function runningPlan({ requests, slots, streams, programs = [] }: Snapshot): RunningPlan {
  const others = requests.flatMap((row) => othersOf(row, row.use?.desk))
  const open = streams.flatMap(openStream)
  const own: PlannedProgram = {
    name: OWN_NAME,
    class: 'background',
    weight: 1,
    requests: requests.flatMap((row) => ownRequests(row, programs)),
    streams: open.flatMap(({ stream, isOwn }) => (isOwn ? [stream] : [])),
  }
  const all: readonly PlannedProgram[] = [
    ...programs.map((program) => programOf(program, open)),
    own,
    othersProgram(others.map(({ category, perSecond }) => ({ category, perSecond }))),
  ]
  const named = (category: string) =>
    open.filter(({ stream }) => STREAM_TABLE[stream.kind].category === category).length
  const plan: Plan = {
    programs: all.filter((one) => one.requests.length > 0 || one.streams.length > 0 || isProgram(one)),
    limits: Object.fromEntries(
      requests.map(({ category, limit, period }) => [category, { limit, periodSeconds: period }]),
    ),
    reserves: {},
    slots: Object.fromEntries(
      slots.map(({ category, limit, own: held, desk = 0, elsewhere }) => [
        category,
        { limit, elsewhere: elsewhere + desk + Math.max(0, held - named(category)) },
      ]),
    ),
  }
  return { plan, others }
}

const isProgram = ({ name }: PlannedProgram): boolean => name !== OWN_NAME && name !== OTHERS_NAME

/** Others as a program of a plan. */
export function othersProgram(
  asked: readonly { readonly category: string; readonly perSecond: number }[],
): PlannedProgram {
  const requests = asked.flatMap(({ category, perSecond }) => requestsOf(category, perSecond))
  return { name: OTHERS_NAME, class: 'critical', weight: 1, requests, streams: [] }
}

/**
 * The plan with others at the high end of their estimate. A recorded plan is returned unchanged, because its
 * rates already cover others' use.
 */
export function withOthersHigh(plan: Plan, { others, recordedFromMs }: Omit<RunningPlan, 'plan'>): Plan {
  if (recordedFromMs !== undefined) return plan
  const high = othersProgram(others.map(({ category, high: perSecond }) => ({ category, perSecond })))
  const rest = plan.programs.filter(({ name }) => name !== OTHERS_NAME)
  return { ...plan, programs: high.requests.length === 0 ? rest : [...rest, high] }
}

interface OpenStream {
  readonly stream: StreamRequest
  readonly readBy: readonly string[]
  /** Whether Headroom itself keeps the stream open: the stream is pinned, or no known program reads it. */
  readonly isOwn: boolean
}

function openStream({
  state,
  category,
  streamKind,
  target,
  readBy = [],
  pinned,
}: StreamSummary): OpenStream[] {
  const kind = streamKind ?? streamKindOf(category)
  if (state === 'closed' || kind === undefined) return []
  const names = readBy.map(({ program }) => program)
  return [
    { stream: { kind, target, options: {} }, readBy: names, isOwn: pinned === true || names.length === 0 },
  ]
}

/** A program's name in a plan, marked if it collides with a reserved name. */
export const plannedName = (name: string): string =>
  name === OWN_NAME || name === OTHERS_NAME ? `${name} (program)` : name

function programOf(
  { name, class: own, weight, use }: ProgramSummary,
  open: readonly OpenStream[],
): PlannedProgram {
  const requests = use.flatMap(({ category, perSecond, waiting }) =>
    requestsOf(category, perSecond + waiting / RATE_SECONDS, waiting),
  )
  const streams = open.flatMap(({ stream, readBy }) => (readBy.includes(name) ? [stream] : []))
  return { name: plannedName(name), class: own, weight, requests, streams }
}

function ownRequests(
  { category, use }: RequestQuota,
  programs: readonly ProgramSummary[],
): PlannedRequests[] {
  const byPrograms = programs
    .flatMap((program) => program.use)
    .filter((one) => one.category === category)
    .reduce((sum, { perSecond }) => sum + perSecond, 0)
  return requestsOf(category, (use?.own ?? 0) - byPrograms)
}

/**
 * Estimated use of a row by others. Empty if the use is negligible. `desk`: use by the desk's other machines,
 * in requests per second. It counts as use by others.
 */
export function othersOf({ category, use, observedAt }: RequestQuota, desk = 0): readonly OthersEstimate[] {
  if (use === null) return []
  const { elsewhere, elsewhereLow = elsewhere, elsewhereHigh = elsewhere } = use
  if (elsewhereHigh + desk < MIN_PER_SECOND) return []
  const [perSecond, low, high] = [elsewhere + desk, elsewhereLow + desk, elsewhereHigh + desk]
  return [{ category, perSecond, low, high, ...(observedAt !== undefined && { observedAtMs: observedAt }) }]
}

function requestsOf(category: string, perSecond: number, waiting = 0): PlannedRequests[] {
  if (perSecond < MIN_PER_SECOND) return []
  const burst = Math.max(1, waiting, Math.ceil(perSecond * ASSUMED_BURST_SECONDS))
  return [{ category, perSecond: Math.round(perSecond * 1000) / 1000, burst }]
}
