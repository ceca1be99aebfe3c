import {
  LEASE_ANSWER_MS,
  LEASE_TTL_MS,
  type LeaseAnswer,
  type LeaseStore,
} from '../../../app/desk/queue-ports.ts'
import {
  type Engine,
  type EngineOptions,
  type EngineOutcome,
  type EngineRefusal,
  type EngineState,
  type Engines,
  noResponseText,
  type StoredValue,
} from '../../../main/desk/engine.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import type { VirtualMachine, WorldTime } from './virtual-machine.ts'

/** How the network treats messages. Rates are from 0 to 1, of messages to one receiver. */
export interface NetworkTraits {
  /** The shortest and the longest delay of a message, in milliseconds. */
  readonly delayMs: readonly [number, number]
  readonly lossRate: number
  /** Rate of messages that arrive a second time, later. */
  readonly duplicateRate: number
  /** Rate of messages that later ones overtake, which NATS itself never does. */
  readonly reorderRate: number
  /** How long a lost connection is not noticed, in milliseconds, at most. */
  readonly noticeMs: number
}

export const GOOD_NETWORK: NetworkTraits = {
  delayMs: [1, 1],
  lossRate: 0,
  duplicateRate: 0,
  reorderRate: 0,
  noticeMs: 1_200,
}

/** A message as a listener on the server sees it. */
export interface SeenMessage {
  readonly subject: string
  readonly bytes: Uint8Array
}

const SERVER = 'desk.example:4222'
const UNREACHABLE: EngineRefusal = { code: 'unreachable', message: noResponseText(SERVER) }
/** Longest wait before a machine connects again, in milliseconds. */
const RECONNECT_MS = 1_000
/**
 * Minimum time between two messages that arrive in order. Otherwise the rounding of epoch times might swap
 * them.
 */
const IN_ORDER_MS = 0.01
/** Maximum delay of an overtaken message, as a multiple of the longest usual delay. */
const OVERTAKEN = 3

/** A server, and the network between it and the machines, in virtual time. */
export class VirtualDeskServer {
  readonly #world: WorldTime
  readonly #random: VirtualRandom
  readonly #connections = new Set<VirtualEngine>()
  readonly #cut = new Set<VirtualMachine>()
  readonly #listeners = new Set<(seen: SeenMessage) => void>()
  #stores = new Map<string, Map<string, Uint8Array>>()
  #leases = new Map<string, StoredLease>()
  #isUp = true
  network: NetworkTraits

  constructor(world: WorldTime, seed: number, network: Partial<NetworkTraits> = {}) {
    this.#world = world
    this.#random = new VirtualRandom(seed)
    this.network = { ...GOOD_NETWORK, ...network }
  }

  /** Engines for the programs of one machine. */
  engines(machine: VirtualMachine): Engines {
    const made = (options: EngineOptions) => {
      const engine = new VirtualEngine(this, machine, options)
      this.#connections.add(engine)
      return engine
    }
    return {
      start: made,
      open: async (options): Promise<EngineOutcome> =>
        this.reaches(machine) ? { ok: true, engine: made(options) } : { ok: false, ...UNREACHABLE },
    }
  }

  /** The machine can't reach the server any more. */
  cut(machine: VirtualMachine): void {
    this.#cut.add(machine)
    this.#changed()
  }

  heal(machine: VirtualMachine): void {
    this.#cut.delete(machine)
    this.#changed()
  }

  stop(): void {
    this.#isUp = false
    this.#changed()
  }

  /** Restarts the server. `isEmpty`: with an empty store. */
  restart({ isEmpty }: { isEmpty: boolean }): void {
    if (isEmpty) this.#stores = new Map()
    if (isEmpty) this.#leases = new Map()
    this.#isUp = true
    this.#changed()
  }

  /** Listens to all messages, as an outsider may. Returns a function that ends this. */
  listen(listener: (seen: SeenMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Publishes a message, as an outsider may. */
  inject({ subject, bytes }: SeenMessage): void {
    this.relay(undefined, { subject, bytes })
  }

  /** The content of the server's stores, as a reader of its disk sees it. */
  get stores(): ReadonlyMap<string, ReadonlyMap<string, Uint8Array>> {
    return this.#stores
  }

  bucket(name: string): Map<string, Uint8Array> {
    const bucket = this.#stores.get(name) ?? new Map<string, Uint8Array>()
    this.#stores.set(name, bucket)
    return bucket
  }

  /** The lease of a desk. Somebody may delete it. */
  lease(name: string): StoredLease {
    const lease = this.#leases.get(name) ?? { holder: undefined, writtenMs: 0 }
    this.#leases.set(name, lease)
    if (this.#world.worldMs() - lease.writtenMs >= LEASE_TTL_MS) lease.holder = undefined
    return lease
  }

  reaches(machine: VirtualMachine): boolean {
    return this.#isUp && !this.#cut.has(machine) && machine.isOn
  }

  get world(): WorldTime {
    return this.#world
  }

  get random(): VirtualRandom {
    return this.#random
  }

  relay(from: VirtualEngine | undefined, seen: SeenMessage): void {
    if (!this.#isUp) return
    const copy = { subject: seen.subject, bytes: Uint8Array.from(seen.bytes) }
    for (const listener of this.#listeners) listener(copy)
    for (const to of this.#connections) {
      if (to === from || !to.listensTo(seen.subject)) continue
      if (this.#random.chance(this.network.lossRate)) continue
      to.arrives(copy, this.#delayMs())
      if (this.#random.chance(this.network.duplicateRate)) to.arrives(copy, this.#delayMs() * OVERTAKEN)
    }
  }

  forget(engine: VirtualEngine): void {
    this.#connections.delete(engine)
  }

  #delayMs(): number {
    return this.#random.between(...this.network.delayMs)
  }

  #changed(): void {
    for (const engine of this.#connections) engine.networkChanged()
  }
}

/** A lease as the server stores it. */
export interface StoredLease {
  holder: VirtualEngine | undefined
  writtenMs: number
}

class VirtualEngine implements Engine {
  readonly #server: VirtualDeskServer
  readonly #machine: VirtualMachine
  readonly #bucket: string
  readonly #lease: string
  readonly #subscribed = new Map<string, Set<(bytes: Uint8Array) => void>>()
  readonly #listeners = new Set<() => void>()
  #state: EngineState
  /** Increased with each loss of the connection. Messages in flight on an older connection do not arrive. */
  #connection = 0
  #lastArrivalMs = 0
  #isChanging = false
  #isClosed = false

  constructor(server: VirtualDeskServer, machine: VirtualMachine, { names }: EngineOptions) {
    this.#server = server
    this.#machine = machine
    this.#bucket = names.bucket
    this.#lease = names.lease
    this.#state = server.reaches(machine)
      ? { server: SERVER, reachable: true }
      : { server: SERVER, reachable: false, sinceMs: machine.wallMs(), refusal: UNREACHABLE }
  }

  get state(): EngineState {
    if (!this.#state.reachable) return this.#state
    const [low, high] = this.#server.network.delayMs
    return { ...this.#state, roundTripMs: low + high }
  }

  publish(subject: string, bytes: Uint8Array): void {
    if (!this.#isClosed && this.#state.reachable && this.#server.reaches(this.#machine))
      this.#server.relay(this, { subject, bytes })
  }

  subscribe(subject: string, receive: (bytes: Uint8Array) => void): () => void {
    const receivers = this.#subscribed.get(subject) ?? new Set()
    this.#subscribed.set(subject, receivers.add(receive))
    return () => void receivers.delete(receive)
  }

  async read(key: string): Promise<StoredValue> {
    if (!this.#server.reaches(this.#machine)) return { known: false }
    return { known: true, bytes: this.#server.bucket(this.#bucket).get(key) }
  }

  async write(key: string, bytes: Uint8Array): Promise<boolean> {
    if (!this.#server.reaches(this.#machine)) return false
    this.#server.bucket(this.#bucket).set(key, Uint8Array.from(bytes))
    return true
  }

  get lease(): LeaseStore {
    return {
      create: () => this.#leased(({ holder }) => holder === undefined || holder === this),
      renew: () => this.#leased(({ holder }) => holder === this),
      // Resolves at once, so that a test may await the end of a desk while time stands still.
      release: async () => {
        void this.#leased((lease) => {
          if (lease.holder === this) lease.holder = undefined
          return false
        })
      },
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  tryNow(): void {}

  async close(): Promise<void> {
    this.#isClosed = true
    this.#server.forget(this)
  }

  /** Asks the server for the lease. The request and the answer take their time, and may be lost. */
  #leased(mayWrite: (lease: StoredLease) => boolean): Promise<LeaseAnswer> {
    const { world, random, network } = this.#server
    return new Promise((resolve) => {
      const cancel = this.#machine.after(LEASE_ANSWER_MS, () => resolve('unknown'))
      const passes = (run: () => void) => {
        if (random.chance(network.lossRate) || !this.#server.reaches(this.#machine)) return
        world.happen(random.between(...network.delayMs), () => {
          if (this.#server.reaches(this.#machine)) run()
        })
      }
      passes(() => {
        const lease = this.#server.lease(this.#lease)
        const isWritten = mayWrite(lease)
        if (isWritten) {
          lease.holder = this
          lease.writtenMs = world.worldMs()
        }
        passes(() =>
          this.#machine.run(() => {
            cancel()
            resolve(isWritten ? 'held' : 'taken')
          }),
        )
      })
    })
  }

  listensTo(subject: string): boolean {
    return (
      this.#state.reachable &&
      this.#server.reaches(this.#machine) &&
      (this.#subscribed.get(subject)?.size ?? 0) > 0
    )
  }

  /** Sends a message to this engine. Messages arrive in order, unless the network reorders them. */
  arrives({ subject, bytes }: SeenMessage, delayMs: number): void {
    const { world, random, network } = this.#server
    const isOvertaken = random.chance(network.reorderRate)
    const nowMs = world.worldMs()
    const arrivalMs = isOvertaken
      ? nowMs + delayMs * random.between(1, OVERTAKEN)
      : Math.max(nowMs + delayMs, this.#lastArrivalMs + IN_ORDER_MS)
    if (!isOvertaken) this.#lastArrivalMs = arrivalMs
    const connection = this.#connection
    world.happen(arrivalMs - nowMs, () => {
      if (connection !== this.#connection) return
      this.#machine.run(() => {
        if (this.#isClosed) return
        for (const receive of [...(this.#subscribed.get(subject) ?? [])]) receive(bytes)
      })
    })
  }

  /** The machine notices a loss, and connects again, a while later. */
  networkChanged(): void {
    const { world, random, network } = this.#server
    const isReached = this.#server.reaches(this.#machine)
    if (!isReached) this.#connection += 1
    if (this.#isChanging || isReached === this.#state.reachable) return
    this.#isChanging = true
    const afterMs = random.between(0, isReached ? RECONNECT_MS : network.noticeMs)
    world.happen(afterMs, () => this.#machine.run(() => this.#settle()))
  }

  #settle(): void {
    this.#isChanging = false
    const reachable = this.#server.reaches(this.#machine)
    if (this.#isClosed || reachable === this.#state.reachable) return
    this.#state = reachable
      ? { server: SERVER, reachable }
      : { server: SERVER, reachable, sinceMs: this.#machine.wallMs(), refusal: UNREACHABLE }
    for (const listener of [...this.#listeners]) listener()
    this.networkChanged()
  }
}
