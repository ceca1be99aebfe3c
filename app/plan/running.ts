import type { ProgramSummary, RequestQuota, Snapshot, StreamSummary } from '../contract/snapshot.ts'
import { STREAM_TABLE, type StreamRequest, streamKindOf } from '../service/stream-kinds.ts'
import type { Plan, PlannedProgram, PlannedRequests } from './plan.ts'

/** Name of the key's own requests that no program made: checks, and what the window asks for. */
export const OWN_NAME = 'Headroom'
/** Name of all that use the key without this app. */
export const OTHERS_NAME = 'Others'

/** What others are estimated to ask of one category, requests a second: the middle, and the ends of a 90 % interval. */
export interface OthersEstimate {
  readonly category: string
  readonly perSecond: number
  readonly low: number
  readonly high: number
  /** The newest header behind it, epoch ms; absent where none came. */
  readonly observedAtMs?: number
}

/** What runs on a key now, as a plan. */
export interface RunningPlan {
  /** Programs of the gateway, then Headroom itself, then others, each where it asks for anything. */
  readonly plan: Plan
  readonly others: readonly OthersEstimate[]
  /** The first recorded minute that its rates cover, epoch ms; absent where they are those of the last minute. */
  readonly recordedFromMs?: number
  /** How many minutes were recorded since then; absent as `recordedFromMs` is. */
  readonly recordedMinutes?: number
}

/**
 * Seconds of its rate that a program is assumed to ask for at one moment, where nothing but the rate is known. An assumption that a
 * person may change.
 */
export const ASSUMED_BURST_SECONDS = 10
/** Seconds that a program's rate covers. */
const RATE_SECONDS = 60
/** Requests a second that count as use. */
const LEAST_PER_SECOND = 0.005

/**
 * The plan of what runs on a key at a moment: each program of the gateway with what it asked for in the last minute (forwarded, or
 * still in the queue), the key's own requests besides, and what others are estimated to use. Limits, slots and the slots of others are those of the snapshot.
 *
 * Others ask the service without the gateway, so nothing makes them wait: they count as critical. A stream is that of each program
 * that reads it; slots whose streams are not known by name are held as those of others are.
 */
export function runningPlan({ requests, slots, streams, programs = [] }: Snapshot): RunningPlan {
  const others = requests.flatMap(othersOf)
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
      slots.map(({ category, limit, own: held, elsewhere }) => [
        category,
        { limit, elsewhere: elsewhere + Math.max(0, held - named(category)) },
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

/** The plan with others at the high end of their estimate; a recording covers all that they did, and has no such end. */
export function withOthersHigh(plan: Plan, { others, recordedFromMs }: Omit<RunningPlan, 'plan'>): Plan {
  if (recordedFromMs !== undefined) return plan
  const high = othersProgram(others.map(({ category, high: perSecond }) => ({ category, perSecond })))
  const rest = plan.programs.filter(({ name }) => name !== OTHERS_NAME)
  return { ...plan, programs: high.requests.length === 0 ? rest : [...rest, high] }
}

interface OpenStream {
  readonly stream: StreamRequest
  readonly readBy: readonly string[]
  /** Whether Headroom itself keeps it open, as far as can be told: it was pinned, or no program reads it. */
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

/** A program's name in a plan: one that stands for something else there gets a mark. */
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

function othersOf({ category, use, observedAt }: RequestQuota): OthersEstimate[] {
  if (use === null) return []
  const { elsewhere: perSecond, elsewhereLow: low = perSecond, elsewhereHigh: high = perSecond } = use
  if (high < LEAST_PER_SECOND) return []
  return [{ category, perSecond, low, high, ...(observedAt !== undefined && { observedAtMs: observedAt }) }]
}

function requestsOf(category: string, perSecond: number, waiting = 0): PlannedRequests[] {
  if (perSecond < LEAST_PER_SECOND) return []
  const burst = Math.max(1, waiting, Math.ceil(perSecond * ASSUMED_BURST_SECONDS))
  return [{ category, perSecond: Math.round(perSecond * 1000) / 1000, burst }]
}
