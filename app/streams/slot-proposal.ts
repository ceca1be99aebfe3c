import type { StreamProposal } from '../contract/streams.ts'

/** One of Headroom's own streams that holds a slot. Times in epoch ms. */
export interface SlotHolder extends StreamProposal {
  readonly pinned: boolean
  /** Number of readers in programs behind the gateway. */
  readonly readers?: number
}

/** Frames per second below which a stream counts as unused. Heartbeats come every five seconds. */
const IDLE_PER_SECOND = 0.5

/**
 * Proposes one of Headroom's own streams to close, so that a new stream can have its slot. Unpinned streams
 * are chosen first, then the least used, then those with the fewest readers, then the oldest.
 */
export function proposedToClose(holders: readonly SlotHolder[]): StreamProposal | undefined {
  const use = ({ framesPerSecond }: SlotHolder) => (framesPerSecond < IDLE_PER_SECOND ? 0 : framesPerSecond)
  const [holder] = holders.toSorted(
    (a, b) =>
      Number(a.pinned) - Number(b.pinned) ||
      use(a) - use(b) ||
      (a.readers ?? 0) - (b.readers ?? 0) ||
      a.openedAt - b.openedAt,
  )
  if (holder === undefined) return undefined
  const { stream, streamKind, target, openedAt, framesPerSecond } = holder
  return { stream, ...(streamKind && { streamKind }), target, openedAt, framesPerSecond }
}
