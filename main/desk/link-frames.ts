import { z } from 'zod'
import { DESK_LIMITS } from '../../app/contract/desk.ts'
import { jsonOf } from '../../app/service/json.ts'

/* The sealed content of a frame: times, and a message of the desk or of the link. This format stays the same
   when the messages of the desk change, so that members of different versions recognise each other. */

const monotonicMs = z.number()
const nonce = z.string().length(32)

const own = z.discriminatedUnion('kind', [
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
  /** The sender is leaving the desk, or its app is ending. */
  z.object({ kind: z.literal('bye') }),
  /** The sender missed messages and requests the receiver's full state (its `picture` message). */
  z.object({ kind: z.literal('ask') }),
])

const confirmsOf = z.record(z.string(), z.tuple([monotonicMs, monotonicMs]))

/** The content of a frame apart from its times: a message of the desk, or one of the link itself. */
export type LinkContent = z.output<typeof own> | { readonly kind: 'desk'; readonly message: unknown }

export interface LinkFrame {
  readonly protocol: number
  /** When the frame was sealed, on the sender's monotonic clock. */
  readonly at: number
  /**
   * Number of desk messages that the sender has sent to all members in this run of its app, including this
   * one.
   */
  readonly broadcasts: number
  /**
   * When a message of another member's run was sealed, on that member's clock, and when it arrived, on the
   * sender's clock. The key is the `confirmName` of that run.
   */
  readonly confirms?: z.output<typeof confirmsOf> | undefined
  readonly said: LinkContent
}

/** A frame as bytes: an array without field names, because several frames a second cross the network. */
export function frameBytes({ protocol, at, broadcasts, confirms, said }: LinkFrame): Buffer {
  const [message, ownContent] = said.kind === 'desk' ? [said.message, null] : [null, said]
  const fields: unknown[] = [protocol, at, broadcasts, message]
  if (ownContent !== null || confirms !== undefined) fields.push(ownContent)
  if (confirms !== undefined) fields.push(confirms)
  return Buffer.from(JSON.stringify(fields))
}

/** Parses a frame as written by `frameBytes`. `undefined` if the bytes are not a frame. */
export function frameIn(bytes: Buffer): LinkFrame | undefined {
  const fields = jsonOf(bytes.toString('utf8'))
  if (!Array.isArray(fields)) return undefined
  const [protocol, at, broadcasts, message, ownContent, confirmed]: unknown[] = fields
  if (!isCount(protocol) || !Number.isFinite(at) || !isCount(broadcasts)) return undefined
  const confirms = confirmed === undefined ? undefined : confirmsOf.safeParse(confirmed).data
  if (confirms === undefined && confirmed !== undefined) return undefined
  const isMessage = ownContent === undefined || ownContent === null
  const said = isMessage ? { kind: 'desk' as const, message } : own.safeParse(ownContent).data
  return said && { protocol, at: at as number, broadcasts, confirms, said }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** A short name for a run: the start of its random name, which suffices to tell the runs of a desk apart. */
export const confirmName = (run: string): string => run.slice(0, 12)

/**
 * A time in the form of a frame: hundredths of a millisecond, because each digit costs a byte. Send times are
 * rounded down and arrival times up, so that no message seems to arrive before it was sent.
 */
export function inFrame(ms: number, to: 'down' | 'up'): number {
  const hundredths = ms * 100
  return (to === 'down' ? Math.floor(hundredths) : Math.ceil(hundredths)) / 100
}
