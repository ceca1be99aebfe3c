import { z } from 'zod/mini'
import { STREAM_KINDS } from '../service/stream-kinds.ts'
import { boundedText, type Immutable, number, openObject, profileId, text } from './fields.ts'
import { command } from './ipc.ts'
import type { Outcome } from './outcome.ts'

const MAX_OPTIONS = 16

export const streamProposal = openObject({
  stream: text,
  target: text,
  openedAt: number,
  framesPerSecond: number,
})

/** An own stream that could be closed to free a slot. A window offers it; nothing closes it by itself. */
export interface StreamProposal extends Immutable<z.output<typeof streamProposal>> {}

const newStream = z.strictObject({
  profile: profileId,
  kind: z.enum(STREAM_KINDS),
  /** Symbols or account ids, comma-separated; `ACCOUNT/ORDER,ORDER` for orders-by-id. */
  target: boundedText(512),
  /** What the endpoint takes beyond the path, as in `interval=5&unit=Minute`. */
  options: z.optional(
    z
      .record(boundedText(32), boundedText(64))
      .check(z.refine((options) => Object.keys(options).length <= MAX_OPTIONS)),
  ),
  /** Where every slot is taken: refused with a proposal (the default), or the own stream opened first makes room. */
  whenFull: z.optional(z.enum(['refuse', 'close-oldest'])),
})

const ofStream = z.strictObject({ profile: profileId, stream: boundedText(64) })
const pinnedStream = z.strictObject({ profile: profileId, stream: boundedText(64), pinned: z.boolean() })

/** The streams that Headroom opens on one key. */
export const streamsContract = {
  openStream: command(newStream).returning<Outcome<{ readonly stream: string }>>(),
  closeStream: command(ofStream).returning<Outcome>(),
  /** Opens a stream anew, now; one that is closed comes back under a new id. */
  restartStream: command(ofStream).returning<Outcome<{ readonly stream: string }>>(),
  /** A pinned stream is opened again at the next start. */
  pinStream: command(pinnedStream).returning<Outcome>(),
} as const
