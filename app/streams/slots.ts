import type { SlotQuota } from '../contract/snapshot.ts'
import type { SlotQuotaDefault } from '../service/categories.ts'
import type { ConcurrencyReading } from '../service/headers.ts'

interface Row {
  /**
   * `undefined` if neither a header nor the service's table has shown slots of the category. Meanwhile, the
   * category is hidden.
   */
  limit: number | undefined
  own: number
  /** Streams of the desk's other machines. */
  desk: number
  elsewhere: number
  resource: string | undefined
  observedAtMs: number | undefined
  /** Release times of own slots in the last few seconds. */
  releasedAtMs: readonly number[]
}

/** How long the service may still count a connection that was closed here. Milliseconds. */
const RELEASE_SEEN_MS = 5_000

/**
 * Concurrency slots of one profile. Own streams and the desk's streams are counted exactly. The number of
 * others' streams comes from headers.
 *
 * `own + desk + elsewhere + free = limit`, and no number is ever negative. Source: service 2.2, 3, 8.2.
 */
export class SlotLedger {
  readonly #rows = new Map<string, Row>()
  readonly #onOwn: (category: string, reading?: ConcurrencyReading) => void

  /**
   * `onOwn` is called when Headroom's own streams of a category change, or when an own stream's header shows
   * the category's slots.
   */
  constructor(
    defaults: readonly SlotQuotaDefault[],
    onOwn: (category: string, reading?: ConcurrencyReading) => void = () => {},
  ) {
    this.#onOwn = onOwn
    for (const { category, limit } of defaults) this.#rows.set(category, newRow(limit))
  }

  /** Occupies a slot for one of Headroom's own streams, from the stream's request on. */
  taken(category: string): void {
    const row = this.#rows.get(category) ?? newRow(undefined)
    this.#rows.set(category, row)
    row.own += 1
    this.#onOwn(category)
  }

  /**
   * Frees an own slot. Pass `nowMs` if the service had counted the stream, because it may count the stream
   * for a while longer.
   */
  released(category: string, nowMs?: number): void {
    const row = this.#rows.get(category)
    if (!row) return
    row.own = Math.max(0, row.own - 1)
    if (nowMs !== undefined) row.releasedAtMs = [...recent(row, nowMs), nowMs]
    this.#onOwn(category)
  }

  /** Sets how many streams of each category the desk's other machines have. */
  setDesk(streams: ReadonlyMap<string, number>): void {
    for (const category of streams.keys())
      if (!this.#rows.has(category)) this.#rows.set(category, newRow(undefined))
    for (const [category, row] of this.#rows) row.desk = streams.get(category) ?? 0
  }

  /** This app's own streams that hold a slot, by category. */
  ownCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#rows].flatMap(([name, { own }]) => (own > 0 ? [[name, own]] : [])))
  }

  /** Recently released own slots, which the service may still count. */
  justReleased(category: string, nowMs: number): number {
    const row = this.#rows.get(category)
    return row ? recent(row, nowMs).length : 0
  }

  /**
   * Applies the header of a response that opened a stream. `opening`: number of other own streams that wait
   * for their response. The service may or may not have counted these.
   */
  observed(category: string, reading: ConcurrencyReading, opening: number, nowMs: number): void {
    this.observedByDesk(category, reading, opening, nowMs)
    this.#onOwn(category, reading)
  }

  /** As `observed`, for the header of another machine's stream. `setDesk` has already counted this stream. */
  observedByDesk(category: string, reading: ConcurrencyReading, opening: number, nowMs: number): void {
    const row = this.#rows.get(category) ?? newRow(undefined)
    row.limit = reading.limit ?? row.limit
    if (row.limit === undefined) return
    this.#rows.set(category, row)
    if (reading.resource !== undefined) row.resource = reading.resource
    if (reading.remaining === undefined) return
    const inUse = Math.max(0, row.limit - reading.remaining)
    const counted = row.own + row.desk
    const sure = Math.max(0, counted - opening)
    // The header gives only bounds for the number of others' streams. `most` assumes that the service has
    // counted no opening stream. `least` assumes that it has counted all opening streams, and still counts
    // streams that were just closed. If the previous number is within these bounds, it stays.
    const most = Math.max(0, inUse - sure)
    const least = Math.max(0, inUse - counted - recent(row, nowMs).length)
    row.elsewhere = Math.min(most, Math.max(least, row.elsewhere))
    row.observedAtMs = nowMs
  }

  free(category: string): number | undefined {
    const row = this.#rows.get(category)
    return row?.limit === undefined ? undefined : Math.max(0, row.limit - row.own - row.desk - row.elsewhere)
  }

  view(): readonly SlotQuota[] {
    const quotas: SlotQuota[] = []
    for (const [category, row] of this.#rows) {
      const { limit, resource, observedAtMs } = row
      if (limit === undefined) continue
      const own = Math.min(row.own, limit)
      const desk = Math.min(row.desk, limit - own)
      const elsewhere = Math.min(row.elsewhere, limit - own - desk)
      const source = observedAtMs !== undefined ? 'header' : own + desk > 0 ? 'counted' : 'default'
      // The fields are assigned one by one. Conditional spreads are slow, and every snapshot needs this
      // object.
      const quota: { -readonly [K in keyof SlotQuota]: SlotQuota[K] } = {
        category,
        limit,
        own,
        elsewhere,
        free: limit - own - desk - elsewhere,
        source,
      }
      if (desk > 0) quota.desk = desk
      if (resource !== undefined) quota.resource = resource
      if (observedAtMs !== undefined) quota.observedAt = Math.round(observedAtMs)
      quotas.push(quota)
    }
    return quotas
  }
}

const newRow = (limit: number | undefined): Row => ({
  limit,
  own: 0,
  desk: 0,
  elsewhere: 0,
  resource: undefined,
  observedAtMs: undefined,
  releasedAtMs: [],
})

const recent = ({ releasedAtMs }: Row, nowMs: number): readonly number[] =>
  releasedAtMs.filter((atMs) => nowMs - atMs < RELEASE_SEEN_MS)
