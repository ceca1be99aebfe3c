import type { StreamProposal } from '../contract/streams.ts'

/** An own stream with a slot. Times in epoch ms. */
export interface SlotHolder {
  readonly stream: string
  readonly target: string
  readonly openedAt: number
  readonly framesPerSecond: number
  readonly pinned: boolean
}

/** Frames a second under which a stream counts as unused; heartbeats come every five seconds. */
const IDLE_PER_SECOND = 0.5

/** The own stream to close for another one: not pinned if possible, then the least used, then the oldest. */
export function proposedToClose(holders: readonly SlotHolder[]): StreamProposal | undefined {
  const use = ({ framesPerSecond }: SlotHolder) => (framesPerSecond < IDLE_PER_SECOND ? 0 : framesPerSecond)
  return proposalOf(
    holders.toSorted(
      (a, b) => Number(a.pinned) - Number(b.pinned) || use(a) - use(b) || a.openedAt - b.openedAt,
    )[0],
  )
}

/** The oldest own stream, again not a pinned one if another will do. */
export function oldest(holders: readonly SlotHolder[]): StreamProposal | undefined {
  return proposalOf(
    holders.toSorted((a, b) => Number(a.pinned) - Number(b.pinned) || a.openedAt - b.openedAt)[0],
  )
}

function proposalOf(holder: SlotHolder | undefined): StreamProposal | undefined {
  if (!holder) return undefined
  const { stream, target, openedAt, framesPerSecond } = holder
  return { stream, target, openedAt, framesPerSecond }
}
