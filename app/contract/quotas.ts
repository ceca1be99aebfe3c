import { z } from 'zod/mini'
import { categoryName, profileId } from './fields.ts'
import { command } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** Facts about one row that a provider's support may need. */
export interface RowDetails {
  /**
   * The row's latest 429s, at most 20, oldest first. `requestId` is the header X-TS-Request-Id (service 2.2).
   */
  readonly refusals: readonly { readonly at: number; readonly requestId?: string }[]
  /**
   * Quota headers of the last response that had any, unchanged. Names are in lower case. Only numeric values
   * are included.
   */
  readonly headers: Readonly<Record<string, number>>
  readonly headersAt?: number
  /** The desk's machine that received the response with `headers`. Absent if this machine received it. */
  readonly from?: string
  /** Implausible headers of the same response, as `name: reason`. */
  readonly oddities: readonly string[]
}

const ofRow = z.strictObject({ profile: profileId, category: categoryName })

/** Commands for one row of a key's quotas. */
export const quotasContract = {
  /**
   * Checks one category now. Sends the cheapest request that the check budget allows, or opens a stream and
   * closes it when its headers have arrived.
   *
   * If no check is possible now, the error says when the next one is possible.
   */
  checkNow: command(ofRow).returning<Outcome>(),
  /** A row's latest 429s with their request ids, and its last quota headers. */
  rowDetails: command(ofRow).returning<Outcome<{ readonly details: RowDetails }>>(),
} as const
