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
