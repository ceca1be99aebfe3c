import { streamCategoryName } from '../service/stream-kinds.ts'
import { durationText } from '../status/durations.ts'
import { countText, listText } from '../status/rates.ts'
import type { Concession } from './advice.ts'
import { type CategoryDemand, exceeds, totalBurst, totalRate } from './demand.ts'
import type { CategoryVerdict, PlanVerdict, SlotVerdict } from './verdict.ts'

/** `1.07/s`: in hundredths, because plans are made of small rates. */
export const planRateText = (perSecond: number): string => `${perSecond.toFixed(2)}/s`

/** Why a category does not fit, as a sentence; `undefined` where it does. */
export function whyNot({ capacityPerSecond, limit, reserve, demands }: CategoryDemand): string | undefined {
  const rate = totalRate(demands)
  const burst = totalBurst(demands)
  const reasons = [
    ...(exceeds(rate, capacityPerSecond)
      ? [`${planRateText(rate)} is asked for and ${planRateText(capacityPerSecond)} comes back`]
      : []),
    ...(burst + reserve > limit
      ? [`${burst} may be asked for at once and ${Math.max(0, limit - reserve)} can go at once`]
      : []),
  ]
  return reasons.length === 0 ? undefined : `${reasons.join('; ')}.`
}

/** What to give up first, one sentence for each program and category, then for each group of slots. */
export function adviceLines(
  concessions: readonly Concession[],
  slots: readonly SlotVerdict[],
): readonly string[] {
  return [...concessions.map(concessionLine), ...slots.filter(({ fits }) => !fits).map(slotLine)]
}

function concessionLine({ category, program, perSecond, burst }: Concession): string {
  if (perSecond === 0 || burst === 0) return `${category}: leave out ${program}.`
  const changes = [
    ...(perSecond === undefined ? [] : [`at most ${planRateText(perSecond)}`]),
    ...(burst === undefined ? [] : [`at most ${burst} at once`]),
  ]
  return `${category}: let ${program} ask for ${listText(changes)}.`
}

function slotLine({ category, streams, shared, limit }: SlotVerdict): string {
  const close = `${streamCategoryName(category)}: close ${countText(streams - limit, 'stream')} of ${streams}`
  const equal = streams - shared
  return equal === 0 ? `${close}.` : `${close}, the ${countText(equal, 'equal one')} first.`
}

/** The verdict as one line: `fits`, who waits how long at worst, or what does not fit and why. */
export function verdictLine({ fits, categories, slots }: PlanVerdict): string {
  if (!fits) {
    const reasons = [
      ...categories.flatMap(({ category, why }) => (why === undefined ? [] : [`${category}: ${why}`])),
      ...slots.filter((slot) => !slot.fits).map(slotReason),
    ]
    return `Does not fit. ${reasons.join(' ')}`
  }
  const waits = categories.flatMap(waitPhrases)
  return waits.length === 0 ? 'Fits. Nobody waits.' : `Fits. ${waits.join(' ')}`
}

const slotReason = ({ category, streams, limit }: SlotVerdict) =>
  `${streamCategoryName(category)}: ${countText(streams, 'stream')} for ${countText(limit, 'slot')}.`

function waitPhrases({ category, waits }: CategoryVerdict): readonly string[] {
  return waits.flatMap(({ program, worstSeconds }) => {
    if (worstSeconds === 0) return []
    const upTo = worstSeconds === null ? 'without bound' : `up to ${durationText(Math.ceil(worstSeconds))}`
    return [`${category}: ${program} waits ${upTo}.`]
  })
}
