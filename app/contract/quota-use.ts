import { z } from 'zod/mini'
import { number, openObject, optionalNumber } from './fields.ts'

/* Parts of a snapshot's row that describe the use of its quota. */

/**
 * How fast a row's quota is used, in requests per second.
 *
 * - `own`: by this app. `desk`: by the desk's other machines, absent without a desk.
 * - `elsewhere`: by others, as a median.
 * - `elsewhereLow` and `elsewhereHigh`: the range of others' rate. In nine of ten cases, it contains both the
 *   present rate and the mean of the last minute.
 */
export const quotaUse = openObject({
  total: number,
  own: number,
  desk: optionalNumber,
  elsewhere: number,
  elsewhereLow: optionalNumber,
  elsewhereHigh: optionalNumber,
  /**
   * The parts of `own` by program behind the gateway, with the programs' ids. Absent while the gateway is
   * off.
   */
  programs: z.exactOptional(z.record(z.string(), number)),
})

/**
 * Another program that polls at equal intervals. Present only if headers clearly show that a single such
 * program sends all of others' requests. See `app/quota/others-poller.ts`.
 */
export const quotaPoller = openObject({
  /** Seconds between two polls, to two significant digits. */
  everySeconds: number,
  /** Requests per poll. */
  calls: number,
  /**
   * Whether a poll may send more than `calls` requests. If the quota is nearly full, the refill can hide some
   * requests before the next header arrives.
   */
  mayBeMore: z.exactOptional(z.literal(true)),
  /** Time of the first header that revealed the poller, epoch ms. */
  since: number,
})
