import type { DeskTurns, LocalTurns } from '../gateway/turns.ts'
import type { DeskPart } from '../quota/safe-pace.ts'
import {
  ALONE_AFTER_MS,
  aloneFraction,
  isWhole,
  Lateness,
  PART_LASTS_MS,
  SETTLED_AFTER_MS,
  type Standpoint,
} from './alone.ts'
import { Dispatcher } from './dispatcher.ts'
import { type ClockReading, clockReadingOf, Lease, Wakefulness } from './lease.ts'
import { type HandedBack, MemberQueue } from './member-queue.ts'
import type { Ask, Dispatch, Ended, Grant, MemberStanding, QueueMessage } from './queue-messages.ts'
import {
  type DeskQueuePorts,
  LEASE_TTL_MS,
  type LeaseAnswer,
  type QueueSummary,
  TAKE_OVER_MS,
} from './queue-ports.ts'
import type { HandedIn } from './seat.ts'

/** Interval of regular checks. Milliseconds. */
const BEAT_MS = 200
/** Interval of the dispatcher's `dispatch` messages. Milliseconds. */
const DISPATCH_EVERY_MS = 400
/** Interval of lease renewals, and of attempts after a failed renewal. Milliseconds. */
const RENEW_EVERY_MS = 2_000
const RENEW_AGAIN_MS = 500
/** Interval of attempts to take the lease, and the largest random addition. Milliseconds. */
const TAKE_EVERY_MS = 1_000
const TAKE_JITTER_MS = 500
/** How long a new holder of the lease waits for the other members' epochs. Milliseconds. */
const EPOCHS_WITHIN_MS = 500
/** After this time since the last renewal of a lease, all grants under that lease are void. Milliseconds. */
const LAPSED_MS = LEASE_TTL_MS - 500
/** How long a run waits for its first dispatcher before it works alone. Milliseconds. */
const STARTS_WITHIN_MS = { reachable: TAKE_OVER_MS, unreachable: 2_000 } as const

/** The dispatcher of this member. */
interface Heard {
  readonly id: string
  readonly epoch: number
  /** This member's shares. Each reply contains them until the dispatcher confirms them. */
  readonly handsIn: HandedIn
  isConfirmed: boolean
  /** The number of the newest `grant` that arrived. */
  grant: number
}

type ToDispatcher = MemberStanding | Ask | Ended

type Office =
  | { readonly kind: 'none' }
  /** This run holds the lease, and waits until it may dispatch. */
  | { readonly kind: 'electing'; readonly lease: Lease; readonly sinceMs: number }
  | { readonly kind: 'dispatching'; readonly lease: Lease; readonly dispatcher: Dispatcher }

/**
 * One run's role in its desk's queue. The run obtains turns for its own gateway. While it holds the lease, it
 * is also the dispatcher. At most one run of a desk grants turns at any time.
 */
export class DeskQueue {
  readonly #ports: DeskQueuePorts
  readonly #awake: Wakefulness
  readonly #startedMs: number
  #member: MemberQueue | undefined
  #mode: QueueSummary['mode'] = 'starting'
  #aloneSinceMs: number | undefined
  #isReachable = false
  #heard: Heard | undefined
  /** The highest epoch that this run has seen, and the id of that epoch's dispatcher. */
  #highest = { epoch: 0, holder: '' }
  #standpoint: Standpoint
  /** By member id: the part of each quota that the member may use alone, as far as this run knows. */
  #parts: Readonly<Record<string, number>> = {}
  readonly #lateness = new Lateness()
  /** When the last `dispatch` was sent that arrived here, used or not. */
  #dispatchSentMs = Number.NEGATIVE_INFINITY
  /** The latest time at which some run is known to have held the lease. */
  #renewedMs: number | undefined
  /** Since when this run can receive messages: since it last connected, woke from sleep or was unfrozen. */
  #receivesFromMs = Number.NEGATIVE_INFINITY
  /** When the store last said that another run holds the lease. */
  #takenMs = Number.NEGATIVE_INFINITY
  #office: Office = { kind: 'none' }
  #dispatchedMs = Number.NEGATIVE_INFINITY
  #renewAtMs = 0
  #takeAtMs = 0
  /** Number of joins of this run. */
  #joins = 0
  #isAsking = false
  #isStopped = false
  #cancelBeat = () => {}
  #cancelWake = () => {}

  constructor(ports: DeskQueuePorts) {
    this.#ports = ports
    this.#awake = new Wakefulness(ports.clock)
    this.#startedMs = this.#now
    this.#standpoint = {
      members: undefined,
      fraction: 0,
      hasAllowance: false,
      heardMs: this.#now - PART_LASTS_MS,
      stoodStillMs: Number.NEGATIVE_INFINITY,
      split: new Set(),
      scarce: new Set(),
    }
  }

  start(): void {
    this.#beat()
  }

  /** Leaves the queue and releases the lease. Call this before the link sends its goodbye. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelBeat()
    this.#cancelWake()
    this.#member?.leave()
    const office = this.#office
    this.#office = { kind: 'none' }
    if (office.kind !== 'none') await this.#ports.store.release()
  }

  engineChanged(isReachable: boolean): void {
    this.#isReachable = isReachable
    if (!isReachable) return
    this.#lateness.tryAgain()
    this.#receivesFromMs = this.#now
    this.#takeLater(this.#ports.random() * TAKE_JITTER_MS)
  }

  /** Connects a gateway to the desk's queue. */
  join(local: LocalTurns): DeskTurns {
    const member: MemberQueue = new MemberQueue(local, {
      now: () => this.#now,
      maySpend: () => this.#now - this.#standpoint.heardMs < ALONE_AFTER_MS,
      toDispatcher: (message) => this.#toDispatcher(message),
      touch: () => this.#touch(),
      isOnlyMember: () => isWhole(this.#standpoint),
      left: () => {
        if (this.#member === member) this.#member = undefined
      },
    })
    this.#member = member
    if (this.#mode === 'alone') member.setAlone(this.#standpoint)
    if (this.#mode === 'granted') {
      member.setGranted()
      member.ask()
    }
    return member
  }

  /** Handles the end of a member's run. */
  ended(member: string, why: 'left' | 'replaced'): void {
    this.#dispatcherOf()?.gone(member)
    this.#parts = Object.fromEntries(Object.entries(this.#parts).filter(([id]) => id !== member))
    if (this.#heard?.id !== member) return
    // A dispatcher that left grants nothing more, so the next one need not wait for the lease to lapse. Used
    // grants count as requests in flight, and unused ones are void in another epoch.
    if (why === 'left') this.#renewedMs = undefined
    this.#takeLater(this.#ports.random() * BEAT_MS)
  }

  /** Handles a message. `sentMs`: the latest possible sending time, on this machine's monotonic clock. */
  message(from: string, message: QueueMessage, sentMs: number): void {
    if (this.#isStopped) return
    this.#touch()
    switch (message.kind) {
      case 'dispatch':
        this.#dispatched(from, message, sentMs)
        break
      case 'candidate':
        this.#ports.send(from, this.#epochSeen())
        this.#renewedBy(sentMs)
        break
      case 'epoch':
        this.#epochTold(from, message)
        break
      case 'grant':
        this.#granted(from, message)
        break
      default:
        this.#handle(from, message)
    }
    this.#arm()
  }

  get summary(): QueueSummary {
    const { members } = this.#standpoint
    const { isLate } = this.#lateness
    const isIgnoring = isLate && this.#now - this.#dispatchSentMs < TAKE_OVER_MS
    return {
      dispatcher:
        (this.#mode === 'granted' ? this.#heard?.id : isIgnoring && this.#highest.holder) || undefined,
      mode: this.#mode,
      isLate,
      ...(members !== undefined && { members }),
      ...(this.#mode === 'alone' && { share: aloneFraction(this.#standpoint, this.#now) }),
      ...(this.#aloneSinceMs !== undefined && { aloneSinceMs: this.#aloneSinceMs }),
    }
  }

  /** This machine's part of a bucket. `undefined` unless this machine works alone. */
  partOf(bucket: string): DeskPart | undefined {
    if (this.#mode !== 'alone' || isWhole(this.#standpoint)) return undefined
    return this.#member?.partOf(bucket) ?? { fraction: aloneFraction(this.#standpoint, this.#now) }
  }

  /** The epoch whose grants this run uses. */
  get epoch(): number {
    return this.#highest.epoch
  }

  get #now(): number {
    return this.#ports.clock.monotonicMs()
  }

  #dispatcherOf(): Dispatcher | undefined {
    return this.#office.kind === 'dispatching' ? this.#office.dispatcher : undefined
  }

  /** Records that this program runs. After a gap, the lease has to be renewed before the next grant. */
  #touch(): void {
    if (this.#awake.hadGap() || !this.#awake.isSteady) this.#stoodStill()
    if (this.#office.kind !== 'none') this.#office.lease.touch()
  }

  /** Handles a sleep or a freeze. Earlier messages then show nothing about the present. */
  #stoodStill(): void {
    const nowMs = this.#now
    const { heardMs } = this.#standpoint
    this.#receivesFromMs = nowMs
    this.#standpoint = {
      ...this.#standpoint,
      stoodStillMs: nowMs,
      // The monotonic clock may have stopped meanwhile, so the drift is subtracted.
      heardMs: Math.min(heardMs - this.#awake.driftMs, nowMs - ALONE_AFTER_MS),
    }
    this.#awake.restart()
    if (this.#mode === 'alone') this.#member?.stoodStill(this.#standpoint)
    else if (this.#mode === 'granted') this.#look()
  }

  #beat(): void {
    if (this.#isStopped) return
    this.#cancelBeat()
    this.#touch()
    this.#look()
    this.#attend()
    this.#member?.ask()
    this.#cancelBeat = this.#ports.clock.after(BEAT_MS, () => this.#beat())
    this.#arm()
  }

  /** Begins to work alone if no `dispatch` has arrived in time. */
  #look(): void {
    const nowMs = this.#now
    if (this.#mode === 'alone') return
    const startsWithinMs = STARTS_WITHIN_MS[this.#isReachable ? 'reachable' : 'unreachable']
    const isLate =
      this.#mode === 'starting'
        ? nowMs - this.#startedMs >= startsWithinMs
        : nowMs - this.#standpoint.heardMs >= ALONE_AFTER_MS
    if (!isLate) return
    this.#mode = 'alone'
    this.#aloneSinceMs = nowMs
    this.#heard = undefined
    this.#member?.setAlone(this.#standpoint, this.#dispatcherOf()?.left)
    this.#takeLater(this.#ports.random() * TAKE_JITTER_MS)
    this.#ports.changed()
  }

  /** Does the dispatcher's regular work while this run holds the lease. Otherwise tries to take the lease. */
  #attend(): void {
    const office = this.#office
    const nowMs = this.#now
    if (office.kind === 'none') {
      const isHeard = this.#mode === 'granted'
      if (!isHeard && this.#isReachable && nowMs >= this.#takeAtMs && !this.#isAsking) this.#take()
      return
    }
    if (nowMs >= this.#renewAtMs && !this.#isAsking) this.#renew(office.lease)
    if (office.kind === 'electing') {
      // If the former lease vanished early, another run may since have held a lease that this run never saw.
      const isEarly = this.#renewedMs !== undefined && this.#renewedMs + LAPSED_MS > office.sinceMs
      const fromMs = office.sinceMs + (isEarly ? LAPSED_MS : EPOCHS_WITHIN_MS)
      if (nowMs >= Math.max(fromMs, this.#unheardUntilMs)) this.#enter(office.lease)
    } else {
      office.dispatcher.due()
      if (nowMs - this.#dispatchedMs >= DISPATCH_EVERY_MS - 1) this.#dispatch()
    }
  }

  #take(): void {
    this.#takeLater(TAKE_EVERY_MS + this.#ports.random() * TAKE_JITTER_MS)
    this.#ask(this.#ports.store.create(), (answer, sent) => {
      if (answer === 'taken') this.#takenMs = this.#now
      if (answer !== 'held' || this.#office.kind !== 'none') return
      const lease = new Lease(this.#ports.clock, sent.monotonicMs)
      this.#office = { kind: 'electing', lease, sinceMs: this.#now }
      this.#renewAtMs = sent.monotonicMs + RENEW_EVERY_MS
      this.#ports.broadcast({ kind: 'candidate' })
    })
  }

  /**
   * By then, all grants are void of a holder whose `dispatch` this run has never received. Since this run
   * receives messages, that holder can't have renewed its lease: it would have sent a `dispatch` soon after.
   */
  get #unheardUntilMs(): number {
    const fromMs = this.#receivesFromMs
    const isUnheard = this.#takenMs >= fromMs && this.#standpoint.heardMs < fromMs
    return isUnheard ? fromMs + LAPSED_MS : Number.NEGATIVE_INFINITY
  }

  #takeLater(inMs: number): void {
    this.#takeAtMs = this.#now + inMs
  }

  #renew(lease: Lease): void {
    this.#renewAtMs = this.#now + RENEW_AGAIN_MS
    this.#ask(this.#ports.store.renew(), (answer, sent) => {
      if (this.#office.kind === 'none' || this.#office.lease !== lease) return
      if (answer === 'taken') this.#resign()
      if (answer !== 'held') return
      lease.renewed(sent)
      this.#renewAtMs = sent.monotonicMs + RENEW_EVERY_MS
      if (this.#office.kind === 'electing') this.#ports.broadcast({ kind: 'candidate' })
      this.#dispatcherOf()?.due()
    })
  }

  #ask(asked: Promise<LeaseAnswer>, then: (answer: LeaseAnswer, sent: ClockReading) => void): void {
    const sent = clockReadingOf(this.#ports.clock)
    this.#isAsking = true
    void asked.then((answer) => {
      this.#isAsking = false
      if (this.#isStopped) {
        if (answer === 'held') void this.#ports.store.release()
        return
      }
      this.#touch()
      then(answer, sent)
      this.#arm()
    })
  }

  /** Begins to dispatch, in a new epoch. */
  #enter(lease: Lease): void {
    if (!lease.mayGrant) return
    const epoch = this.#highest.epoch + 1
    this.#highest = { epoch, holder: this.#ports.self }
    const { optionsOf, send, self } = this.#ports
    const isFirst = this.#standpoint.members === undefined && epoch === 1
    const dispatcher = new Dispatcher(
      {
        self,
        epoch,
        now: () => this.#now,
        mayGrant: () => lease.mayGrant,
        optionsOf,
        send: (to, grant) => (to === self ? this.#granted(self, grant) : send(to, grant)),
      },
      isFirst
        ? undefined
        : {
            parts: this.#parts,
            settledFromMs: Math.max(this.#standpoint.heardMs, this.#dispatchSentMs) + SETTLED_AFTER_MS,
          },
    )
    this.#office = { kind: 'dispatching', lease, dispatcher }
    this.#dispatch()
  }

  #resign(): void {
    if (this.#office.kind === 'none') return
    this.#office = { kind: 'none' }
    void this.#ports.store.release()
    this.#takeLater(this.#ports.random() * TAKE_JITTER_MS)
  }

  #dispatch(): void {
    const office = this.#office
    if (office.kind !== 'dispatching' || !office.lease.mayGrant) return
    this.#dispatchedMs = this.#now
    const dispatch = office.dispatcher.dispatch(Math.max(0, office.lease.ageMs))
    this.#ports.broadcast(dispatch)
    this.#dispatched(this.#ports.self, dispatch, this.#now)
  }

  #dispatched(from: string, dispatch: Dispatch, sentMs: number): void {
    const { epoch, number, leaseAge, members, seats } = dispatch
    const { self } = this.#ports
    const own = seats[self]
    // The message was delayed, so it shows nothing about the present.
    if (this.#now - sentMs >= ALONE_AFTER_MS) return
    const isNewer = epoch > this.#highest.epoch
    if (!isNewer && (epoch < this.#highest.epoch || from !== this.#highest.holder)) {
      this.#ports.send(from, this.#epochSeen())
      return
    }
    if (isNewer) {
      // Another run holds the lease by now.
      if (from !== self) this.#resign()
      this.#highest = { epoch, holder: from }
      this.#lateness.tryAgain()
    }
    this.#renewedBy(sentMs - leaseAge)
    this.#dispatchSentMs = Math.max(this.#dispatchSentMs, sentMs)
    if (from !== self && this.#lateness.isAlone(this.#now)) {
      this.#parts = partsIn(dispatch)
      return
    }
    if (from !== self && !isNewer && this.#joins > 0)
      this.#lateness.received(own?.join === this.#joins, this.#now)
    this.#awake.restart()
    let joined = this.#mode === 'granted' && this.#heard?.epoch === epoch ? this.#heard : undefined
    // The dispatcher dropped this member, and may have set the member's part aside.
    const isDropped = joined?.isConfirmed === true && own?.join !== joined.handsIn.join
    if (joined === undefined || isDropped) {
      this.#joins += 1
      const left = this.#member?.handIn(this.#standpoint) ?? this.#handInNothing()
      const scarce = Object.fromEntries([...this.#standpoint.scarce].map((bucket) => [bucket, 0]))
      const tokens = { ...scarce, ...left.tokens }
      const handsIn = { join: this.#joins, ...left, tokens, parts: this.#parts }
      joined = { id: from, epoch, handsIn, isConfirmed: false, grant: joined?.grant ?? 0 }
      this.#heard = joined
      this.#mode = 'granted'
      this.#aloneSinceMs = undefined
      this.#member?.setGranted()
      this.#standpoint = { ...this.#standpoint, hasAllowance: false }
      this.#ports.changed()
    }
    this.#parts = partsIn(dispatch)
    if (own?.join === joined.handsIn.join) joined.isConfirmed = true
    this.#standpoint = {
      ...this.#standpoint,
      heardMs: Math.max(this.#standpoint.heardMs, sentMs),
      split: new Set(isOnlyAway(dispatch, self) ? [] : dispatch.split),
      scarce: new Set(dispatch.scarce),
      ...(joined.isConfirmed && own?.part !== undefined
        ? { members, fraction: 1 / members, hasAllowance: true }
        : { members: this.#standpoint.members ?? members }),
    }
    const { isConfirmed, handsIn, grant } = joined
    const present = this.#member?.present ?? { underWay: [], waiting: [] }
    this.#toHolder({
      kind: 'standing',
      epoch,
      number,
      heard: grant,
      ...present,
      ...(!isConfirmed && { handsIn }),
    })
    this.#member?.ask()
  }

  /** The shares that a run without a gateway hands in. */
  #handInNothing(): HandedBack {
    const { fraction, hasAllowance } = this.#standpoint
    return { confirmed: fraction, used: 0, tokens: {}, sent: {}, windows: {}, hasAllowance }
  }

  #granted(from: string, grant: Grant): void {
    const heard = this.#heard
    if (heard?.id !== from || heard.epoch !== grant.epoch || grant.epoch < this.#highest.epoch) return
    if (grant.number <= heard.grant) return
    heard.grant = grant.number
    this.#member?.answers(grant)
  }

  #toDispatcher(message: Omit<Ask, 'epoch'> | Omit<Ended, 'epoch'>): void {
    if (this.#heard === undefined) return
    this.#toHolder({ ...message, epoch: this.#heard.epoch })
    this.#arm()
  }

  /** Sends a message to the dispatcher. If this machine is the dispatcher, it handles the message at once. */
  #toHolder(message: ToDispatcher): void {
    const to = this.#heard?.id
    if (to === this.#ports.self) this.#handle(to, message)
    else if (to !== undefined) this.#ports.send(to, message)
  }

  /** Handles a member's message, if this run dispatches. */
  #handle(from: string, message: ToDispatcher): void {
    const dispatcher = this.#dispatcherOf()
    if (message.kind === 'standing') {
      dispatcher?.standing(from, message)
      // Dispatches at once, because a new member can send nothing if it is cut off before it has a part.
      if (dispatcher?.isAwaited) this.#dispatch()
    } else if (message.kind === 'ask') dispatcher?.ask(from, message)
    else dispatcher?.ended(from, message)
  }

  #epochSeen(): QueueMessage {
    const renewedMs = this.#renewedMs
    return {
      kind: 'epoch',
      epoch: this.#highest.epoch,
      ...(renewedMs !== undefined && { renewedAge: Math.max(0, this.#now - renewedMs) }),
    }
  }

  #epochTold(from: string, { epoch, renewedAge }: Extract<QueueMessage, { kind: 'epoch' }>): void {
    const isHigher = epoch > this.#highest.epoch
    if (isHigher) this.#highest = { epoch, holder: '' }
    if (this.#office.kind === 'electing' && renewedAge !== undefined) this.#renewedBy(this.#now - renewedAge)
    // The member follows a later epoch, or another dispatcher in this epoch. Grants of this run are void.
    const isOutdated = this.#office.kind === 'dispatching' && (isHigher || epoch === this.#highest.epoch)
    if (!isOutdated || from === this.#ports.self) return
    // This run's dispatcher did not know how much others used, so its allowance is void.
    this.#standpoint = { ...this.#standpoint, hasAllowance: false }
    this.#resign()
  }

  /** Records that a run held the lease at `atMs`. */
  #renewedBy(atMs: number): void {
    this.#renewedMs = Math.max(this.#renewedMs ?? atMs, atMs)
  }

  /** Sets the timer for the dispatcher's next grant. */
  #arm(): void {
    this.#cancelWake()
    this.#cancelWake = () => {}
    const dispatcher = this.#dispatcherOf()
    if (dispatcher === undefined || this.#isStopped) return
    const inMs = dispatcher.nextWakeAtMs - this.#now
    if (inMs > BEAT_MS) return
    this.#cancelWake = this.#ports.clock.after(Math.max(0, Math.ceil(inMs)), () => {
      this.#touch()
      this.#dispatcherOf()?.due()
      this.#arm()
    })
  }
}

/** Whether a member is the only one whose part is set aside, so that no other member uses a split bucket. */
const isOnlyAway = ({ seats }: Dispatch, member: string): boolean =>
  Object.entries(seats).every(([id, { join }]) => (join === undefined) === (id === member))

/** The part of each quota that each member may use alone, by member id. */
const partsIn = ({ seats }: Dispatch): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(seats).flatMap(([id, { part }]) => (part === undefined ? [] : [[id, part]])),
  )
