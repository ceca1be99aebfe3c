import type { Faults } from './rules/faults.ts'
import { isBuy, type OrderBook, type PlacedOrder } from './rules/order-book.ts'
import { OrderLedger } from './rules/order-ledger.ts'
import {
  type BodyRead,
  type OrderPlan,
  type OrderTerms,
  readChange,
  readGroup,
  readOrder,
} from './rules/order-terms.ts'
import { priceOf, UNKNOWN_SYMBOL } from './rules/payloads-market.ts'
import { ORDER_QUOTA } from './rules/request-quotas.ts'
import type { ThrottledResources } from './throttled-resources.ts'
import {
  type Answer,
  errorAnswer,
  jsonAnswer,
  methodNotAllowed,
  NOT_FOUND,
  type ServiceReply,
  type ServiceRequest,
} from './wire.ts'

const PREFIX = '/v3/orderexecution/'

export const isOrderExecution = (path: string): boolean => path.startsWith(PREFIX)

export interface OrderExecutionPorts {
  readonly seed: number
  readonly book: OrderBook
  readonly faults: Faults
  random(): number
  readonly quota: Pick<ThrottledResources, 'counted' | 'rateLimited'>
}

/**
 * A request to an order endpoint. `id` is the order ID in its path. The endpoint appends the ids of changed
 * orders to `changed`.
 */
interface OrderRequest {
  readonly body: string
  readonly id: string
  readonly atMs: number
  readonly changed: string[]
}

interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: RegExp
  /**
   * Whether the request can change an order. If so, it counts against the order quota, and faults can affect
   * it.
   */
  readonly isOrder: boolean
  answer(request: OrderRequest): Answer
}

/** The order endpoints (service 14). */
export class OrderExecution {
  readonly ledger = new OrderLedger()
  readonly #ports: OrderExecutionPorts
  readonly #endpoints: readonly Endpoint[]

  constructor(ports: OrderExecutionPorts) {
    this.#ports = ports
    const endpoint = (
      method: Endpoint['method'],
      path: RegExp,
      isOrder: boolean,
      answer: Endpoint['answer'],
    ): Endpoint => ({ method, path, isOrder, answer })
    this.#endpoints = [
      endpoint('POST', /^orders$/, true, (request) => this.#place(readOrder(request.body), request)),
      endpoint('POST', /^ordergroups$/, true, (request) => this.#place(readGroup(request.body), request)),
      endpoint('PUT', /^orders\/([A-Za-z0-9-]+)$/, true, (request) => this.#replace(request)),
      endpoint('DELETE', /^orders\/([A-Za-z0-9-]+)$/, true, (request) => this.#cancel(request)),
      endpoint('POST', /^orderconfirm$/, false, (request) =>
        this.#estimate(readOrder(request.body), request),
      ),
      endpoint('POST', /^ordergroupconfirm$/, false, (request) =>
        this.#estimate(readGroup(request.body), request),
      ),
      endpoint('GET', /^activationtriggers$/, false, () => jsonAnswer(200, ACTIVATION_TRIGGERS)),
      endpoint('GET', /^routes$/, false, () => jsonAnswer(200, ROUTES)),
    ]
  }

  /** Answers a request with a valid access token. Appends the ids of changed orders to `changed`. */
  answer(request: ServiceRequest, hasTradeScope: boolean, atMs: number, changed: string[]): ServiceReply {
    const { faults } = this.#ports
    if (!hasTradeScope) return errorAnswer(403, 'Forbidden', 'The Trade scope is missing.')
    const path = request.path.slice(PREFIX.length)
    const allowed = this.#endpoints.filter((one) => one.path.test(path))
    const endpoint = allowed.find(({ method }) => method === request.method)
    if (allowed.length === 0) return NOT_FOUND
    if (endpoint === undefined) return methodNotAllowed(allowed.map(({ method }) => method).join(', '))
    const id = endpoint.path.exec(path)?.[1] ?? ''
    const answer = () => endpoint.answer({ body: request.body, id, atMs, changed })
    if (!endpoint.isOrder) return answer()
    const untaken = untakenOrder(faults, () => this.#ports.quota.rateLimited(ORDER_QUOTA.category, atMs))
    if (untaken !== undefined) return untaken
    const counted = this.#ports.quota.counted(ORDER_QUOTA.category, atMs, answer)
    return changed.length === 0 ? counted : takenOrder(faults, counted)
  }

  #place(plan: BodyRead<OrderPlan>, { atMs, changed }: OrderRequest): Answer {
    if (!plan.ok) return badRequest(plan.message)
    const placed = this.#ports.book.place(plan.value, atMs)
    changed.push(...placed.filter(({ isRepeated }) => !isRepeated).map(({ id }) => id))
    return jsonAnswer(200, {
      Orders: placed.filter(({ isRejected }) => !isRejected).map((one) => sent(one)),
      Errors: placed
        .filter(({ isRejected }) => isRejected)
        .map(({ id }) => ({ OrderID: id, Error: 'FAILED', Message: 'EX_INVALID_SYMBOL' })),
    })
  }

  #replace({ body, id, atMs, changed }: OrderRequest): Answer {
    const change = readChange(body)
    if (!change.ok) return badRequest(change.message)
    switch (this.#ports.book.replace(id, change.value, atMs)) {
      case 'changed':
        changed.push(id)
        return jsonAnswer(200, { OrderID: id, Message: 'Replace request sent.' })
      case 'price-missing':
        return badRequest('LimitPrice or StopPrice is missing for this OrderType.')
      case 'closed':
        return badRequest('The order is closed.')
      case 'unknown':
        return ORDER_NOT_FOUND
    }
  }

  #cancel({ id, atMs, changed }: OrderRequest): Answer {
    const outcome = this.#ports.book.cancel(id, atMs)
    if (outcome === 'unknown') return ORDER_NOT_FOUND
    if (outcome !== 'changed') return badRequest('The order is closed.')
    changed.push(id)
    return jsonAnswer(200, { OrderID: id, Message: 'Cancel request sent.' })
  }

  #estimate(plan: BodyRead<OrderPlan>, { atMs }: OrderRequest): Answer {
    if (!plan.ok) return badRequest(plan.message)
    const all = plan.value.orders.flatMap(({ terms, followers }) => [
      terms,
      ...followers.flatMap(({ orders }) => orders),
    ])
    const isKnown = ({ legs }: OrderTerms) => legs.every((leg) => leg.Symbol !== UNKNOWN_SYMBOL)
    return jsonAnswer(200, {
      Confirmations: all.filter((terms) => isKnown(terms)).map((terms) => this.#confirmation(terms, atMs)),
      Errors: all
        .filter((terms) => !isKnown(terms))
        .map(() => ({ Error: 'FAILED', Message: 'EX_INVALID_SYMBOL' })),
    })
  }

  #confirmation(terms: OrderTerms, atMs: number) {
    const { account, route, duration, limitPrice, legs, confirmId } = terms
    const [leg] = legs
    const price = limitPrice ?? priceOf(this.#ports.seed, leg?.Symbol ?? '', atMs).toFixed(2)
    return {
      OrderConfirmID: confirmId ?? this.#confirmId(),
      Account: account,
      Route: route,
      Duration: duration,
      SummaryMessage: summaryOf(terms),
      EstimatedPrice: price,
      EstimatedCost: (Number(price) * Number(leg?.Quantity ?? 0)).toFixed(2),
      EstimatedCommission: '0',
    }
  }

  #confirmId(): string {
    return Array.from({ length: CONFIRM_ID_LENGTH }, () =>
      Math.floor(this.#ports.random() * 36)
        .toString(36)
        .toUpperCase(),
    ).join('')
  }
}

const CONFIRM_ID_LENGTH = 22

const summaryOf = ({ legs, type, limitPrice }: OrderTerms): string => {
  const what = legs.map((leg) => `${isBuy(leg.TradeAction) ? 'Buy' : 'Sell'} ${leg.Quantity} ${leg.Symbol}`)
  return `${what.join(', ')} @ ${limitPrice ?? type}`
}

const sent = ({ id, terms }: PlacedOrder) => ({ OrderID: id, Message: `Sent order: ${summaryOf(terms)}` })

const badRequest = (message: string): Answer => errorAnswer(400, 'BadRequest', message)

const ORDER_NOT_FOUND = errorAnswer(404, 'NotFound', 'Order not found.')

const ACTIVATION_TRIGGERS = {
  ActivationTriggers: [
    {
      Key: 'STT',
      Name: 'Single Trade Tick',
      Description: 'One trade tick must print within your stop price.',
    },
    { Key: 'STTN', Name: 'Single Trade Tick Within NBBO', Description: 'One trade tick within the NBBO.' },
    {
      Key: 'SBA',
      Name: 'Single Bid/Ask Tick',
      Description: 'One bid or ask tick must reach your stop price.',
    },
  ],
}

const ROUTES = {
  Routes: [
    { Id: 'Intelligent', Name: 'Intelligent', AssetTypes: ['STOCK', 'STOCKOPTION'] },
    { Id: 'ARCX', Name: 'ARCX', AssetTypes: ['STOCK'] },
  ],
}

const SERVER_ERRORS = {
  500: 'InternalServerError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
} as const

/** How long `order-late-response` delays an answer, in milliseconds. */
const LATE_RESPONSE_MS = 12_000

/**
 * The reply of an armed fault that keeps an order from being accepted. `undefined` if no such fault is armed.
 */
function untakenOrder(faults: Faults, rateLimited: () => Answer): ServiceReply | undefined {
  if (faults.strike('order-reset')) return { kind: 'reset' }
  if (faults.strike('order-401')) return errorAnswer(401, 'Unauthorized', 'The token is not accepted.')
  if (faults.strike('order-429')) return rateLimited()
  return serverError(faults, '')
}

/** The reply to an accepted order: `answer`, or the reply of an armed fault. */
function takenOrder(faults: Faults, answer: Answer): ServiceReply {
  if (faults.strike('order-lost-response')) return { kind: 'reset' }
  if (faults.strike('order-cut-response')) {
    return { kind: 'cut', answer, sentBytes: Math.floor(answer.body.length / 2) }
  }
  if (faults.strike('order-silence')) return { kind: 'silence' }
  if (faults.strike('order-late-response')) return { ...answer, delayMs: LATE_RESPONSE_MS }
  return serverError(faults, '-taken') ?? answer
}

function serverError(faults: Faults, suffix: '' | '-taken'): Answer | undefined {
  const struck = Object.entries(SERVER_ERRORS).find(([status]) => faults.strike(`order-${status}${suffix}`))
  return struck && errorAnswer(Number(struck[0]), struck[1], 'The order service failed.')
}
