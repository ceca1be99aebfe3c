import { z } from 'zod/mini'
import { PROGRAM_CLASSES } from '../contract/programs.ts'

/* Fields of several desk messages. Ages are in milliseconds at the time of sending. */

/** Maximum number of members of a desk, including this one. */
export const MAX_MEMBERS = 32

export const shortText = z.string().check(z.maxLength(200))
export const path = z.string().check(z.maxLength(1024))
export const count = z.number().check(z.gte(0))
export const age = z.number().check(z.gte(0))

export const rateReading = z.strictObject({
  resource: z.exactOptional(shortText),
  limit: z.exactOptional(count),
  remaining: z.exactOptional(count),
  resetSeconds: z.exactOptional(count),
  periodSeconds: z.exactOptional(count),
})

/*
 * The messages of the desk's queue. A member asks its dispatcher for turns, and the dispatcher grants them.
 * Request ids are the member's own. Ages and remaining times are in milliseconds at the time of sending.
 */

/** Maximum number of requests in one message. A gateway has at most 512 waiting requests. */
const MAX_REQUESTS = 1_024
const MAX_BUCKETS = 1_024

const id = count
const epoch = count
const ids = z.array(id).check(z.maxLength(MAX_REQUESTS))
/** Serial number of an ask for one request. The newest ask replaces the earlier ones. */
const attempt = count
const fraction = z.number().check(z.gte(0), z.lte(1))
const byMember = <T extends z.ZodMiniType>(one: T) =>
  z.record(shortText, one).check(z.refine((all) => Object.keys(all).length <= MAX_MEMBERS))
const tokens = z.record(path, z.number())

/** Shows that the dispatcher runs. A gateway that receives no `dispatch` for a second works alone. */
const dispatch = z.strictObject({
  kind: z.literal('dispatch'),
  epoch,
  /** Serial number of this `dispatch` in its epoch. */
  number: count,
  /** Time since the dispatcher sent the last successful renewal of its lease. */
  leaseAge: age,
  /** Number of members that the quota is divided among. */
  members: count,
  seats: byMember(
    z.strictObject({
      /** Number of the member's last join. Absent if the member does not reply, and so has to join again. */
      join: z.exactOptional(count),
      /**
       * The largest part of each quota that the member may use alone, even while it is silent. A member that
       * replies also has an allowance.
       */
      part: z.exactOptional(fraction),
    }),
  ),
  /** Buckets with a part that a silent member may be using. */
  split: z.array(path).check(z.maxLength(MAX_BUCKETS)),
  /** Buckets with too few requests left for all members' allowances. */
  scarce: z.array(path).check(z.maxLength(MAX_BUCKETS)),
})

/** A member's reply to `dispatch`: its requests and, when it joins, its shares. */
const standing = z.strictObject({
  kind: z.literal('standing'),
  epoch,
  number: count,
  /** The number of the newest `grant` of this epoch that arrived. */
  heard: count,
  /** Requests that were sent and have not ended. */
  underWay: z.array(z.strictObject({ id, bucket: path })).check(z.maxLength(MAX_REQUESTS)),
  /** Requests that wait for a grant. */
  waiting: ids,
  /**
   * The shares of a member that begins to take turns from this dispatcher. The dispatcher takes them over.
   */
  handsIn: z.exactOptional(
    z.strictObject({
      /** Serial number of this join in its run, so that an old `dispatch` does not confirm a new join. */
      join: count,
      /** The part of each quota that a dispatcher confirmed. */
      confirmed: fraction,
      /** The part that the member used alone. 0 if it did not work alone. */
      used: fraction,
      /** Unused requests of that part, by bucket. */
      tokens: tokens.check(z.refine((all) => Object.keys(all).length <= MAX_BUCKETS)),
      /** Requests that the member sent alone and that have ended, by bucket. */
      sent: z.record(path, count),
      /** Longest possible time until the current fixed window ends on the service's clock, by bucket. */
      windows: z.record(path, age),
      /** Whether the member's allowance is unused in each bucket that `tokens` leaves out. */
      hasAllowance: z.boolean(),
      /** The parts of all members, from the last `dispatch`. */
      parts: byMember(fraction),
    }),
  ),
})

/** Asks for turns. Also withdraws requests that no longer wait, and grants that can't be used. */
const ask = z.strictObject({
  kind: z.literal('ask'),
  epoch,
  asks: z
    .array(
      z.strictObject({
        id,
        attempt,
        program: shortText,
        class: z.enum(PROGRAM_CLASSES),
        weight: z.number().check(z.gt(0)),
        bucket: path,
        /** Time since the request arrived at its gateway. */
        age,
        /** Remaining maximum wait. */
        leftMs: z.number(),
      }),
    )
    .check(z.maxLength(MAX_REQUESTS)),
  withdrawn: ids,
})

/** The dispatcher's answers to asks. */
const grant = z.strictObject({
  kind: z.literal('grant'),
  epoch,
  /** Serial number of this `grant` to this member in the epoch. */
  number: count,
  /** Requests that may be sent now. A grant is valid for `spendWithinMs` after the member asked for it. */
  granted: z.array(z.strictObject({ id, attempt })).check(z.maxLength(MAX_REQUESTS)),
  spendWithinMs: count,
  declined: z
    .array(
      z.strictObject({
        id,
        attempt,
        why: z.enum(['too-late', 'queue-full', 'empty', 'unavailable']),
        retryAfterSeconds: z.exactOptional(count),
        rate: z.exactOptional(rateReading),
      }),
    )
    .check(z.maxLength(MAX_REQUESTS)),
  /** Expected turns of waiting requests. */
  turns: z.array(z.strictObject({ id, inMs: count })).check(z.maxLength(MAX_REQUESTS)),
})

const quota = { rate: z.exactOptional(rateReading), bucket: z.exactOptional(path) }
const outcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('answer'), ...quota }),
  z.strictObject({ kind: z.literal('rate-limited'), of: z.enum(['rate', 'unattributed']), ...quota }),
  z.strictObject({ kind: z.literal('unauthorized'), ...quota }),
  z.strictObject({ kind: z.literal('cut') }),
  z.strictObject({ kind: z.literal('broken') }),
  z.strictObject({ kind: z.literal('timeout') }),
  z.strictObject({ kind: z.literal('not-sent') }),
])

/** Reports requests that were sent without a grant, and requests that ended. */
const ended = z.strictObject({
  kind: z.literal('ended'),
  epoch,
  /** Requests that were sent without a grant, such as orders. */
  used: z.array(z.strictObject({ id, bucket: path })).check(z.maxLength(MAX_REQUESTS)),
  ended: z.array(z.strictObject({ id, outcome })).check(z.maxLength(MAX_REQUESTS)),
})

/** Sent by a new holder of the lease, before it chooses its epoch. */
const candidate = z.strictObject({ kind: z.literal('candidate') })

/** The reply to `candidate`. */
const epochSeen = z.strictObject({
  kind: z.literal('epoch'),
  /** The highest epoch that the sender has seen. 0 if none. */
  epoch,
  /** Time since the newest lease renewal that the sender knows of. */
  renewedAge: z.exactOptional(age),
})

export const queueMessages = [dispatch, standing, ask, grant, ended, candidate, epochSeen] as const

export type Dispatch = z.output<typeof dispatch>
export type MemberStanding = z.output<typeof standing>
export type Ask = z.output<typeof ask>
export type Grant = z.output<typeof grant>
export type Ended = z.output<typeof ended>
/** A message of the desk's queue. */
export type QueueMessage = z.output<(typeof queueMessages)[number]>
