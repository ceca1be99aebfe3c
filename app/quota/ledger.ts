import type { RequestQuota } from '../contract/snapshot.ts'
import type { RateReading } from '../service/headers.ts'
import type { RequestQuotaDefault } from '../service/quotas.ts'
import { Bucket } from './bucket.ts'
import { type Hold, viewOf } from './view.ts'

/** Own request under way. `endpoint` is its category where a path rule knows one, else its path. */
export interface Ticket {
  readonly id: number
  readonly endpoint: string
}

export interface Folded {
  /** The row that counted the request; a header may name another one than the path suggested. */
  readonly category: string | undefined
  /** Requests that others must have made since the last header of this row. */
  readonly elsewhere: number
}

interface Row {
  readonly category: string
  readonly bucket: Bucket
  resource: string | undefined
  hold: Hold | undefined
}

/** A resource that no table names starts from this until its own header has said what it is. */
const UNKNOWN = { limit: 1, periodSeconds: 60 }

/**
 * All request quotas of one profile: rows in the table's order, then what headers added.
 *
 * A header's resource name decides which row counted a request. The first name seen for a category is that
 * category's; a name that belongs to another row moves the endpoint there; any further name becomes a row of
 * its own, so that one quota is never shown twice and two are never mixed.
 */
export class Ledger {
  readonly #rows = new Map<string, Row>()
  readonly #rowOfResource = new Map<string, string>()
  readonly #rowOfEndpoint = new Map<string, string>()
  #nextId = 1

  constructor(defaults: readonly RequestQuotaDefault[], nowMs: number) {
    for (const { category, limit, periodSeconds } of defaults) {
      this.#rows.set(category, {
        category,
        bucket: new Bucket(limit, periodSeconds, nowMs),
        resource: undefined,
        hold: undefined,
      })
    }
  }

  /** The row an endpoint counts against, as far as is known. */
  categoryOf(endpoint: string): string | undefined {
    return this.#rowFor(endpoint)?.category
  }

  sent(endpoint: string, nowMs: number): Ticket {
    const id = this.#nextId++
    this.#rowFor(endpoint)?.bucket.sent(id, nowMs)
    return { id, endpoint }
  }

  notSent(ticket: Ticket, nowMs: number): void {
    this.#rowFor(ticket.endpoint)?.bucket.notSent(ticket.id, nowMs)
  }

  lost(ticket: Ticket, nowMs: number): void {
    this.#rowFor(ticket.endpoint)?.bucket.lost(ticket.id, nowMs)
  }

  answered(ticket: Ticket, rate: RateReading | undefined, nowMs: number, rejected: boolean): Folded {
    const guessed = this.#rowFor(ticket.endpoint)
    const row = rate?.resource === undefined ? guessed : this.#rowNamed(rate.resource, ticket.endpoint, nowMs)
    // The charge was made where the path pointed to; a header that names another row takes it back from there.
    if (guessed && row !== guessed) guessed.bucket.notSent(ticket.id, nowMs)
    if (!row) return { category: undefined, elsewhere: 0 }
    const elsewhere = row.bucket.answered({
      id: ticket.id,
      receivedAtMs: nowMs,
      rejected,
      ...(rate && { rate }),
    })
    if (!rejected && row.hold && nowMs >= row.hold.untilMs) row.hold = undefined
    return { category: row.category, elsewhere }
  }

  /** After a 429 of the rate: nothing is sent to this row before `untilMs`. Other rows go on. */
  hold(category: string, hold: Hold): void {
    const row = this.#rows.get(category)
    if (row) row.hold = hold
  }

  holdOf(category: string, nowMs: number): Hold | undefined {
    const hold = this.#rows.get(category)?.hold
    return hold && hold.untilMs > nowMs ? hold : undefined
  }

  /** How often in a row a category was refused, the hold that is over included. */
  refusals(category: string): number {
    return this.#rows.get(category)?.hold?.refusals ?? 0
  }

  lastHeaderAtMs(category: string): number | undefined {
    return this.#rows.get(category)?.bucket.seen?.atMs
  }

  view(nowMs: number): readonly RequestQuota[] {
    return [...this.#rows.values()].map((row) =>
      viewOf(row.category, row.resource, row.bucket, row.hold, nowMs),
    )
  }

  #rowFor(endpoint: string): Row | undefined {
    return this.#rows.get(this.#rowOfEndpoint.get(endpoint) ?? endpoint)
  }

  #rowNamed(resource: string, endpoint: string, nowMs: number): Row | undefined {
    const known = this.#rowOfResource.get(resource)
    if (known !== undefined) {
      this.#rowOfEndpoint.set(endpoint, known)
      return this.#rows.get(known)
    }
    const guessed = this.#rowFor(endpoint)
    const category = this.#nameFor(guessed, resource, endpoint)
    let row = this.#rows.get(category)
    if (!row) {
      const bucket = new Bucket(UNKNOWN.limit, UNKNOWN.periodSeconds, nowMs)
      row = { category, bucket, resource, hold: undefined }
      this.#rows.set(category, row)
    }
    row.resource = resource
    this.#rowOfResource.set(resource, category)
    this.#rowOfEndpoint.set(endpoint, category)
    return row
  }

  #nameFor(guessed: Row | undefined, resource: string, endpoint: string): string {
    if (guessed && guessed.resource === undefined) return guessed.category
    // A category without a request quota in the table, such as Positions Stream, turns out to have one.
    if (!guessed && !endpoint.startsWith('/')) return endpoint
    return this.#rows.has(resource) ? `${resource} (2)` : resource
  }
}
