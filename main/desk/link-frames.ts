import { z } from 'zod'
import { DESK_LIMITS } from '../../app/contract/desk.ts'

/* What a link seals in a frame: who is alive, since when, and the message of the desk. This format stays the
   same when the messages of the desk change, so that members of different versions recognise each other. */

const monotonicMs = z.number()
const nonce = z.string().length(32)

const said = z.discriminatedUnion('kind', [
  /** Asks the receiver to prove that it is running now. */
  z.object({ kind: z.literal('hello'), challenge: nonce }),
  /**
   * Proves that the sender's app is running now. `to` is the challenge that the proof answers. Often the
   * frame also has a challenge for the receiver.
   */
  z.object({
    kind: z.literal('answer'),
    to: nonce,
    challenge: nonce.optional(),
    name: z.string().max(DESK_LIMITS.name),
  }),
  /** The sender leaves the desk, or its app ends. */
  z.object({ kind: z.literal('bye') }),
  /** The sender missed messages and asks for the receiver's `picture` message, which has its full state. */
  z.object({ kind: z.literal('ask') }),
  /** A message of the desk, to all members or to one. */
  z.object({ kind: z.literal('desk'), message: z.unknown() }),
])

export const linkFrame = z.object({
  protocol: z.int(),
  /** When the frame was sealed, on the sender's monotonic clock. */
  at: monotonicMs,
  /**
   * Number of desk messages that the sender has sent to all members in this run of its app, including this
   * one.
   */
  broadcasts: z.int().min(0),
  /**
   * For some other members, by the `confirmName` of their app's run: two times of one message from that
   * member.
   * The first is when the member sealed the message, on its clock. The second is when the message arrived, on
   * the clock of this frame's sender.
   */
  confirms: z.record(z.string(), z.tuple([monotonicMs, monotonicMs])).optional(),
  said,
})

/** The start of a run's random name. Among the runs of one desk, it is enough. */
export const confirmName = (run: string): string => run.slice(0, 12)

/**
 * A time as it stands in a frame: hundredths of a millisecond, because each digit costs a byte. A time of
 * sending is rounded down and one of arrival up, so that no message seems to arrive before it was sent.
 */
export function inFrame(ms: number, to: 'down' | 'up'): number {
  const hundredths = ms * 100
  return (to === 'down' ? Math.floor(hundredths) : Math.ceil(hundredths)) / 100
}

export type LinkFrame = z.output<typeof linkFrame>
export type LinkContent = z.output<typeof said>
