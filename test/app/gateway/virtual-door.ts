import type { Decision, OfferedRequest, UpstreamOutcome } from '../../../app/gateway/decisions.ts'
import { Scheduler } from '../../../app/gateway/scheduler.ts'
import type { ReferenceService } from '../quota/reference-service.ts'

export const BUCKET = 'Positions'

/**
 * How an upstream request fails. `cut-after`: the connection is lost after the service has counted the
 * request.
 */
export type Fault = '401' | 'cut' | 'cut-after' | 'bare-429' | 'timeout' | 'not-sent'

export interface Fate {
  readonly upMs: number
  readonly downMs: number
  readonly fault?: Fault
}

export type Arrival = Omit<OfferedRequest, 'id' | 'bucket'> & {
  readonly atMs: number
  readonly dropAfterMs?: number
}

/** What became of one request of a program. */
export interface Told {
  readonly arrival: Arrival
  /** Upstream request that it is part of. */
  upstream: number | undefined
  readonly sentAtMs: number[]
  turnAtMs: number | undefined
  end: 'answer' | 'refuse' | 'fail' | 'dropped' | undefined
  endedAtMs: number
  why: string | undefined
  retryAfterSeconds: number | undefined
}

/** One request upstream. */
export interface Sent {
  readonly upstream: number
  readonly program: string
  readonly atMs: number
  readonly isResend: boolean
  /** When it reached the service, which may have refused it. */
  arrivedAtMs: number | undefined
  isRefused: boolean
  answeredAtMs: number | undefined
}

interface Event {
  readonly atMs: number
  readonly order: number
  readonly run: () => void
}

const NO_MORE_EVENTS = 400_000

/**
 * The gateway without sockets, in virtual time: the scheduler in front of a service that follows service 8.3.
 */
export class VirtualDoor {
  readonly scheduler: Scheduler
  readonly service: ReferenceService
  readonly told = new Map<number, Told>()
  readonly sent: Sent[] = []
  /**
   * Outcomes of each upstream request, by its id. A resent request has one for each time that it was sent.
   */
  readonly outcomes = new Map<number, UpstreamOutcome['kind'][]>()
  /** Bursts of other programs, and how many of their requests the service accepted. */
  readonly bursts: { readonly atMs: number; readonly count: number; readonly accepted: number }[] = []
  /** Requests that were sent and have not reached the service. */
  onItsWay = 0
  /** Called after each event, when the scheduler has nothing left to do at that moment. */
  onQuiet: (nowMs: number) => void = () => {}
  readonly #fateOf: (upstream: number, time: number) => Fate
  readonly #attempts = new Map<number, number>()
  readonly #events: Event[] = []
  #order = 0
  #nextId = 1
  nowMs = 0

  constructor(
    service: ReferenceService,
    fateOf: (upstream: number, attempt: number) => Fate,
    scheduler = new Scheduler(),
  ) {
    this.service = service
    this.#fateOf = fateOf
    this.scheduler = scheduler
  }

  at(atMs: number, run: () => void): void {
    const event = { atMs, order: this.#order++, run }
    // Sorted latest first, so that the next event is at the end. Among events of one moment, the last one
    // added comes first.
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#events[middle]?.atMs ?? 0) <= atMs) high = middle
      else low = middle + 1
    }
    this.#events.splice(low, 0, event)
  }

  arrive(arrival: Arrival): void {
    const id = this.#nextId++
    this.at(arrival.atMs, () => {
      this.told.set(id, {
        arrival,
        upstream: undefined,
        sentAtMs: [],
        turnAtMs: undefined,
        end: undefined,
        endedAtMs: Number.NaN,
        why: undefined,
        retryAfterSeconds: undefined,
      })
      this.#do(this.scheduler.offer({ ...arrival, id, bucket: BUCKET }, this.nowMs))
    })
    if (arrival.dropAfterMs === undefined) return
    this.at(arrival.atMs + arrival.dropAfterMs, () => this.drop(id))
  }

  drop(id: number): void {
    const told = this.told.get(id)
    if (told?.end !== undefined) return
    this.#end([id], 'dropped')
    this.#do(this.scheduler.drop(id, this.nowMs))
  }

  /** Another program spends `count` at once. */
  burst(atMs: number, count: number): void {
    this.at(atMs, () => {
      let accepted = 0
      for (let i = 0; i < count; i += 1) if (this.service.spend(this.nowMs)) accepted += 1
      this.bursts.push({ atMs: this.nowMs, count, accepted })
    })
  }

  /** Gives the scheduler a first header. To be called before requests arrive. */
  meet(): void {
    this.scheduler.passed(-1, BUCKET, this.nowMs)
    this.service.spend(this.nowMs)
    this.#do(
      this.scheduler.answered(-1, { kind: 'answer', rate: this.service.headers(this.nowMs) }, this.nowMs),
    )
  }

  /** Runs until `endMs`, or until nothing happens any more. */
  run(endMs = Number.POSITIVE_INFINITY): void {
    for (let steps = 0; steps < NO_MORE_EVENTS; steps += 1) {
      const eventAtMs = this.#events.at(-1)?.atMs ?? Number.POSITIVE_INFINITY
      const wakeAtMs = this.scheduler.nextWakeAtMs ?? Number.POSITIVE_INFINITY
      const nextMs = Math.min(eventAtMs, Math.max(wakeAtMs, this.nowMs))
      if (nextMs > endMs || nextMs === Number.POSITIVE_INFINITY) return
      this.nowMs = nextMs
      if (eventAtMs <= wakeAtMs) this.#events.pop()?.run()
      else this.#do(this.scheduler.due(nextMs))
      this.onQuiet(nextMs)
    }
    throw new Error('it never ends')
  }

  #do(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      switch (decision.kind) {
        case 'send':
          this.#send(decision.upstream, decision.requests, decision.isResend)
          break
        case 'wait':
          this.#of(decision.request).turnAtMs = this.scheduler.turnAtMs(decision.request)
          this.#of(decision.request).upstream = decision.upstream
          break
        case 'join':
          this.#of(decision.request).upstream = decision.upstream
          break
        case 'refuse':
          this.#of(decision.request).retryAfterSeconds = decision.retryAfterSeconds
          this.#end([decision.request], 'refuse', decision.why)
          break
        case 'answer':
          this.#end(decision.requests, 'answer')
          break
        case 'fail':
          this.#end(decision.requests, 'fail', decision.why)
          break
        case 'refresh': {
          const { upstream } = decision
          this.at(this.nowMs + 40, () => this.#do(this.scheduler.refreshed(upstream, true, this.nowMs)))
          break
        }
        case 'abandon':
          break
      }
    }
  }

  #of(id: number): Told {
    const told = this.told.get(id)
    if (told === undefined) throw new Error(`a decision about ${id}, which was never offered`)
    return told
  }

  #end(ids: readonly number[], end: NonNullable<Told['end']>, why?: string): void {
    for (const id of ids) {
      const told = this.#of(id)
      if (told.end !== undefined) throw new Error(`${id} ended twice: ${told.end}, ${end}`)
      told.end = end
      told.endedAtMs = this.nowMs
      told.why = why
    }
  }

  #send(upstream: number, requests: readonly number[], isResend: boolean): void {
    for (const id of requests) {
      const told = this.#of(id)
      if (told.end !== undefined) throw new Error(`${id} is sent after its end`)
      told.upstream = upstream
      told.sentAtMs.push(this.nowMs)
    }
    const attempt = (this.#attempts.get(upstream) ?? 0) + 1
    this.#attempts.set(upstream, attempt)
    const program = this.#of(requests[0] ?? upstream).arrival.program
    const sent: Sent = {
      upstream,
      program,
      atMs: this.nowMs,
      isResend,
      arrivedAtMs: undefined,
      isRefused: false,
      answeredAtMs: undefined,
    }
    this.sent.push(sent)
    const { upMs, downMs, fault } = this.#fateOf(upstream, attempt)
    const answered = (outcome: UpstreamOutcome, afterMs: number) =>
      this.at(this.nowMs + afterMs, () => {
        sent.answeredAtMs = this.nowMs
        this.outcomes.set(upstream, [...(this.outcomes.get(upstream) ?? []), outcome.kind])
        this.#do(this.scheduler.answered(upstream, outcome, this.nowMs))
      })
    switch (fault) {
      case 'not-sent':
        answered({ kind: 'not-sent' }, upMs)
        return
      case 'cut':
        answered({ kind: 'cut' }, upMs)
        return
      case 'bare-429':
        answered({ kind: 'rate-limited', of: 'unattributed' }, upMs + downMs)
        return
    }
    this.onItsWay += 1
    this.at(this.nowMs + upMs, () => {
      const accepted = this.service.spend(this.nowMs)
      sent.arrivedAtMs = this.nowMs
      sent.isRefused = !accepted
      this.onItsWay -= 1
      const rate = this.service.headers(this.nowMs)
      if (fault === 'cut-after') answered({ kind: 'cut' }, downMs)
      else if (fault === 'timeout') answered({ kind: 'timeout' }, downMs)
      else if (!accepted) answered({ kind: 'rate-limited', of: 'rate', rate }, downMs)
      else if (fault === '401') answered({ kind: 'unauthorized', rate }, downMs)
      else answered({ kind: 'answer', rate }, downMs)
    })
  }
}

/** All requests and their outcomes, in the order of arrival. */
export const toldOf = (door: VirtualDoor): readonly Told[] => [...door.told.values()]
