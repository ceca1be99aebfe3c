import { z } from 'zod/mini'
import { categoryName, profileId } from './fields.ts'
import { command } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** What is known of one row beyond its numbers, for a person who asks a provider's support about it. */
export interface RowDetails {
  /** 429s of this row, the last 20, oldest first; the id is X-TS-Request-Id (service 2.2), where it was there. */
  readonly refusals: readonly { readonly at: number; readonly requestId?: string }[]
  /** The quota headers of the last answer that had any, as they came: names in lower case, numbers only. */
  readonly headers: Readonly<Record<string, number>>
  readonly headersAt?: number
  /** Headers of that answer that were not believed, as `name: why`. */
  readonly oddities: readonly string[]
}

const ofRow = z.strictObject({ profile: profileId, category: categoryName })

/** What can be asked of one row of a key's quotas. */
export const quotasContract = {
  /**
   * Looks at one category now: by the cheapest request of it, within the probe budget, or by opening a stream of it and
   * closing it as soon as its headers are there. Refused with the moment it can be, where it cannot be now.
   */
  checkNow: command(ofRow).returning<Outcome>(),
  /** Ids of refused requests and the last headers of one row, for a provider's support. */
  rowDetails: command(ofRow).returning<Outcome<{ readonly details: RowDetails }>>(),
} as const
