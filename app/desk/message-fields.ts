import { z } from 'zod/mini'

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
