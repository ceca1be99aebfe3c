import type { Decision, ProgramClass } from '../gateway/decisions.ts'
import { Scheduler } from '../gateway/scheduler.ts'
import { limitOf, type Plan } from './plan.ts'
import { RollingBucket } from './rolling-bucket.ts'

/** One request of a program, at a moment of the day that is replayed. */
export interface Arrival {
  /** Milliseconds from the beginning, 0 or more. */
  readonly atMs: number
  readonly program: string
  readonly category: string
}

/** How long a program's requests of one category waited for their turn. Times in seconds. */
export interface ReplayedWaits {
  readonly program: string
  readonly category: string
  /** Requests that were sent. */
  readonly sent: number
  /** Requests that were not: their turn came after their patience, or too many waited. */
  readonly refused: number
  readonly medianSeconds: number
  readonly p99Seconds: number
  readonly worstSeconds: number
}

/** The lowest that a category's bucket was in one stretch of the day, and the longest that a request waited. */
export interface ReplayedLevel {
  readonly category: string
  /** The beginning of the stretch, milliseconds. */
  readonly atMs: number
  /** Requests, 0 to the limit. */
  readonly lowest: number
  /** Of the requests that reached the service in the stretch, 0 or more. */
  readonly longestSeconds: number
}

/** What became of a day. */
export interface Replay {
  readonly waits: readonly ReplayedWaits[]
  /** By time; stretches in which a category was not asked for are left out. */
  readonly levels: readonly ReplayedLevel[]
  /** Requests that the service answered with 429. */
  readonly upstreamRefusals: number
}

/** How a day is replayed. */
export interface ReplayOptions {
  /** How long a request may wait, milliseconds. */
  readonly patienceMs: number
  /** Length of the stretches of `levels`, milliseconds. */
  readonly stretchMs: number
}

/** One way to the service, and one way back. */
const TRIP_MS = 25

/**
 * Lets the programs of a plan make `arrivals`, which come in order of time, through the gateway's own scheduler before the
 * service of service 8.3, in virtual time, until each has its answer. The key is used by no other program, and full at the beginning.
 *
 * Arrivals of programs that the plan does not have, or of categories without a limit, are left out.
 */
export function replay(plan: Plan, arrivals: Iterable<Arrival>, options: ReplayOptions): Replay {
  const slices = replayInSlices(plan, arrivals, options)
  let slice = slices.next()
  while (slice.done !== true) slice = slices.next()
  return slice.value
}

/** Arrivals between two pauses: some milliseconds of work. */
const SLICE = 200

/** The same as `replay`, with pauses in which a window can do something else. */
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

/** A request on its way to the service, or its answer on the way back. Trips are equal, so each comes in order. */
interface OnItsWay {
  readonly atMs: number
  readonly id: number
  readonly category: string
  /** How long it waited before it was sent, milliseconds. */
  readonly waitedMs: number
}

interface Answer extends OnItsWay {
  readonly isAccepted: boolean
  readonly header: ReturnType<RollingBucket['header']>
}

class ReplayedDay {
  readonly #plan: Plan
  readonly #options: ReplayOptions
  readonly #scheduler: Scheduler
  readonly #programs: ReadonlyMap<string, { readonly class: ProgramClass; readonly weight: number }>
  readonly #buckets = new Map<string, RollingBucket | undefined>()
  readonly #waits = new Map<string, Map<string, Waits>>()
  readonly #open = new Map<number, Arrival>()
  readonly #up = new Queue<OnItsWay>()
  readonly #down = new Queue<Answer>()
  readonly #levels = new Map<string, Map<number, Stretch>>()
  #upstreamRefusals = 0
  #nextId = 1

  constructor(plan: Plan, options: ReplayOptions) {
    this.#plan = plan
    this.#options = options
    this.#programs = new Map(plan.programs.map((program) => [program.name, program]))
    this.#scheduler = new Scheduler((category) => {
      const reserve = Object.hasOwn(plan.reserves, category) ? plan.reserves[category] : undefined
      return reserve === undefined ? {} : { reserve }
    })
  }

  arrive(arrival: Arrival): void {
    const program = this.#programs.get(arrival.program)
    if (program === undefined || this.#bucketOf(arrival.category) === undefined) return
    this.#runUntil(arrival.atMs)
    const id = this.#nextId++
    this.#open.set(id, arrival)
    const { class: own, weight } = program
    const offered = { id, program: arrival.program, class: own, weight, bucket: arrival.category }
    this.#do(
      this.#scheduler.offer({ ...offered, patienceMs: this.#options.patienceMs }, arrival.atMs),
      arrival.atMs,
    )
  }

  end(): Replay {
    this.#runUntil(Number.POSITIVE_INFINITY)
    return {
      waits: [...this.#waits.values()].flatMap((own) => [...own.values()]).map(summary),
      levels: [...this.#levels]
        .flatMap(([category, stretches]) =>
          [...stretches].map(([atMs, { lowest, longestMs }]) => ({
            category,
            atMs,
            lowest,
            longestSeconds: longestMs / 1000,
          })),
        )
        .toSorted((a, b) => a.atMs - b.atMs),
      upstreamRefusals: this.#upstreamRefusals,
    }
  }

  /** What happens before `endMs`, and at it. */
  #runUntil(endMs: number): void {
    for (;;) {
      const upMs = this.#up.first?.atMs ?? Number.POSITIVE_INFINITY
      const downMs = this.#down.first?.atMs ?? Number.POSITIVE_INFINITY
      const wakeMs = this.#scheduler.nextWakeAtMs ?? Number.POSITIVE_INFINITY
      const nextMs = Math.min(upMs, downMs, wakeMs)
      if (nextMs > endMs || nextMs === Number.POSITIVE_INFINITY) return
      if (upMs === nextMs) this.#reach(this.#up.take())
      else if (downMs === nextMs) this.#answer(this.#down.take())
      else this.#do(this.#scheduler.due(wakeMs), wakeMs)
    }
  }

  #reach(request: OnItsWay | undefined): void {
    const bucket = request && this.#bucketOf(request.category)
    if (request === undefined || bucket === undefined) return
    const { atMs, category, waitedMs } = request
    const isAccepted = bucket.spend(atMs)
    if (!isAccepted) this.#upstreamRefusals += 1
    this.#note(category, atMs, { level: bucket.level(atMs), waitedMs })
    this.#down.add({ ...request, atMs: atMs + TRIP_MS, isAccepted, header: bucket.header(atMs) })
  }

  #answer(answer: Answer | undefined): void {
    if (answer === undefined) return
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
  }

  #send(id: number, isResend: boolean, nowMs: number): void {
    const arrival = this.#open.get(id)
    if (arrival === undefined) return
    // A request that is sent again after a 429 has had its turn already.
    if (!isResend) this.#waitsOf(arrival).sentMs.push(nowMs - arrival.atMs)
    const waitedMs = nowMs - arrival.atMs
    this.#up.add({ id, category: arrival.category, waitedMs, atMs: nowMs + TRIP_MS })
  }

  #refuse(id: number): void {
    const arrival = this.#open.get(id)
    if (arrival !== undefined) this.#waitsOf(arrival).refused += 1
    this.#open.delete(id)
  }

  #waitsOf({ program, category }: Arrival): Waits {
    const own = this.#waits.get(program) ?? new Map<string, Waits>()
    this.#waits.set(program, own)
    const before = own.get(category)
    if (before !== undefined) return before
    const waits = { program, category, sentMs: [], refused: 0 }
    own.set(category, waits)
    return waits
  }

  #bucketOf(category: string): RollingBucket | undefined {
    if (!this.#buckets.has(category)) {
      const size = limitOf(this.#plan, category)
      const bucket = size && new RollingBucket(size)
      this.#buckets.set(category, bucket)
      if (bucket !== undefined) this.#meet(category, bucket)
    }
    return this.#buckets.get(category)
  }

  /** A day begins with what is known of the bucket, as by a check before. */
  #meet(category: string, bucket: RollingBucket): void {
    const id = this.#nextId++
    this.#scheduler.passed(id, category, 0)
    this.#scheduler.answered(id, { kind: 'answer', rate: bucket.header(0) }, 0)
  }

  #note(category: string, nowMs: number, { level, waitedMs }: { level: number; waitedMs: number }): void {
    const atMs = Math.floor(nowMs / this.#options.stretchMs) * this.#options.stretchMs
    const stretches = this.#levels.get(category) ?? new Map<number, Stretch>()
    this.#levels.set(category, stretches)
    const stretch = stretches.get(atMs)
    if (stretch === undefined) stretches.set(atMs, { lowest: level, longestMs: waitedMs })
    else {
      stretch.lowest = Math.min(stretch.lowest, level)
      stretch.longestMs = Math.max(stretch.longestMs, waitedMs)
    }
  }
}

interface Stretch {
  lowest: number
  longestMs: number
}

function summary({ program, category, sentMs, refused }: Waits): ReplayedWaits {
  const sorted = sentMs.toSorted((a, b) => a - b)
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) / 1000
  return {
    program,
    category,
    sent: sorted.length,
    refused,
    medianSeconds: at(0.5),
    p99Seconds: at(0.99),
    worstSeconds: (sorted.at(-1) ?? 0) / 1000,
  }
}

/** First in, first out, without moving what stays. */
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
