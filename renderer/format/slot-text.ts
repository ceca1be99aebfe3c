import type { SlotQuota } from '../../app/contract/snapshot.ts'
import { coarseSinceText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'

/**
 * The text after the number of free slots, such as `of 40 free · 2 others`. With a desk: `of 40 free · 1 desk
 * · 2 others`.
 */
export function slotText({ limit, desk = 0, elsewhere }: SlotQuota): string {
  const byDesk = desk > 0 ? ` · ${desk} desk` : ''
  return `of ${limit} free${byDesk}${elsewhere > 0 ? ` · ${elsewhere} others` : ''}`
}

/** The number of free slots, such as `37 free`. `full` if no slot is free. */
export function freeText({ free }: Pick<SlotQuota, 'free'>): string {
  return free === 0 ? 'full' : `${free} free`
}

export const usedSlots = ({ own, desk = 0, elsewhere }: SlotQuota): number => own + desk + elsewhere

/**
 * The text for slots without a recent header: `3 own`, or `?` without own streams. Own streams are always
 * counted.
 */
export const ownSlots = ({ own }: SlotQuota): string => (own > 0 ? `${own} own` : '?')
export const unobservedText = ({ own }: SlotQuota): string => (own > 0 ? 'others ?' : 'not observed')

/**
 * The use of a group of slots, such as `2 own, 6 by others, 2 of 10 free`. With a desk: `2 own, 1 by the
 * desk, 5 by others, 2 of 10 free`.
 */
export function othersSlotsText({ own, desk, elsewhere, free, limit }: SlotQuota): string {
  const byDesk = desk === undefined ? '' : `${desk} by the desk, `
  return `${own} own, ${byDesk}${elsewhere} by others, ${free} of ${limit} free.`
}

/** Age or source of the count. A header arrives only when a stream opens. */
export function slotAge({ source, observedAt }: SlotQuota, nowMs: number): string {
  switch (source) {
    case 'default':
      return 'documented'
    case 'counted':
      return 'counted here'
    case 'header':
      return observedAt === undefined ? '' : coarseSinceText(observedAt, nowMs)
  }
}

/** The source of the count, as a sentence. */
export function slotSource({ source, observedAt, own }: SlotQuota): string {
  switch (source) {
    case 'default':
      return 'Documented limit; not checked yet'
    case 'counted':
      return `${own} own, counted here; the service sent no header`
    case 'header':
      return observedAt === undefined
        ? `${own} own`
        : `${own} own; the rest from a header at ${clockText(observedAt)}`
  }
}

/** A slot's use: own, by the desk's other machines, by others, or free. */
export type SlotCell = 'own' | 'desk' | 'elsewhere' | 'free'

/** One entry per slot: first own slots, then the desk's slots, then the rest. At most `limit` entries. */
export function slotCells({ limit, own, desk = 0, elsewhere }: SlotQuota): readonly SlotCell[] {
  return Array.from({ length: Math.max(0, limit) }, (_, index) => {
    if (index < own) return 'own'
    if (index < own + desk) return 'desk'
    return index < own + desk + elsewhere ? 'elsewhere' : 'free'
  })
}
