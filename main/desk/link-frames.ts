import { z } from 'zod'
import { DESK_LIMITS } from '../../app/contract/desk.ts'

/*
 * What a link seals in a frame: who is alive, since when, and the message of the desk. It stays the same
 * when the messages of the desk change, so that members of different versions recognise each other.
 */

const monotonicMs = z.number()
const nonce = z.string().length(32)

const said = z.discriminatedUnion('kind', [
  /** Asks for proof that the receiver is running now. */
  z.object({ kind: z.literal('hello'), challenge: nonce }),
  /** The proof, and often the same question back. */
  z.object({
    kind: z.literal('answer'),
    to: nonce,
    challenge: nonce.optional(),
    name: z.string().max(DESK_LIMITS.name),
  }),
  /** The run ends. */
  z.object({ kind: z.literal('bye') }),
  /** The sender missed something, and wants the receiver's picture. */
  z.object({ kind: z.literal('ask') }),
  /** A message of the desk, to all members or to one. */
  z.object({ kind: z.literal('desk'), message: z.unknown() }),
])

export const linkFrame = z.object({
  protocol: z.int(),
  /** When the frame was sealed, on the sender's monotonic clock. */
  at: monotonicMs,
  /** Messages of the desk that this run has sent to all so far, including this one. */
  broadcasts: z.int().min(0),
  /** By run: when a message of it was sealed, on its clock, and when it arrived, on the sender's clock. */
  confirms: z.record(z.string(), z.tuple([monotonicMs, monotonicMs])).optional(),
  said,
})

export type LinkFrame = z.output<typeof linkFrame>
export type LinkContent = z.output<typeof said>
