import type { Severity } from '../contract/severity.ts'
import type { SlotQuota, StreamSummary } from '../contract/snapshot.ts'
import type { StreamProposal } from '../contract/streams.ts'
import {
  SILENT_AFTER_MS,
  STREAM_TABLE,
  type StreamKind,
  streamCategoryName,
} from '../service/stream-kinds.ts'

/** Severity and label of a stream or of a group of slots, the same in the whole app. */
export interface StreamStatus {
  readonly severity: Severity
  /** In lower case: `live`, `silent`, `full`. Empty if there is nothing to show. */
  readonly label: string
}

const STREAM_STATUSES: Readonly<Record<StreamSummary['state'], StreamStatus>> = {
  opening: { severity: 'unknown', label: 'opening' },
  snapshot: { severity: 'ok', label: 'snapshot' },
  live: { severity: 'ok', label: 'live' },
  stale: { severity: 'warning', label: 'silent' },
  waiting: { severity: 'warning', label: 'waiting' },
  closed: { severity: 'unknown', label: 'closed' },
}

/**
 * Status of one stream by its state (service 12). While the key's calls fail, each stream without data is
 * `paused`.
 */
export const streamStatus = ({
  state,
  reasonCode,
}: Pick<StreamSummary, 'state' | 'reasonCode'>): StreamStatus =>
  reasonCode === 'calls-fail' ? { severity: 'unknown', label: 'paused' } : STREAM_STATUSES[state]

/** Streams with an open connection. Waiting and connecting streams are left out. */
export const openStreams = <S extends Pick<StreamSummary, 'state'>>(streams: readonly S[]): readonly S[] =>
  streams.filter(({ state }) => state === 'snapshot' || state === 'live' || state === 'stale')

/** Whether a stream waits for a slot. Such a stream is not silent. */
export const waitsForSlot = ({ state, reasonCode }: Pick<StreamSummary, 'state' | 'reasonCode'>): boolean =>
  state === 'waiting' && reasonCode === 'no-slot'

/**
 * Whether a stream that should be open receives no data at `nowMs`, epoch ms. A quick reconnection does not
 * count.
 */
export function isStreamSilent(stream: StreamSummary, nowMs: number): boolean {
  const { state, lastFrameAt, reasonCode } = stream
  if (reasonCode === 'calls-fail' || waitsForSlot(stream)) return false
  if (state === 'stale') return true
  // A stream that opens for the first time is not silent. A stream that reopens may have been silent before.
  if (state === 'opening') return lastFrameAt !== undefined && nowMs - lastFrameAt >= SILENT_AFTER_MS
  return state === 'waiting' && (lastFrameAt === undefined || nowMs - lastFrameAt >= SILENT_AFTER_MS)
}

/**
 * Maximum age of a header with a current slot count, in milliseconds. The limit is long, because headers with
 * slot counts arrive only when a stream opens.
 */
const SLOTS_FRESH_MS = 10 * 60_000

/**
 * Whether a slot count is current at `nowMs`, epoch ms: Headroom counts the streams itself, or the header is
 * recent.
 */
export function isSlotCountCurrent(
  { source, observedAt }: Pick<SlotQuota, 'source' | 'observedAt'>,
  nowMs: number,
): boolean {
  if (source === 'counted') return true
  return source === 'header' && observedAt !== undefined && nowMs - observedAt <= SLOTS_FRESH_MS
}

/** Free slots count as few if they are at most this share of the limit. */
const FEW_SLOTS = 0.1

/** The largest number of free slots that counts as few, at least one. */
export const fewSlots = (limit: number): number => Math.max(1, Math.floor(limit * FEW_SLOTS))

/**
 * Status of one group of slots (service 3, 8.2). If only the documented limit is known, the number of slots
 * in use is unknown, and so is the status.
 */
export function slotStatus({
  source,
  free,
  limit,
}: Pick<SlotQuota, 'source' | 'free' | 'limit'>): StreamStatus {
  if (source === 'default') return { severity: 'unknown', label: '' }
  if (free > fewSlots(limit)) return { severity: 'ok', label: '' }
  if (free <= 0) return { severity: 'warning', label: 'full' }
  return { severity: 'warning', label: `${free} ${free === 1 ? 'slot' : 'slots'} left` }
}

/** The fields that identify a stream. Only `streamKind` distinguishes the two kinds of the depth category. */
export interface NamedStream {
  readonly category: string
  readonly target: string
  /** Absent in data from earlier versions. */
  readonly streamKind?: StreamKind
}

/**
 * The programs that read a stream through the gateway: `7 programs on 1 slot: bot, notes ×2`, or `read by
 * bot`. Empty without programs. `on`: the word after `on 1`, either `slot` or `stream`.
 */
export function readByText(
  { readers = 0, readBy = [] }: Pick<StreamSummary, 'readers' | 'readBy'>,
  on: 'slot' | 'stream',
): string {
  const names = readBy
    .map(({ program, readers: of }) => (of === 1 ? program : `${program} ×${of}`))
    .join(', ')
  // A snapshot may name only the first few programs.
  const areAll = readBy.reduce((sum, one) => sum + one.readers, 0) >= readers
  if (readBy.length <= 1) return names && `read by ${names}`
  return `${areAll ? '' : 'over '}${readBy.length} programs on 1 ${on}: ${names}${areAll ? '' : ', …'}`
}

/** Display name of a stream's kind: `Depth quotes`. If the kind is unknown, the name of its category. */
export const streamKindName = ({ category, streamKind }: Omit<NamedStream, 'target'>): string =>
  (streamKind === undefined ? undefined : STREAM_TABLE[streamKind]?.name) ?? streamCategoryName(category)

/** Display name of a stream: `Depth quotes · MSFT`. */
export const streamName = (stream: NamedStream): string => `${streamKindName(stream)} · ${stream.target}`

/**
 * The name of a stream that is proposed for closing: `Depth quotes · MSFT`, or `MSFT` if the kind is unknown.
 */
export const proposalName = ({ streamKind, target }: StreamProposal): string =>
  streamKind === undefined ? target : `${STREAM_TABLE[streamKind]?.name ?? streamKind} · ${target}`
