import { DeskQueue } from '../../../app/desk/desk-queue.ts'
import { memberMessage } from '../../../app/desk/messages.ts'
import type { QueueMessage } from '../../../app/desk/queue-messages.ts'
import type { LeaseAnswer, LeaseStore } from '../../../app/desk/queue-ports.ts'
import { LEASE_ANSWER_MS, LEASE_TTL_MS } from '../../../app/desk/queue-ports.ts'
import type { Decision, OfferedRequest, UpstreamOutcome } from '../../../app/gateway/decisions.ts'
import { Scheduler } from '../../../app/gateway/scheduler.ts'
import type { DeskTurns } from '../../../app/gateway/turns.ts'
import { type MachineTraits, VirtualMachine } from '../../main/desk/virtual-machine.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { ReferenceService, type Rule } from '../quota/reference-service.ts'

export interface QueueWorldOptions {
  readonly seed: number
  readonly rules?: Readonly<Record<string, Rule>>
  /** Shortest and longest delay of a message to or from the server, in ms. */
  readonly delayMs?: readonly [number, number]
  readonly lossRate?: number
  /** Shortest and longest way of a request to the service, and of its answer back, in ms. */
  readonly wayMs?: readonly [number, number]
  /** Whether each message is parsed as it would be on arrival. */
  readonly isParsed?: boolean
}

/** How long what strangers used without each other's knowledge may show after they have met. */
const STRANGE_FOR_MS = 15_000

export const USUAL_RULE: Rule = { limit: 250, periodSeconds: 300, window: 'rolling' }

/** A request of a program. */
export interface QueuedRequest {
  readonly id: number
  readonly machine: QueueMachine
  readonly program: string
  readonly bucket: string
  readonly offeredAtMs: number
  readonly maxWaitMs: number
}

/** Several machines with gateways in one desk, the service and the desk's server, in virtual time. */
export class QueueWorld {
  readonly clock = new VirtualClock()
  readonly random: VirtualRandom
  readonly services = new Map<string, ReferenceService>()
  readonly machines: QueueMachine[] = []
  readonly store: VirtualStore
  readonly options: Required<QueueWorldOptions>
  readonly #cut = new Set<VirtualMachine>()
  /** Machines of one number hear each other. Absent while there is no partition. */
  #sides: Map<VirtualMachine, number> | undefined
  #isUp = true
  lossRate: number
  /** What went wrong, in words. */
  readonly broken: string[] = []
  /** Requests that the service accepted, and 429s. */
  accepted = 0
  refused = 0
  /** 429s that the desk can't prevent: no machine has had a header of the bucket, or there are strangers. */
  coldRefused = 0
  /** The dispatcher whose grant was used last, and those before it. */
  #reign = ''
  readonly #ended = new Set<string>()
  /** Pairs of runs that took turns from one dispatcher together. */
  readonly #met = new Set<string>()
  /** When there were strangers last. */
  #strangersMs = Number.NEGATIVE_INFINITY

  constructor(options: QueueWorldOptions) {
    this.options = {
      rules: { Accounts: USUAL_RULE },
      delayMs: [0.2, 0.8],
      lossRate: 0,
      wayMs: [10, 60],
      isParsed: true,
      ...options,
    }
    this.lossRate = this.options.lossRate
    this.random = new VirtualRandom(options.seed)
    this.store = new VirtualStore(this)
    for (const [bucket, rule] of Object.entries(this.options.rules))
      this.services.set(bucket, new ReferenceService(rule, rule.limit, this.clock.worldMs()))
  }

  machine(name: string, traits: MachineTraits = {}): QueueMachine {
    const machine = new QueueMachine(this, name, traits)
    this.machines.push(machine)
    return machine
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }

  service(bucket: string): ReferenceService {
    const service = this.services.get(bucket)
    if (service === undefined) throw new Error(`no service for ${bucket}`)
    return service
  }

  reaches(machine: VirtualMachine): boolean {
    return this.#isUp && machine.isOn && !this.#cut.has(machine) && (this.#sides?.get(machine) ?? 0) === 0
  }

  areConnected(one: QueueMachine, other: QueueMachine): boolean {
    return this.#hears(one.clock, other.clock)
  }

  /** Whether two machines are on the same side. The lease's store is on side 0. */
  #hears(one: VirtualMachine, other: VirtualMachine): boolean {
    if (!this.#isUp || this.#cut.has(one) || this.#cut.has(other)) return false
    return (this.#sides?.get(one) ?? 0) === (this.#sides?.get(other) ?? 0)
  }

  cut(machine: QueueMachine): void {
    this.#cut.add(machine.clock)
    this.#changed()
  }

  heal(machine: QueueMachine): void {
    this.#cut.delete(machine.clock)
    this.#changed()
  }

  /** Splits the server. Machines on side 1 hear each other, but not the store. */
  split(others: readonly QueueMachine[]): void {
    this.#sides = new Map(this.machines.map(({ clock }) => [clock, 0]))
    for (const { clock } of others) this.#sides.set(clock, 1)
    this.#changed()
  }

  join(): void {
    this.#sides = undefined
    this.#changed()
  }

  stop(): void {
    this.#isUp = false
    this.#changed()
  }

  restart({ isEmpty }: { isEmpty: boolean }): void {
    this.#isUp = true
    if (isEmpty) this.store.empty()
    this.#changed()
  }

  #changed(): void {
    for (const machine of this.machines) machine.networkChanged()
    this.greet()
  }

  /** Machines that hear each other prove that their runs are alive. */
  greet(): void {
    const alive = this.machines.filter(({ isAlive }) => isAlive)
    for (const one of alive)
      for (const other of alive)
        if (one !== other && this.areConnected(one, other)) one.meets(other, other.run)
  }

  send(from: QueueMachine, to: QueueMachine, message: QueueMessage): void {
    if (!this.#hears(from.clock, to.clock) || !from.clock.isOn) return
    if (this.random.chance(this.lossRate)) return
    const copy = this.options.isParsed ? this.#parsed(message) : message
    const { run } = to
    const sender = from.run
    const sentMs = to.clock.monotonicMs()
    const [low, high] = this.options.delayMs
    const wayMs = this.random.between(low, high) + this.random.between(low, high)
    to.arrive(from, wayMs + from.lagMs + to.lagMs, () => {
      if (!this.#hears(from.clock, to.clock)) return
      to.clock.run(() => {
        if (to.run === run && to.meets(from, sender)) to.queue?.message(from.id, copy, sentMs)
      })
    })
  }

  #parsed(message: QueueMessage): QueueMessage {
    const parsed = memberMessage.safeParse(JSON.parse(JSON.stringify(message)))
    if (!parsed.success) {
      this.fail(`a message is not valid: ${JSON.stringify(message)} ${parsed.error.message}`)
      return message
    }
    return parsed.data as QueueMessage
  }

  /** Whether no machine that lives knows a bucket. */
  isCold(bucket: string): boolean {
    return !this.machines.some((machine) => machine.isAlive && machine.knows(bucket))
  }

  /** Notes which runs take turns from one dispatcher together. */
  meet(): void {
    if (this.#areStrangers) this.#strangersMs = this.elapsedMs
    for (const machine of this.machines) {
      if (machine.mode !== 'granted' || machine.isAway) continue
      machine.grantedMs = this.elapsedMs
      for (const other of this.#deskOf(machine)) this.#met.add(`${machine.runName} ${other.runName}`)
    }
  }

  /** A machine that stood still for longer than a part lasts may have forgotten the others. */
  forgets(machine: QueueMachine): void {
    for (const pair of this.#met) if (pair.endsWith(` ${machine.runName}`)) this.#met.delete(pair)
  }

  /** The machines that take turns from the same dispatcher. */
  #deskOf(machine: QueueMachine): readonly QueueMachine[] {
    const { dispatcher } = machine.queue?.summary ?? {}
    return this.machines.filter(
      (other) =>
        other.isAlive &&
        !other.isAway &&
        dispatcher !== undefined &&
        other.queue?.summary.dispatcher === dispatcher,
    )
  }

  /**
   * Whether there are strangers, or were a moment ago: a machine that works alone, and a desk whose machines
   * never took turns together with it, or not within the last minute. A machine that has left is also a
   * stranger.
   */
  get hasStrangers(): boolean {
    return this.elapsedMs - this.#strangersMs < STRANGE_FOR_MS || this.#areStrangers
  }

  get #areStrangers(): boolean {
    return this.machines.some((machine) => {
      if (!machine.isAlive) return false
      if (machine.hasLeft) return true
      if (machine.mode !== 'alone') return false
      if (this.elapsedMs - machine.grantedMs > 60_000) return true
      return this.machines.some((other) => {
        if (!other.isAlive || other === machine || other.mode === 'starting') return false
        const known = [other, ...this.#deskOf(other)]
        return !known.some(({ runName }) => this.#met.has(`${machine.runName} ${runName}`))
      })
    })
  }

  fail(what: string): void {
    if (this.broken.length < 20) this.broken.push(`${(this.elapsedMs / 1000).toFixed(3)} s: ${what}`)
  }

  get elapsedMs(): number {
    return this.clock.monotonicMs()
  }

  /** M2: once a grant of another dispatcher was used, none of the former one is. */
  spent(dispatcher: string, epoch: number): void {
    const holder = this.machines.find(({ id }) => id === dispatcher)
    const reign = `${dispatcher}, run ${holder?.run}, epoch ${epoch}`
    if (reign === this.#reign) return
    if (this.#ended.has(reign)) this.fail(`a grant of ${reign} used after one of ${this.#reign}`)
    this.#ended.add(this.#reign)
    this.#reign = reign
  }
}

/** The lease's store: a key that expires. */
class VirtualStore {
  readonly #world: QueueWorld
  #holder: string | undefined
  #expiresMs = 0

  constructor(world: QueueWorld) {
    this.#world = world
  }

  empty(): void {
    this.#holder = undefined
  }

  get holder(): string | undefined {
    return this.#world.elapsedMs >= this.#expiresMs ? undefined : this.#holder
  }

  /** The store as one run of a machine uses it. */
  of(machine: QueueMachine, run: string): LeaseStore {
    const asked = (change: () => LeaseAnswer) =>
      new Promise<LeaseAnswer>((resolve) => {
        const { clock, random, options } = this.#world
        let isDone = false
        const done = (answer: LeaseAnswer) => {
          if (isDone) return
          isDone = true
          machine.clock.run(() => resolve(answer))
        }
        machine.clock.after(LEASE_ANSWER_MS, () => done('unknown'))
        if (!this.#world.reaches(machine.clock)) return
        const [low, high] = options.delayMs
        clock.happen(random.between(low, high) + 1, () => {
          if (!this.#world.reaches(machine.clock)) return
          const answer = change()
          clock.happen(random.between(low, high), () => {
            if (this.#world.reaches(machine.clock) && !random.chance(this.#world.lossRate)) done(answer)
          })
        })
      })
    const write = (): LeaseAnswer => {
      this.#holder = run
      this.#expiresMs = this.#world.elapsedMs + LEASE_TTL_MS
      return 'held'
    }
    return {
      create: () =>
        asked(() => {
          if (this.holder === undefined) return write()
          return this.holder === run ? 'held' : 'taken'
        }),
      renew: () => asked(() => (this.holder === run ? write() : 'taken')),
      release: async () => {
        await asked(() => {
          if (this.holder === run) this.#holder = undefined
          return 'taken'
        })
      },
    }
  }
}

/** One machine of a desk: a gateway, and the requests of its programs. */
export class QueueMachine {
  readonly name: string
  clock: VirtualMachine
  queue: DeskQueue | undefined
  turns: DeskTurns | undefined
  scheduler = new Scheduler()
  readonly requests = new Map<number, QueuedRequest>()
  accepted = 0
  refused = 0
  run = 0
  /** Called with each request that ended. */
  onEnded: (request: QueuedRequest) => void = () => {}
  /** Whether it sleeps or is frozen. */
  isAway = false
  /** By how much longer each message to and from this machine takes. Milliseconds. */
  lagMs = 0
  /** When this machine took turns from a dispatcher last. */
  grantedMs = Number.NEGATIVE_INFINITY
  /** Whether it has left the desk. Until the process ends, its gateway continues without a desk. */
  hasLeft = false
  /** Since when it runs without having stood still. */
  awakeSinceMs = 0
  readonly #world: QueueWorld
  readonly #traits: MachineTraits
  readonly #openUpstreams = new Map<number, string>()
  readonly #lastArrivalMs = new Map<QueueMachine, number>()
  /** The runs of other machines that this run has heard. */
  readonly #known = new Map<QueueMachine, number>()
  #nextId = 1
  #cancelWake = () => {}
  #isReachable = false

  constructor(world: QueueWorld, name: string, traits: MachineTraits) {
    this.#world = world
    this.#traits = traits
    this.name = name
    this.clock = new VirtualMachine(world.clock, traits)
  }

  get id(): string {
    return this.name
  }

  get runName(): string {
    return `${this.name}-${this.run}`
  }

  /** Starts Headroom on this machine, with its gateway, as a new run. */
  start(): void {
    this.run += 1
    const { run } = this
    const world = this.#world
    this.grantedMs = Number.NEGATIVE_INFINITY
    this.isAway = false
    this.hasLeft = false
    this.#known.clear()
    this.awakeSinceMs = world.elapsedMs
    this.clock = new VirtualMachine(world.clock, this.#traits)
    const optionsOf = (bucket: string) => ({ size: world.options.rules[bucket] })
    this.scheduler = new Scheduler(optionsOf)
    this.#openUpstreams.clear()
    const { clock } = this
    this.queue = new DeskQueue({
      self: this.id,
      clock,
      random: () => world.random.next(),
      send: (to, message) => {
        const target = world.machines.find(({ id }) => id === to)
        if (target !== undefined && this.run === run) world.send(this, target, message)
      },
      broadcast: (message) => {
        if (this.run !== run) return
        for (const to of world.machines) if (to !== this) world.send(this, to, message)
      },
      store: world.store.of(this, `${this.id}-${run}`),
      optionsOf,
      changed: () => {},
    })
    this.turns = this.queue.join({
      scheduler: this.scheduler,
      now: () => this.#now(),
      apply: (decisions) => this.#apply(decisions),
    })
    this.#isReachable = world.reaches(clock)
    this.queue.engineChanged(this.#isReachable)
    this.queue.start()
    world.greet()
  }

  /** The process is killed. What it sent still arrives. */
  kill(): void {
    this.clock.kill()
    this.queue = undefined
    this.requests.clear()
    this.run += 1
  }

  /** Leaves the desk and ends. */
  async leave(): Promise<void> {
    const { queue } = this
    this.hasLeft = true
    await queue?.stop()
    for (const other of this.#world.machines)
      if (other !== this && other.queue !== undefined && this.#world.areConnected(this, other))
        this.#world.clock.happen(2, () => other.clock.run(() => other.queue?.ended(this.id, 'left')))
    this.kill()
  }

  get isAlive(): boolean {
    return this.queue !== undefined
  }

  /**
   * Whether this run has had a header of a bucket. In a fixed window, it must have had one that a rolling
   * interval excludes. Until then, a single gateway assumes a rolling interval too.
   */
  knows(bucket: string): boolean {
    const bound = this.scheduler.boundOf(bucket)
    if (bound?.limit === undefined) return false
    return this.#world.service(bucket).rule.window === 'rolling' || bound.refill.perMs === 0
  }

  /** Hears a run of another machine. Returns false if that run has ended. */
  meets(other: QueueMachine, run: number): boolean {
    const known = this.#known.get(other) ?? run
    if (known > run) return false
    this.#known.set(other, run)
    if (known < run) this.clock.run(() => this.queue?.ended(other.id, 'replaced'))
    return true
  }

  get mode(): string {
    return this.queue?.summary.mode ?? 'dead'
  }

  networkChanged(): void {
    const world = this.#world
    const { run } = this
    if (this.queue === undefined) return
    const isReachable = world.reaches(this.clock)
    // An engine notices within two seconds.
    world.clock.happen(world.random.between(0, 1_200), () =>
      this.clock.run(() => {
        if (this.run !== run || world.reaches(this.clock) !== isReachable) return
        if (isReachable === this.#isReachable) return
        this.#isReachable = isReachable
        this.queue?.engineChanged(isReachable)
      }),
    )
  }

  /** A message arrives, in the order of sending. */
  arrive(from: QueueMachine, delayMs: number, run: () => void): void {
    const nowMs = this.#world.clock.worldMs()
    const atMs = Math.max(nowMs + delayMs, (this.#lastArrivalMs.get(from) ?? 0) + 0.01)
    this.#lastArrivalMs.set(from, atMs)
    this.#world.clock.happen(atMs - nowMs, run)
  }

  /** A program asks for something. */
  request({
    program = 'bot',
    class: own = 'normal',
    weight = 1,
    maxWaitMs = 30_000,
    bucket = 'Accounts',
  }: Partial<Omit<OfferedRequest, 'id'>> = {}): void {
    this.clock.run(() => {
      if (this.turns === undefined || this.queue === undefined) return
      const id = this.#nextId++
      this.requests.set(id, {
        id,
        machine: this,
        program,
        bucket,
        offeredAtMs: this.#world.elapsedMs,
        maxWaitMs,
      })
      this.#apply(this.turns.offer({ id, program, class: own, weight, maxWaitMs, bucket }, this.#now()))
    })
  }

  /** Requests that should have ended by now. The clock of a machine that sleeps stands still. */
  overdue(graceMs: number): QueuedRequest[] {
    const nowMs = this.#world.elapsedMs
    return [...this.requests.values()].filter(
      ({ offeredAtMs, maxWaitMs }) => nowMs > Math.max(offeredAtMs, this.awakeSinceMs) + maxWaitMs + graceMs,
    )
  }

  #now(): number {
    return this.clock.monotonicMs() + 1e9
  }

  #apply(decisions: readonly Decision[]): void {
    for (const decision of decisions) this.#do(decision)
    this.#arm()
  }

  #arm(): void {
    this.#cancelWake()
    const wakeAtMs = this.turns && this.scheduler.nextWakeAtMs
    if (wakeAtMs === undefined) return
    const { run } = this
    this.#cancelWake = this.clock.after(Math.ceil(Math.max(0, wakeAtMs - this.#now())), () => {
      if (this.run === run && this.turns !== undefined) this.#apply(this.turns.due(this.#now()))
    })
  }

  #do(decision: Decision): void {
    switch (decision.kind) {
      case 'send':
        this.#send(decision.upstream)
        return
      case 'answer':
      case 'fail':
        for (const id of decision.requests) this.#end(id, decision.kind)
        return
      case 'refuse':
        this.#end(decision.request, decision.kind)
        return
      case 'wait':
      case 'join':
      case 'abandon':
      case 'refresh':
    }
  }

  #end(id: number, end: 'answer' | 'refuse' | 'fail'): void {
    const request = this.requests.get(id)
    if (request === undefined) {
      this.#world.fail(`${this.name} ended request ${id} twice (${end})`)
      return
    }
    this.requests.delete(id)
    this.onEnded(request)
  }

  #send(upstream: number): void {
    const world = this.#world
    const request = this.requests.get(upstream)
    if (request === undefined) {
      world.fail(`${this.name} sent ${upstream}, which has ended`)
      return
    }
    if (this.#openUpstreams.has(upstream)) {
      world.fail(`${this.name} sent ${upstream} twice`)
      return
    }
    this.#openUpstreams.set(upstream, request.bucket)
    const { queue, run } = this
    const { mode, dispatcher } = queue?.summary ?? {}
    if (mode === 'granted' && dispatcher !== undefined) world.spent(dispatcher, queue?.epoch ?? 0)
    const isCold =
      (mode === 'alone' && !this.knows(request.bucket)) || world.isCold(request.bucket) || world.hasStrangers
    const service = world.service(request.bucket)
    const { random, clock, options } = world
    clock.happen(random.between(...options.wayMs), () => {
      const isAccepted = service.spend(clock.worldMs())
      if (isAccepted) {
        world.accepted += 1
        this.accepted += 1
      } else {
        world.refused += 1
        this.refused += 1
        if (isCold || world.hasStrangers) world.coldRefused += 1
        else world.fail(`${this.name} (${mode}) got a 429`)
      }
      const rate = service.headers(clock.worldMs())
      const outcome: UpstreamOutcome = isAccepted
        ? { kind: 'answer', rate }
        : { kind: 'rate-limited', of: 'rate', rate }
      clock.happen(random.between(...options.wayMs), () =>
        this.clock.run(() => {
          if (this.run !== run || this.turns === undefined) return
          this.#openUpstreams.delete(upstream)
          this.#apply(this.turns.answered(upstream, outcome, this.#now()))
        }),
      )
    })
  }
}
