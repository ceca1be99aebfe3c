import type { BucketOptions } from '../gateway/bucket-queue.ts'
import { type Refill, ROUNDING } from '../gateway/bucket-share.ts'
import { Scheduler } from '../gateway/scheduler.ts'
import type { SharedBound } from '../gateway/shared-bound.ts'
import { longest } from '../quota/window-model.ts'
import { ALONE_AFTER_MS, aloneAllowance, PART_LASTS_MS, type ShareLeft } from './alone.ts'
import { DispatchedRequests, LAPSED_AFTER_MS } from './dispatched-requests.ts'
import type { Ask, Dispatch, Ended, Grant, MemberStanding } from './queue-messages.ts'
import { type HandedIn, inBoth, Seat, Seats, tokensIn } from './seat.ts'

/** A member's part is set aside this long before the member may begin to work alone. Milliseconds. */
const AHEAD_MS = 100
/** Time for the members' first replies at the beginning of an epoch. Milliseconds. */
const JOIN_WITHIN_MS = 500
/** Number of own `dispatch` messages that are remembered. */
const MAX_DISPATCHES = 64

export interface DispatcherDeps {
  /** The id of the member that dispatches. This member never counts as silent. */
  readonly self: string
  readonly epoch: number
  /** Monotonic clock. Milliseconds. */
  readonly now: () => number
  /** Whether the lease allows grants now. Checked before each grant. */
  readonly mayGrant: () => boolean
  readonly optionsOf: (bucket: string) => BucketOptions
  readonly send: (to: string, message: Grant) => void
}

/** An earlier dispatcher's state, as far as this member knows it. */
export interface Former {
  /** By member id: the part of each quota that the member may use alone. Leaves out members that left. */
  readonly parts: Readonly<Record<string, number>>
  /** Time by which unreported requests have reached the service, on the monotonic clock. Milliseconds. */
  readonly settledFromMs: number
}

/**
 * The desk's queue, at the member that holds the lease. It runs a `Scheduler` for the programs of all
 * members. See `DispatchedRequests`.
 *
 * A member that does not reply may work alone. Its part of each quota is set aside before it can begin: the
 * member waits `ALONE_AFTER_MS` after the last `dispatch` that it received. The dispatcher counts the same
 * time, but starts earlier: when it sent the last `dispatch` that the member replied to.
 *
 * A new dispatcher does not know the quotas' levels. It starts with the unused shares that the members hand
 * in. See `BucketShare`. The first header of a bucket then adds everything that is not set aside.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #scheduler: Scheduler
  readonly #requests: DispatchedRequests
  readonly #seats = new Seats()
  /** Sending time and number of members of each recent `dispatch`, by message number. */
  readonly #dispatches = new Map<number, { readonly atMs: number; readonly members: number }>()
  readonly #startedMs: number
  readonly #former: Former | undefined
  /** The part of each quota that no silent member may use. */
  #fraction: number
  /** Whether members still have time to reply for the first time and hand in their shares. */
  #isGathering: boolean
  #number = 0

  /** `former`: absent if no member knows of an earlier dispatcher. */
  constructor(deps: DispatcherDeps, former?: Former) {
    this.#deps = deps
    this.#former = former
    this.#startedMs = deps.now()
    // If there was an earlier dispatcher, only parts that members hand in are known to be free.
    this.#fraction = former === undefined ? 1 : 0
    this.#isGathering = former !== undefined
    if (former !== undefined) this.#expect(former.parts)
    this.#scheduler = new Scheduler(deps.optionsOf)
    this.#requests = new DispatchedRequests(this.#scheduler, deps.now)
    this.#scheduler.onBucket((bucket, bound) => this.#made(bucket, bound))
  }

  /** The next `dispatch` message. `leaseAge`: see `Dispatch`. */
  dispatch(leaseAge: number): Dispatch {
    const nowMs = this.#deps.now()
    this.#entitle()
    this.#number += 1
    const members = this.#seats.members
    this.#dispatches.set(this.#number, { atMs: nowMs, members })
    this.#dispatches.delete(this.#number - MAX_DISPATCHES)
    const seats: Dispatch['seats'] = {}
    for (const seat of this.#seats.values()) {
      const join = seat.state === 'heard' ? seat.handedIn?.join : undefined
      if (seat.isEntitled && seat.state === 'heard') {
        seat.fraction = Math.max(seat.fraction, 1 / members)
        seat.confirmedBy = Math.min(seat.confirmedBy, this.#number)
      }
      seats[seat.id] = {
        ...(join !== undefined && { join }),
        ...(seat.isEntitled && { part: seat.fraction }),
      }
    }
    const split: string[] = []
    const scarce: string[] = []
    for (const [bucket, bound] of this.#scheduler.bounds()) {
      if (bound.isSplit) split.push(bucket)
      if (bound.isScarce(nowMs)) scarce.push(bucket)
    }
    return {
      kind: 'dispatch',
      epoch: this.#deps.epoch,
      number: this.#number,
      leaseAge,
      members,
      seats,
      split,
      scarce,
    }
  }

  /** Handles a member's reply to `dispatch`. */
  standing(from: string, standing: MemberStanding): void {
    const sent = this.#dispatches.get(standing.number)
    if (standing.epoch !== this.#deps.epoch || sent === undefined) return
    const seat = this.#seat(from)
    if (seat.state !== 'heard' && standing.handsIn === undefined) return
    this.#begin()
    const { handsIn } = standing
    const isJoining = seat.state !== 'heard' || handsIn?.join !== seat.handedIn?.join
    if (handsIn !== undefined && isJoining) this.#join(seat, standing, handsIn)
    seat.repliedMs = Math.max(seat.repliedMs, sent.atMs)
    this.#requests.reconcile(seat, standing, sent.atMs)
    this.#acknowledged(seat, standing.number)
    this.#end()
  }

  /** Handles a member's requests for turns. */
  ask(from: string, { epoch, asks, withdrawn }: Ask): void {
    const seat = this.#seats.get(from)
    if (epoch !== this.#deps.epoch || seat?.state !== 'heard') return
    this.#begin()
    for (const id of withdrawn) this.#requests.takeBack(seat, id)
    for (const asked of asks) this.#requests.ask(seat, asked)
    this.#end()
  }

  /** Handles a member's report of requests that ended, or that were sent without a grant. */
  ended(from: string, { epoch, used, ended }: Ended): void {
    const seat = this.#seats.get(from)
    if (epoch !== this.#deps.epoch || seat === undefined) return
    this.#begin()
    for (const one of used) this.#requests.used(seat, one)
    for (const { id, outcome } of ended) this.#requests.settle(seat, id, outcome)
    this.#end()
  }

  /** Removes a member that left, or whose app restarted. Its former run sends no more requests. */
  gone(id: string): void {
    const seat = this.#seats.get(id)
    if (seat === undefined) return
    const nowMs = this.#begin()
    this.#requests.forget(seat)
    if (seat.state !== 'heard') this.#free(seat.fraction, nowMs + LAPSED_AFTER_MS)
    this.#seats.delete(id)
    this.#end()
  }

  /** Sets the parts of silent members aside, and grants the requests that may be sent now. */
  due(): void {
    this.#begin()
    this.#end()
  }

  /** When to call `due`. May be in the past. */
  get nextWakeAtMs(): number {
    let wakeAtMs = this.#scheduler.nextWakeAtMs ?? Number.POSITIVE_INFINITY
    for (const seat of this.#seats.values())
      if (seat.state === 'heard' && seat.id !== this.#deps.self)
        wakeAtMs = Math.min(wakeAtMs, seat.repliedMs + ALONE_AFTER_MS - AHEAD_MS)
    return wakeAtMs
  }

  /** Whether the next `dispatch` announces a new member to the others, or gives a new member its part. */
  get isAwaited(): boolean {
    const { pending, hasRoom, members } = this.#seats
    return pending.length > 0 && (hasRoom || this.#dispatches.get(this.#number)?.members !== members)
  }

  /** The unused share of each bucket. `undefined` while another member replies and uses it too. */
  get left(): ReadonlyMap<string, ShareLeft> | undefined {
    const { self } = this.#deps
    for (const { id, state } of this.#seats.values()) if (state === 'heard' && id !== self) return undefined
    const left = new Map<string, ShareLeft>()
    for (const [bucket, bound] of this.#scheduler.bounds()) {
      const tokens = bound.tokens(this.#deps.now())
      if (tokens !== undefined) left.set(bucket, { tokens, sent: bound.sentSince })
    }
    return left
  }

  /** Records members that may use their parts alone until they reply. */
  #expect(parts: Former['parts']): void {
    for (const [id, fraction] of Object.entries(parts)) {
      if (this.#seats.has(id)) continue
      const seat = this.#seat(id)
      seat.isEntitled = true
      seat.fraction = fraction
    }
  }

  #seat(id: string): Seat {
    const known = this.#seats.get(id)
    if (known !== undefined) return known
    const seat = new Seat(id, this.#deps.now())
    this.#seats.set(id, seat)
    return seat
  }

  /** Begins to handle an event: first sets aside the parts of silent members. Returns the time. */
  #begin(): number {
    const nowMs = this.#deps.now()
    if (this.#isGathering && nowMs - this.#startedMs >= JOIN_WITHIN_MS) this.#gathered(nowMs)
    for (const seat of this.#seats.values()) {
      const isLate = nowMs - seat.repliedMs >= ALONE_AFTER_MS - AHEAD_MS
      if (seat.state === 'heard' && isLate && seat.id !== this.#deps.self) this.#silent(seat, nowMs)
      if (seat.state !== 'silent') continue
      if (nowMs - seat.silentSinceMs >= LAPSED_AFTER_MS) this.#requests.forget(seat)
      // In buckets whose headers show unreported use, the member's part stays set aside for longer.
      if (nowMs - seat.silentSinceMs >= PART_LASTS_MS) seat.isEntitled = false
    }
    this.#scheduler.isGranted = !this.#deps.mayGrant()
    return nowMs
  }

  /** Finishes an event: grants the requests that may be sent, and sends the answers. */
  #end(): void {
    const { epoch, send } = this.#deps
    // All answers are collected before any is sent, because this machine's own member may ask again at once.
    for (const [to, grant] of this.#requests.grants(this.#seats.values())) send(to, { ...grant, epoch })
  }

  /** Ends the time for first replies. Frees all parts that no silent member may use. */
  #gathered(nowMs: number): void {
    this.#isGathering = false
    const fraction = Math.max(0, 1 - this.#seats.silentFraction() - this.#fraction)
    for (const seat of this.#seats.values()) if (seat.state !== 'heard') seat.state = 'silent'
    this.#releaseLater()
    if (fraction >= ROUNDING) this.#free(fraction, this.#settledFromMs(nowMs))
  }

  /** Takes back a part of each quota. No silent member may still use this part. */
  #free(fraction: number, settledFromMs: number): void {
    this.#fraction += fraction
    for (const [, bound] of this.#scheduler.bounds())
      bound.takeBack({ fraction, tokens: 0, settledFromMs }, this.#deps.now())
  }

  #settledFromMs(nowMs: number): number {
    return Math.max(nowMs, this.#former?.settledFromMs ?? nowMs)
  }

  /** Handles a member that stopped replying: sets its part of each bucket aside. */
  #silent(seat: Seat, nowMs: number): void {
    seat.state = 'silent'
    seat.silentSinceMs = nowMs
    this.#requests.forgetWaiting(seat)
    this.#fraction -= seat.fraction
    for (const [bucket, bound] of this.#scheduler.bounds()) {
      const least = seat.isEntitled ? aloneAllowance(bound.refill, seat.fraction) : 0
      if (bound.limit === undefined && !bound.hasShare) this.#startShare([bucket, bound], () => 1, nowMs)
      else bound.setAside({ fraction: seat.fraction, least }, nowMs)
    }
    this.#releaseLater()
  }

  /** Schedules the release of all set-aside parts for the time when silent members may no longer use them. */
  #releaseLater(): void {
    let silentSinceMs = Number.NEGATIVE_INFINITY
    for (const seat of this.#seats.values())
      if (seat.state !== 'heard' && seat.fraction > 0)
        silentSinceMs = Math.max(silentSinceMs, seat.silentSinceMs)
    for (const [, bound] of this.#scheduler.bounds()) bound.releaseFrom(silentSinceMs + PART_LASTS_MS)
  }

  /** Takes over a member's shares. From now on, this dispatcher counts the member's requests in flight. */
  #join(seat: Seat, { underWay }: MemberStanding, handedIn: HandedIn): void {
    const nowMs = this.#deps.now()
    const isFirst = seat.handedIn === undefined
    const freed = isFirst ? this.#former && handedIn.confirmed : seat.state === 'silent' && seat.fraction
    const fraction = freed || 0
    if (seat.state === 'heard') this.#requests.forget(seat)
    const inFlight = underWay.filter(({ id }) => !this.#requests.knows(seat, id))
    const buckets = [...Object.keys(handedIn.tokens), ...inFlight.map(({ bucket }) => bucket)]
    for (const bucket of buckets) this.#scheduler.know(bucket)
    for (const [bucket, bound] of this.#scheduler.bounds()) {
      const endsInMs = handedIn.windows[bucket]
      if (endsInMs !== undefined) bound.windowSeen(nowMs + longest(endsInMs))
    }
    const before = this.#fraction
    const silent = this.#seats.silentFraction(seat)
    this.#fraction = Math.max(before, Math.min(1 - silent, before + fraction))
    for (const [bucket, bound] of this.#scheduler.bounds()) {
      const sent = handedIn.sent[bucket] ?? 0
      // They are charged below, once the shares are known.
      const charged = inFlight.filter((one) => one.bucket === bucket).length
      const tokens = tokensIn(handedIn, bucket, bound.refill) + charged
      if (fraction > 0 && bound.hasShare) {
        const known = { fraction: before + silent, tokens: bound.tokens(nowMs) ?? 0 }
        const start = {
          fraction: this.#fraction - before,
          tokens: tokens - inBoth(known, { fraction, tokens }),
        }
        bound.takeBack({ ...start, sent, settledFromMs: nowMs }, nowMs)
        continue
      }
      const part = handedIn.used
      if (part === 0 || handedIn.tokens[bucket] === undefined) continue
      // No part was set aside for the member, but it may have used its part since the last header.
      const given = bound.setAside({ fraction: part, least: 0 }, nowMs)
      bound.takeBack({ fraction: given, tokens, settledFromMs: nowMs }, nowMs)
    }
    for (const one of inFlight) this.#requests.used(seat, one, 'earlier')
    if (this.#isGathering) this.#expect(handedIn.parts)
    const expected = isFirst ? seat.fraction : 0
    seat.handedIn = handedIn
    seat.joinedMs = nowMs
    seat.state = 'heard'
    seat.confirmedBy = Number.POSITIVE_INFINITY
    // The rest of the part belonged to an earlier run of this member, which has ended.
    const unused = Math.min(expected - fraction, 1 - this.#seats.silentFraction() - this.#fraction)
    if (!this.#isGathering && unused >= ROUNDING) this.#free(unused, nowMs + LAPSED_AFTER_MS)
    if (isFirst) seat.fraction = this.#former === undefined ? 0 : handedIn.confirmed
    if (isFirst) seat.isEntitled = seat.fraction > 0
    if (!seat.isEntitled) seat.fraction = 0
    if (this.#isGathering) this.#makeRoom(nowMs)
    this.#releaseLater()
  }

  /** Sets aside the parts of expected members where a joining member counted them as its own. */
  #makeRoom(nowMs: number): void {
    const fraction = this.#fraction + this.#seats.silentFraction() - 1
    if (fraction < ROUNDING) return
    this.#fraction -= fraction
    for (const [, bound] of this.#scheduler.bounds())
      bound.setAside({ fraction, least: aloneAllowance(bound.refill, fraction) }, nowMs)
  }

  #acknowledged(seat: Seat, number: number): void {
    if (number < seat.confirmedBy) return
    let fraction = 0
    for (const [sent, { members }] of this.#dispatches)
      if (sent >= number) fraction = Math.max(fraction, 1 / members)
    seat.fraction = fraction
  }

  /** Gives new members a part, as soon as the parts of all others have shrunk to make room. */
  #entitle(): void {
    const { pending, hasRoom } = this.#seats
    if (hasRoom) for (const seat of pending) seat.isEntitled = true
  }

  #made(bucket: string, bound: SharedBound): void {
    bound.floorOf = (refill) => this.#floorOf(refill)
    const nowMs = this.#deps.now()
    const isOld = this.#former === undefined || nowMs - this.#startedMs > PART_LASTS_MS
    if (isOld && this.#fraction > 1 - ROUNDING) return
    for (const { handedIn, joinedMs } of this.#seats.values()) {
      const endsMs = joinedMs + longest(handedIn?.windows[bucket] ?? 0)
      if (nowMs < endsMs) bound.windowSeen(endsMs)
    }
    const { refill } = bound
    const tokensOf = ({ handedIn }: Seat) => (handedIn ? tokensIn(handedIn, bucket, refill) : 0)
    this.#startShare([bucket, bound], tokensOf, nowMs)
    this.#releaseLater()
  }

  /** Starts the share of a bucket without a header. The share is the sum of what replying members may use. */
  #startShare(
    [bucket, bound]: readonly [bucket: string, bound: SharedBound],
    tokensOf: (seat: Seat) => number,
    nowMs: number,
  ): void {
    let tokens = 0
    let sent = 0
    for (const seat of this.#seats.values()) {
      if (seat.state !== 'heard') continue
      tokens += tokensOf(seat)
      sent += seat.handedIn?.sent[bucket] ?? 0
    }
    const settledFromMs = this.#settledFromMs(nowMs)
    bound.setShare({ fraction: this.#fraction, tokens, sent, settledFromMs }, nowMs)
  }

  /** Requests that must remain: the allowances that replying members may use as soon as they work alone. */
  #floorOf(refill: Refill): number {
    let floor = 0
    let members = 0
    for (const seat of this.#seats.values()) {
      if (seat.state !== 'heard' || !seat.isEntitled) continue
      members += 1
      floor += aloneAllowance(refill, seat.fraction)
    }
    return members === 1 && this.#seats.members === 1 ? 0 : floor
  }
}
