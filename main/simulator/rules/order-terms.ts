import { z } from 'zod'
import { jsonOf } from '../../../app/service/json.ts'
import { ACCOUNT_IDS } from './payloads-brokerage.ts'

/** Numbers are strings in requests for orders (service 14). */
const decimal = z.string().regex(/^\d{1,9}(?:\.\d{1,6})?$/)
const quantity = decimal.refine((text) => Number(text) > 0)
const action = z.enum([
  ...(['BUY', 'SELL', 'BUYTOCOVER', 'SELLSHORT'] as const),
  ...(['BUYTOOPEN', 'BUYTOCLOSE', 'SELLTOOPEN', 'SELLTOCLOSE'] as const),
])
const text = z.string().min(1).max(100)
const orderType = z.enum(['Market', 'Limit', 'StopMarket', 'StopLimit'])
const timeInForce = z.object({ Duration: text })

const leg = z.object({ Symbol: text, Quantity: quantity, TradeAction: action })
const prices = { LimitPrice: decimal.optional(), StopPrice: decimal.optional() }

const order = z
  .object({
    AccountID: z.string().refine((id) => ACCOUNT_IDS.includes(id)),
    Symbol: text.optional(),
    Quantity: quantity.optional(),
    TradeAction: action.optional(),
    Legs: z.array(leg).min(1).max(10).optional(),
    OrderType: orderType,
    ...prices,
    TimeInForce: timeInForce,
    Route: text.default('Intelligent'),
    OrderConfirmID: text.optional(),
    OrderConfirmId: text.optional(),
  })
  .transform(({ Symbol: symbol, Quantity, TradeAction, Legs, OrderConfirmId, ...rest }, context) => {
    const one = leg.safeParse({ Symbol: symbol, Quantity, TradeAction })
    const legs = Legs ?? (one.success ? [one.data] : [])
    if (legs.length === 0) {
      const name = symbol === undefined ? 'Symbol' : Quantity === undefined ? 'Quantity' : 'TradeAction'
      context.addIssue({ code: 'custom', message: 'required', path: [name] })
    }
    const problem = priceProblem(rest)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: 'required', path: [problem] })
    const confirmId = rest.OrderConfirmID ?? OrderConfirmId
    return {
      account: rest.AccountID,
      legs,
      type: rest.OrderType,
      limitPrice: rest.LimitPrice,
      stopPrice: rest.StopPrice,
      duration: rest.TimeInForce.Duration,
      route: rest.Route,
      confirmId,
    }
  })

/** The terms of one order, as in its request. Prices and quantities are decimal text. */
export type OrderTerms = z.output<typeof order>

export type OrderType = OrderTerms['type']

/** The name of a price that the order's type requires but the order lacks. */
function priceProblem(terms: {
  readonly OrderType: OrderType
  readonly LimitPrice?: string | undefined
  readonly StopPrice?: string | undefined
}): 'LimitPrice' | 'StopPrice' | undefined {
  if (isLimited(terms.OrderType) && terms.LimitPrice === undefined) return 'LimitPrice'
  return isStopped(terms.OrderType) && terms.StopPrice === undefined ? 'StopPrice' : undefined
}

const isLimited = (type: OrderType) => type === 'Limit' || type === 'StopLimit'
const isStopped = (type: OrderType) => type === 'StopMarket' || type === 'StopLimit'

const group = z.object({
  Type: z.enum(['BRK', 'OCO', 'NORMAL']),
  Orders: z.array(order).min(1).max(20),
})

/** An order, and the orders that are placed after it is filled. */
const withFollowers = z.intersection(order, z.object({ OSOs: z.array(group).max(10).default([]) }))
const followedGroup = group.extend({ Orders: z.array(withFollowers).min(1).max(20) })

/** Orders of one request. In a group that is not `NORMAL`, the first filled order cancels the others. */
export interface OrderGroup {
  readonly type: 'BRK' | 'OCO' | 'NORMAL'
  readonly orders: readonly OrderTerms[]
}

export interface OrderPlan {
  readonly type: OrderGroup['type']
  readonly orders: readonly { readonly terms: OrderTerms; readonly followers: readonly OrderGroup[] }[]
}

const replacement = z.object({
  Quantity: quantity.optional(),
  OrderType: orderType.optional(),
  TimeInForce: timeInForce.optional(),
  ...prices,
})

/**
 * The terms that a replacement changes. Absent terms stay the same. The request names no account (service
 * 14).
 */
export type OrderChange = Record<'quantity' | 'limitPrice' | 'stopPrice' | 'duration', string | undefined> & {
  readonly type: OrderType | undefined
}

export type BodyRead<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

type Placed = z.output<typeof withFollowers>

const planned = ({ OSOs, ...terms }: Placed) => ({
  terms,
  followers: OSOs.map(({ Type, Orders }) => ({ type: Type, orders: Orders })),
})

/** Reads the body of `orders` and `orderconfirm`. */
export const readOrder = (body: string): BodyRead<OrderPlan> =>
  readBody(body, withFollowers, (one) => ({ type: 'NORMAL', orders: [planned(one)] }))

/** Reads the body of `ordergroups` and `ordergroupconfirm`. */
export const readGroup = (body: string): BodyRead<OrderPlan> =>
  readBody(body, followedGroup, ({ Type, Orders }) => ({ type: Type, orders: Orders.map(planned) }))

/** Reads the body of a request to replace an order. It must change at least one term. */
export function readChange(body: string): BodyRead<OrderChange> {
  const read = readBody(body, replacement, (asked) => ({
    quantity: asked.Quantity,
    type: asked.OrderType,
    limitPrice: asked.LimitPrice,
    stopPrice: asked.StopPrice,
    duration: asked.TimeInForce?.Duration,
  }))
  const isEmpty = read.ok && Object.values(read.value).every((value) => value === undefined)
  return isEmpty ? { ok: false, message: 'Name a term to change, such as Quantity.' } : read
}

/** The name of a price that the order's type requires but the order lacks. */
export const missingPrice = ({ type, limitPrice, stopPrice }: OrderTerms): string | undefined =>
  priceProblem({ OrderType: type, LimitPrice: limitPrice, StopPrice: stopPrice })

/** The terms with only the prices that the order's type uses. A replacement may have changed the type. */
export const withoutOtherPrices = (terms: OrderTerms): OrderTerms => ({
  ...terms,
  limitPrice: isLimited(terms.type) ? terms.limitPrice : undefined,
  stopPrice: isStopped(terms.type) ? terms.stopPrice : undefined,
})

function readBody<T, R>(body: string, schema: z.ZodType<T>, then: (value: T) => R): BodyRead<R> {
  const value = jsonOf(body)
  if (value === undefined) return { ok: false, message: 'The body must be JSON.' }
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: then(parsed.data) }
  // `path` contains only field names, so the message repeats no value of the request.
  const path = parsed.error.issues[0]?.path.join('.') ?? ''
  return {
    ok: false,
    message: path === '' ? 'The body must be a JSON object.' : `${path} is missing or invalid.`,
  }
}
