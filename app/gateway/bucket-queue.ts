import { BucketBound, type BucketSize } from './bucket-bound.ts'
import { PROGRAM_CLASSES, type ProgramClass } from './decisions.ts'
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

/** Requests kept back unless said otherwise: this share of the limit, and at least one. */
const DEFAULT_RESERVE = { share: 0.06, least: 1 } as const
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

const defaultReserve = (limit: number): number =>
  Math.max(DEFAULT_RESERVE.least, Math.ceil(DEFAULT_RESERVE.share * limit))

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
  readonly #served = new ServedRates()
  readonly #byClass: Readonly<Record<ProgramClass, FairQueue<T>>> = {
    critical: new FairQueue(),
    normal: new FairQueue(),
    background: new FairQueue(),
  }

  /** `reserve` in requests. */
  constructor(name: string, size: BucketSize | undefined, reserve: number | undefined) {
    this.name = name
    this.bound = new BucketBound(size)
    this.#reserve = reserve
  }

  get size(): number {
    return PROGRAM_CLASSES.reduce((sum, name) => sum + this.#byClass[name].size, 0)
  }

  add(waiting: T): void {
    this.#byClass[waiting.class].add(waiting.program, waiting.weight, waiting)
  }

  /** False if it does not wait here. */
  remove(waiting: T): boolean {
    return this.#byClass[waiting.class].remove(waiting.program, waiting)
  }

  /** Takes out the next request that may go now. */
  take(nowMs: number): T | undefined {
    const first = this.#first()
    if (first === undefined) return undefined
    this.bound.advance(nowMs)
    if (!this.bound.allows(this.#level(first), nowMs)) return undefined
    const taken = this.#byClass[first].take()
    if (taken !== undefined) this.#served.add(taken, nowMs)
    return taken
  }

  /** When to look again, as a whole millisecond; `undefined` if only an answer or a new request can change anything. */
  dueAtMs(nowMs: number): number | undefined {
    const first = this.#first()
    return first === undefined ? undefined : this.bound.reachesAtMs(this.#level(first), nowMs)
  }

  /** When a request of that class goes with `ahead` others before it. */
  turnAtMs(programClass: ProgramClass, ahead: number, nowMs: number): number {
    return this.bound.turnAtMs(this.#level(programClass), ahead, nowMs)
  }

  /**
   * When the turn comes of one that waits here, if none goes, and others come as they did.
   *
   * Requests of classes before go first whenever they come: they slow the turn down. Of another program of its class as many do
   * as come until then, but no more than its share lets before this one.
   */
  turnOf(waiting: T, nowMs: number): number {
    const { class: own, program } = waiting
    const before = PROGRAM_CLASSES.slice(0, PROGRAM_CLASSES.indexOf(own))
    const queue = this.#byClass[own]
    const ahead = before.reduce((sum, name) => sum + this.#byClass[name].size, queue.ahead(program, waiting))
    const overtaking = before.reduce((sum, name) => sum + this.#served.perMs(name, nowMs), 0)
    const atMs = (more: number) => this.bound.turnAtMs(this.#level(own), ahead + more, nowMs, overtaking)
    let turnAtMs = atMs(0)
    if (turnAtMs <= nowMs) return turnAtMs
    const rivals = this.#served.programsOf(own, nowMs).flatMap(({ program: other, weight, perMs }) => {
      const room = other === program ? 0 : queue.roomBefore(program, waiting, other, weight)
      return room > 0 ? [{ room, perMs }] : []
    })
    for (let step = 0; rivals.length > 0 && step < MAX_STEPS; step += 1) {
      const formerMs = turnAtMs
      const more = rivals.reduce(
        (sum, { room, perMs }) => sum + Math.min(room, perMs * (formerMs - nowMs)),
        0,
      )
      turnAtMs = atMs(more)
      if (turnAtMs - formerMs < CLOSE_MS) break
    }
    return turnAtMs
  }

  /** All of them in the order of service. */
  *inOrder(): Generator<T> {
    for (const name of PROGRAM_CLASSES) yield* this.#byClass[name].inOrder()
  }

  #first(): ProgramClass | undefined {
    return PROGRAM_CLASSES.find((name) => this.#byClass[name].size > 0)
  }

  #level(programClass: ProgramClass): number {
    return levelOf(programClass, this.bound.limit ?? 1, this.#reserve)
  }
}
