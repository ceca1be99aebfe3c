import type { DeskSummary } from '../contract/desk.ts'
import type {
  ProgramSummary,
  RequestQuota,
  SlotQuota,
  Snapshot,
  StreamSummary,
} from '../contract/snapshot.ts'
import { STREAM_TABLE, type StreamRequest, streamKindOf } from '../service/stream-kinds.ts'
import { otherMachinesPrograms } from '../status/desk-programs.ts'
import { byQuota, type Plan, type PlannedProgram, type PlannedRequests, quotaOf } from './plan.ts'
import { differentStreams } from './slot-use.ts'

/** Name for Headroom's own requests on the key: its checks and the window's requests. */
export const OWN_NAME = 'Headroom'
/**
 * Name of all use of the key outside this app. In a plan, this includes requests of the desk's other machines
 * that none of their programs sent.
 */
export const OTHERS_NAME = 'Others'

/**
 * Name of the desk's other machines when they are listed separately from others. The gateway allows no comma
 * in a program's name, so no program has this name.
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
  /** Time of the newest header on which the estimate is based, epoch ms. Absent without a header. */
  readonly observedAtMs?: number
}

/** Categories in which others' use is not known yet. */
export interface UnknownOthers {
  /** Request quotas with fewer than two headers. */
  readonly requests: readonly string[]
  /** Groups of slots without a header. */
  readonly slots: readonly string[]
}

/** The programs that run on a key now, as a plan. */
export interface RunningPlan {
  /**
   * The programs behind the gateways of all machines, Headroom, and others. Headroom and others are left out
   * if they send no requests.
   */
  readonly plan: Plan
  readonly others: readonly OthersEstimate[]
  /** Others' use that is unknown and therefore not in the plan. Absent if nothing is unknown. */
  readonly unknown?: UnknownOthers
  /** Names of the programs on the desk's other machines. Absent if there are none. */
  readonly elsewhere?: readonly string[]
  /**
   * The first recorded minute that the rates cover, epoch ms. Absent if the rates cover only the last minute.
   */
  readonly recordedFromMs?: number
  /** Minutes recorded since `recordedFromMs`. Absent if `recordedFromMs` is absent. */
  readonly recordedMinutes?: number
}

/**
 * A program's burst is often unknown. The plan then assumes what the program sends in this many seconds at
 * its rate. A person can change the burst.
 */
export const ASSUMED_BURST_SECONDS = 10
const RATE_SECONDS = 60
/** Minimum requests per second for a program to count as active. */
const MIN_PER_SECOND = 0.005

/**
 * The programs that run on a key now, as a plan.
 *
 * The plan has each program's demand in the last minute (forwarded or queued), the key's own requests, and
 * the estimated use by others. Limits, reserves, slots and the slots of others come from the snapshot. A row
 * that another row counts has no quota of its own.
 *
 * The programs on the desk's other machines are named after machine and program, such as `LAPTOP/scanner`.
 * Other requests of these machines count as requests of others. Requests of others bypass the gateways and
 * never wait, so others count as critical. A stream belongs to each program that reads it. A slot whose
 * stream is unnamed counts as a slot of others. So does the second slot of streams that differ only in
 * options, because a snapshot does not contain the options.
 */
export function runningPlan(snapshot: Snapshot): RunningPlan {
  const { slots, streams, desk } = snapshot
  const requests = snapshot.requests.filter((row) => row.countedBy === undefined)
  const countedBy = Object.fromEntries(
    snapshot.requests.flatMap(({ category, countedBy: row }) => (row === undefined ? [] : [[category, row]])),
  )
  const programs = (snapshot.programs ?? []).map((program) => ({
    ...program,
    use: program.use.map((one) => ({ ...one, category: quotaOf({ countedBy }, one.category) })),
  }))
  const others = requests.flatMap((row) => othersOf(row, outsidePrograms(desk, row.category, row.use?.desk)))
  const open = streams.flatMap(openStream)
  const own: PlannedProgram = {
    name: OWN_NAME,
    class: 'background',
    weight: 1,
    requests: requests.flatMap((row) => ownRequests(row, programs)),
    streams: open.flatMap(({ stream, isOwn }) => (isOwn ? [stream] : [])),
  }
  const elsewhere = otherMachinesPlan(desk, { countedBy })
  const all: readonly PlannedProgram[] = [
    ...programs.map((program) => programOf(program, open)),
    ...elsewhere,
    own,
    othersProgram(others.map(({ category, perSecond }) => ({ category, perSecond }))),
  ]
  const named = (category: string) =>
    differentStreams(
      open.flatMap(({ stream }) => (STREAM_TABLE[stream.kind].category === category ? [stream] : [])),
    )
  const plan: Plan = {
    programs: all.filter((one) => one.requests.length > 0 || one.streams.length > 0 || isProgram(one)),
    limits: Object.fromEntries(
      requests.map(({ category, limit, period }) => [category, { limit, periodSeconds: period }]),
    ),
    reserves: snapshot.gateway?.reserve ?? {},
    slots: Object.fromEntries(
      slots.map(({ category, limit, own: held, desk = 0, elsewhere }) => [
        category,
        { limit, elsewhere: elsewhere + desk + Math.max(0, held - named(category)) },
      ]),
    ),
    ...(Object.keys(countedBy).length > 0 && { countedBy }),
  }
  const unknown = unknownOthers(requests, slots)
  return {
    plan,
    others,
    ...(unknown && { unknown }),
    ...(elsewhere.length > 0 && { elsewhere: elsewhere.map(({ name }) => name) }),
  }
}

function unknownOthers(
  requests: readonly RequestQuota[],
  slots: readonly SlotQuota[],
): UnknownOthers | undefined {
  const rows = requests.filter(({ use }) => use === null)
  const groups = slots.filter(({ source }) => source !== 'header')
  if (rows.length === 0 && groups.length === 0) return undefined
  const names = (all: readonly { readonly category: string }[]) => all.map(({ category }) => category)
  return { requests: names(rows), slots: names(groups) }
}

/** The programs on the desk's other machines. Equal names are numbered, because machines may share a name. */
function otherMachinesPlan(
  desk: DeskSummary | undefined,
  plan: Pick<Plan, 'countedBy'>,
): readonly PlannedProgram[] {
  const seen = new Map<string, number>()
  return otherMachinesPrograms(desk).map(({ machine, name, class: own, weight, use }) => {
    const planned = `${machine}/${name}`
    const number = (seen.get(planned) ?? 0) + 1
    seen.set(planned, number)
    return {
      name: number === 1 ? planned : `${planned} (${number})`,
      ...{ class: own, weight, requests: byQuota(plan, use.flatMap(demandOf)), streams: [] },
    }
  })
}

/**
 * Requests per second that the desk's other machines send in a category, without those of their programs.
 * `used`: all requests per second of these machines.
 */
export function outsidePrograms(desk: DeskSummary | undefined, category: string, used = 0): number {
  const byPrograms = otherMachinesPrograms(desk)
    .flatMap(({ use }) => use)
    .reduce((sum, one) => sum + (one.category === category ? one.perSecond : 0), 0)
  const rest = used - byPrograms
  return rest < MIN_PER_SECOND ? 0 : rest
}

const isProgram = ({ name }: PlannedProgram): boolean => name !== OWN_NAME && name !== OTHERS_NAME

/** The use by others, as one program of a plan. */
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
  const requests = byQuota({}, use.flatMap(demandOf))
  const streams = open.flatMap(({ stream, readBy }) => (readBy.includes(name) ? [stream] : []))
  return { name: plannedName(name), class: own, weight, requests, streams }
}

/** Demand in a category over the last minute: forwarded and queued requests. */
const demandOf = ({
  category,
  perSecond,
  waiting,
}: Pick<ProgramSummary['use'][number], 'category' | 'perSecond' | 'waiting'>) =>
  requestsOf(category, perSecond + waiting / RATE_SECONDS, waiting)

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
