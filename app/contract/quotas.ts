import { z } from 'zod/mini'
import { categoryName, profileId } from './fields.ts'
import { command } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** Further facts about one row, for a person who contacts a provider's support. */
export interface RowDetails {
  /** The last 20 429s of this row, oldest first; the id is X-TS-Request-Id (service 2.2), if present. */
  readonly refusals: readonly { readonly at: number; readonly requestId?: string }[]
  /** The quota headers of the last response that had any, as received: names in lower case, numbers only. */
  readonly headers: Readonly<Record<string, number>>
  readonly headersAt?: number
  /** Rejected headers of that response, as `name: why`. */
  readonly oddities: readonly string[]
}

const ofRow = z.strictObject({ profile: profileId, category: categoryName })

/** Commands for one row of a key's quotas. */
export const quotasContract = {
  /**
   * Checks one category now: by its cheapest request, within the check budget, or by opening a stream and
   * closing it once its headers arrive. If no check is possible now, the error says when one will be.
   */
  checkNow: command(ofRow).returning<Outcome>(),
  /** Ids of rejected requests and the last headers of one row, for a provider's support. */
  rowDetails: command(ofRow).returning<Outcome<{ readonly details: RowDetails }>>(),
} as const
