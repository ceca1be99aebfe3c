import { defaultReserve, PROGRAM_CLASSES, type ProgramClass } from '../contract/programs.ts'
import type { QuotaSize } from '../quota/ledger.ts'
import { HORIZON_MS } from '../quota/rates.ts'
import type { RequestLimit } from '../service/categories.ts'
import { FairQueue, type Queued } from './fair-queue.ts'
import { type Served, ServedRates } from './served-rates.ts'
import { SharedBound } from './shared-bound.ts'

/** `turnOf` repeats its computation until the turn changes by less than this. Milliseconds. */
const CLOSE_MS = 20
const MAX_STEPS = 12

/** A request that waits for its turn in a bucket. */
export interface Waiting extends Queued, Served {}

/**
 * For an optimistic forecast, `canMeet` assumes that the number of further arrivals is below its expected
 * value by this number of standard deviations.
 */
export const OPTIMISM_SIGMAS = 1.9

/** Arrival rates of the requests that compete with a waiting request, per millisecond. */
export interface OthersRates extends Pick<ServedRates, 'perMs' | 'programsOf'> {
  /** Rate of requests from outside the gateway. */
  readonly unseenPerMs: number
}

/** Values that replace the gateway's own in a forecast. Only the bench sets them, to compare forecasts. */
export interface Forecast {
  /** Replaces `OPTIMISM_SIGMAS`. */
  readonly optimismSigmas?: number
  /** The true rates, in place of the learned ones. */
  readonly trueRates?: OthersRates
}

/**
 * Another program of the same class as the waiting request. `room`: how many of the rival's future requests
 * can be sent before the waiting request.
 */
interface Rival {
  readonly room: number
  readonly perMs: number
}

const RESERVES_LEFT: Readonly<Record<ProgramClass, number>> = { critical: 0, normal: 1, background: 2 }

/**
 * The level that the bound must reach before a class may send. Critical: 1. Normal: 1 + `reserve`.
 * Background: 1 + 2 × `reserve`. Never more than the limit.
 *
 * Each request lowers the level by one. So a normal request leaves `reserve` requests for critical programs.
 * A background request leaves 2 × `reserve`, so that normal programs also have `reserve` requests. A reserve
 * does not reduce a class's rate: while the reserve is full, the class can use the whole refill.
 */
export function levelOf(programClass: ProgramClass, limit: number, reserve = defaultReserve(limit)): number {
  return Math.min(limit, 1 + RESERVES_LEFT[programClass] * reserve)
}

export interface BucketOptions {
  /** Size of the bucket until a header names the limit and the period. */
  readonly size?: RequestLimit | undefined
  /**
   * Requests reserved for more urgent classes. Default: 6 % of the limit. Read for each decision, because it
   * may change.
   */
  readonly reserve?: number | undefined
}

/** The settings of a bucket, from its row in the ledger. */
export const bucketOptions = (
  size: QuotaSize | undefined,
  reserveOf: () => number | undefined,
): BucketOptions => ({
  size: size && { limit: size.limit, periodSeconds: size.periodMs / 1000 },
  get reserve() {
    return reserveOf()
  },
})

/**
 * The requests that wait for one bucket, and the order in which they are sent.
 *
 * A more urgent class needs a lower level. While a request of a more urgent class waits, all less urgent
 * requests wait too. Times are milliseconds on the bound's clock.
 */
export class BucketQueue<T extends Waiting> {
  readonly name: string
  readonly bound: SharedBound
  readonly #options: BucketOptions
  readonly #forecast: Forecast
  readonly #served = new ServedRates()
  readonly #byClass: Readonly<Record<ProgramClass, FairQueue<T>>> = {
    critical: new FairQueue(),
    normal: new FairQueue(),
    background: new FairQueue(),
  }

  constructor(name: string, options: BucketOptions, forecast: Forecast = {}) {
    this.name = name
    this.bound = new SharedBound(options.size)
    this.#options = options
    this.#forecast = forecast
  }

  /** Number of waiting requests. */
  get size(): number {
    return PROGRAM_CLASSES.reduce((sum, name) => sum + this.#byClass[name].size, 0)
  }

  add(waiting: T): void {
    this.#byClass[waiting.class].add(waiting.program, waiting.weight, waiting)
  }

  /** Returns false if the request does not wait here. */
  remove(waiting: T): boolean {
    return this.#byClass[waiting.class].remove(waiting.program, waiting)
  }

  /**
   * Whether a new request can be sent without waiting: no request waits, and the new one's class may send
   * now. If so, records the new request as served.
   */
  passes(request: Omit<T, keyof Queued>, nowMs: number): boolean {
    if (this.size > 0 || !this.#allows(request.class, nowMs)) return false
    this.#goes(request, nowMs)
    return true
  }

  /** Removes and returns the next request that may be sent now. `undefined` if none may. */
  take(nowMs: number): T | undefined {
    const first = this.#first()
    if (first === undefined) return undefined
    if (!this.#allows(first, nowMs)) return undefined
    const taken = this.#byClass[first].take()
    if (taken === undefined) return undefined
    this.#goes(taken, nowMs)
    return taken
  }

  /** Records that a waiting request is sent now because a desk granted its turn. */
  granted(waiting: T, nowMs: number): void {
    this.remove(waiting)
    this.#goes(waiting, nowMs)
  }

  /**
   * When to check again, as a whole millisecond. `undefined` if only a response or a new request can change
   * the result.
   */
  dueAtMs(nowMs: number): number | undefined {
    const first = this.#first()
    return first && this.roomAtMs(first, nowMs)
  }

  /**
   * The earliest time at which a request of this class could be sent. `undefined` if only a response can
   * allow it.
   */
  roomAtMs(own: ProgramClass, nowMs: number): number | undefined {
    const reachesAtMs = this.bound.reachesAtMs(this.#level(own), nowMs)
    return reachesAtMs && Math.max(reachesAtMs, Math.ceil(this.#notBeforeMs(own)))
  }

  /**
   * When a waiting request will probably be sent, if other requests keep arriving at their recent rates.
   *
   * These other requests are sent first:
   * - requests of more urgent classes, whenever they arrive;
   * - requests from outside the gateway;
   * - requests of other programs in the same class that arrive in time, up to each program's share.
   */
  turnOf(waiting: T, nowMs: number): number {
    const ahead = this.#ahead(waiting)
    const { perMs, rivals } = this.#later(waiting, nowMs)
    const level = this.#level(waiting.class)
    const notBeforeMs = this.#notBeforeMs(waiting.class)
    let turnAtMs = this.bound.turnAtMs(level, ahead, nowMs, perMs)
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const formerMs = turnAtMs
      turnAtMs = this.bound.turnAtMs(level, ahead + comingOf(rivals, formerMs - nowMs), nowMs, perMs)
      if (turnAtMs - formerMs < CLOSE_MS) break
    }
    return Math.max(turnAtMs, notBeforeMs)
  }

  /**
   * Whether a waiting request can still be sent by `byMs` in an optimistic case. `ahead`: number of waiting
   * requests that are sent before it.
   *
   * In the optimistic case, few further requests arrive. Arrivals are random: if m are expected, at least m −
   * Z √(m (1 + t / T)) almost always arrive. The optimistic case assumes exactly this number. Z is
   * `OPTIMISM_SIGMAS`, t is the time until `byMs`, and T is the time over which the rate was learned.
   */
  canMeet(waiting: T, byMs: number, nowMs: number, ahead = this.#ahead(waiting)): boolean {
    const level = this.#level(waiting.class)
    if (this.#notBeforeMs(waiting.class) > byMs) return false
    if (this.bound.turnAtMs(level, ahead, nowMs) > byMs) return false
    const { perMs, rivals } = this.#later(waiting, nowMs)
    const aheadMs = Math.max(0, byMs - nowMs)
    const expected = perMs * aheadMs + comingOf(rivals, aheadMs)
    const { optimismSigmas = OPTIMISM_SIGMAS, trueRates } = this.#forecast
    const learnedInMs = trueRates === undefined ? HORIZON_MS : Number.POSITIVE_INFINITY
    const spread = Math.sqrt(expected * (1 + aheadMs / learnedInMs))
    const fewest = Math.max(0, expected - optimismSigmas * spread)
    // If even the `fewest` arrivals exceed the refill until `byMs`, the first test can fail. `turnOf` caps
    // the arrivals at a share of the refill, so the second test can still pass.
    return this.bound.turnAtMs(level, ahead + fewest, nowMs) <= byMs || this.turnOf(waiting, nowMs) <= byMs
  }

  #ahead(waiting: T): number {
    const { class: own, program } = waiting
    return classesBefore(own).reduce(
      (sum, name) => sum + this.#byClass[name].size,
      this.#byClass[own].ahead(program, waiting),
    )
  }

  /** Requests that will arrive later than a waiting request but will be sent before it. */
  #later(waiting: T, nowMs: number): { readonly perMs: number; readonly rivals: readonly Rival[] } {
    const { class: own, program } = waiting
    const queue = this.#byClass[own]
    const { trueRates } = this.#forecast
    const rates = trueRates ?? this.#served
    const overtaking = classesBefore(own).reduce((sum, name) => sum + rates.perMs(name, nowMs), 0)
    const rivals = rates.programsOf(own, nowMs).flatMap(({ program: other, weight, perMs }) => {
      // If `room` is 0, none of the other program's later requests is sent before this one.
      const room = queue.roomBefore(program, waiting, other, weight)
      return room > 0 ? [{ room, perMs }] : []
    })
    // While others use the whole refill, their rate is left out, because the next try shows whether they
    // still do.
    const unseenPerMs = this.bound.othersTakeAll.isSo ? 0 : this.bound.othersPerMs(nowMs)
    return { perMs: overtaking + (trueRates?.unseenPerMs ?? unseenPerMs), rivals }
  }

  /** All waiting requests, in the order of service. */
  *inOrder(): Generator<T> {
    for (const name of PROGRAM_CLASSES) yield* this.#byClass[name].inOrder()
  }

  #allows(own: ProgramClass, nowMs: number): boolean {
    return nowMs >= this.#notBeforeMs(own) && this.bound.allows(this.#level(own), nowMs)
  }

  #goes(request: Omit<T, keyof Queued>, nowMs: number): void {
    this.#served.add(request, nowMs)
    if (request.class !== 'critical') this.bound.othersTakeAll.tried(nowMs)
  }

  /** While others use the whole refill, normal and background requests wait until the next try is due. */
  #notBeforeMs(own: ProgramClass): number {
    return own === 'critical' ? Number.NEGATIVE_INFINITY : this.bound.othersTakeAll.nextTryAtMs
  }

  #first(): ProgramClass | undefined {
    return PROGRAM_CLASSES.find((name) => this.#byClass[name].size > 0)
  }

  #level(programClass: ProgramClass): number {
    return levelOf(programClass, this.bound.limit ?? 1, this.#options.reserve)
  }
}

const classesBefore = (own: ProgramClass): readonly ProgramClass[] =>
  PROGRAM_CLASSES.slice(0, PROGRAM_CLASSES.indexOf(own))

/** Expected number of the rivals' requests that are sent before the waiting request, within `withinMs`. */
const comingOf = (rivals: readonly Rival[], withinMs: number): number =>
  rivals.reduce((sum, { room, perMs }) => sum + Math.min(room, perMs * withinMs), 0)
