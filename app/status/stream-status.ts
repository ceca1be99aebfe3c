import type { SlotQuota, StreamSummary } from '../contract/snapshot.ts'
import { streamCategoryName } from '../service/stream-kinds.ts'
import type { Severity } from './severity.ts'

/** Severity and label of a stream or of a group of slots, the same on every surface. */
export interface StreamStatus {
  readonly severity: Severity
  /** In lower case: `live`, `silent`, `no slot is free`. Empty where there is nothing to say. */
  readonly label: string
}

const STREAM_STATUSES: Readonly<Record<StreamSummary['state'], StreamStatus>> = {
  opening: { severity: 'unseen', label: 'opening' },
  snapshot: { severity: 'ok', label: 'snapshot' },
  live: { severity: 'ok', label: 'live' },
  stale: { severity: 'watch', label: 'silent' },
  waiting: { severity: 'watch', label: 'waiting' },
  closed: { severity: 'unseen', label: 'closed' },
}

/** Status of one stream by its state (service 12). */
export const streamStatus = ({ state }: Pick<StreamSummary, 'state'>): StreamStatus => STREAM_STATUSES[state]

/** Few free slots: this share of the limit, one at least. */
const FEW_SLOTS = 0.1

/** The most free slots that still count as few. */
export const fewSlots = (limit: number): number => Math.max(1, Math.floor(limit * FEW_SLOTS))

/** Status of the slots of one group of streams (service 3, 8.2); a documented default says nothing of the present. */
export function slotStatus({
  source,
  free,
  limit,
}: Pick<SlotQuota, 'source' | 'free' | 'limit'>): StreamStatus {
  if (source === 'default') return { severity: 'unseen', label: '' }
  if (free > fewSlots(limit)) return { severity: 'ok', label: '' }
  const label = free === 0 ? 'no slot is free' : `${free} ${free === 1 ? 'slot' : 'slots'} left`
  return { severity: 'watch', label }
}

/** The name of a stream for people: `Depth · MSFT`. */
export const streamName = (category: string, target: string): string =>
  `${streamCategoryName(category)} · ${target}`
