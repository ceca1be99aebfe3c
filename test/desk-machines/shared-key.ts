import { categoryOf } from '../../app/service/categories.ts'
import {
  type ServerOptions,
  type SimulatorServer,
  startSimulatorServer,
} from '../../main/simulator/server.ts'
import type { ServiceReply, ServiceRequest } from '../../main/simulator/wire.ts'

/** Requests by category. */
export type Counts = Readonly<Record<string, number>>

/** A response of the service with quota headers, as the service counted it. */
export interface CountedAnswer {
  readonly machine: string
  /** Absent for the machine's checks. */
  readonly program: string | undefined
  /** Number of the machine's request, see `DeskMachine.asked`. Absent for the machine's checks. */
  readonly ask: string | undefined
  readonly category: string
  /** False for a 429 of the request rate, which uses nothing. */
  readonly isAccepted: boolean
  readonly status: number
  /** Epoch ms. */
  readonly atMs: number
}

export const CLIENT_ID = 'sim-key'
const SCOPE = 'openid offline_access MarketData ReadAccount Matrix OptionSpreads'

/**
 * One key that several machines share, and the service that counts their requests. Each machine has its own
 * sign-in, so that the service knows which machine sent a request.
 */
export class SharedKey {
  readonly simulator: SimulatorServer
  /** When the service started, epoch ms. */
  readonly startedMs = Date.now()
  /** Token requests of each machine. */
  readonly refreshes = new Map<string, number>()
  /** Every secret that was issued to a machine. */
  readonly tokens = new Set<string>()
  readonly #machineOf = new Map<string, { readonly machine: string; readonly start: number }>()
  readonly #starts = new Map<string, number>()
  /** Accepted requests, by machine and its start, then by category. */
  readonly #accepted = new Map<string, Map<string, number>>()
  /** The same of programs only, without the machine's checks. */
  readonly #byPrograms = new Map<string, Map<string, number>>()
  /** Number of the sign-ins that the machines use. */
  #signIns = 1
  #delayMs: number | undefined
  readonly #listeners = new Set<(answer: CountedAnswer) => void>()

  private constructor(simulator: SimulatorServer) {
    this.simulator = simulator
    const { service } = simulator
    const handle = service.handle.bind(service)
    service.handle = (request) => {
      const reply = handle(request)
      if (request.path === '/oauth/token') this.#refreshed(request, reply)
      else this.#counted(request, reply)
      const delayMs = this.#delayMs
      this.#delayMs = undefined
      return delayMs !== undefined && reply.kind === 'answer' ? { ...reply, delayMs } : reply
    }
  }

  /** The caller closes `simulator`. */
  static async start(options: ServerOptions = {}): Promise<SharedKey> {
    return new SharedKey(
      await startSimulatorServer({ clientId: CLIENT_ID, signedIdTokens: true, ...options }),
    )
  }

  get origin(): string {
    return this.simulator.origin
  }

  /** Signs a machine in before a start of its process. Returns its refresh token. */
  signIn(machine: string): string {
    const start = (this.#starts.get(machine) ?? 0) + 1
    this.#starts.set(machine, start)
    const token = `refresh-token-${this.#signIns}-of-${machine}`
    const { service } = this.simulator
    if (!this.tokens.has(token)) service.tokens.seed(token, SCOPE, service.nowMs())
    this.tokens.add(token)
    return token
  }

  /** Signs machines that start from now on in again, as after a revocation. */
  signInAgain(): void {
    this.#signIns += 1
  }

  /** Requests of a machine that the service accepted since the machine's last start. */
  countsOf(machine: string): Counts {
    return Object.fromEntries(this.#accepted.get(nameOf(machine, this.#starts.get(machine) ?? 0)) ?? [])
  }

  /** The same without the machine's own checks. */
  byProgramsOf(machine: string): Counts {
    return Object.fromEntries(this.#byPrograms.get(nameOf(machine, this.#starts.get(machine) ?? 0)) ?? [])
  }

  /** The same as `countsOf`, since the first start. */
  allOf(machine: string): Counts {
    const all: Record<string, number> = {}
    for (let start = 1; start <= (this.#starts.get(machine) ?? 0); start += 1)
      for (const [category, count] of this.#accepted.get(nameOf(machine, start)) ?? [])
        all[category] = (all[category] ?? 0) + count
    return all
  }

  /** Calls the listener with each response before it is sent. Returns a function that ends this. */
  onAnswer(listener: (answer: CountedAnswer) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Delays the next response by `ms`. Resolves once the service has counted its request. */
  delayNext(ms: number): Promise<void> {
    this.#delayMs = ms
    return new Promise((resolve) => {
      const end = this.onAnswer(() => {
        end()
        resolve()
      })
    })
  }

  #refreshed({ body }: ServiceRequest, reply: ServiceReply): void {
    const [, machine] =
      /^refresh-token-\d+-of-(.+)$/.exec(new URLSearchParams(body).get('refresh_token') ?? '') ?? []
    if (machine === undefined) return
    this.refreshes.set(machine, (this.refreshes.get(machine) ?? 0) + 1)
    if (reply.kind !== 'answer' || reply.status !== 200) return
    const { access_token } = JSON.parse(reply.body) as { readonly access_token: string }
    this.tokens.add(access_token)
    this.#machineOf.set(access_token, { machine, start: this.#starts.get(machine) ?? 0 })
  }

  #counted({ method, path, headers, query }: ServiceRequest, reply: ServiceReply): void {
    if (reply.kind !== 'answer' && reply.kind !== 'stream') return
    const category = categoryOf(method, path)
    const from = this.#machineOf.get(/^Bearer (\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? '')
    if (category === undefined || from === undefined) return
    if (reply.headers['X-RateLimit-Remaining'] === undefined) return
    const isAccepted = reply.status !== 429
    const parameters = new URLSearchParams(query)
    const program = parameters.get('by') ?? undefined
    const name = nameOf(from.machine, from.start)
    if (isAccepted) increase(this.#accepted, name, category)
    if (isAccepted && program !== undefined) increase(this.#byPrograms, name, category)
    const answer = {
      machine: from.machine,
      program,
      ask: parameters.get('n') ?? undefined,
      category,
      isAccepted,
      status: reply.status,
      atMs: Date.now(),
    }
    for (const listener of this.#listeners) listener(answer)
  }
}

function increase(all: Map<string, Map<string, number>>, name: string, category: string): void {
  const counts = all.get(name) ?? new Map<string, number>()
  all.set(name, counts)
  counts.set(category, (counts.get(category) ?? 0) + 1)
}

const nameOf = (machine: string, start: number): string => `${machine} ${start}`
