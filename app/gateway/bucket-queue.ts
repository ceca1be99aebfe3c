import { defaultReserve, PROGRAM_CLASSES, type ProgramClass } from '../contract/programs.ts'
import { HORIZONS_MS } from '../quota/rates.ts'
import { BucketBound, type BucketSize } from './bucket-bound.ts'
import { FairQueue, type Queued } from './fair-queue.ts'
import { ServedRates } from './served-rates.ts'

/** A turn that others of its class delay is computed in steps, until one changes less than this, in milliseconds. */
const CLOSE_MS = 20
const MAX_STEPS = 12

/** A request that waits for its turn in one bucket. */
export interface Waiting extends Queued {
  readonly program: string
  readonly weight: number
  readonly class: ProgramClass
}

/** How far from the expected number of later requests hope goes, in standard deviations. */
export const HOPE = 1.9

/** How fast others come: requests a millisecond. */
export interface OthersRates extends Pick<ServedRates, 'perMs' | 'programsOf'> {
  /** Of programs that the gateway does not see. */
  readonly unseenPerMs: number
}

/** What a forecast of turns goes by instead of the gateway's own, to compare it. */
export interface Forecast {
  /** Instead of `HOPE`. */
  readonly hope?: number
  /** The true rates of others, instead of those that were learned. */
  readonly trueRates?: OthersRates
}

/** Another program of the class: how many of its later requests may go before, and how fast they come. */
interface Rival {
  readonly room: number
  readonly perMs: number
}

const RESERVES_LEFT: Readonly<Record<ProgramClass, number>> = { critical: 0, normal: 1, background: 2 }

/**
 * The level that a bound has to reach before a class may send: `1 + n × reserve`, n = 0, 1, 2, and at most the limit.
 *
 * A request leaves one less, so a normal one leaves `reserve` for critical ones, and a background one as much for normal
 * ones. The reserve is not spent by those that leave it, so it costs them its size once and nothing per period.
 */
export function levelOf(programClass: ProgramClass, limit: number, reserve = defaultReserve(limit)): number {
  return Math.min(limit, 1 + RESERVES_LEFT[programClass] * reserve)
}

/**
 * The requests that wait for one bucket, and which of them goes when.
 *
 * A class before another one needs a lower level, so where one of it waits the others do too. Times are milliseconds on
 * the clock of the bound.
 */
export class BucketQueue<T extends Waiting> {
  readonly name: string
  readonly bound: BucketBound
  readonly #reserve: number | undefined
  readonly #forecast: Forecast
  readonly #served = new ServedRates()
  readonly #byClass: Readonly<Record<ProgramClass, FairQueue<T>>> = {
    critical: new FairQueue(),
    normal: new FairQueue(),
    background: new FairQueue(),
  }
  #size = 0

  /** `reserve` in requests. */
  constructor(
    name: string,
    { size, reserve }: { readonly size?: BucketSize | undefined; readonly reserve?: number | undefined },
    forecast: Forecast = {},
  ) {
    this.name = name
    this.bound = new BucketBound(size)
    this.#reserve = reserve
    this.#forecast = forecast
  }

  /** Requests that wait. */
  get size(): number {
    return this.#size
  }

  add(waiting: T): void {
    this.#byClass[waiting.class].add(waiting.program, waiting.weight, waiting)
    this.#size += 1
  }

  /** False if it does not wait here. */
  remove(waiting: T): boolean {
    const isRemoved = this.#byClass[waiting.class].remove(waiting.program, waiting)
    if (isRemoved) this.#size -= 1
    return isRemoved
  }

  /** Whether a request goes at once, as it would if it were added and taken: none waits, and its class may send. */
  passes(request: Omit<T, keyof Queued>, nowMs: number): boolean {
    if (this.#size > 0) return false
    if (!this.#allows(request.class, nowMs)) return false
    this.#goes(request, nowMs)
    return true
  }

  /** Takes out the next request that may go now. */
  take(nowMs: number): T | undefined {
    const first = this.#first()
    if (first === undefined) return undefined
    if (!this.#allows(first, nowMs)) return undefined
    const taken = this.#byClass[first].take()
    if (taken === undefined) return undefined
    this.#size -= 1
    this.#goes(taken, nowMs)
    return taken
  }

  /** When to look again, as a whole millisecond; `undefined` if only an answer or a new request can change anything. */
  dueAtMs(nowMs: number): number | undefined {
    const first = this.#first()
    return first && this.roomAtMs(first, nowMs)
  }

  /** When a request of this class could go at the earliest; `undefined` if only an answer can bring it about. */
  roomAtMs(own: ProgramClass, nowMs: number): number | undefined {
    const reachesAtMs = this.bound.reachesAtMs(this.#level(own), nowMs)
    return reachesAtMs && Math.max(reachesAtMs, Math.ceil(this.#notBeforeMs(own)))
  }

  /**
   * When the turn is to be expected of one that waits here, if others come as they did.
   *
   * Requests of classes before go first whenever they come, and those of programs outside are counted first. Of another program of
   * its class as many go first as come until then, but no more than its share lets before this one.
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
   * Whether one that waits here may still go by `byMs`: its turn comes by then if as few others come before it as can
   * reasonably be hoped for. `ahead` is how many that wait go before it.
   *
   * Of m requests that are expected at random moments at least m − Z √(m (1 + t / T)) come but for a few in a hundred, where t
   * is how far the expectation reaches ahead, and T the time behind that it was learned from.
   */
  mayGoBy(waiting: T, byMs: number, nowMs: number, ahead = this.#ahead(waiting)): boolean {
    const level = this.#level(waiting.class)
    if (this.#notBeforeMs(waiting.class) > byMs) return false
    if (this.bound.turnAtMs(level, ahead, nowMs) > byMs) return false
    const { perMs, rivals } = this.#later(waiting, nowMs)
    const aheadMs = Math.max(0, byMs - nowMs)
    const expected = perMs * aheadMs + comingOf(rivals, aheadMs)
    const { hope = HOPE, trueRates } = this.#forecast
    const learnedInMs = trueRates === undefined ? HORIZONS_MS.short : Number.POSITIVE_INFINITY
    const spread = Math.sqrt(expected * (1 + aheadMs / learnedInMs))
    const fewest = Math.max(0, expected - hope * spread)
    // Requests that came all at once promise more than a bucket gives in that time; a turn counts with no more than that.
    return this.bound.turnAtMs(level, ahead + fewest, nowMs) <= byMs || this.turnOf(waiting, nowMs) <= byMs
  }

  #ahead(waiting: T): number {
    const { class: own, program } = waiting
    return classesBefore(own).reduce(
      (sum, name) => sum + this.#byClass[name].size,
      this.#byClass[own].ahead(program, waiting),
    )
  }

  /** What comes later and goes before one that waits here. */
  #later(waiting: T, nowMs: number): { readonly perMs: number; readonly rivals: readonly Rival[] } {
    const { class: own, program } = waiting
    const queue = this.#byClass[own]
    const { trueRates } = this.#forecast
    const rates = trueRates ?? this.#served
    const overtaking = classesBefore(own).reduce((sum, name) => sum + rates.perMs(name, nowMs), 0)
    const rivals = rates.programsOf(own, nowMs).flatMap(({ program: other, weight, perMs }) => {
      // None of its own program has room: they come after it.
      const room = queue.roomBefore(program, waiting, other, weight)
      return room > 0 ? [{ room, perMs }] : []
    })
    // Where they use the whole refill, the next try tells whether they still do.
    const unseenPerMs = this.bound.othersTakeAll.isSo ? 0 : this.bound.othersPerMs(nowMs)
    return { perMs: overtaking + (trueRates?.unseenPerMs ?? unseenPerMs), rivals }
  }

  /** All of them in the order of service. */
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

  /** Classes that leave a reserve wait for the next try where others use the whole refill; the reserve is not tried for. */
  #notBeforeMs(own: ProgramClass): number {
    return own === 'critical' ? Number.NEGATIVE_INFINITY : this.bound.othersTakeAll.nextTryAtMs
  }

  #first(): ProgramClass | undefined {
    return this.#size === 0 ? undefined : PROGRAM_CLASSES.find((name) => this.#byClass[name].size > 0)
  }

  #level(programClass: ProgramClass): number {
    return levelOf(programClass, this.bound.limit ?? 1, this.#reserve)
  }
}

const classesBefore = (own: ProgramClass): readonly ProgramClass[] =>
  PROGRAM_CLASSES.slice(0, PROGRAM_CLASSES.indexOf(own))

/** How many requests of rivals that go before are to be expected within so long. */
const comingOf = (rivals: readonly Rival[], withinMs: number): number =>
  rivals.reduce((sum, { room, perMs }) => sum + Math.min(room, perMs * withinMs), 0)
