import type { DeskMember } from '../../contract/desk.ts'
import type { ProgramSummary, RequestQuota, Snapshot } from '../../contract/snapshot.ts'
import { mayBeEmpty } from '../../quota/verdict.ts'
import { paceText, safePaceText, whoTakesAll } from '../../status/allowance.ts'
import { otherMachinesPrograms } from '../../status/desk-programs.ts'
import { sinceText } from '../../status/durations.ts'
import { clockText, minuteText } from '../../status/moments.ts'
import {
  GETS_429,
  isPerhapsLow,
  isRecovering,
  isUnchecked,
  othersText,
  ownText,
  quotaStatus,
  refusedProblem,
  retryText,
  runsOutText,
  shareLeftText,
  stateAt,
  surelyUsesWholeRefill,
  usesWholeRefill,
} from '../../status/quota-status.ts'
import { countText, rateRangeText } from '../../status/rates.ts'
import { capitalised } from '../../status/sentences.ts'
import { busiestProgram, type Condition, isMostlyOwn } from '../evaluate.ts'
import { fewText } from './event-words.ts'
import { joined, type Message, message, NO_ACTION } from './message.ts'
import { problemTitle } from './problems.ts'

/** The text for a quota that is watched, short or rate limited at `nowMs`, epoch ms. */
export function rowMessage(
  { kind }: Condition,
  row: RequestQuota,
  snapshot: Snapshot,
  nowMs: number,
): Message {
  const { category } = row
  const { label, note, state, untilMs } = quotaStatus(row, nowMs)
  const words = { label, name: `${category} ${label}`, note, moment: momentText(row, nowMs) }
  const others = wholeRefillSentence(row)
  const usage = usageSentence(row, nowMs, snapshot)
  const usageBelowOthers = usageSentence(row, nowMs, { ...snapshot, areOthersNamed: others !== '' })
  if (kind === 'usual-load' && row.usualLoad !== undefined) return usualLoadMessage(row, row.usualLoad, nowMs)
  switch (state) {
    case 'blocked': {
      const title = `429 on ${category}.`
      if (kind === 'others-use-refill') {
        return message({
          ...words,
          title,
          text: others,
          action: slowOthers(row, snapshot),
          detail: joined(`Calls get ${GETS_429}.`, OTHERS_ARE, waitingText(row, snapshot)),
        })
      }
      if (untilMs === undefined || untilMs <= nowMs)
        return message({ ...words, title, text: 'The wait is over.', action: 'Checking now.' })
      return message({
        ...words,
        title,
        text: `Safe to retry at ${clockText(untilMs)}.`,
        action: `Stop direct ${category} calls until then.`,
        detail: joined(usage, waitingText(row, snapshot)),
      })
    }
    case 'empty':
      return message({
        ...words,
        title: `${category} is empty.`,
        text: others === '' ? 'Calls get 429 until it refills.' : others,
        action: others === '' ? `Pause ${category} calls.` : slowOthers(row, snapshot),
        detail: joined(usageBelowOthers, others && OTHERS_ARE),
      })
    case 'running-out': {
      if (note === 'recovering') {
        const text = `Recovering, ${shareLeftText(row)} left.`
        return message({
          ...words,
          title: `${category} was running out.`,
          text,
          detail: usage,
        })
      }
      const title = `${category} ${runsOutText(row, nowMs)}.`
      if (kind === 'others-use-refill')
        return message({
          ...words,
          title,
          text: others,
          action: slowOthers(row, snapshot),
          detail: joined(usageBelowOthers, OTHERS_ARE),
        })
      return message({
        ...words,
        title,
        action: kind === 'own-use' ? slowOwn(row, snapshot, nowMs) : slowTo(row, snapshot, nowMs),
        detail: usage,
      })
    }
    case 'watch':
      return message({
        ...words,
        title: `${category} ${runsOutText(row, nowMs)}.`,
        detail: `${usage} ${shareLeftText(row)} left now.`,
      })
    default:
      return message({
        ...words,
        title: `${category} ${isLowText(row, label)}:`,
        text: `${note} left.`,
        action: slowTo(row, snapshot, nowMs),
        detail: usage,
      })
  }
}

/** The text for a usual load of others that starts within ten minutes and would empty the quota. */
function usualLoadMessage(
  row: RequestQuota,
  { at, perSecond }: NonNullable<RequestQuota['usualLoad']>,
  nowMs: number,
): Message {
  const time = minuteText(at)
  return message({
    label: 'usual load',
    name: `${row.category} usual load`,
    note: `from ${time}`,
    title: `The usual ${time} load needs ${Number(perSecond.toPrecision(2))}/s of ${row.category}.`,
    action: `Finish your ${row.category} calls before then.`,
    detail: `${usageSentence(row, nowMs)} ${shareLeftText(row)} left now.`,
  })
}

/** How many of the programs' requests wait for this row. */
function waitingText({ category }: RequestQuota, { programs = [] }: Snapshot): string {
  const named = programs.flatMap(({ name, use }) => {
    const waiting = use.find((one) => one.category === category)?.waiting ?? 0
    return waiting > 0 ? [`${countText(waiting, `${name} request`)}`] : []
  })
  return named.length === 0 ? '' : `Waiting: ${named.join(', ')}.`
}

/**
 * Advice to slow down to the safe rate. Names one of the key's programs if it accounts for most of the use.
 */
function slowTo(row: RequestQuota, snapshot: Snapshot, nowMs: number): string {
  const pace = safePaceText(row, nowMs)
  if (pace === '?') return 'Slow down until Headroom has measured other traffic.'
  if (pace === 'none') {
    if (ownText(row) !== '0') return `Pause ${row.category} calls.`
    if (othersText(row) !== '0') return slowOthers(row, snapshot)
    return deskRate(row) === '0' ? `Pause ${row.category} calls.` : slowDesk(row, snapshot)
  }
  const program = isMostlyOwn(row) ? busiestProgram(row, snapshot) : undefined
  if (program === undefined) return `Slow to ${pace}.`
  const own = programPace(row, program)
  return own === undefined ? `Pause ${program.name}.` : `Slow ${program.name} to ${own}.`
}

/**
 * Advice to slow others. If others poll, gives their interval. Otherwise names the desk's machines that don't
 * respond, because others' use includes their requests.
 */
function slowOthers({ poller }: RequestQuota, { desk }: Snapshot): string {
  if (poller !== undefined) return `Slow or stop the program that polls every ${poller.everySeconds} s.`
  const unheard = machinesOf(desk, ({ present }) => !present)
  return `Slow or stop the other programs${unheard && `; check ${unheard}`}.`
}

/** Advice to slow the desk's other machines. If one program causes most of their use, names the program. */
function slowDesk({ category, use }: RequestQuota, { desk }: Snapshot): string {
  const busiest = otherMachinesPrograms(desk)
    .flatMap(({ name, machine, use: used }) =>
      used.flatMap((one) => (one.category === category ? [{ name, machine, perSecond: one.perSecond }] : [])),
    )
    .toSorted((a, b) => b.perSecond - a.perSecond)
    .at(0)
  if (busiest !== undefined && busiest.perSecond >= (use?.desk ?? 0) / 2)
    return `Slow ${busiest.name} on ${busiest.machine}.`
  const busy = machinesOf(desk, ({ present, perSecond }) => present && perSecond > 0)
  return `Slow the programs on ${busy || 'the desk’s other machines'}.`
}

/** Names of the desk's other machines that match `isMeant`. */
const machinesOf = (desk: Snapshot['desk'], isMeant: (member: DeskMember) => boolean): string =>
  fewText((desk?.members ?? []).filter((one) => !one.self && isMeant(one)).map(({ name }) => name))

/** The safe rate of one program while the others continue. `undefined` if unknown or below `SLOWEST`. */
function programPace({ safe, use }: RequestQuota, { id }: ProgramSummary): string | undefined {
  if (safe?.everySeconds === undefined || safe.everySeconds === null) return undefined
  // The rates of the other programs are added up. Own use minus this program's rate would be wrong, because
  // the two are means over different periods.
  const others = Object.entries(use?.programs ?? {}).filter(([program]) => program !== id)
  const perSecond = 1 / safe.everySeconds - others.reduce((sum, [, rate]) => sum + rate, 0)
  return perSecond < SLOWEST ? undefined : paceText(1 / perSecond)
}

/**
 * Minimum rate for the advice to slow down, in requests per second. Below this rate, the advice is to pause.
 */
const SLOWEST = 0.01

const isLowText = (row: RequestQuota, label: string): string =>
  `${isPerhapsLow(row) ? 'may be' : 'is'} ${label}`

function slowOwn(row: RequestQuota, snapshot: Snapshot, nowMs: number): string {
  const program = busiestProgram(row, snapshot)
  if (program === undefined) return slowTo(row, snapshot, nowMs)
  const { name, pausedUntil } = program
  // Own use is a mean over a minute. After the pause begins, the row therefore stays short for a while.
  if (pausedUntil !== undefined) return `${name} is paused until ${minuteText(pausedUntil)}. ${NO_ACTION}`
  const pace = programPace(row, program)
  return pace === undefined ? `Pause ${name}.` : `Pause ${name}, or slow it to ${pace}.`
}

/** The time for a surface without countdowns: `until 14:36:05` after a 429. */
function momentText(row: RequestQuota, nowMs: number): string {
  const { note, untilMs } = quotaStatus(row, nowMs)
  return untilMs === undefined ? note : `until ${clockText(untilMs)}`
}

/** The safe pace as a sentence: `Safe pace: 1 per 1.9 s, 40 at once.` Empty if unknown. */
export function safeSentence(quota: RequestQuota, nowMs: number): string {
  const state = stateAt(quota, nowMs)
  if (state === 'blocked' || state === 'not-checked' || quota.safe === undefined) return ''
  const { everySeconds, burst } = quota.safe
  if (everySeconds === null) return `Safe pace: none, ${whoTakesAll(quota)}.`
  return `Safe pace: ${paceText(everySeconds)}${burst > 0 ? `, ${burst} at once` : ''}.`
}

interface UsageContext extends Pick<Snapshot, 'programs'> {
  /** Whether the text above says who the others are. */
  readonly areOthersNamed?: boolean
}

/**
 * Who uses the quota and how fast, with its refill: `Others on this key use about 1.2–1.3/s; it refills
 * 1.07/s.` With a desk: `Others on this key use about 1.2/s, the desk 0.4/s, this machine 0.1/s; it refills
 * 1.07/s.` The busiest program of `context` is named. Empty for an unchecked row.
 */
export function usageSentence(quota: RequestQuota, nowMs: number, context: UsageContext = {}): string {
  const { use, observedAt } = quota
  if (isUnchecked(quota, nowMs)) return ''
  if (use === null) return 'Still measuring other traffic.'
  const [own, desk, others] = [ownText(quota), deskRate(quota), othersText(quota)]
  if (others === '0' && desk === '0' && own === '0') {
    const checked = observedAt === undefined ? '' : ` (last check ${sinceText(observedAt, nowMs)} ago)`
    return `No use measured${checked}.`
  }
  const who = [
    ...(others === '0'
      ? []
      : [{ who: context.areOthersNamed ? 'others' : OTHERS, uses: 'use', rate: `about ${others}/s` }]),
    ...(desk === '0' ? [] : [{ who: 'the desk', uses: 'uses', rate: `${desk}/s` }]),
    ...(own === '0' ? [] : [ownUse(quota, own, context)]),
  ]
  // In a list of three, only the first user gets a verb.
  const isShort = who.length > 2
  const parts = who.map(({ who: name, uses, rate }, at) =>
    isShort && at > 0 ? `${name} ${rate}` : `${name} ${uses} ${rate}`,
  )
  return `${capitalised(parts.join(', '))}; ${refillText(quota)}.`
}

/** Every user of the key outside Headroom. Their rate is an estimate. */
const OTHERS = 'others on this key'

/** What is known about the others. A header counts requests, but does not say which program sent them. */
export const OTHERS_ARE = 'Others call outside Headroom; the service doesn’t name them.'

/** The rate of the desk's other machines, as text. `0` without a desk and for an unchecked row. */
function deskRate({ use, state }: RequestQuota): string {
  const perSecond = state === 'not-checked' ? 0 : (use?.desk ?? 0)
  return rateRangeText(perSecond, perSecond)
}

/**
 * Own use as text. If no program uses the quota: `Headroom uses 0.1/s`. Otherwise: `you use 0.9/s (scanner
 * 0.6)`. On a desk, the subject is `this machine`.
 */
function ownUse(quota: RequestQuota, own: string, snapshot: Pick<Snapshot, 'programs'>) {
  const most = busiestProgram(quota, snapshot)
  const perSecond = most === undefined ? 0 : (quota.use?.programs?.[most.id] ?? 0)
  const part = rateRangeText(perSecond, perSecond)
  const rate = part === '0' ? `${own}/s` : `${own}/s (${most?.name} ${part})`
  if (quota.use?.desk !== undefined) return { who: 'this machine', uses: 'uses', rate }
  return part === '0' ? { who: 'Headroom', uses: 'uses', rate } : { who: 'you', uses: 'use', rate }
}

/**
 * Who uses the quota, and its refill, short enough to read from afar: `others 1.2–1.3/s, refill 1.07/s`.
 * Leaves out Headroom's own use if others or the desk's other machines use the quota.
 */
export function usageLine(quota: RequestQuota): string {
  const [own, desk, others] = [ownText(quota), deskRate(quota), othersText(quota)]
  const outside = [
    ...(others === '0' ? [] : [`others ${others}/s`]),
    ...(desk === '0' ? [] : [`desk ${desk}/s`]),
  ].join(', ')
  const known = outside || (own === '0' ? 'no use measured' : `own ${own}/s`)
  const who = quota.use === null ? 'still measuring other traffic' : known
  return `${who}, ${refillText(quota, quota.model === 'rolling' ? 'refill' : 'refills')}`
}

/**
 * `Others on this key use the whole refill (1.07/s).` Empty if others use less.
 *
 * Variants: `more than the refill` if others use notably more and the row is not empty, and `probably use` if
 * the low end of others' use is below the refill.
 */
function wholeRefillSentence(row: RequestQuota): string {
  if (!usesWholeRefill(row)) return ''
  const use = surelyUsesWholeRefill(row) ? 'use' : 'probably use'
  const refill = row.limit / row.period
  // While a row is empty, the service accepts no more than the refill, so others can't use more.
  const isMore = row.remaining >= 1 && (row.use?.elsewhere ?? 0) > NOTABLY_MORE * refill
  const share = isMore ? 'more than the' : 'the whole'
  return `${capitalised(OTHERS)} ${use} ${share} refill (${perSecondText(refill)}).`
}

/** Minimum ratio of others' use to the refill for the text `more than the refill`. */
const NOTABLY_MORE = 1.2

const perSecondText = (perSecond: number): string => `${Number(perSecond.toFixed(2))}/s`

/** `it refills 1.07/s`, or for a fixed window `it refills at 14:32:05`. */
function refillText(quota: RequestQuota, verb = 'it refills'): string {
  const { model, limit, period, windowEndsAt, asOf } = quota
  if (model === 'rolling') return `${verb} ${perSecondText(limit / period)}`
  return windowEndsAt === undefined || windowEndsAt <= asOf
    ? `${verb} when its window ends`
    : `${verb} at ${clockText(windowEndsAt)}`
}

/** The headline of a row: one sentence about its state. It does not say who uses the quota. */
export function stateSentence(quota: RequestQuota, nowMs: number): string {
  const { category, blockedUntil } = quota
  const problem = refusedProblem(quota, nowMs)
  if (problem !== undefined) return `${problemTitle(category, problem)}.`
  switch (stateAt(quota, nowMs)) {
    case 'ok':
      return mayBeEmpty(quota) ? `Still measuring ${category}.` : `${category} is ok.`
    case 'low':
      return `${category} ${isLowText(quota, 'low')} (${shareLeftText(quota)}).`
    case 'watch':
      return `${category} ${runsOutText(quota, nowMs)}.`
    case 'running-out':
      return isRecovering(quota)
        ? `${category} was running out; it is recovering (${shareLeftText(quota)} left).`
        : `${category} ${runsOutText(quota, nowMs)}.`
    case 'empty':
      return `${category} is empty. Calls get ${usesWholeRefill(quota) ? GETS_429 : '429 until it refills'}.`
    case 'blocked':
      if (usesWholeRefill(quota)) return `${category}: calls get ${GETS_429}.`
      if (blockedUntil === undefined) return `429 on ${category}. The wait is over. Checking now.`
      return blockedUntil <= nowMs
        ? `429 on ${category}. Safe to retry now.`
        : `429 on ${category}. Safe to retry at ${clockText(blockedUntil)}, in ${retryText(blockedUntil, nowMs)}.`
    case 'not-checked':
      return `${category} is not checked.`
  }
}
