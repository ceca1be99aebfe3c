import { type ProgramClass, reserveOf } from '../contract/programs.ts'
import type { Decision } from '../gateway/decisions.ts'
import { Scheduler } from '../gateway/scheduler.ts'
import { limitOf, type Plan } from './plan.ts'
import { RollingBucket } from './rolling-bucket.ts'

/** One request of a program in a replayed day. */
export interface Arrival {
  /** Milliseconds from the start, 0 or more. */
  readonly atMs: number
  readonly program: string
  readonly category: string
}

/** How long a program's requests in one category waited for their turn. Times in seconds. */
export interface ReplayedWaits {
  readonly program: string
  readonly category: string
  readonly sent: number
  /** Requests that were declined, because too many waited or because their wait would have been too long. */
  readonly refused: number
  readonly p99Seconds: number
  readonly worstSeconds: number
}

/** Lowest level of a category's bucket in one interval of the day, and the longest wait. */
export interface ReplayedLevel {
  readonly category: string
  /** Start of the interval, milliseconds. */
  readonly atMs: number
  /** Requests, 0 to the limit. */
  readonly lowest: number
  /** Longest wait in seconds, 0 or more, of a request that reached the service in this interval. */
  readonly longestSeconds: number
  /** The program whose request waited longest. Absent if none waited. */
  readonly longestBy?: string
}

/** The result of a replayed day. */
export interface Replay {
  readonly waits: readonly ReplayedWaits[]
  /** In chronological order. Intervals without a request in the category are left out. */
  readonly levels: readonly ReplayedLevel[]
  /** Requests that the service answered with 429. */
  readonly upstreamRefusals: number
}

/** How a day is replayed. */
export interface ReplayOptions {
  /** Maximum wait of a request, milliseconds. */
  readonly maxWaitMs: number
  /** Length of each interval in `levels`, milliseconds. */
  readonly stretchMs: number
}

/** Duration of one trip to or from the service. Milliseconds. */
const TRIP_MS = 25

/**
 * Replays `arrivals` until each has its response. `arrivals` must be in chronological order.
 *
 * The gateway's own scheduler runs in virtual time against the model of service 8.3. No other program uses
 * the key, and every bucket starts full. Arrivals of unknown programs, or in categories without a limit, are
 * left out.
 */
export function replay(plan: Plan, arrivals: Iterable<Arrival>, options: ReplayOptions): Replay {
  const slices = replayInSlices(plan, arrivals, options)
  let slice = slices.next()
  while (slice.done !== true) slice = slices.next()
  return slice.value
}

/** Number of arrivals replayed between two yields. Replaying them takes a few milliseconds. */
const SLICE = 200

/** Like `replay`, but yields regularly so that a window stays responsive. */
export function* replayInSlices(
  plan: Plan,
  arrivals: Iterable<Arrival>,
  options: ReplayOptions,
): Generator<void, Replay> {
  const day = new ReplayedDay(plan, options)
  let arrived = 0
  for (const arrival of arrivals) {
    day.arrive(arrival)
    arrived += 1
    if (arrived % SLICE === 0) yield
  }
  return day.end()
}

interface Waits {
  readonly program: string
  readonly category: string
  readonly sentMs: number[]
  refused: number
}

interface Stretch {
  readonly atMs: number
  lowest: number
  longestMs: number
  longestBy: string
}

/** The service's bucket of a category, and its recorded levels in chronological order. */
interface Category {
  readonly name: string
  readonly bucket: RollingBucket
  readonly stretches: Stretch[]
}

/** A request without a response. All trips take equally long, so no request or response overtakes another. */
interface OpenRequest {
  readonly id: number
  readonly program: string
  readonly category: Category
  readonly offeredAtMs: number
  /**
   * The time of the request's next event: the request reaches the service, or its response reaches the
   * gateway.
   */
  atMs: number
  /** How long the request had waited when it was last sent, milliseconds. */
  waitedMs: number
  isAccepted: boolean
  header: ReturnType<RollingBucket['header']> | undefined
}

class ReplayedDay {
  readonly #plan: Plan
  readonly #options: ReplayOptions
  readonly #scheduler: Scheduler
  readonly #programs: ReadonlyMap<string, { readonly class: ProgramClass; readonly weight: number }>
  /** `undefined` for a category without a limit. */
  readonly #categories = new Map<string, Category | undefined>()
  /** Categories that a request has reached, in the order of their first requests. */
  readonly #noted: Category[] = []
  readonly #waits = new Map<string, Map<string, Waits>>()
  readonly #open = new Map<number, OpenRequest>()
  readonly #up = new Queue<OpenRequest>()
  readonly #down = new Queue<OpenRequest>()
  /** The scheduler's next wake-up, read after each event. Infinity if the scheduler needs none. */
  #wakeMs = Number.POSITIVE_INFINITY
  #upstreamRefusals = 0
  #nextId = 1

  constructor(plan: Plan, options: ReplayOptions) {
    this.#plan = plan
    this.#options = options
    this.#programs = new Map(plan.programs.map((program) => [program.name, program]))
    this.#scheduler = new Scheduler((category) => ({ reserve: reserveOf(plan.reserves, category) }))
  }

  arrive({ atMs, program: name, category: categoryName }: Arrival): void {
    const program = this.#programs.get(name)
    const category = program && this.#categoryOf(categoryName)
    if (program === undefined || category === undefined) return
    this.#runUntil(atMs)
    const id = this.#nextId++
    this.#open.set(id, {
      id,
      program: name,
      category,
      offeredAtMs: atMs,
      atMs,
      waitedMs: 0,
      isAccepted: false,
      header: undefined,
    })
    const { class: own, weight } = program
    const { maxWaitMs } = this.#options
    const offered = { id, program: name, class: own, weight, bucket: categoryName, maxWaitMs }
    this.#do(this.#scheduler.offer(offered, atMs), atMs)
  }

  end(): Replay {
    this.#runUntil(Number.POSITIVE_INFINITY)
    return {
      waits: [...this.#waits.values()].flatMap((own) => [...own.values()]).map(summary),
      levels: this.#noted.flatMap(levelsOf).toSorted((a, b) => a.atMs - b.atMs),
      upstreamRefusals: this.#upstreamRefusals,
    }
  }

  /** Processes all events up to and including `endMs`. */
  #runUntil(endMs: number): void {
    for (;;) {
      const upMs = this.#up.first?.atMs ?? Number.POSITIVE_INFINITY
      const downMs = this.#down.first?.atMs ?? Number.POSITIVE_INFINITY
      const wakeMs = this.#wakeMs
      const nextMs = Math.min(upMs, downMs, wakeMs)
      if (nextMs > endMs || nextMs === Number.POSITIVE_INFINITY) return
      if (upMs === nextMs) this.#reach(this.#up.take())
      else if (downMs === nextMs) this.#answer(this.#down.take())
      else this.#do(this.#scheduler.due(wakeMs), wakeMs)
    }
  }

  #reach(request: OpenRequest | undefined): void {
    if (request === undefined) return
    const { atMs, category, waitedMs, program } = request
    const { bucket } = category
    request.isAccepted = bucket.spend(atMs)
    if (!request.isAccepted) this.#upstreamRefusals += 1
    this.#note(category, atMs, { level: bucket.level(atMs), waitedMs, program })
    request.header = bucket.header(atMs)
    request.atMs = atMs + TRIP_MS
    this.#down.add(request)
  }

  #answer(answer: OpenRequest | undefined): void {
    if (answer?.header === undefined) return
    const { id, atMs, isAccepted, header: rate } = answer
    const outcome = isAccepted
      ? { kind: 'answer' as const, rate }
      : { kind: 'rate-limited' as const, of: 'rate' as const, rate }
    this.#do(this.#scheduler.answered(id, outcome, atMs), atMs)
  }

  #do(decisions: readonly Decision[], nowMs: number): void {
    for (const decision of decisions) {
      if (decision.kind === 'send') this.#send(decision.upstream, decision.isResend, nowMs)
      else if (decision.kind === 'refuse') this.#refuse(decision.request)
      else if (decision.kind === 'answer') this.#open.delete(decision.upstream)
    }
    this.#wakeMs = this.#scheduler.nextWakeAtMs ?? Number.POSITIVE_INFINITY
  }

  #send(id: number, isResend: boolean, nowMs: number): void {
    const request = this.#open.get(id)
    if (request === undefined) return
    request.waitedMs = nowMs - request.offeredAtMs
    // The wait of a resend was already recorded when the request was first sent.
    if (!isResend) this.#waitsOf(request).sentMs.push(request.waitedMs)
    request.atMs = nowMs + TRIP_MS
    this.#up.add(request)
  }

  #refuse(id: number): void {
    const request = this.#open.get(id)
    if (request !== undefined) this.#waitsOf(request).refused += 1
    this.#open.delete(id)
  }

  #waitsOf({ program, category: { name: category } }: OpenRequest): Waits {
    const own = this.#waits.get(program) ?? new Map<string, Waits>()
    if (own.size === 0) this.#waits.set(program, own)
    const before = own.get(category)
    if (before !== undefined) return before
    const waits = { program, category, sentMs: [], refused: 0 }
    own.set(category, waits)
    return waits
  }

  #categoryOf(name: string): Category | undefined {
    const known = this.#categories.get(name)
    if (known !== undefined || this.#categories.has(name)) return known
    const size = limitOf(this.#plan, name)
    const category = size && { name, bucket: new RollingBucket(size), stretches: [] }
    this.#categories.set(name, category)
    if (category !== undefined) this.#meet(category)
    return category
  }

  /**
   * Gives the scheduler a first header for a bucket. A real gateway has a header at the start of a day, for
   * example from a check.
   */
  #meet({ name, bucket }: Category): void {
    const id = this.#nextId++
    this.#scheduler.passed(id, name, 0)
    this.#scheduler.answered(id, { kind: 'answer', rate: bucket.header(0) }, 0)
  }

  #note(
    category: Category,
    nowMs: number,
    {
      level,
      waitedMs,
      program,
    }: { readonly level: number; readonly waitedMs: number; readonly program: string },
  ): void {
    const atMs = Math.floor(nowMs / this.#options.stretchMs) * this.#options.stretchMs
    const { stretches } = category
    const stretch = stretches.at(-1)
    if (stretch === undefined) this.#noted.push(category)
    if (stretch === undefined || stretch.atMs !== atMs)
      stretches.push({ atMs, lowest: level, longestMs: waitedMs, longestBy: program })
    else {
      stretch.lowest = Math.min(stretch.lowest, level)
      if (waitedMs <= stretch.longestMs) return
      stretch.longestMs = waitedMs
      stretch.longestBy = program
    }
  }
}

const levelsOf = ({ name: category, stretches }: Category): readonly ReplayedLevel[] =>
  stretches.map(({ atMs, lowest, longestMs, longestBy }) => ({
    category,
    atMs,
    lowest,
    longestSeconds: longestMs / 1000,
    ...(longestMs > 0 && { longestBy }),
  }))

function summary({ program, category, sentMs, refused }: Waits): ReplayedWaits {
  const sorted = Float64Array.from(sentMs).sort()
  return {
    program,
    category,
    sent: sorted.length,
    refused,
    p99Seconds: (sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0) / 1000,
    worstSeconds: (sorted.at(-1) ?? 0) / 1000,
  }
}

/** A first-in, first-out queue. It reads by index, because shifting an array is slow. */
class Queue<T> {
  #items: T[] = []
  #taken = 0

  get first(): T | undefined {
    return this.#items[this.#taken]
  }

  add(item: T): void {
    this.#items.push(item)
  }

  take(): T | undefined {
    const item = this.#items[this.#taken]
    this.#taken += 1
    if (this.#taken > 1024 && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken)
      this.#taken = 0
    }
    return item
  }
}
