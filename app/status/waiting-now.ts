import type { Severity } from '../contract/severity.ts'
import type { ProgramSummary, RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { SLOT_QUOTAS } from '../service/categories.ts'
import { otherMachinesPrograms } from './desk-programs.ts'
import { durationText, untilText, waitText } from './durations.ts'
import { clockText } from './moments.ts'
import { quotaStatus, UNTIL_OTHERS_SLOW } from './quota-status.ts'
import { MIN_SHOWN_PER_SECOND, rateText } from './rates.ts'

/** One program's requests that wait for one quota. */
export interface WaitingRow {
  readonly program: string
  /** The program's machine. Absent for this machine. */
  readonly machine?: string
  /** The program's index among this machine's programs. It determines the colour and pattern. */
  readonly at: number
  readonly waiting: number
  /** Time until the first and the last waiting request are expected to be sent, as text. */
  readonly turns: string
  readonly longest: string
  readonly maxWait?: string
  readonly waitUsed?: number
}

/** One quota and its waiting requests, in the order in which they will be sent. */
export interface WaitingGroup {
  readonly category: string
  readonly severity: Severity
  readonly label: string
  /** Why requests wait. Empty if the quota does not show why. */
  readonly why: string
  readonly rows: readonly WaitingRow[]
}

/**
 * Waiting requests at `nowMs` (epoch ms), grouped by quota, in the order in which they will be sent. Requests
 * that wait for a slot come first. Requests without an expected time come last. Includes the programs on the
 * desk's other machines.
 */
export function waitingGroups(
  { programs = [], requests, desk }: Pick<Snapshot, 'programs' | 'requests' | 'desk'>,
  nowMs: number,
): readonly WaitingGroup[] {
  const all = [...programs.map((one) => ({ ...one, machine: undefined })), ...otherMachinesPrograms(desk)]
  const waits = all
    .flatMap(({ name, machine, longestWaitMs, use }, at) =>
      use
        .filter(({ waiting }) => waiting > 0)
        .map((one: Use) => ({ name, machine, at, one: { longestWaitMs, ...one } })),
    )
    .sort((a, b) => orderOf(a.one) - orderOf(b.one) || a.name.localeCompare(b.name))
  const categories = [...new Set(waits.map(({ one }) => one.category))]
  return categories.map((category) => ({
    category,
    ...stateOf(
      requests.find((one) => one.category === category),
      nowMs,
    ),
    rows: waits
      .filter(({ one }) => one.category === category)
      .map(({ name, machine, at, one }) => ({
        program: name,
        ...(machine !== undefined && { machine }),
        at,
        waiting: one.waiting,
        turns: turnsText(one, nowMs),
        longest: waitText(one.longestWaitMs),
        ...longestWaitText(one),
        ...waitUsedOf(one),
      })),
  }))
}

type Use = Omit<ProgramSummary['use'][number], 'forwarded'>

/** Share of the maximum wait that will have passed when the next request is sent, 0 to 1. */
export function waitUsedOf(use: Use | undefined): { readonly waitUsed?: number } {
  const { nextTurnAt, nextCameAt, nextPatientUntil } = use ?? {}
  if (nextTurnAt === undefined || nextCameAt === undefined || nextPatientUntil === undefined) return {}
  const wholeMs = nextPatientUntil - nextCameAt
  if (wholeMs <= 0) return {}
  return { waitUsed: Math.min(1, Math.max(0, (nextTurnAt - nextCameAt) / wholeMs)) }
}

const HAS_SLOTS: ReadonlySet<string> = new Set(SLOT_QUOTAS.map(({ category }) => category))

const orderOf = ({ nextTurnAt, category }: Use): number =>
  nextTurnAt ?? (HAS_SLOTS.has(category) ? 0 : Number.MAX_SAFE_INTEGER)

/** Text for requests without an expected time. For example, a desk's dispatcher has not announced it yet. */
export const noTurnText = ({ category }: Pick<Use, 'category'>): string =>
  HAS_SLOTS.has(category) ? 'for a slot' : 'turn not known yet'

/** Time until the first and the last request are expected to be sent, such as `48 s – 2 min 6 s`. */
function turnsText({ category, nextTurnAt, lastTurnAt = nextTurnAt }: Use, nowMs: number): string {
  if (nextTurnAt === undefined || lastTurnAt === undefined) return noTurnText({ category })
  const [first, last] = [untilText(nextTurnAt, nowMs), untilText(lastTurnAt, nowMs)]
  if (lastTurnAt <= nowMs) return 'now'
  return first === last ? last : `${nextTurnAt <= nowMs ? 'now' : first} – ${last}`
}

function longestWaitText({ nextCameAt, nextPatientUntil }: Use): { readonly maxWait?: string } {
  if (nextCameAt === undefined || nextPatientUntil === undefined) return {}
  return { maxWait: durationText(Math.round((nextPatientUntil - nextCameAt) / 1000)).replace(/ 0 s$/, '') }
}

function stateOf(quota: RequestQuota | undefined, nowMs: number): Omit<WaitingGroup, 'category' | 'rows'> {
  if (quota === undefined) return { severity: 'unknown', label: '', why: '' }
  const { severity, label, state } = quotaStatus(quota, nowMs)
  const { elsewhere: others = 0, desk = 0 } = quota.use ?? {}
  const why =
    state === 'blocked' && quota.blockedUntil !== undefined
      ? `until ${clockText(quota.blockedUntil)}`
      : quota.nextTryAt !== undefined
        ? UNTIL_OTHERS_SLOW
        : others >= MIN_SHOWN_PER_SECOND
          ? `others use ${rateText(others)}`
          : desk >= MIN_SHOWN_PER_SECOND
            ? `the desk uses ${rateText(desk)}`
            : ''
  return { severity, label, why }
}
