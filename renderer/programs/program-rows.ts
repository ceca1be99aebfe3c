import type { DeskSummary } from '../../app/contract/desk.ts'
import { DEFAULT_RESERVE_SHARE } from '../../app/contract/programs.ts'
import type { GatewaySummary, ProgramSummary, RequestQuota, Snapshot } from '../../app/contract/snapshot.ts'
import { OWN_NAME, othersOf, outsidePrograms, runningPlan } from '../../app/plan/running.ts'
import { otherMachinesPrograms } from '../../app/status/desk-programs.ts'
import { sinceText, untilText, waitText } from '../../app/status/durations.ts'
import { programStateText } from '../../app/status/gateway-status.ts'
import { countText, listText, rateRangeText } from '../../app/status/rates.ts'
import { noTurnText, waitUsedOf } from '../../app/status/waiting-now.ts'

/** Maximum number of categories that are shown for a program. Categories with waiting requests come first. */
const MAX_USES = 2

export interface ShownUse {
  readonly category: string
  /** Requests per second, or the number of waiting requests. */
  readonly text: string
  readonly waits: boolean
  /** The program's share of the category's refill, 0 to 1. */
  readonly share: number
}

/** Requests per second, such as `0.31`. Always with two decimals, because readers add these numbers up. */
export const perSecondText = (perSecond: number): string => perSecond.toFixed(2)

/** A whole number, such as `41,207`. */
export const wholeText = (count: number): string => Math.round(count).toLocaleString('en-US')

/** What the gateway leaves for critical programs: a share of each quota, and the categories that differ. */
export function reserveText({ reserve: set = {} }: GatewaySummary) {
  const percent = Math.round(100 * DEFAULT_RESERVE_SHARE)
  const others = Object.entries(set).map(([category, requests]) => `${category} ${requests}`)
  return {
    value: `${percent} % reserve`,
    name: others.length === 0 ? 'for critical' : `for critical; ${listText(others)}`,
    title:
      `Normal programs leave ${percent} % of each quota free, background programs ${2 * percent} %.` +
      (others.length === 0 ? '' : ` Set in requests, twice that for background: ${listText(others)}.`),
  }
}

/**
 * The programs on the desk's other machines, by machine. Empty without a desk. Only the other machine counts
 * a program's requests and streams.
 */
export const otherMachineRows = ({ desk, requests }: Pick<Snapshot, 'desk' | 'requests'>, nowMs: number) =>
  otherMachinesPrograms(desk).map((program) => {
    const next = nextOf(program)
    return {
      ...{ name: program.name, machine: program.machine, class: program.class, weight: program.weight },
      rate: perSecondText(program.perSecond),
      waiting: program.waiting,
      ...(next !== undefined && { next: nextText(next, nowMs) }),
      longest: waitText(program.longestWaitMs),
      uses: program.use.slice(0, MAX_USES).map((use) => shownUse(use, requests)),
      moreUses: Math.max(0, program.use.length - MAX_USES),
    }
  })

export type ProgramRow = ReturnType<typeof programRow>

/** A program in the table. */
export function programRow(program: ProgramSummary, requests: readonly RequestQuota[], nowMs: number) {
  const asked = program.use
    .filter(({ waiting, perSecond }) => waiting > 0 || perSecond > 0)
    .sort((a, b) => b.waiting - a.waiting || b.perSecond - a.perSecond)
  const next = nextOf(program)
  return {
    id: program.id,
    name: program.name,
    ...(program.process !== undefined && { process: program.process }),
    keyEnding: program.keyEnding,
    /** Orders in the last minute, and their maximum. Absent if the program is not allowed to send orders. */
    ...(program.maxOrders !== undefined && {
      orders: `${wholeText(program.ordersLastMinute ?? 0)} of ${wholeText(program.maxOrders)}`,
    }),
    class: program.class,
    weight: program.weight,
    rate: perSecondText(program.perSecond),
    forwarded: wholeText(program.forwarded),
    waiting: program.waiting,
    /** The program's activity in words. Shown only if no request waits. */
    state: programStateText(program),
    isPaused: program.pausedUntil !== undefined,
    ...(next !== undefined && { next: nextText(next, nowMs) }),
    longest: waitText(program.longestWaitMs),
    ...waitUsedOf(next),
    refused: program.refused,
    streams: program.streams,
    uses: asked.slice(0, MAX_USES).map((use) => shownUse(use, requests)),
    moreUses: Math.max(0, asked.length - MAX_USES) + (program.unlisted ?? 0),
    used: usedText(program),
  }
}

type Use = Omit<ProgramSummary['use'][number], 'forwarded'>

/**
 * The category whose waiting request will be sent next. A category without an expected time comes last,
 * because its requests must wait until others use less.
 */
function nextOf({ use }: { readonly use: readonly Use[] }): Use | undefined {
  const waiting = use.filter((one) => one.waiting > 0)
  const at = ({ nextTurnAt = Number.POSITIVE_INFINITY }: Use) => nextTurnAt
  return waiting.reduce<Use | undefined>(
    (first, one) => (first === undefined || at(one) < at(first) ? one : first),
    undefined,
  )
}

/**
 * When the next request is expected to be sent, or what that request waits for: `next in 4 s`, `for a slot`.
 */
function nextText(use: Use, nowMs: number): string {
  if (use.nextTurnAt === undefined) return noTurnText(use)
  return use.nextTurnAt <= nowMs ? 'next now' : `next in ${untilText(use.nextTurnAt, nowMs)}`
}

function shownUse({ category, perSecond, waiting }: Use, requests: readonly RequestQuota[]): ShownUse {
  const row = requests.find((one) => one.category === category)
  const waits = waiting > 0
  return {
    category,
    waits,
    text: waits ? `${waiting} wait` : perSecondText(perSecond),
    share: row === undefined ? 0 : Math.min(1, (perSecond * row.period) / row.limit),
  }
}

/** A program's use by category, such as `Accounts 12, Positions 3 (2 waiting)`. */
const usedText = ({ use }: ProgramSummary): string =>
  use
    .map(
      ({ category, forwarded, waiting }) =>
        `${category} ${forwarded}${waiting > 0 ? ` (${waiting} waiting)` : ''}`,
    )
    .join(', ')

/** The rows below the programs: Headroom's own requests, the desk's, and others'. */
export function otherUsers(snapshot: Snapshot, nowMs: number) {
  const { plan } = runningPlan(snapshot)
  const others = snapshot.requests.flatMap((row) => othersOf(row))
  const own = plan.programs.find(({ name }) => name === OWN_NAME)
  const asked = [...(own?.requests ?? [])].sort((a, b) => b.perSecond - a.perSecond)
  const desk = deskUse(snapshot)
  const [most] = [...others].sort((a, b) => b.perSecond - a.perSecond)
  const sum = (of: (one: (typeof others)[number]) => number) => others.reduce((all, one) => all + of(one), 0)
  const oldestMs = Math.min(...others.map(({ observedAtMs }) => observedAtMs ?? 0))
  return {
    checks: {
      rate: perSecondText(asked.reduce((all, { perSecond }) => all + perSecond, 0)),
      uses: asked.map((use) => shownUse({ ...use, waiting: 0 }, snapshot.requests)),
      streams: own?.streams.length ?? 0,
    },
    hasDesk: snapshot.desk !== undefined,
    /** Whether the desk's machines share checks, so that one machine checks each quota for all of them. */
    sharesChecks: snapshot.desk?.state === 'joined',
    ...(desk && { desk }),
    /** Absent if others' use is unknown or negligible in all categories. */
    ...(most && {
      others: {
        rate: sum(({ perSecond }) => perSecond).toFixed(1),
        range: `${rateRangeText(
          sum(({ low }) => low),
          sum(({ high }) => high),
        )}/s`,
        age: oldestMs > 0 ? `headers up to ${sinceText(oldestMs, nowMs)} old` : 'no header yet',
        most: `${most.category} ${perSecondText(most.perSecond)}`,
      },
    }),
  }
}

/** The use by the desk's other machines, excluding their programs. `undefined` if negligible. */
function deskUse({ desk, requests }: Snapshot) {
  const used = requests.flatMap(({ category, use }) => {
    const perSecond = outsidePrograms(desk, category, use?.desk)
    return perSecond > 0 ? [{ category, perSecond }] : []
  })
  const [most] = used.toSorted((a, b) => b.perSecond - a.perSecond)
  if (most === undefined) return undefined
  return {
    rate: perSecondText(used.reduce((sum, { perSecond }) => sum + perSecond, 0)),
    most: `${most.category} ${perSecondText(most.perSecond)}`,
  }
}

/** Totals of all programs of a key since the gateway was turned on, and how many requests wait now. */
export function totalsOf(programs: readonly ProgramSummary[]) {
  const sum = (of: (program: ProgramSummary) => number) =>
    programs.reduce((all, program) => all + of(program), 0)
  const met = programs.flatMap(({ rejected }) => rejected ?? [])
  return {
    perSecond: perSecondText(sum(({ perSecond }) => perSecond)),
    waiting: sum(({ waiting }) => waiting),
    longest: waitText(Math.max(0, ...programs.map(({ longestWaitMs }) => longestWaitMs))),
    refused: sum(({ refused }) => refused),
    forwarded: sum(({ forwarded }) => forwarded),
    saved: sum(({ coalesced }) => coalesced),
    /** 429s for the programs' requests. Absent if main is an older version, which does not report them. */
    ...(met.length === programs.length && { rejected: met.reduce((all, one) => all + one, 0) }),
  }
}

/**
 * How many programs share the key: `5 programs share this key`. On a desk: `4 programs on 3 machines share
 * this key`.
 */
export function sharingText(count: number, desk?: DeskSummary): string {
  const others = otherMachinesPrograms(desk)
  const all = count + others.length
  const machines = new Set(others.map(({ machine }) => machine)).size + (count > 0 ? 1 : 0)
  const where = desk === undefined ? '' : ` on ${countText(machines, 'machine')}`
  return `${countText(all, 'program')}${where} ${all === 1 ? 'uses' : 'share'} this key`
}
