import type { UsualLoad } from '../contract/history.ts'
import { reserveOf } from '../contract/programs.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { DEFAULT_THRESHOLDS, MINUTE_MS, thresholdOf } from '../contract/units.ts'
import type { RequestQuotaDefault } from '../service/categories.ts'
import type { RateReading } from '../service/headers.ts'
import { Bucket } from './bucket.ts'
import type { LearnedQuota, LearnedQuotas } from './learned.ts'
import { OthersTakeAll } from './others-take-all.ts'
import type { DeskPart } from './safe-pace.ts'
import { RowState } from './state.ts'
import { type Hold, ownPerSecond, viewOf } from './view.ts'

/**
 * A request in flight, of this app or of another machine of its desk. `endpoint`: the request's category if
 * its path is known, otherwise the path.
 */
export interface Ticket {
  readonly id: number
  readonly endpoint: string
  /** For a request of another machine, the earliest time at which it may have been sent. */
  readonly sentAtMs: number
  readonly isByDesk: boolean
  /** Arrival time of the response's header, if the header is processed later. */
  readonly headerAtMs?: number
  /** The row that was charged. The response's header may name another row. */
  readonly category: string | undefined
}

export interface Folded {
  /** The row that counted the request. The header may name a different row than the request's path. */
  readonly category: string | undefined
  /** Requests that others must have made since the last header of this row. */
  readonly elsewhere: number
}

export interface QuotaSize {
  readonly limit: number
  readonly periodMs: number
}

interface Row {
  readonly category: string
  readonly bucket: Bucket
  resource: string | undefined
  hold: Hold | undefined
  readonly othersTakeAll: OthersTakeAll
  readonly state: RowState
  /** When requests of programs last waited for this row, and the rate of critical programs at that time. */
  held: { readonly criticalPerSecond: number; readonly atMs: number } | undefined
}

/** Assumed period of a resource if neither the table nor a header states one. */
const UNKNOWN_PERIOD_SECONDS = 60
/** Maximum number of rows. A service could name a new resource in every response. */
const MAX_RESOURCES = 128
const MAX_ENDPOINTS = 1024
/**
 * Minimum rate listed in `ownRates`, in requests per second. The rate of a single request falls below it
 * after about five minutes.
 */
const LEAST_RATE = 0.0001

/**
 * All request quotas of one profile: rows in the table's order, then those that headers added.
 *
 * The resource name in a header decides which row counted a request:
 * - The first name seen for a category is assigned to the category.
 * - If a header names the resource of another row, the endpoint moves to that row.
 * - Any further name gets a new row.
 *
 * So no quota is shown twice, and no two quotas are mixed.
 */
export class Ledger {
  readonly #rows = new Map<string, Row>()
  readonly #rowOfResource = new Map<string, string>()
  readonly #rowOfEndpoint = new Map<string, string>()
  #nextId = 1
  /** Share of the limit below which each row is low. Applies from the next view on. */
  thresholds = DEFAULT_THRESHOLDS
  /** The gateway's reserves by category, in requests. The default applies to all other categories. */
  reserves: Readonly<Record<string, number>> = {}
  /**
   * Returns the rate of critical programs in a category, in requests per second. `undefined` unless a
   * non-critical request waits for the category: meanwhile, only critical programs use the reserve.
   */
  criticalWhileHeld: (category: string) => number | undefined = () => undefined
  /** Returns the part of a category that this machine may use while it works alone. */
  partOf: (category: string) => DeskPart | undefined = () => undefined
  /** Data learned by an earlier run of the app, for categories that have no row yet. */
  readonly #stored = new Map<string, LearnedQuota>()

  constructor(defaults: readonly RequestQuotaDefault[], nowMs: number) {
    for (const { category, limit, periodSeconds } of defaults)
      this.#rows.set(category, newRow(category, new Bucket(limit, periodSeconds, nowMs)))
  }

  /** The reserve set for a category. `undefined` if the default applies. */
  reserveOf(category: string): number | undefined {
    return reserveOf(this.reserves, category)
  }

  /** Data learned about each category, for a later run of the app. */
  learned(): LearnedQuotas {
    const known = [...this.#rows.values()].flatMap(({ category, bucket }) => {
      const learned = bucket.learned()
      return learned ? [[category, learned] as const] : []
    })
    return Object.fromEntries([...this.#stored, ...known])
  }

  /** Sets the usual loads of others today in a category. */
  expect(category: string, loads: readonly UsualLoad[]): void {
    this.#rows.get(category)?.bucket.expect(loads)
  }

  /** Restores data that an earlier run of the app learned: see `Bucket.restore`. */
  restore(stored: LearnedQuotas): void {
    for (const [category, learned] of Object.entries(stored)) {
      const row = this.#rows.get(category)
      if (row) row.bucket.restore(learned)
      else this.#stored.set(category, learned)
    }
  }

  /** The category of the row that counts an endpoint's requests. `undefined` if unknown. */
  categoryOf(endpoint: string): string | undefined {
    return this.#rowFor(endpoint)?.category
  }

  sent(endpoint: string, nowMs: number): Ticket {
    return this.#sent(endpoint, nowMs)
  }

  /** Records a request by another machine of the desk. See `Bucket.heard`. */
  sentByDesk(endpoint: string, sentAtMs: number, nowMs: number): Ticket {
    return this.#sent(endpoint, nowMs, Math.min(sentAtMs, nowMs))
  }

  #sent(endpoint: string, nowMs: number, byDeskAtMs?: number): Ticket {
    const id = this.#nextId++
    const row = this.#rowFor(endpoint)
    const sentAtMs = byDeskAtMs ?? nowMs
    if (byDeskAtMs === undefined) row?.bucket.sent(id, nowMs)
    else row?.bucket.heard(id, byDeskAtMs, nowMs)
    // While others use the whole refill, any request at or after `nextTryAtMs` is the next try.
    if (row !== undefined && nowMs >= row.othersTakeAll.nextTryAtMs) row.othersTakeAll.tried(nowMs)
    return { id, endpoint, sentAtMs, isByDesk: byDeskAtMs !== undefined, category: row?.category }
  }

  markClockUncertain(fromMs: number, toMs: number): void {
    for (const { bucket } of this.#rows.values()) bucket.markClockUncertain(fromMs, toMs)
  }

  /** Called when this app has left its desk: see `Bucket.leftDesk`. */
  leftDesk(nowMs: number): void {
    for (const { bucket } of this.#rows.values()) bucket.leftDesk(nowMs)
  }

  notSent(ticket: Ticket, nowMs: number): void {
    this.#rowOf(ticket)?.bucket.notSent(ticket.id, nowMs)
  }

  /** Handles a request that will get no response. The service may still count it within `laterMs`. */
  lost(ticket: Ticket, nowMs: number, laterMs = 0): void {
    this.#rowOf(ticket)?.bucket.lost(ticket.id, nowMs, laterMs)
  }

  /**
   * Handles a 429 that does not name the exceeded limit. The service may have charged the request, and the
   * bucket need not be empty.
   */
  rateLimitedUnattributed(ticket: Ticket, nowMs: number): string | undefined {
    const row = this.#rowOf(ticket)
    this.lost(ticket, nowMs)
    if (row) row.bucket.rejected += 1
    return row?.category
  }

  answered(ticket: Ticket, rate: RateReading | undefined, nowMs: number, rejected: boolean): Folded {
    const charged = this.#rowOf(ticket)
    const row = (rate && this.#rowNamed(rate, ticket.endpoint, nowMs)) ?? charged
    // The path's row was charged. If the header names another row, the charge is reverted.
    if (charged && row !== charged) charged.bucket.notSent(ticket.id, nowMs)
    if (!row) return { category: undefined, elsewhere: 0 }
    const elsewhere = row.bucket.answered({
      id: ticket.id,
      sentAtMs: ticket.sentAtMs,
      receivedAtMs: nowMs,
      rejected,
      isByDesk: ticket.isByDesk,
      ...(rate && { rate }),
      ...(ticket.headerAtMs !== undefined && { headerAtMs: ticket.headerAtMs }),
    })
    if (!rejected && row.hold && nowMs >= row.hold.untilMs) row.hold = undefined
    this.#judgeOthers(row, rate?.remaining, { sentAtMs: ticket.sentAtMs, rejected }, nowMs)
    return { category: row.category, elsewhere }
  }

  #judgeOthers(
    row: Row,
    remaining: number | undefined,
    { sentAtMs, rejected }: { readonly sentAtMs: number; readonly rejected: boolean },
    nowMs: number,
  ): void {
    if (remaining === undefined) return
    if (rejected) {
      if (remaining === 0) row.othersTakeAll.refused(sentAtMs, nowMs)
      return
    }
    if (row.othersTakeAll.answered(remaining, sentAtMs, nowMs)) row.hold = undefined
  }

  /** When to test again whether others still use a category's whole refill. `undefined` unless they do. */
  nextTryAtMs(category: string): number | undefined {
    const others = this.#rows.get(category)?.othersTakeAll
    return others?.isSo ? others.nextTryAtMs : undefined
  }

  postponeTry(category: string, untilMs: number): void {
    this.#rows.get(category)?.othersTakeAll.postpone(untilMs)
  }

  /** Pauses a row until `untilMs`, after a 429 because of the request rate. Other rows continue. */
  hold(category: string, hold: Hold): void {
    const row = this.#rows.get(category)
    if (row) row.hold = hold
  }

  holdOf(category: string, nowMs: number): Hold | undefined {
    const hold = this.#rows.get(category)?.hold
    return hold && hold.untilMs > nowMs ? hold : undefined
  }

  /** Number of consecutive 429s of a category. The end of a wait does not reset it. */
  refusals(category: string): number {
    return this.#rows.get(category)?.hold?.refusals ?? 0
  }

  lastHeaderAtMs(category: string): number | undefined {
    return this.#rows.get(category)?.bucket.seen?.atMs
  }

  /** Time of the last header that showed far more use by others than expected. `undefined` without one. */
  surprisedAtMs(category: string): number | undefined {
    return this.#rows.get(category)?.bucket.surprisedAtMs
  }

  view(nowMs: number): readonly RequestQuota[] {
    return [...this.#rows.values()].map((row) => this.#viewOf(row, nowMs))
  }

  /** This app's own requests per second, by row. Rows without own requests are left out. */
  ownRates(nowMs: number): Readonly<Record<string, number>> {
    const rates = [...this.#rows.values()].map(
      ({ category, bucket }) => [category, ownPerSecond(bucket, nowMs)] as const,
    )
    return Object.fromEntries(rates.filter(([, perSecond]) => perSecond >= LEAST_RATE))
  }

  /** One row of the view. */
  rowAt(category: string, nowMs: number): RequestQuota | undefined {
    const row = this.#rows.get(category)
    return row && this.#viewOf(row, nowMs)
  }

  /** Limit and period of a category, without an estimate. */
  sizeOf(category: string): QuotaSize | undefined {
    const bucket = this.#rows.get(category)?.bucket
    return bucket && { limit: bucket.limit, periodMs: bucket.periodMs }
  }

  /**
   * Own requests per second that are not allowed to use the gateway's reserve: all except those of critical
   * programs. 0 if no request waited in the gateway within the last minute. The time is a minute because own
   * use is a one-minute mean.
   */
  #heldOf(row: Row, nowMs: number): number {
    const criticalPerSecond = this.criticalWhileHeld(row.category)
    if (criticalPerSecond !== undefined) row.held = { criticalPerSecond, atMs: nowMs }
    if (row.held === undefined || nowMs - row.held.atMs >= MINUTE_MS) return 0
    return Math.max(0, ownPerSecond(row.bucket, nowMs) - row.held.criticalPerSecond)
  }

  #viewOf(row: Row, nowMs: number): RequestQuota {
    const held = this.#heldOf(row, nowMs)
    row.bucket.heldPerSecond = held
    const { isSo, nextTryAtMs } = row.othersTakeAll
    const standing = {
      hold: row.hold,
      ...(isSo && { nextTryAtMs }),
      state: row.state,
      threshold: thresholdOf(this.thresholds, row.category),
      reserve: this.reserveOf(row.category),
      part: this.partOf(row.category),
      held,
    }
    const view = viewOf(row.category, row.resource, row.bucket, standing, nowMs)
    // If headers of this category's responses named only another row, that row counts its requests.
    const countedBy = row.bucket.seen ? undefined : this.#rowOfEndpoint.get(row.category)
    return countedBy === undefined || countedBy === row.category ? view : { ...view, countedBy }
  }

  #rowOf(ticket: Ticket): Row | undefined {
    return ticket.category === undefined ? undefined : this.#rows.get(ticket.category)
  }

  #rowFor(endpoint: string): Row | undefined {
    return this.#rows.get(this.#rowOfEndpoint.get(endpoint) ?? endpoint)
  }

  /**
   * The row that a header names, created if new. `undefined` if the header names no row. Also `undefined` for
   * a new row if the header states no limit, or if there are already `MAX_RESOURCES` rows.
   */
  #rowNamed(rate: RateReading, endpoint: string, nowMs: number): Row | undefined {
    const { resource, limit, periodSeconds } = rate
    if (resource === undefined) return undefined
    const known = this.#rowOfResource.get(resource)
    if (known !== undefined) {
      this.#point(endpoint, known)
      return this.#rows.get(known)
    }
    const guessed = this.#rowFor(endpoint)
    const category = this.#nameFor(guessed, resource, endpoint)
    let row = this.#rows.get(category)
    if (!row) {
      if (limit === undefined || this.#rowOfResource.size >= MAX_RESOURCES) return undefined
      const bucket = new Bucket(limit, periodSeconds ?? UNKNOWN_PERIOD_SECONDS, nowMs)
      row = newRow(category, bucket)
      this.#rows.set(category, row)
      const stored = this.#stored.get(category)
      if (stored) bucket.restore(stored)
      this.#stored.delete(category)
    }
    row.resource = resource
    this.#rowOfResource.set(resource, category)
    this.#point(endpoint, category)
    return row
  }

  #point(endpoint: string, category: string): void {
    if (this.#rowOfEndpoint.has(endpoint) || this.#rowOfEndpoint.size < MAX_ENDPOINTS) {
      this.#rowOfEndpoint.set(endpoint, category)
    }
  }

  #nameFor(guessed: Row | undefined, resource: string, endpoint: string): string {
    if (guessed && guessed.resource === undefined) return guessed.category
    // The service may have a request quota for a category that has none in the table, such as Positions
    // Stream. The new row then gets the category's name.
    if (!guessed && !endpoint.startsWith('/')) return endpoint
    return this.#rows.has(resource) ? `${resource} (2)` : resource
  }
}

const newRow = (category: string, bucket: Bucket): Row => ({
  category,
  bucket,
  resource: undefined,
  hold: undefined,
  othersTakeAll: new OthersTakeAll(),
  state: new RowState(),
  held: undefined,
})
