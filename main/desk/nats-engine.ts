import { type KV, Kvm } from '@nats-io/kv'
import { errors, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import { LEASE_TTL_MS } from '../../app/desk/queue-ports.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import { deadline, within } from '../network/deadline.ts'
import type { Clock, Random, RandomBytes } from '../ports/ports.ts'
import type {
  Engine,
  EngineOptions,
  EngineRefusal,
  EngineState,
  Engines,
  RefusalCode,
  StoredValue,
} from './engine.ts'
import { connectTo, refusal, type ServerAddress, serverAddress } from './nats-connection.ts'
import { NatsLease } from './nats-lease.ts'

/** Time between two pings, and the longest wait for a reply, in milliseconds. */
const PING_EVERY_MS = 500
const PONG_WITHIN_MS = 1_000
/** A connection that lasted less than this counts as a failed attempt. Milliseconds. */
const STEADY_MS = 5_000
/** Timeouts in milliseconds: for a request to the store, and for sending the last messages on closing. */
const STORE_MS = 4_000
const FLUSH_MS = 500
const MAX_VALUE_BYTES = 1_024
/** Number of copies of each bucket in a cluster. */
const REPLICAS = 3

interface NatsEngineParts {
  readonly clock: Clock
  readonly random: Random
  readonly randomBytes: RandomBytes
}

/** Engines on NATS with JetStream. */
export const natsEngines = (parts: NatsEngineParts): Engines => ({
  start: (options) => {
    const engine = new NatsEngine(options, parts)
    engine.start()
    return engine
  },
  open: async (options) => {
    const engine = new NatsEngine(options, parts)
    const refused = await engine.connectNow()
    if (refused === undefined) return { ok: true, engine }
    await engine.close()
    return { ok: false, ...refused }
  },
})

interface Connected {
  readonly nats: NatsConnection
  readonly end: () => void
  readonly sinceMs: number
  /** Whether the connection was ended because the server did not reply to a ping. */
  isSilent?: boolean
}

interface Subscribed {
  readonly subject: string
  readonly receive: (bytes: Uint8Array) => void
  now?: Subscription
}

/** An engine with one connection at a time. When the connection is lost, it tries the next server. */
class NatsEngine implements Engine {
  readonly lease: NatsLease
  readonly #options: EngineOptions
  readonly #parts: NatsEngineParts
  readonly #servers: readonly (ServerAddress | undefined)[]
  /** Addresses at which a NATS server has responded. */
  readonly #responded = new Set<ServerAddress>()
  readonly #subscribed = new Set<Subscribed>()
  readonly #listeners = new Set<() => void>()
  #state: EngineState
  #roundTripMs: number | undefined
  #connected: Connected | undefined
  /** Index in `#servers` of the server that is tried next. */
  #turn = 0
  #isClosing = false
  #running: Promise<void> = Promise.resolve()
  #cancelPing = () => {}
  #endAttempt = () => {}
  #endWait = () => {}

  constructor(options: EngineOptions, parts: NatsEngineParts) {
    this.#options = options
    this.#parts = parts
    this.lease = new NatsLease({
      ...parts,
      connection: () => this.#connected?.nats,
      open: (nats) => this.#leaseBucket(nats),
    })
    this.#servers = options.servers.map(serverAddress)
    this.#state = { server: this.#shown(), reachable: false, sinceMs: parts.clock.wallMs() }
  }

  get state(): EngineState {
    const roundTripMs = this.#roundTripMs
    return roundTripMs === undefined ? this.#state : { ...this.#state, roundTripMs }
  }

  /** Connects to the first server that can be reached, and reconnects until the engine is closed. */
  start(): void {
    this.#running = this.#run(undefined)
  }

  /** Connects now. Returns the reason if that fails. */
  async connectNow(): Promise<EngineRefusal | undefined> {
    const connected = await this.#connect()
    if (connected === undefined) return this.#state.refusal
    const refused = await this.#storeRefusal(connected)
    if (refused === undefined) this.#running = this.#run(connected)
    else this.#end(connected)
    return refused
  }

  publish(subject: string, bytes: Uint8Array): void {
    try {
      this.#connected?.nats.publish(subject, bytes)
    } catch {
      // The connection was lost, but the engine has not noticed the loss yet. The message is lost too.
    }
  }

  subscribe(subject: string, receive: (bytes: Uint8Array) => void): () => void {
    const subscribed: Subscribed = { subject, receive }
    this.#subscribed.add(subscribed)
    if (this.#connected !== undefined) this.#attach(subscribed, this.#connected.nats)
    return () => {
      this.#subscribed.delete(subscribed)
      subscribed.now?.unsubscribe()
    }
  }

  async read(key: string): Promise<StoredValue> {
    const entry = await this.#stored(async (nats) => (await (await this.#bucket(nats)).get(key)) ?? 'absent')
    if (entry === undefined) return { known: false }
    return { known: true, bytes: entry !== 'absent' && entry.operation === 'PUT' ? entry.value : undefined }
  }

  async write(key: string, bytes: Uint8Array): Promise<boolean> {
    const revision = await this.#stored(async (nats) => (await this.#bucket(nats)).put(key, bytes))
    return revision !== undefined
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  tryNow(): void {
    this.#endWait()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const flushed = this.#connected?.nats.flush().catch(() => {}) ?? Promise.resolve()
    await within(this.#parts.clock, FLUSH_MS, flushed)
    this.#endWait()
    this.#endAttempt()
    if (this.#connected !== undefined) this.#end(this.#connected)
    await this.#running
  }

  async #run(first: Connected | undefined): Promise<void> {
    let failures = 0
    let connected = first
    while (!this.#isClosing) {
      connected ??= await this.#connect()
      if (connected === undefined) failures += 1
      else failures = (await this.#serve(connected)) >= STEADY_MS ? 0 : failures + 1
      connected = undefined
      if (failures > 0) await this.#wait(retryDelayMs(RETRY.deskServer, failures, this.#parts.random.next()))
    }
  }

  /** Tries each server once. */
  async #connect(): Promise<Connected | undefined> {
    let refused: EngineRefusal | undefined
    for (let tried = 0; tried < this.#servers.length && !this.#isClosing; tried += 1) {
      const outcome = await this.#connectTo(this.#servers[this.#turn])
      if (!('code' in outcome)) return outcome
      // A reason from a server that responded is more useful than the reason `unreachable`.
      if (refused === undefined || refused.code === 'unreachable') refused = outcome
      this.#nextTurn()
    }
    const { sinceMs = this.#parts.clock.wallMs() } = this.#state
    this.#set({ server: this.#shown(), reachable: false, sinceMs, ...(refused && { refusal: refused }) })
    return undefined
  }

  async #connectTo(address: ServerAddress | undefined): Promise<Connected | EngineRefusal> {
    if (address === undefined) return refusal('address', '')
    const { clock } = this.#parts
    const isNats = this.#responded.has(address)
    const { outcome, end } = connectTo(address, this.#options, { clock, isNats })
    this.#endAttempt = end
    const result = await outcome
    if (!result.ok) return result.refusal
    this.#responded.add(address)
    const connected: Connected = { nats: result.connection, end, sinceMs: clock.monotonicMs() }
    if (await this.#isPermitted(connected)) return connected
    this.#end(connected)
    return refusal('permissions', address.shown)
  }

  /**
   * Whether the server permits the desk's subjects. If not, the server sends its refusal before it replies to
   * the ping.
   */
  async #isPermitted({ nats }: Connected): Promise<boolean> {
    let isDenied = false
    const watch = async () => {
      for await (const status of nats.status()) {
        if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue
        if (status.error.subject.startsWith(this.#options.names.prefix)) isDenied = true
      }
    }
    void watch()
    const probe = `${this.#options.names.prefix}.${this.#options.names.inbox}`
    const subscription = nats.subscribe(probe, { callback: () => {} })
    nats.publish(probe)
    const flushed = nats.flush().catch(() => {})
    await within(this.#parts.clock, PONG_WITHIN_MS, flushed)
    subscription.unsubscribe()
    return !isDenied
  }

  /** Waits until the connection is lost. Resolves to the connection's duration in milliseconds. */
  async #serve(connected: Connected): Promise<number> {
    const { clock } = this.#parts
    this.#connected = connected
    for (const subscribed of this.#subscribed) this.#attach(subscribed, connected.nats)
    this.#set({ server: this.#shown(), reachable: true })
    this.#ping(connected)
    await connected.nats.closed()
    this.#cancelPing()
    this.#connected = undefined
    this.#roundTripMs = undefined
    this.#end(connected)
    this.#nextTurn()
    const { server } = this.#state
    this.#set({
      ...{ server, reachable: false, sinceMs: clock.wallMs() },
      ...(connected.isSilent && { refusal: refusal('unreachable', server) }),
    })
    return clock.monotonicMs() - connected.sinceMs
  }

  #ping(connected: Connected): void {
    const { clock } = this.#parts
    const sentMs = clock.monotonicMs()
    this.#cancelPing = deadline(PONG_WITHIN_MS, () => {
      connected.isSilent = true
      this.#end(connected)
    })
    const replied = () => {
      if (this.#connected !== connected) return
      this.#cancelPing()
      this.#roundTripMs = clock.monotonicMs() - sentMs
      this.#cancelPing = clock.after(PING_EVERY_MS, () => this.#ping(connected))
    }
    connected.nats.flush().then(replied, () => {})
  }

  #attach(subscribed: Subscribed, nats: NatsConnection): void {
    subscribed.now = nats.subscribe(subscribed.subject, {
      // Runs the receiver in its own task, because the library would stop reading if the callback threw.
      callback: (error, message) => {
        if (error !== null) return
        queueMicrotask(() => {
          if (this.#subscribed.has(subscribed)) subscribed.receive(message.data)
        })
      },
    })
  }

  #end({ nats, end }: Connected): void {
    end()
    void nats.close()
  }

  /** The result of a request to the store; `undefined` if it failed or took too long. */
  async #stored<T>(ask: (nats: NatsConnection) => Promise<T>): Promise<T | undefined> {
    const nats = this.#connected?.nats
    if (nats === undefined) return undefined
    return within(
      this.#parts.clock,
      STORE_MS,
      ask(nats).catch(() => undefined),
    )
  }

  #bucket(nats: NatsConnection): Promise<KV> {
    return this.#opened(nats, this.#options.names.bucket)
  }

  #leaseBucket(nats: NatsConnection): Promise<KV> {
    return this.#opened(nats, this.#options.names.lease, { ttl: LEASE_TTL_MS })
  }

  /** Opens or creates a bucket of the desk. In a cluster, the bucket survives the loss of one server. */
  async #opened(nats: NatsConnection, name: string, more: { readonly ttl?: number } = {}): Promise<KV> {
    const options = { history: 1, maxValueSize: MAX_VALUE_BYTES, allow_direct: false, ...more }
    const kvm = new Kvm(nats)
    const create = (replicas: number) => kvm.create(name, { ...options, replicas })
    if (nats.info?.cluster === undefined) return create(1)
    const bucket = await create(REPLICAS).catch(() => create(1))
    void replicate(kvm, bucket).catch(() => {})
    return bucket
  }

  async #storeRefusal({ nats }: Connected): Promise<EngineRefusal | undefined> {
    if (nats.info?.jetstream !== true) return refusal('no-jetstream', this.#shown())
    const finding = Promise.all([this.#bucket(nats), this.#leaseBucket(nats)]).then(
      () => 'found' as const,
      storeCode,
    )
    const found = (await within(this.#parts.clock, STORE_MS, finding)) ?? 'no-storage'
    return found === 'found' ? undefined : refusal(found, this.#shown())
  }

  #set(state: EngineState): void {
    this.#state = state
    for (const listener of [...this.#listeners]) listener()
  }

  #nextTurn(): void {
    this.#turn = (this.#turn + 1) % Math.max(1, this.#servers.length)
  }

  #shown(): string {
    return this.#servers[this.#turn]?.shown ?? this.#options.servers[this.#turn] ?? ''
  }

  #wait(ms: number): Promise<void> {
    if (this.#isClosing) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve)
      this.#endWait = () => {
        cancel()
        resolve()
      }
    })
  }
}

/** Adds the missing copies of a bucket that was created when too few servers were running. */
async function replicate({ js }: Kvm, bucket: KV): Promise<void> {
  const { replicas, streamInfo } = await bucket.status()
  if (replicas >= REPLICAS) return
  const { streams } = await js.jetstreamManager(false)
  await streams.update(streamInfo.config.name, { num_replicas: REPLICAS })
}

const storeCode = (error: unknown): RefusalCode => {
  const { cause } = error as Error
  if ([error, cause].some((why) => why instanceof errors.PermissionViolationError)) return 'permissions'
  return (error as Error).name === 'JetStreamNotEnabled' ? 'no-jetstream' : 'no-storage'
}
