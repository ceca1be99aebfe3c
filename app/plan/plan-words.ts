import type { Severity } from '../contract/severity.ts'
import { streamCategoryName } from '../service/stream-kinds.ts'
import { durationText } from '../status/durations.ts'
import { countText, listText, shareText } from '../status/rates.ts'
import type { Concession } from './advice.ts'
import { type CategoryDemand, exceeds, totalBurst, totalRate } from './demand.ts'
import { OTHERS_NAME, OWN_NAME, type UnknownOthers } from './running.ts'
import type { CategoryVerdict, PlanVerdict, SlotVerdict } from './verdict.ts'

/** `1.07/s`. Two decimals, because a plan's rates are small. */
export const planRateText = (perSecond: number): string => `${perSecond.toFixed(2)}/s`

/** Maximum number of decimals of two compared rates. Two are enough unless the rates would look equal. */
const MAX_DECIMALS = 6

/** `needs 1.30/s, refills 1.07/s`, with enough decimals to show which rate is higher. */
function excessRateText(perSecond: number, capacityPerSecond: number): string {
  let decimals = 2
  const text = (rate: number) => `${rate.toFixed(decimals)}/s`
  while (decimals < MAX_DECIMALS && text(perSecond) === text(capacityPerSecond)) decimals += 1
  return `needs ${text(perSecond)}, refills ${text(capacityPerSecond)}`
}

/** Why a category does not fit, as a phrase after the category's name. `undefined` if it fits. */
export function reasonAgainst({
  capacityPerSecond,
  limit,
  reserve,
  demands,
}: CategoryDemand): string | undefined {
  const rate = totalRate(demands)
  const burst = totalBurst(demands)
  const reasons = [
    ...(exceeds(rate, capacityPerSecond) ? [excessRateText(rate, capacityPerSecond)] : []),
    ...(burst + reserve > limit ? [`needs ${burst} at once, allows ${Math.max(0, limit - reserve)}`] : []),
  ]
  return reasons.length === 0 ? undefined : `${reasons.join('; ')}.`
}

/** Advice: one sentence for each concession, then one for each group with too few slots. */
export function adviceLines(
  concessions: readonly Concession[],
  slots: readonly SlotVerdict[],
): readonly string[] {
  return [...concessions.map(concessionLine), ...slots.filter(({ fits }) => !fits).map(slotLine)]
}

/** One concession as a sentence. */
export function concessionLine({ category, program, perSecond, burst }: Concession): string {
  if (program === OTHERS_NAME)
    return perSecond === undefined
      ? `${category}: others alone send too many requests at once.`
      : `${category}: others alone exceed the refill.`
  if (perSecond === 0 || burst === 0) {
    return program === OWN_NAME ? `${category}: pause Headroom’s checks.` : `${category}: remove ${program}.`
  }
  const changes = [
    ...(perSecond === undefined ? [] : [planRateText(perSecond)]),
    ...(burst === undefined ? [] : [`${burst} at once`]),
  ]
  return `${category}: lower ${program} to ${listText(changes)}.`
}

/** How many streams to close in a category that has more streams than slots. */
export function slotLine({ category, streams, shared, limit, elsewhere }: SlotVerdict): string {
  const excess = Math.min(shared, shared + elsewhere - limit)
  const name = streamCategoryName(category)
  return streams === shared
    ? `${name}: close ${countText(excess, 'stream')} of ${shared}.`
    : `${name}: close ${excess} of ${shared} different streams; identical ones share a slot.`
}

/**
 * The verdict as one line: the longest worst-case waits if the plan fits, otherwise each reason against it.
 */
export function verdictLine(verdict: PlanVerdict): string {
  if (!verdict.fits) return `Does not fit. ${reasonsText(verdict)}`
  const waits = verdict.categories.flatMap(waitPhrases)
  return waits.length === 0 ? 'Fits. No program waits.' : `Fits. ${waits.join(' ')}`
}

const slotReason = ({ category, streams, shared, limit, elsewhere }: SlotVerdict) =>
  `${streamCategoryName(category)}: ${countText(shared, streams === shared ? 'stream' : 'different stream')} for ${countText(limit, 'slot')}` +
  (elsewhere === 0 ? '.' : `, ${elsewhere} used by others.`)

function waitPhrases({ category, waits }: CategoryVerdict): readonly string[] {
  return waits.flatMap(({ program, worstSeconds }) => {
    if (worstSeconds === 0) return []
    return [`${category}: ${program} waits ${planWaitText(worstSeconds)}.`]
  })
}

/** The result of a whole plan, for a headline. */
export interface PlanHeadline {
  readonly severity: Severity
  readonly label: string
  /** At most 12 words. The numbers are in the rows below. */
  readonly text: string
  /** The first change to make. Absent if everything fits. */
  readonly action?: string
}

/**
 * The headline of a plan. `verdict` assumes the middle of the estimate of others' use, and `atMost` assumes
 * its high end.
 *
 * A plan that fits only at the middle of the estimate does not count as fitting. If a category of the plan is
 * in `unknown`, the label is `Fits so far.`
 */
export function planHeadline(
  verdict: PlanVerdict,
  { atMost = verdict, unknown }: { readonly atMost?: PlanVerdict; readonly unknown?: UnknownOthers } = {},
): PlanHeadline {
  if (!verdict.fits)
    return { severity: 'critical', label: 'Does not fit.', text: excessText(verdict), ...actionOf(verdict) }
  if (!atMost.fits)
    return {
      severity: 'warning',
      label: 'May not fit.',
      text: `If others use their highest rate: ${excessText(atMost)}`,
      ...actionOf(atMost),
    }
  const doubt = unknown && doubtOf(verdict, unknown)
  if (doubt !== undefined) return { severity: 'unknown', label: 'Fits so far.', ...doubt }
  const longest = longestWait(verdict)
  if (longest === undefined) return { severity: 'ok', label: 'Fits.', text: 'No program waits.' }
  return {
    severity: 'warning',
    label: 'Fits, with waits.',
    text: `${longest.program} waits ${planWaitText(longest.worstSeconds)}.`,
  }
}

const actionOf = ({ advice: [first] }: PlanVerdict): { action?: string } =>
  first === undefined ? {} : { action: first }

/**
 * Whether others' use of a quota must still be measured before a plan fits. False for a quota in which the
 * plan only opens streams, because such a quota gets no checks and is rarely measured.
 */
export const isUnmeasured = (
  { category, perSecond }: CategoryVerdict,
  unknown: UnknownOthers | undefined,
): boolean => perSecond > 0 && unknown?.requests.includes(category) === true

/** What must still be known about others before a plan fits. `undefined` if nothing is missing. */
function doubtOf({ categories, slots }: PlanVerdict, unknown: UnknownOthers) {
  const quotas = categories.filter((one) => isUnmeasured(one, unknown))
  const groups = slots.filter(({ category }) => unknown.slots.includes(category))
  const [[quota], [group]] = [quotas, groups]
  if (quota !== undefined) {
    const which = quotas.length === 1 ? quota.category : countText(quotas.length, 'quota')
    return {
      text: `Others’ use of ${which} isn’t measured yet.`,
      action: 'Save your changes, then press “Start from now” in a minute.',
    }
  }
  if (group === undefined) return undefined
  const which =
    groups.length === 1
      ? streamCategoryName(group.category)
      : countText(groups.length, 'group of slots', 'groups of slots')
  return {
    text: `${which}: slots used by others aren’t observed yet.`,
    action: 'Save your changes, open a stream, then press “Start from now”.',
  }
}

/**
 * What is over capacity in a plan that does not fit: the reason if there is only one, otherwise the number of
 * quotas and of slot groups.
 */
function excessText({ categories, slots }: PlanVerdict): string {
  const over = categories.filter(({ fits }) => !fits)
  const full = slots.filter(({ fits }) => !fits)
  const [category] = over
  const [group] = full
  if (category?.why !== undefined && over.length + full.length === 1)
    return `${category.category} ${category.why}`
  if (group !== undefined && over.length === 0 && full.length === 1) return slotReason(group)
  const counts = [
    ...(over.length === 0 ? [] : [countText(over.length, 'quota')]),
    ...(full.length === 0 ? [] : [countText(full.length, 'group of slots', 'groups of slots')]),
  ]
  return `${listText(counts)} over capacity.`
}

/** All reasons, for the terminal. */
const reasonsText = ({ categories, slots }: PlanVerdict): string =>
  [
    ...categories.flatMap(({ category, why }) => (why === undefined ? [] : [`${category} ${why}`])),
    ...slots.filter(({ fits }) => !fits).map(slotReason),
  ].join(' ')

/**
 * The program with the longest worst-case wait among those that use the gateway. `undefined` if none waits.
 */
function longestWait({ categories }: PlanVerdict) {
  const seconds = ({ worstSeconds }: { worstSeconds: number | null }) =>
    worstSeconds ?? Number.POSITIVE_INFINITY
  return categories
    .flatMap(({ waits }) => waits)
    .filter((wait) => wait.program !== OTHERS_NAME && wait.worstSeconds !== 0)
    .toSorted((a, b) => seconds(b) - seconds(a))[0]
}

/** `up to 12 s`, or `without limit` for `null`. */
export const planWaitText = (worstSeconds: number | null): string =>
  worstSeconds === null ? 'without limit' : `up to ${durationText(Math.ceil(worstSeconds))}`

/** Minimum number of recorded minutes for judging a day. */
const MIN_DAY_MINUTES = 60

/** Whether too few minutes are recorded to judge a day. */
export const isTooLittle = (minutes: number): boolean => minutes < MIN_DAY_MINUTES

/** How much of a period is recorded: `1 minute of the last 24 h is recorded, too little to judge a day`. */
export function recordedText(minutes: number, ofMs: number): string {
  const isHours = minutes >= MIN_DAY_MINUTES
  const amount = isHours ? hoursText(minutes) : countText(minutes, 'minute')
  const verb = isHours || minutes !== 1 ? 'are' : 'is'
  const much = isTooLittle(minutes) ? ', too little to judge a day' : ''
  return `${amount} of the last ${hoursText(ofMs / 60_000)} ${verb} recorded${much}`
}

/** `24 h`, `1.5 h`, or minutes below one hour. */
const hoursText = (minutes: number): string =>
  minutes < 60 ? `${Math.round(minutes)} min` : `${Number((minutes / 60).toFixed(1))} h`

/**
 * The category whose rate is closest to its refill: `Tightest: Positions, 93 % of refill.`. Empty without a
 * category.
 */
export function tightestText({ categories }: PlanVerdict): string {
  const share = (one: CategoryVerdict) => one.perSecond / one.capacityPerSecond
  const [tightest] = categories.toSorted((a, b) => share(b) - share(a))
  return tightest === undefined
    ? ''
    : `Tightest: ${tightest.category}, ${shareText(share(tightest))} of refill.`
}
