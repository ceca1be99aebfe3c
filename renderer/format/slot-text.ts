import type { SlotQuota } from '../../app/contract/snapshot.ts'
import { coarseSinceText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'

/** `of 40 free · 2 others`, after the number of free slots. */
export function slotText(slots: SlotQuota): string {
  const elsewhere = slots.elsewhere > 0 ? ` · ${slots.elsewhere} others` : ''
  return `of ${slots.limit} free${elsewhere}`
}

/** `37 free`, or `full` if no slot is free. */
export function freeText({ free }: Pick<SlotQuota, 'free'>): string {
  return free === 0 ? 'full' : `${free} free`
}

/**
 * The text for slots without a recent header. Own streams are always counted: `3 own`, or `?` without any.
 */
export const ownSlots = ({ own }: SlotQuota): string => (own > 0 ? `${own} own` : '?')
export const unobservedText = ({ own }: SlotQuota): string => (own > 0 ? 'others ?' : 'not observed')

/** `2 own, 6 by others, 2 of 10 free.` */
export function othersSlotsText({ own, elsewhere, free, limit }: SlotQuota): string {
  return `${own} own, ${elsewhere} by others, ${free} of ${limit} free.`
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

/** A slot's use: own, by others, or free. */
export type SlotCell = 'own' | 'elsewhere' | 'free'

/** One entry per slot, own slots first. At most `limit` entries. */
export function slotCells({ limit, own, elsewhere }: SlotQuota): readonly SlotCell[] {
  return Array.from({ length: Math.max(0, limit) }, (_, index) =>
    index < own ? 'own' : index < own + elsewhere ? 'elsewhere' : 'free',
  )
}
