import type { SlotQuota } from '../../app/contract/snapshot.ts'

/** `of 40 free · 2 elsewhere`, after the number of free slots. */
export function slotWords(slots: SlotQuota): string {
  const elsewhere = slots.elsewhere > 0 ? ` · ${slots.elsewhere} elsewhere` : ''
  return `of ${slots.limit} free${elsewhere}`
}

export type SlotCell = 'own' | 'elsewhere' | 'free'

/** One entry per slot, own ones first. Never more than the limit. */
export function slotCells({ limit, own, elsewhere }: SlotQuota): readonly SlotCell[] {
  return Array.from({ length: Math.max(0, limit) }, (_, index) =>
    index < own ? 'own' : index < own + elsewhere ? 'elsewhere' : 'free',
  )
}
