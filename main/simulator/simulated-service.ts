import { categoryOf } from '../../app/service/categories.ts'
import { answerAuthorize } from './authorize-endpoint.ts'
import { discoveryDocument, type IdTokenIssuer } from './id-tokens.ts'
import type { Ending, OpenStream } from './open-stream.ts'
import { type SimulatorFlags, withDefaults } from './options.ts'
import { isOrderExecution, OrderExecution } from './order-execution.ts'
import { Faults } from './rules/faults.ts'
import { OrderBook } from './rules/order-book.ts'
import type { RequestQuotas } from './rules/request-quotas.ts'
import { SignInRules } from './rules/sign-in-rules.ts'
import type { Slots } from './rules/slots.ts'
import { TokenRules } from './rules/token-rules.ts'
import { ThrottledResources } from './throttled-resources.ts'
import { answerRevoke, answerToken, type TokenEndpointRules } from './token-endpoints.ts'
import {
  type Answer,
  errorAnswer,
  jsonAnswer,
  methodNotAllowed,
  NOT_FOUND,
  type ServiceReply,
  type ServiceRequest,
} from './wire.ts'

/**
 * The ports of the simulated service. `nowMs` returns epoch milliseconds, not necessarily whole, and never
 * goes back.
 */
export interface ServicePorts {
  nowMs(): number
  random(): number
  /** Signs `id_token`s. If absent, they are opaque (service 2.1), and there is no discovery document. */
  readonly idTokens?: IdTokenIssuer
}

const SEEDED_SCOPE = 'openid offline_access MarketData ReadAccount Matrix OptionSpreads'
const SKEW_MS = 3_600_000

/**
 * The simulated service without sockets and timers. It maps requests to answers. Callers poll open streams
 * for their output. `server.ts` serves it on a port, and tests run it in virtual time.
 */
export class SimulatedService {
  readonly options: SimulatorFlags
  readonly faults: Faults
  readonly tokens: TokenRules
  readonly quotas: RequestQuotas
  readonly slots: Slots
  readonly orders: OrderExecution
  readonly ledger = new Ledger()
  readonly #ports: ServicePorts
  readonly #tokenRules: TokenEndpointRules
  readonly #resources: ThrottledResources

  constructor(options: Partial<SimulatorFlags>, ports: ServicePorts) {
    this.options = withDefaults(options)
    this.#ports = ports
    const nowMs = ports.nowMs()
    const mint = () => opaqueToken(ports.random)
    this.faults = new Faults(this.options.faults)
    this.tokens = new TokenRules(this.options, mint)
    const scope = this.options.trade ? `${SEEDED_SCOPE} Trade` : SEEDED_SCOPE
    this.tokens.seed(this.options.refreshToken, scope, nowMs)
    const book = new OrderBook(this.options.seed)
    this.#resources = new ThrottledResources(
      this.options,
      { faults: this.faults, book, random: ports.random },
      nowMs - this.options.startedSecondsAgo * 1000,
    )
    this.quotas = this.#resources.quotas
    this.slots = this.#resources.slots
    this.orders = new OrderExecution({
      ...{ seed: this.options.seed, book, faults: this.faults, random: ports.random },
      quota: this.#resources,
    })
    const { faults, tokens } = this
    const idTokens = ports.idTokens && { idTokens: ports.idTokens }
    this.#tokenRules = { ...this.options, ...idTokens, tokens, signIns: new SignInRules(mint), faults, mint }
  }

  nowMs(): number {
    return this.#ports.nowMs()
  }

  handle(request: ServiceRequest): ServiceReply {
    const atMs = this.#ports.nowMs()
    const requestId = requestIdOf(this.#ports.random)
    const category = categoryOf(request.method, request.path)
    const changed: string[] = []
    const reply = this.#finished(this.#reply(request, category, atMs, changed), requestId, atMs)
    const { method, path, body, bodyBytes, connection } = request
    const logged = { atMs, method, path, status: statusOf(reply), outcome: reply.kind }
    if (isOrderExecution(path)) {
      this.orders.ledger.add({
        ...{ ...logged, body, changed },
        ...(bodyBytes && { bodyBytes }),
        ...(connection === undefined ? {} : { connection }),
      })
    }
    this.ledger.add({ ...logged, ...(category === undefined ? {} : { category }), requestId })
    return reply
  }

  streams(): readonly OpenStream[] {
    return this.#resources.streams()
  }

  cutStreams(how: Ending['how'], category?: string, lastLine?: string): number {
    const said = lastLine === undefined ? {} : { lastLine }
    return this.#resources.cutStreams({ atMs: this.nowMs(), lingerMs: 0, how, ...said }, category)
  }

  /** Replaces other programs' traffic. Traffic stops in every category that `traffic` omits. */
  setTraffic(traffic: Readonly<Record<string, number>>): void {
    const nowMs = this.nowMs()
    for (const category of this.quotas.categories()) {
      this.quotas.setTraffic(category, traffic[category] ?? 0, nowMs)
    }
  }

  #reply(
    request: ServiceRequest,
    category: string | undefined,
    atMs: number,
    changed: string[],
  ): ServiceReply {
    if (this.faults.strike('black-hole')) return { kind: 'silence' }
    switch (request.path) {
      case '/oauth/token':
        return onlyPost(request) ?? answerToken(this.#tokenRules, request, atMs)
      case '/oauth/revoke':
        return onlyPost(request) ?? answerRevoke(this.#tokenRules, request, atMs)
      case '/authorize':
        return answerAuthorize({ ...this.options, signIns: this.#tokenRules.signIns }, request, atMs)
      case '/.well-known/openid-configuration':
      case '/.well-known/oauth-authorization-server':
        return this.#published(request, (idTokens) => discoveryDocument(idTokens.issuer()))
      case '/.well-known/jwks.json':
        return this.#published(request, (idTokens) => idTokens.keySet())
    }
    if (!/^\/v[23]\//.test(request.path)) return NOT_FOUND
    if (this.faults.strike('resources-503')) {
      return errorAnswer(503, 'ServiceUnavailable', 'Try again later.', { 'Retry-After': '5' })
    }
    const strange = this.#strangeAnswer()
    if (strange !== undefined) return strange
    const stranger = this.#bearerProblem(request, atMs)
    if (stranger !== undefined) return stranger
    if (isOrderExecution(request.path)) {
      const mayTrade = this.tokens.hasScope(bearerOf(request) ?? '', 'Trade')
      return this.orders.answer(request, mayTrade, atMs, changed)
    }
    if (category === undefined) return this.#resources.uncounted(request, atMs) ?? unknownResource(request)
    return this.#resources.answer(request, category, atMs)
  }

  #strangeAnswer(): Answer | undefined {
    if (this.faults.strike('resources-401')) {
      return errorAnswer(401, 'Unauthorized', 'The token is not accepted.')
    }
    if (this.faults.strike('resources-403'))
      return errorAnswer(403, 'Forbidden', 'The scope does not allow it.')
    return this.faults.strike('resources-garbage') ? jsonAnswer(200, { hello: 'world' }) : undefined
  }

  #published(request: ServiceRequest, document: (idTokens: IdTokenIssuer) => unknown): Answer {
    const { idTokens } = this.#ports
    if (idTokens === undefined) return NOT_FOUND
    return request.method === 'GET' ? jsonAnswer(200, document(idTokens)) : methodNotAllowed('GET')
  }

  #bearerProblem(request: ServiceRequest, atMs: number): Answer | undefined {
    const token = bearerOf(request)
    if (token === undefined) return unauthorized('The access token is missing.')
    const state = this.tokens.accessState(token, atMs)
    return state === 'valid'
      ? undefined
      : unauthorized(state === 'expired' ? 'The access token has expired.' : 'The access token is not valid.')
  }

  /** Adds the headers that every answer has. */
  #finished(reply: ServiceReply, requestId: string, atMs: number): ServiceReply {
    const date = new Date(atMs + (this.faults.armed('skewed-date') ? SKEW_MS : 0)).toUTCString()
    const dated = (answer: Answer): Answer => ({
      ...answer,
      headers: {
        ...answer.headers,
        ...(answer.bare === true ? {} : { 'X-TS-Request-Id': requestId }),
        'Content-Length': String(Buffer.byteLength(answer.body)),
        Date: date,
      },
    })
    switch (reply.kind) {
      case 'answer':
        return dated(reply)
      case 'cut':
        return { ...reply, answer: dated(reply.answer) }
      case 'stream':
        return { ...reply, headers: { ...reply.headers, 'X-TS-Request-Id': requestId, Date: date } }
      default:
        return reply
    }
  }
}

const bearerOf = ({ headers }: ServiceRequest): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(headers['authorization'] ?? '')?.[1]

const onlyPost = (request: ServiceRequest): Answer | undefined =>
  request.method === 'POST' ? undefined : methodNotAllowed('POST')

const unauthorized = (message: string): Answer =>
  errorAnswer(401, 'Unauthorized', message, { 'WWW-Authenticate': 'Bearer' })

function unknownResource(request: ServiceRequest): Answer {
  const other = request.method === 'GET' ? 'POST' : 'GET'
  return categoryOf(other, request.path) === undefined ? NOT_FOUND : methodNotAllowed(other)
}

function statusOf(reply: ServiceReply): number {
  switch (reply.kind) {
    case 'answer':
    case 'stream':
      return reply.status
    case 'cut':
      return reply.answer.status
    default:
      return 0
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const lettersOf = (random: () => number, count: number, alphabet: string): string =>
  Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')

const opaqueToken = (random: () => number): string => `sim.${lettersOf(random, 40, LETTERS)}`

const requestIdOf = (random: () => number): string =>
  [8, 4, 4, 4, 12].map((count) => lettersOf(random, count, '0123456789abcdef')).join('-')

/**
 * One request in the simulator's log. Headers, body and query are left out, because they may contain secrets.
 */
interface LedgerEntry {
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly category?: string
  /** 0 if no status was sent. */
  readonly status: number
  readonly outcome: ServiceReply['kind']
  readonly requestId: string
}

const MAX_ENTRIES = 2000

class Ledger {
  #entries: LedgerEntry[] = []

  add(entry: LedgerEntry): void {
    this.#entries.push({ ...entry, path: entry.path.slice(0, 300) })
    if (this.#entries.length > 2 * MAX_ENTRIES) this.#entries = this.#entries.slice(-MAX_ENTRIES)
  }

  /** The last `MAX_ENTRIES` entries, oldest first. */
  entries(): readonly LedgerEntry[] {
    return this.#entries.slice(-MAX_ENTRIES)
  }
}
