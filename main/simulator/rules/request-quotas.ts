import type { RequestLimit } from '../../../app/service/categories.ts'
import { CURRENT_REQUEST_QUOTAS, EARLIER_REQUEST_QUOTAS } from '../../../app/service/categories.ts'
import type { SimulatorFlags } from '../options.ts'
import { type Arrivals, arrivalsOf } from './arrivals.ts'
import { sequenceOf } from './seed.ts'
import {
  type BucketReading,
  type BucketRule,
  fullBucket,
  readingOf,
  spend,
  type ThrottleBucket,
} from './throttle.ts'

/**
 * The quota for requests that can change an order. The real service publishes none (service 14), so clients
 * learn it from headers.
 */
export const ORDER_QUOTA = { category: 'Order Execution', limit: 120, periodSeconds: 60 } as const

export type RequestQuotaRules = Pick<
  SimulatorFlags,
  'table' | 'window' | 'limits' | 'alreadySpent' | 'traffic' | 'arrivals' | 'neighbours' | 'seed'
>

export type QuotaReading = BucketReading & RequestLimit

/**
 * How far back other programs' requests are applied, in milliseconds. Earlier requests no longer affect a
 * bucket. After a clock jump of a year, applying all of them would block the app for most of a minute.
 */
const MAX_REPLAYED_MS = 86_400_000

interface Row {
  readonly rule: BucketRule
  bucket: ThrottleBucket
  traffic: Arrivals[]
  readonly neighbours: readonly Arrivals[]
  elsewhere: { accepted: number; refused: number }
}

/**
 * The request buckets of one key and user, including other programs' requests.
 *
 * Nothing runs between requests. Before a bucket is read, other programs' due requests are applied in order.
 * Other programs can get 429s too. After more than a day without a read, only the last day counts.
 */
export class RequestQuotas {
  readonly #rows = new Map<string, Row>()
  readonly #rules: RequestQuotaRules

  /** `programs`: further programs by category, each with its own arrival times. */
  constructor(
    rules: RequestQuotaRules,
    startMs: number,
    programs: Readonly<Record<string, readonly Arrivals[]>> = {},
  ) {
    this.#rules = rules
    const table = rules.table === 'current' ? CURRENT_REQUEST_QUOTAS : EARLIER_REQUEST_QUOTAS
    const limits = new Map<string, RequestLimit>(table.map((quota) => [quota.category, quota]))
    limits.set(ORDER_QUOTA.category, ORDER_QUOTA)
    for (const [category, limit] of Object.entries(rules.limits)) limits.set(category, limit)
    for (const [category, { limit, periodSeconds }] of limits) {
      const rule: BucketRule = { limit, periodSeconds, window: rules.window }
      this.#rows.set(category, {
        rule,
        bucket: spentBucket(rule, startMs, rules.alreadySpent[category] ?? 0),
        traffic: this.#trafficOf(category, rules.traffic[category] ?? 0, startMs),
        neighbours: [...this.#neighboursOf(category, startMs), ...(programs[category] ?? [])],
        elsewhere: { accepted: 0, refused: 0 },
      })
    }
  }

  has(category: string): boolean {
    return this.#rows.has(category)
  }

  /**
   * Counts one request of the client. Returns whether it is accepted. A category without a request quota
   * accepts all.
   */
  spend(category: string, atMs: number): boolean {
    const row = this.#settled(category, atMs)
    if (row === undefined) return true
    const { accepted, bucket } = spend(row.rule, row.bucket, atMs)
    row.bucket = bucket
    return accepted
  }

  reading(category: string, atMs: number): QuotaReading | undefined {
    const row = this.#settled(category, atMs)
    if (row === undefined) return undefined
    const { limit, periodSeconds } = row.rule
    return { limit, periodSeconds, ...readingOf(row.rule, row.bucket, atMs) }
  }

  /** The requests of other programs so far, accepted and rate-limited. */
  elsewhere(category: string, atMs: number): { readonly accepted: number; readonly refused: number } {
    return { ...(this.#settled(category, atMs)?.elsewhere ?? { accepted: 0, refused: 0 }) }
  }

  setTraffic(category: string, perSecond: number, atMs: number): void {
    const row = this.#settled(category, atMs)
    if (row === undefined) throw new RangeError(`${category} is not a category with a request quota`)
    row.traffic = this.#trafficOf(category, perSecond, atMs)
  }

  categories(): readonly string[] {
    return [...this.#rows.keys()]
  }

  #settled(category: string, atMs: number): Row | undefined {
    const row = this.#rows.get(category)
    if (row === undefined) return undefined
    const sources = [...row.traffic, ...row.neighbours]
    for (const source of sources) source.skipTo(atMs - MAX_REPLAYED_MS)
    for (;;) {
      const first = earliest(sources)
      if (first === undefined || first.nextAtMs > atMs) return row
      const { accepted, bucket } = spend(row.rule, row.bucket, first.nextAtMs)
      row.bucket = bucket
      row.elsewhere[accepted ? 'accepted' : 'refused'] += 1
      first.advance()
    }
  }

  #trafficOf(category: string, perSecond: number, startMs: number): Arrivals[] {
    const chance = sequenceOf(this.#rules.seed, 'traffic', category)
    return perSecond > 0 ? [arrivalsOf({ perSecond, shape: this.#rules.arrivals }, startMs, chance)] : []
  }

  #neighboursOf(category: string, startMs: number): Arrivals[] {
    return this.#rules.neighbours
      .filter((neighbour) => neighbour.category === category && neighbour.perSecond > 0)
      .map(({ perSecond, onSeconds, offSeconds }, index) =>
        arrivalsOf(
          {
            perSecond,
            shape: this.#rules.arrivals,
            spells: { onMs: onSeconds * 1000, offMs: offSeconds * 1000 },
          },
          startMs,
          sequenceOf(this.#rules.seed, 'neighbour', category, index),
        ),
      )
  }
}

function spentBucket(rule: BucketRule, atMs: number, requests: number): ThrottleBucket {
  let bucket = fullBucket(rule, atMs)
  for (let i = 0; i < Math.min(requests, rule.limit); i++) bucket = spend(rule, bucket, atMs).bucket
  return bucket
}

const earliest = (sources: readonly Arrivals[]): Arrivals | undefined =>
  sources.reduce<Arrivals | undefined>(
    (best, source) => (best === undefined || source.nextAtMs < best.nextAtMs ? source : best),
    undefined,
  )
