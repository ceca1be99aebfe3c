import { z } from 'zod/mini'
import { number, openObject, optionalNumber } from './fields.ts'

/* Parts of a snapshot's row that describe the use of its quota. */

/**
 * Requests per second: in total, by this app, by the desk's other machines (absent without a desk), and by
 * others. `elsewhere` is the median of others' rate, and
 * the other two fields are the ends of a range. Nine times in ten, that range contains others' rate both now
 * and over the last minute.
 */
export const quotaUse = openObject({
  total: number,
  own: number,
  desk: optionalNumber,
  elsewhere: number,
  elsewhereLow: optionalNumber,
  elsewhereHigh: optionalNumber,
  /** The part of `own` from each program behind the gateway, by id. Absent while the gateway is off. */
  programs: z.exactOptional(z.record(z.string(), number)),
})

/**
 * Another program that polls at equal intervals. Present only if headers clearly show that one such program
 * sends all requests of others. See `app/quota/others-poller.ts`.
 */
export const quotaPoller = openObject({
  /** Seconds between two polls, to two significant digits. */
  everySeconds: number,
  /** Requests per poll. */
  calls: number,
  /**
   * Whether polls may have more than `calls` requests. A nearly full quota may refill some before a header
   * shows them.
   */
  mayBeMore: z.exactOptional(z.literal(true)),
  /** Time of the first header that shows the poller, epoch ms. */
  since: number,
})
