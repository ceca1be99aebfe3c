import type { Decision, UpstreamOutcome } from '../gateway/decisions.ts'
import type { Scheduler } from '../gateway/scheduler.ts'
import type { Ask, Grant, MemberStanding } from './queue-messages.ts'
import type { AskedRequest, Seat } from './seat.ts'

/** How long a grant may be used after the member asked for it. Milliseconds. */
const SPEND_WITHIN_MS = 1_500
/** Time after which a grant is either used or void. Milliseconds. */
export const LAPSED_AFTER_MS = 2_000
/** Interval at which a member gets its expected turns (milliseconds), and the maximum number of turns. */
const TURNS_EVERY_MS = 1_000
const MAX_TURNS = 64

/**
 * The dispatcher's record of all members' requests. When its scheduler sends a request, the member that asked
 * for the request gets a grant.
 */
export class DispatchedRequests {
  readonly #scheduler: Scheduler
  readonly #now: () => number
  /** The members' waiting and granted requests, by their ids in the scheduler. */
  readonly #turns = new Map<number, { seat: Seat; id: number; request: AskedRequest }>()
  /** The answers that the next call of `grants` returns. */
  readonly #answers = new Map<Seat, Pick<Grant, 'granted' | 'declined'>>()
  #turn = 1

  /** `now`: monotonic clock, in milliseconds. */
  constructor(scheduler: Scheduler, now: () => number) {
    this.#scheduler = scheduler
    this.#now = now
  }

  /** Handles a member's request for a turn. A repeated ask changes nothing. */
  ask(seat: Seat, { id, attempt, age, leftMs, ...asked }: Ask['asks'][number]): void {
    const known = seat.requests.get(id)
    if (known !== undefined && known.attempt >= attempt) return
    // A member does not use grants for earlier attempts.
    if (known !== undefined) this.takeBack(seat, id)
    const turn = this.#turn++
    const nowMs = this.#now()
    const request: AskedRequest = { turn, attempt, grant: undefined, grantedMs: 0 }
    seat.requests.set(id, request)
    this.#turns.set(turn, { seat, id, request })
    const program = `${seat.id}/${asked.program}`
    const offered = { ...asked, id: turn, program, maxWaitMs: leftMs, order: nowMs - age }
    this.#apply(this.#scheduler.offer(offered, nowMs))
  }

  /** Withdraws a request whose current attempt was not sent and will not be sent. */
  takeBack(seat: Seat, id: number): void {
    const request = seat.requests.get(id)
    if (request === undefined) return
    if (request.grant !== undefined) return void this.settle(seat, id, { kind: 'not-sent' })
    this.#apply(this.#scheduler.drop(request.turn, this.#now()))
    seat.requests.delete(id)
    this.#turns.delete(request.turn)
  }

  /** Applies the outcome of a request that was sent. */
  settle(seat: Seat, id: number, outcome: UpstreamOutcome): void {
    const request = seat.requests.get(id)
    const turn = request?.turn ?? seat.used.get(id)
    if (turn === undefined || (request !== undefined && request.grant === undefined)) return
    seat.requests.delete(id)
    seat.used.delete(id)
    this.#turns.delete(turn)
    const nowMs = this.#now()
    // The request is dropped first, so that the scheduler does not resend it.
    this.#apply(this.#scheduler.drop(turn, nowMs))
    this.#apply(this.#scheduler.answered(turn, outcome, nowMs))
  }

  knows(seat: Seat, id: number): boolean {
    return seat.requests.has(id) || seat.used.has(id)
  }

  /** Records a request that was sent without a grant, unless it is known already. */
  used(seat: Seat, { id, bucket }: { id: number; bucket: string }, when: 'now' | 'earlier' = 'now'): void {
    if (this.knows(seat, id)) return
    const turn = this.#turn++
    seat.used.set(id, turn)
    this.#scheduler.passed(turn, bucket, this.#now(), when)
  }

  /**
   * Corrects the effects of lost messages. `dispatchedMs`: sending time of the `dispatch` that the member
   * replied to.
   */
  reconcile(seat: Seat, { heard, underWay, waiting }: MemberStanding, dispatchedMs: number): void {
    const sent = new Set(underWay.map(({ id }) => id))
    const queued = new Set(waiting)
    for (const [id, { grant, grantedMs }] of [...seat.requests]) {
      if (sent.has(id)) continue
      if (grant === undefined) {
        if (!queued.has(id)) this.takeBack(seat, id)
      } else if (grant <= heard) {
        // The grant was not used, or the report of the request's end was lost.
        this.settle(seat, id, { kind: queued.has(id) ? 'not-sent' : 'cut' })
      } else if (dispatchedMs - grantedMs >= LAPSED_AFTER_MS) this.settle(seat, id, { kind: 'not-sent' })
    }
    for (const id of [...seat.used.keys()]) if (!sent.has(id)) this.settle(seat, id, { kind: 'cut' })
  }

  /** Forgets a member's waiting requests. */
  forgetWaiting(seat: Seat): void {
    for (const [id, { grant }] of [...seat.requests]) if (grant === undefined) this.takeBack(seat, id)
  }

  /** Forgets a member's requests. Sent or granted ones count as used, and may still reach the service. */
  forget(seat: Seat): void {
    for (const [id, { grant }] of [...seat.requests])
      if (grant === undefined) this.takeBack(seat, id)
      else this.settle(seat, id, { kind: 'cut' })
    for (const id of [...seat.used.keys()]) this.settle(seat, id, { kind: 'cut' })
  }

  /** Grants the requests that may be sent now. Returns the answers to each member. */
  grants(seats: Iterable<Seat>): readonly (readonly [to: string, grant: Omit<Grant, 'epoch'>])[] {
    const nowMs = this.#now()
    this.#apply(this.#scheduler.due(nowMs))
    const grants: (readonly [to: string, grant: Omit<Grant, 'epoch'>])[] = []
    for (const seat of seats) {
      const turns = this.#turnsOf(seat, nowMs)
      const { granted, declined } = this.#answers.get(seat) ?? { granted: [], declined: [] }
      if (granted.length === 0 && declined.length === 0 && turns.length === 0) continue
      seat.grants += 1
      const spendWithinMs = SPEND_WITHIN_MS
      const number = seat.grants
      grants.push([seat.id, { kind: 'grant', number, granted, spendWithinMs, declined, turns }])
    }
    this.#answers.clear()
    return grants
  }

  #turnsOf(seat: Seat, nowMs: number): Grant['turns'] {
    if (seat.state !== 'heard' || nowMs - seat.turnsSentMs < TURNS_EVERY_MS) return []
    seat.turnsSentMs = nowMs
    const turns: Grant['turns'] = []
    for (const [id, { turn, grant }] of seat.requests) {
      if (grant !== undefined) continue
      if (turns.length >= MAX_TURNS) break
      const atMs = this.#scheduler.turnAtMs(turn)
      if (atMs !== undefined) turns.push({ id, inMs: Math.max(0, Math.round(atMs - nowMs)) })
    }
    return turns
  }

  /** Records grants and refusals as answers. Members handle resends and responses themselves. */
  #apply(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      if (decision.kind !== 'send' && decision.kind !== 'refuse') continue
      const turn = decision.kind === 'send' ? decision.upstream : decision.request
      const { seat, id, request } = this.#turns.get(turn) ?? {}
      if (seat === undefined || id === undefined || request === undefined) continue
      const answers = this.#answers.get(seat) ?? { granted: [], declined: [] }
      this.#answers.set(seat, answers)
      const { attempt } = request
      if (decision.kind === 'send') {
        request.grant = seat.grants + 1
        request.grantedMs = this.#now()
        answers.granted.push({ id, attempt })
      } else {
        seat.requests.delete(id)
        this.#turns.delete(turn)
        const { kind: _, request: __, ...refusal } = decision
        answers.declined.push({ id, attempt, ...refusal })
      }
    }
  }
}
