import type { Decision, OfferedRequest, UpstreamOutcome } from '../gateway/decisions.ts'
import type { WaitingUpstream } from '../gateway/scheduler.ts'
import type { SharedBound } from '../gateway/shared-bound.ts'
import type { DeskTurns, LocalTurns } from '../gateway/turns.ts'
import type { DeskPart } from '../quota/safe-pace.ts'
import { longest } from '../quota/window-model.ts'
import {
  aloneFraction,
  aloneShare,
  hasAllowance,
  isWhole,
  PART_LASTS_MS,
  type ShareLeft,
  type Standpoint,
} from './alone.ts'
import type { Ask, Ended, Grant, MemberStanding } from './queue-messages.ts'
import type { HandedIn } from './seat.ts'

/** Time after which a member asks again for a waiting request, in case a message was lost. Milliseconds. */
const ASK_AGAIN_MS = 1_000

/**
 * - `waiting`: nothing is sent until this run receives its first `dispatch` or begins to work alone.
 * - `granted`: the dispatcher decides.
 * - `alone`: the gateway's own scheduler decides, within a share of each quota.
 */
type MemberMode = 'waiting' | 'granted' | 'alone'

export interface MemberQueueDeps {
  /** Monotonic clock. Milliseconds. */
  readonly now: () => number
  /** Whether grants may be used now: the last `dispatch` is recent enough. */
  readonly maySpend: () => boolean
  readonly toDispatcher: (message: Omit<Ask, 'epoch'> | Omit<Ended, 'epoch'>) => void
  /** Called before each event, because this machine may have slept or frozen since the last event. */
  readonly touch: () => void
  readonly isOnlyMember: () => boolean
  readonly left: () => void
}

/** The fields of `HandedIn` that a gateway knows. */
export type HandedBack = Omit<HandedIn, 'join' | 'parts'>

interface Asked {
  readonly attempt: number
  readonly askedMs: number
  /** The requested place in the queue. */
  readonly place: string
}

/** One gateway's turns in the queue of its desk. See `DeskTurns`. */
export class MemberQueue implements DeskTurns {
  readonly #local: LocalTurns
  readonly #deps: MemberQueueDeps
  #mode: MemberMode = 'waiting'
  #attempts = 0
  /** The last ask for each waiting request, by request id. */
  readonly #asked = new Map<number, Asked>()
  /** Requests in flight that the dispatcher knows. */
  readonly #reported = new Set<number>()
  /** Requests in `#reported` that the dispatcher granted. */
  readonly #granted = new Set<number>()
  /** Sending deadlines of granted requests in flight, by id. Includes a former dispatcher's grants. */
  readonly #spendUntilMs = new Map<number, number>()
  /** Expected turns of waiting requests, by request id, on the scheduler's clock. */
  readonly #turns = new Map<number, number>()
  /** Decisions of the call that is being handled. */
  #collected: Decision[] | undefined

  constructor(local: LocalTurns, deps: MemberQueueDeps) {
    this.#local = local
    this.#deps = deps
    local.scheduler.isGranted = true
  }

  offer(offered: OfferedRequest, nowMs: number): readonly Decision[] {
    return this.#handled(() => this.#local.scheduler.offer(offered, nowMs))
  }

  goAtOnce(id: number, bucket: string, nowMs: number): Extract<Decision, { kind: 'refuse' }> | undefined {
    this.#deps.touch()
    const refusal = this.#local.scheduler.goAtOnce(id, bucket, nowMs)
    if (refusal === undefined && this.#mode === 'granted') {
      this.#reported.add(id)
      this.#deps.toDispatcher({ kind: 'ended', used: [{ id, bucket }], ended: [] })
    }
    return refusal
  }

  answered(id: number, outcome: UpstreamOutcome, nowMs: number): readonly Decision[] {
    return this.#handled(() => {
      const decisions = this.#local.scheduler.answered(id, outcome, nowMs)
      this.#ended(id, outcome)
      return decisions
    })
  }

  lapsed(id: number, nowMs: number): readonly Decision[] | undefined {
    this.#deps.touch()
    const untilMs = this.#spendUntilMs.get(id)
    if (untilMs === undefined) return undefined
    if (this.#granted.has(id) && this.#deps.now() <= untilMs && this.#deps.maySpend()) return undefined
    return this.#handled(() => {
      this.#ended(id, { kind: 'not-sent' })
      return this.#local.scheduler.putBack(id, nowMs)
    })
  }

  refreshed(id: number, gotToken: boolean, nowMs: number): readonly Decision[] {
    return this.#handled(() => this.#local.scheduler.refreshed(id, gotToken, nowMs))
  }

  drop(request: number, nowMs: number): readonly Decision[] {
    return this.#handled(() => this.#local.scheduler.drop(request, nowMs))
  }

  refuseWaiting(nowMs: number): readonly Decision[] {
    return this.#handled(() => this.#local.scheduler.refuseWaiting(nowMs))
  }

  due(nowMs: number): readonly Decision[] {
    return this.#handled(() => this.#local.scheduler.due(nowMs))
  }

  turnAtMs(request: number): number | undefined {
    if (this.#mode !== 'granted') return this.#local.scheduler.turnAtMs(request)
    return this.#turns.get(this.#local.scheduler.upstreamOf(request) ?? request)
  }

  /** Leaves the desk's queue. The gateway's own scheduler decides again. */
  leave(): void {
    this.#deps.left()
    const { scheduler, now } = this.#local
    const nowMs = now()
    scheduler.onBucket(undefined)
    // Other members' use is no longer reported. The next header of each bucket includes it.
    if (this.#mode === 'granted' && !this.#deps.isOnlyMember())
      for (const [, bound] of scheduler.bounds())
        bound.setShare({ fraction: 1, tokens: 0, settledFromMs: nowMs }, nowMs)
    scheduler.isGranted = false
  }

  /** Begins to take turns from a dispatcher, or from its successor. */
  setGranted(): void {
    this.#mode = 'granted'
    this.#local.scheduler.isGranted = true
    this.#forgetDispatcher()
    for (const { id } of this.#local.scheduler.sentUpstreams()) this.#reported.add(id)
  }

  /** Begins to work alone. `left`: see `aloneShare`. */
  setAlone(from: Standpoint, left?: ReadonlyMap<string, ShareLeft>): void {
    const { scheduler, now, apply } = this.#local
    this.#mode = 'alone'
    this.#forgetDispatcher()
    scheduler.isGranted = false
    const share = (bucket: string, bound: SharedBound) => {
      if (isWhole(from)) return bound.setShare(undefined, now())
      const nowMs = this.#deps.now()
      const { settledFromMs, ...start } = aloneShare(
        from,
        { bucket, refill: bound.refill, left: left?.get(bucket) },
        nowMs,
      )
      // The scheduler's clock differs from the monotonic one.
      bound.setShare({ ...start, settledFromMs: settledFromMs - nowMs + now() }, now())
    }
    for (const [bucket, bound] of scheduler.bounds()) share(bucket, bound)
    scheduler.onBucket(share)
    apply(scheduler.due(now()))
  }

  /** Handles a sleep or freeze while alone: starts new shares if others may have used this member's part. */
  stoodStill(from: Standpoint): void {
    const isForgotten = this.#deps.now() - from.heardMs > PART_LASTS_MS
    if (isForgotten || from.members === 1) this.setAlone(from)
  }

  /** Stops working alone, and returns the unused shares. See `MemberStanding`. */
  handIn(from: Standpoint): HandedBack {
    const tokens: Record<string, number> = {}
    const sent: Record<string, number> = {}
    const windows: Record<string, number> = {}
    const isAlone = this.#mode === 'alone'
    const localNowMs = this.#local.now()
    for (const [bucket, bound] of this.#local.scheduler.bounds()) {
      const { perMs, meanPerMs, limit, windowEndsMs } = bound.refill
      if (perMs === 0 && meanPerMs > 0) {
        const endsInMs = (windowEndsMs ?? Number.NEGATIVE_INFINITY) - localNowMs
        windows[bucket] = endsInMs > 0 ? longest(endsInMs) : limit / meanPerMs
      }
      if (!isAlone) continue
      const unlimited = Number.POSITIVE_INFINITY
      const left = Math.min(bound.tokens(localNowMs) ?? unlimited, bound.low(localNowMs) ?? unlimited)
      if (left < unlimited) tokens[bucket] = left
      sent[bucket] = bound.sentSince
    }
    this.#unshare()
    const nowMs = this.#deps.now()
    return {
      confirmed: from.fraction,
      used: isAlone ? aloneFraction(from, nowMs) : 0,
      tokens,
      sent,
      windows,
      hasAllowance: hasAllowance(from, nowMs),
    }
  }

  /** This member's part of a bucket. `undefined` before its first request to the bucket. */
  partOf(bucket: string): DeskPart | undefined {
    return this.#local.scheduler.boundOf(bucket)?.part(this.#local.now())
  }

  /** The requests that a dispatcher must know of. */
  get present(): Pick<MemberStanding, 'underWay' | 'waiting'> {
    return { underWay: [...this.#local.scheduler.sentUpstreams()], waiting: [...this.#asked.keys()] }
  }

  /** Asks for each new waiting request, and asks again for requests that have waited for `ASK_AGAIN_MS`. */
  ask(): void {
    if (this.#mode !== 'granted') return
    const nowMs = this.#deps.now()
    const localNowMs = this.#local.now()
    const asks: Ask['asks'] = []
    const waiting = new Set<number>()
    for (const upstream of this.#local.scheduler.waitingUpstreams()) {
      const { id, program, weight, bucket, sinceMs, untilMs } = upstream
      waiting.add(id)
      const place = placeOf(upstream)
      const asked = this.#asked.get(id)
      if (asked?.place === place && nowMs - asked.askedMs < ASK_AGAIN_MS) continue
      this.#attempts += 1
      this.#asked.set(id, { attempt: this.#attempts, askedMs: nowMs, place })
      const age = Math.max(0, localNowMs - sinceMs)
      const leftMs = untilMs - localNowMs
      asks.push({ id, attempt: this.#attempts, program, class: upstream.class, weight, bucket, age, leftMs })
    }
    const withdrawn: number[] = []
    for (const id of this.#asked.keys()) {
      if (waiting.has(id)) continue
      this.#asked.delete(id)
      this.#turns.delete(id)
      withdrawn.push(id)
    }
    if (asks.length > 0 || withdrawn.length > 0) this.#deps.toDispatcher({ kind: 'ask', asks, withdrawn })
  }

  /** Handles the dispatcher's answers. */
  answers({ granted, declined, turns, spendWithinMs }: Grant): void {
    const { scheduler, now } = this.#local
    if (this.#mode !== 'granted' || !this.#deps.maySpend()) return
    const decisions: Decision[] = []
    const nowMs = now()
    for (const { id, attempt } of granted) {
      const asked = this.#asked.get(id)
      if (asked?.attempt !== attempt) continue
      this.#asked.delete(id)
      if (this.#deps.now() - asked.askedMs > spendWithinMs) continue
      const sends = scheduler.grant(id, nowMs)
      this.#turns.delete(id)
      if (sends.length === 0) continue
      this.#granted.add(id)
      this.#spendUntilMs.set(id, asked.askedMs + spendWithinMs)
      this.#reported.add(id)
      decisions.push(...sends)
    }
    for (const { id, attempt, ...refusal } of declined) {
      if (this.#asked.get(id)?.attempt !== attempt) continue
      this.#asked.delete(id)
      this.#turns.delete(id)
      decisions.push(...scheduler.decline(id, refusal, nowMs))
    }
    for (const { id, inMs } of turns) if (this.#asked.has(id)) this.#turns.set(id, nowMs + inMs)
    this.#carryOut(decisions)
    this.ask()
  }

  #handled(run: () => readonly Decision[]): readonly Decision[] {
    const outer = this.#collected
    const collected: Decision[] = outer ?? []
    this.#collected = collected
    this.#deps.touch()
    collected.push(...run())
    this.ask()
    this.#collected = outer
    return outer === undefined ? collected : []
  }

  #carryOut(decisions: readonly Decision[]): void {
    if (decisions.length === 0) return
    if (this.#collected === undefined) this.#local.apply(decisions)
    else this.#collected.push(...decisions)
  }

  /** Records that a request is no longer in flight, and reports it to the dispatcher. */
  #ended(id: number, outcome: UpstreamOutcome): void {
    this.#granted.delete(id)
    this.#spendUntilMs.delete(id)
    if (this.#reported.delete(id) && this.#mode === 'granted')
      this.#deps.toDispatcher({ kind: 'ended', used: [], ended: [{ id, outcome }] })
  }

  #forgetDispatcher(): void {
    this.#asked.clear()
    this.#turns.clear()
    this.#granted.clear()
    this.#reported.clear()
  }

  #unshare(): void {
    const { scheduler, now } = this.#local
    scheduler.onBucket(undefined)
    for (const [, bound] of scheduler.bounds()) bound.setShare(undefined, now())
  }
}

const placeOf = ({ program, class: own, weight, bucket, untilMs }: WaitingUpstream): string =>
  JSON.stringify([program, own, weight, bucket, untilMs])
