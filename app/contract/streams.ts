import { z } from 'zod/mini'
import { STREAM_KINDS, type StreamKind } from '../service/stream-kinds.ts'
import { boundedText, type Immutable, number, openObject, profileId, text } from './fields.ts'
import { command } from './ipc.ts'
import type { Outcome } from './outcome.ts'

const MAX_OPTIONS = 16

/** The kind of a stream. A newer process may send an unknown kind. */
export const streamKind = z.exactOptional(text as z.ZodMiniType<StreamKind>)

export const streamProposal = openObject({
  stream: text,
  streamKind,
  target: text,
  openedAt: number,
  framesPerSecond: number,
})

/** One of Headroom's own streams, proposed for closing to free a slot. Only a person can close it. */
export interface StreamProposal extends Immutable<z.output<typeof streamProposal>> {}

const newStream = z.strictObject({
  profile: profileId,
  kind: z.enum(STREAM_KINDS),
  /** Symbols or account ids, comma-separated. `ACCOUNT/ORDER,ORDER` for orders-by-id. */
  target: boundedText(512),
  /** Query parameters of the endpoint, such as `interval=5&unit=Minute`. */
  options: z.optional(
    z
      .record(boundedText(32), boundedText(64))
      .check(z.refine((options) => Object.keys(options).length <= MAX_OPTIONS)),
  ),
  /** Headroom closes its own stream with this id if no slot is free. Without an id, opening then fails. */
  replace: z.optional(boundedText(64)),
})

const ofStream = { profile: profileId, stream: boundedText(64) }
const closedStream = z.strictObject({
  ...ofStream,
  /**
   * Delay in whole seconds. During the delay, the stream stays open, and `keepStream` can cancel the close.
   */
  inSeconds: z.optional(z.int().check(z.gte(1), z.lte(60))),
})
const pinnedStream = z.strictObject({ ...ofStream, pinned: z.boolean() })

export const streamsContract = {
  openStream: command(newStream).returning<Outcome<{ readonly stream: string }>>(),
  /** Closes an open stream. Removes a closed stream from the list. */
  closeStream: command(closedStream).returning<Outcome>(),
  /** Cancels a close that was requested with `inSeconds`. */
  keepStream: command(z.strictObject(ofStream)).returning<Outcome>(),
  /** Reopens a stream now. A closed stream gets a new id. */
  restartStream: command(z.strictObject(ofStream)).returning<Outcome<{ readonly stream: string }>>(),
  /** Pins or unpins a stream. A pinned stream is reopened at the next start. */
  pinStream: command(pinnedStream).returning<Outcome>(),
} as const
