import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ListedProgram } from '../../app/contract/gateway.ts'
import { DEFAULT_GATEWAY_PORT, GATEWAY_KEYS, PAUSE_MINUTES } from '../../app/contract/programs.ts'
import type { GatewaySummary, ProgramSummary } from '../../app/contract/snapshot.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import { type MonitorListener, type MonitorSurface, sessionOf } from '../monitor/monitor-surface.ts'
import type { ProfileSession } from '../monitor/profile-session.ts'
import { oneByOne, within } from '../network/deadline.ts'
import type { ForwardHttp } from '../network/forward-http.ts'
import { type LoopbackServers, listenOnLoopback } from '../network/loopback-servers.ts'
import { hostOf } from '../network/reachability.ts'
import type { Clock, Log } from '../ports/ports.ts'
import type { Secrets } from '../ports/redactor.ts'
import { systemErrorCode } from '../storage/system-error.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { CallingProcesses } from './calling-process.ts'
import { door, GATEWAY_TRAITS } from './door.ts'
import { Forwarder } from './forwarder.ts'
import { type AdmittedOrder, NO_ORDER_LANE, type OrderLane } from './order-lane.ts'
import { type Connection, callerOf, type Peer, PeerSockets } from './peer-user.ts'
import { sendProblem } from './problem.ts'
import { type Attached, summaryOf } from './program-summary.ts'
import { type AddedProgram, ONLY_KEY, type Program, type Programs } from './programs.ts'
import { CUT_OFF, DEFECT, unavailable, wordsOfNoToken } from './refusals.ts'

export interface GatewayDeps {
  readonly monitor: Pick<MonitorSurface, 'profiles' | 'withProfile' | 'subscribe' | 'snapshot'>
  readonly programs: Programs
  readonly forward: ForwardHttp
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  /** This user's id. `undefined` if the system has no user ids. */
  readonly userId: number | undefined
  /** Replaces `PeerSockets` in tests. */
  readonly peer?: (connection: Connection) => Promise<Peer>
  /** Number of requests reserved for more urgent classes, by category. Default: 6 % of the limit. */
  readonly reserve?: Readonly<Record<string, number>>
  /** Sends orders. Absent if no orders are admitted. */
  readonly orders?: OrderLane
}

/** A person's input for a new program. `profile` may be omitted if only one key is connected. */
export interface NewProgram extends Pick<Program, 'name' | 'class' | 'weight' | 'maxOrders'> {
  readonly profile?: string | undefined
}

export type GatewayChange<T = unknown> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly why: string }

/** Default time in milliseconds that sent requests may still take when the gateway stops. */
const DRAIN_MS = 5_000
const PAUSE_MS = PAUSE_MINUTES * 60_000

/**
 * The gateway of a running app: a server for programs on this machine. Each program has its own key, and its
 * requests are forwarded with the token of a connected key. The gateway is off until it is turned on.
 */
export class Gateway {
  readonly #deps: GatewayDeps
  readonly #attached = new Map<string, Attached>()
  readonly #peers = new WeakMap<Connection, Promise<Peer>>()
  readonly #peerSockets = new PeerSockets()
  readonly #processes: CallingProcesses
  /** When each pause ends on the `timeline` of the program's key, by the program's id. */
  readonly #pausedUntilMs = new Map<string, number>()
  #servers: LoopbackServers | undefined
  /** When the gateway began to serve, in epoch ms. */
  #servingSinceMs = 0
  /** Why the gateway last stopped serving or changed its port. */
  #endedWhy = 'the gateway is starting'
  /** Why the gateway could not be turned on. */
  #failure: string | undefined
  /** Stops the retries for a port that was in use at startup. */
  #endRetries: () => void = () => {}
  #unsubscribe: () => void = () => {}
  /** Changes of the server run one after another. */
  readonly #oneByOne = oneByOne()

  constructor(deps: GatewayDeps) {
    this.#deps = deps
    this.#processes = new CallingProcesses(deps.clock, () => {
      for (const { session } of this.#attached.values()) session.changed()
    })
  }

  get summary(): GatewaySummary {
    if (this.#servers !== undefined) {
      const { reserve } = this.#deps
      return {
        ...{ state: 'serving', url: `http://127.0.0.1:${this.#servers.port}`, since: this.#servingSinceMs },
        ...(reserve && { reserve }),
      }
    }
    return this.#failure === undefined ? { state: 'off' } : { state: 'failed', why: this.#failure }
  }

  /** All programs with their current activity, including those of disconnected keys. */
  programs(): readonly ListedProgram[] {
    return this.#programs().map((program) => ({
      ...this.#summaryOf(program, this.#attached.get(program.profile)),
      profile: program.profile,
    }))
  }

  /**
   * Serves on `port`, for this run of the app only. Without `port`, the gateway is on or off as in the last
   * run. If the port is in use, the state is `failed`.
   *
   * With `retries`, a port in use is tried again until it is free, or until the gateway is turned on, turned
   * off or stopped.
   */
  async start(
    port?: number,
    { retries = false }: { readonly retries?: boolean } = {},
  ): Promise<GatewayChange> {
    const wanted = port ?? this.#deps.programs.port
    if (wanted === undefined) return { ok: true }
    return this.#oneByOne(() => (retries ? this.#serveOnceFree(wanted, 1) : this.#serve(wanted)))
  }

  async #serveOnceFree(port: number, tries: number): Promise<GatewayChange> {
    const served = await this.#serve(port, 'retrying')
    if (served.ok || !served.isTaken) return served
    let isEnded = false
    const cancel = this.#deps.clock.after(retryDelayMs(RETRY.gatewayPort, tries, 0), () => {
      void this.#oneByOne(async () => {
        if (!isEnded) await this.#serveOnceFree(port, tries + 1)
      })
    })
    this.#endRetries = () => {
      isEnded = true
      cancel()
    }
    return served
  }

  /**
   * Serves on the `chosen` port (default: `nextPort`), now and at later starts. With 0, each start picks a
   * free port. If the gateway is on, it keeps the current port with 0, or if it can't use the new one.
   */
  turnOn(chosen?: number): Promise<GatewayChange> {
    return this.#oneByOne(async () => {
      const keepsPort = chosen === 0 && this.#servers !== undefined
      const port = keepsPort ? this.nextPort : (chosen ?? this.nextPort)
      const served = await this.#serve(port)
      if (!served.ok) return refused(served.why)
      const saved = this.#deps.programs.setPort(port)
      if (saved.ok) return saved
      return refused(`the gateway serves only until Headroom quits, because saving failed: ${saved.why}`)
    })
  }

  /**
   * Stops serving. Sent requests may finish within `DRAIN_MS`. Waiting requests get 503. The gateway stays
   * off at later starts.
   */
  turnOff(): Promise<GatewayChange> {
    return this.#oneByOne(async () => {
      const saved = this.#deps.programs.setPort(undefined, this.#port)
      await this.#end('the gateway was turned off')
      if (saved.ok) return saved
      return refused(`the gateway is off only until the next start, because saving failed: ${saved.why}`)
    })
  }

  /** The default port for turning the gateway on: its current or last port. */
  get nextPort(): number {
    return this.#port ?? this.#deps.programs.lastPort ?? DEFAULT_GATEWAY_PORT
  }

  /**
   * The port to use at the next start. 0 if a person chose any free port: the next start then picks a new
   * one. `undefined` while off.
   */
  get #port(): number | undefined {
    const { port } = this.#deps.programs
    return port === 0 ? 0 : (this.#servers?.port ?? port)
  }

  /** Stops serving when the app quits. Requests that were sent may take `drainMs`. */
  async stop(drainMs?: number): Promise<void> {
    await this.#oneByOne(() => this.#end('Headroom is quitting', drainMs))
  }

  add({ profile, ...program }: NewProgram): AddedProgram {
    const { monitor, programs, secrets } = this.#deps
    const connected = monitor.profiles()
    const names = connected.join(', ')
    const chosen = profile ?? (connected.length === 1 ? connected[0] : undefined)
    if (chosen === undefined)
      return refused(names === '' ? 'connect a key first' : `choose one of the connected keys: ${names}`)
    if (!connected.includes(chosen))
      return refused(`no key '${chosen}' is connected; choose one of: ${names || 'none'}`)
    const added = programs.add({ ...program, profile: chosen })
    if (added.ok) {
      secrets.hide(added.key)
      this.#changed(chosen)
    }
    return added
  }

  /** Revokes a program. Its key becomes invalid, and its requests and streams end immediately. */
  cut(name: string): GatewayChange {
    const cut = this.#deps.programs.cut(name)
    if (cut === undefined) return noneNamed(name)
    const { isGiven, saved } = cut
    const program = this.#withKey(cut.program)
    for (const { forwarder } of this.#attached.values()) forwarder.cut(program)
    this.#processes.forget(program.id)
    this.#pausedUntilMs.delete(program.id)
    this.#attached.get(program.profile)?.session.happened({ kind: 'program-cut', program: program.name })
    if (saved.ok && !isGiven) return { ok: true }
    const failure = saved.ok ? '' : `, because saving failed: ${saved.why}`
    const advice = isGiven ? `; remove its key from ${GATEWAY_KEYS}` : ''
    return refused(`the program is cut off only until Headroom quits${failure}${advice}`)
  }

  /**
   * Answers a program's requests with 429 for `PAUSE_MINUTES`, including its waiting requests. Its open
   * streams continue. The pause ends on its own, or when Headroom quits.
   */
  pause(name: string): GatewayChange<{ readonly until: number }> {
    const program = this.#named(name)
    if (program === undefined) return noneNamed(name)
    const attached = this.#attached.get(program.profile)
    if (attached === undefined)
      return refused(this.#servers ? this.#whyNotConnected(program) : 'the gateway is off')
    const untilMs = attached.session.parts.timeline.now() + PAUSE_MS
    this.#pausedUntilMs.set(program.id, untilMs)
    attached.forwarder.pause(program, untilMs)
    return { ok: true, until: Math.round(untilMs) }
  }

  /** Ends a pause, if there is one. */
  resume(name: string): GatewayChange {
    const program = this.#named(name)
    if (program === undefined) return noneNamed(name)
    this.#pausedUntilMs.delete(program.id)
    this.#changed(program.profile)
    return { ok: true }
  }

  #named(name: string): Program | undefined {
    const program = this.#deps.programs.named(name)
    return program && this.#withKey(program)
  }

  #pausedUntil({ id }: Program, nowMs: number): number | undefined {
    const untilMs = this.#pausedUntilMs.get(id)
    // If the end is further away than a full pause, the clock was set back.
    return untilMs !== undefined && untilMs > nowMs && untilMs - nowMs <= PAUSE_MS ? untilMs : undefined
  }

  /** The programs of one connected key with their current activity. */
  programsOf(profile: string): readonly ProgramSummary[] {
    const attached = this.#attached.get(profile)
    return this.#programs()
      .filter((program) => program.profile === profile)
      .map((program) => this.#summaryOf(program, attached))
  }

  #programs(): readonly Program[] {
    return this.#deps.programs.list().map((program) => this.#withKey(program))
  }

  /**
   * Adds the id of the connected key that a program uses. A program without a chosen key uses the only
   * connected key.
   */
  #withKey(program: Program): Program {
    const [only, ...more] = this.#deps.monitor.profiles()
    const isOnly = program.profile === ONLY_KEY && only !== undefined && more.length === 0
    return isOnly ? { ...program, profile: only } : program
  }

  /** Why nothing can be sent for a program whose key is not connected, and what to do. No final full stop. */
  #whyNotConnected({ name, profile }: Program): string {
    if (profile !== ONLY_KEY)
      return `${name} belongs to the key '${profile}', which isn't connected. Connect that key, or cut ${name} and add it again`
    return this.#deps.monitor.profiles().length === 0
      ? 'no key is connected in Headroom. Connect one'
      : `several keys are connected, and ${name} belongs to none. Cut ${name} and add it again`
  }

  #summaryOf(program: Program, attached: Attached | undefined): ProgramSummary {
    const process = this.#processes.of(program.id)
    const untilMs = attached && this.#pausedUntil(program, attached.session.parts.timeline.now())
    const { orders = NO_ORDER_LANE } = this.#deps
    return {
      ...summaryOf(program, attached),
      ...(program.maxOrders !== undefined && { ordersLastMinute: orders.sentLastMinute(program) }),
      ...(process !== undefined && { process }),
      ...(untilMs !== undefined && { pausedUntil: Math.round(untilMs) }),
    }
  }

  async #serve(
    port: number,
    ifTaken = 'choose another one',
  ): Promise<
    { readonly ok: true } | { readonly ok: false; readonly why: string; readonly isTaken: boolean }
  > {
    const former = this.#servers
    if (former !== undefined && (port === 0 || former.port === port)) return { ok: true }
    let servers: LoopbackServers
    try {
      servers = await listenOnLoopback(port, (own) => this.#listener(own), GATEWAY_TRAITS)
    } catch (error) {
      const code = systemErrorCode(error)
      if (code === undefined) throw error
      const isTaken = code === 'EADDRINUSE'
      const why = isTaken ? `port ${port} is taken; ${ifTaken}` : `port ${port} can't be used (${code})`
      if (why !== this.#failure) this.#deps.log.note('turning the gateway on failed', { why })
      if (former === undefined) this.#failure = why
      return { ok: false, why, isTaken }
    }
    if (former !== undefined) await this.#end(`the gateway is moving to port ${servers.port}`)
    this.#servers = servers
    this.#endRetries()
    this.#failure = undefined
    this.#servingSinceMs = this.#deps.clock.wallMs()
    this.#unsubscribe = this.#deps.monitor.subscribe(this.#follow())
    for (const profile of this.#deps.monitor.profiles()) this.#attach(profile)
    this.#deps.log.note('gateway on', { port: servers.port })
    return { ok: true }
  }

  async #end(why: string, drainMs = DRAIN_MS): Promise<void> {
    this.#endRetries()
    this.#failure = undefined
    const servers = this.#servers
    if (servers === undefined) return
    this.#servers = undefined
    this.#endedWhy = why
    this.#unsubscribe()
    const attached = [...this.#attached.values()]
    const drained = Promise.all(attached.map(({ forwarder }) => forwarder.drain(why)))
    await within(this.#deps.clock, drainMs, drained)
    for (const { session, forwarder } of attached) {
      session.attachGateway(undefined)
      session.happened({ kind: 'gateway-off', why })
      forwarder.stop(why)
    }
    this.#attached.clear()
    await servers.close()
    this.#deps.log.note('gateway off', { why })
  }

  #listener(port: number) {
    const { programs, monitor, orders = NO_ORDER_LANE } = this.#deps
    const serve = door({
      port,
      programs,
      callerOf: async (connection) => callerOf(await this.#peerOf(connection), this.#deps.userId),
      scopesOf: (program) => monitor.snapshot(this.#withKey(program).profile)?.access.scopes ?? [],
      keyShown: ({ socket }: IncomingMessage) => this.#servers?.keep(socket),
      ordersAreOff: () => orders.isOff,
      judgeOrder: (method, path, program) => orders.judge(method, path, this.#withKey(program)),
      serve: (request) => this.#request(request, (forwarder, admitted) => forwarder.serve(admitted)),
      serveOrder: (order) =>
        this.#request(order, async (forwarder, admitted) => forwarder.serveOrder(admitted)),
    })
    return (request: IncomingMessage, reply: ServerResponse): void => {
      serve(request, reply).catch((cause: unknown) => {
        this.#failedRequest(cause)
        sendProblem(reply, DEFECT)
      })
    }
  }

  /**
   * The process at the other end of a connection. Looked up once per connection. A failed lookup and the
   * result `gone` are not kept.
   */
  #peerOf(connection: Connection): Promise<Peer> {
    const known = this.#peers.get(connection)
    if (known !== undefined) return known
    const { peer = (asked) => this.#peerSockets.of(asked) } = this.#deps
    const forget = () => void this.#peers.delete(connection)
    const asked = peer(connection).then((found) => {
      if (found === 'gone') forget()
      return found
    })
    asked.catch(forget)
    this.#peers.set(connection, asked)
    return asked
  }

  #request<T extends AdmittedRequest | AdmittedOrder>(
    admitted: T,
    serve: (forwarder: Forwarder, request: T) => Promise<void>,
  ): void {
    // The program may have been cut off while the body of its request arrived.
    if (!this.#deps.programs.has(admitted.program.id)) {
      sendProblem(admitted.reply, CUT_OFF)
      return
    }
    const request = { ...admitted, program: this.#withKey(admitted.program) }
    const attached = this.#servers && this.#attach(request.program.profile)
    if (attached === undefined) {
      const why = this.#servers === undefined ? this.#endedWhy : this.#whyNotConnected(request.program)
      sendProblem(request.reply, unavailable(why))
      return
    }
    void this.#peerOf(request.reply.req.socket).then((peer) => {
      if (typeof peer === 'object') this.#processes.called(request.program.id, peer)
    })
    serve(attached.forwarder, request).catch((cause: unknown) => {
      this.#failedRequest(cause)
      request.reply.destroy()
    })
  }

  /** Logs that a bug in Headroom ended a program's request. */
  #failedRequest(cause: unknown): void {
    this.#deps.log.note('a program’s request failed', { cause })
  }

  /** The forwarder of a connected key. A reconnected key gets a new forwarder. */
  #attach(profile: string): Attached | undefined {
    const session = sessionOf(this.#deps.monitor, profile)
    const known = this.#attached.get(profile)
    if (session === undefined) {
      this.#detach(profile)
      return undefined
    }
    if (known?.session === session) return known
    const attached = { session, forwarder: this.#forwarderOf(session) }
    this.#attached.set(profile, attached)
    session.parts.ledger.criticalWhileHeld = (category) => attached.forwarder.criticalWhileHeld(category)
    // The new forwarder is stored before the old one is stopped. Stopping the old one causes events, and
    // their handlers must find the new forwarder.
    known?.forwarder.stop('the key was reconnected; send the request again')
    session.attachGateway({
      acquirePermit: (method, path, isUrgent) => attached.forwarder.permits.forOwn(method, path, isUrgent),
      acquireStreamPermit: (path, isRead) => attached.forwarder.permits.forReopening(path, isRead),
      setDesk: (join) => attached.forwarder.setDesk(join),
      markClockUncertain: (fromMs, toMs) => attached.forwarder.markClockUncertain(fromMs, toMs),
      summary: () => ({ gateway: this.summary, programs: this.programsOf(profile) }),
    })
    const { url } = this.summary
    if (url !== undefined) session.happened({ kind: 'gateway-on', url })
    return attached
  }

  /**
   * Stops the forwarder of a key. The key is removed first, because stopping the forwarder notifies this
   * gateway again.
   */
  #detach(profile: string): void {
    const known = this.#attached.get(profile)
    this.#attached.delete(profile)
    known?.forwarder.stop(`the key '${profile}' was disconnected; connect it again`)
  }

  #forwarderOf(session: ProfileSession): Forwarder {
    const { ledger, slots, bearer, timeline, streams } = session.parts
    const { orders } = this.#deps
    if (this.#deps.reserve) ledger.reserves = this.#deps.reserve
    return new Forwarder({
      ...session.parts,
      ...bearer,
      clock: this.#deps.clock,
      secrets: this.#deps.secrets,
      baseUrl: session.profile.baseUrl,
      host: hostOf(session.profile.baseUrl),
      forward: this.#deps.forward,
      event: (event) => session.happened(event),
      pausedUntilMs: (program) => this.#pausedUntil(program, timeline.now()),
      changed: () => session.changed(),
      defect: (cause) => this.#failedRequest(cause),
      sharing: { streams, slots },
      ...(orders && {
        orders: {
          serve: orders.serve.bind(orders),
          profile: session.profile.id,
          isRefreshing: bearer.isRefreshing,
        },
      }),
    })
  }

  #follow(): MonitorListener {
    return {
      // A newly connected or reconnected key needs a forwarder for its new session. Requests to the former
      // session would wait forever.
      changed: (profile) => void this.#attach(profile),
      event: ({ kind, profile }) => {
        if (kind === 'sign-in-required' || kind === 'revoked' || kind === 'revoke-unconfirmed')
          this.#attached.get(profile)?.forwarder.refuseWaiting(wordsOfNoToken({ why: kind }))
      },
      removed: (profile) => this.#detach(profile),
    }
  }

  #changed(profile: string): void {
    this.#attached.get(profile)?.session.changed()
  }
}

const refused = (why: string) => ({ ok: false, why }) as const
const noneNamed = (name: string) => refused(`no program is named ${name}`)
