import { fieldsOf, parseJson } from '../service/json.ts'
import type { OrderKind } from './ports.ts'

/** The facts about a request's orders that the journal needs. */
export interface OrderFacts {
  /** The account of the first order that names one. Absent if none does. */
  readonly account?: string
  /** Whether every order has an `OrderConfirmID`, so that a repeated request places no order twice. */
  readonly hasConfirmId: boolean
  readonly confirmIds: readonly string[]
  /**
   * One identifying text per order, equal to the text of the same order in the service's list.
   *
   * Empty if the body can't be read, if the orders belong to several accounts, or if a replace request
   * changes nothing that a list shows.
   */
  readonly texts: readonly string[]
}

/** An order in the service's list. */
export interface ListedOrder {
  readonly orderId: string
  /** Absent if unreadable. */
  readonly account?: string
  readonly isCancelled: boolean
  /** Epoch ms. Absent if unreadable. */
  readonly openedAtMs?: number
  /** See `OrderFacts.texts`. Empty if a price can't be read. */
  readonly text: string
  /** The texts of all replace requests that may have led to the present terms of this order. */
  readonly changes: readonly string[]
}

type Members = Readonly<Record<string, unknown>>

const NOTHING: OrderFacts = { hasConfirmId: false, confirmIds: [], texts: [] }

/** Reads the body of an order request. Unknown members are ignored. */
export function orderFactsOf(kind: OrderKind, body: string, orderId = ''): OrderFacts {
  const read = fieldsOf(parseJson(body))
  if (kind === 'cancel' || read === undefined) return NOTHING
  const orders = kind === 'group' ? listOf(read['Orders']).map((order) => fieldsOf(order) ?? {}) : [read]
  const confirmIds = orders.flatMap((order) => confirmIdOf(order) ?? [])
  const accounts = new Set(orders.flatMap((order) => textOf(order['AccountID']) ?? []))
  const [account] = accounts
  const texts = orders.flatMap((order) =>
    !isReadable(order)
      ? []
      : ((kind === 'replace' ? changeText(orderId, termsOf(order)) : requestedText(order)) ?? []),
  )
  return {
    ...(account !== undefined && { account }),
    hasConfirmId: orders.length > 0 && confirmIds.length === orders.length,
    confirmIds,
    // A lookup searches only one account, so orders of several accounts can't be found by their texts.
    texts: texts.length === orders.length && accounts.size <= 1 ? texts : [],
  }
}

/** An order of the service's list. `undefined` if it has no ID. */
export function listedOrderOf(listed: unknown): ListedOrder | undefined {
  const order = fieldsOf(listed)
  const orderId = order && textOf(order['OrderID'])
  if (order === undefined || orderId === undefined) return undefined
  const account = textOf(order['AccountID'])
  const legs = listOf(order['Legs']).map((leg) => fieldsOf(leg) ?? {})
  const terms = {
    ...termsOf(order),
    quantity: legs.length === 1 ? decimalOf(legs[0]?.['QuantityOrdered']) : undefined,
  }
  const listedLegs = legs.map(
    (leg): LegText => [textOf(leg['Symbol']), sideOf(leg['BuyOrSell']), decimalOf(leg['QuantityOrdered'])],
  )
  const openedAtMs = Date.parse(textOf(order['OpenedDateTime']) ?? '')
  return {
    orderId,
    ...(account !== undefined && { account }),
    isCancelled: CANCELLED.has(textOf(order['Status']) ?? ''),
    ...(Number.isFinite(openedAtMs) && { openedAtMs }),
    text: isReadable(order) ? orderText(account, listedLegs, terms) : '',
    changes: subsetsOf(terms).flatMap((changed) => changeText(orderId, changed) ?? []),
  }
}

/** The IDs of the orders that a response names, including orders that the response reports as failed. */
export function orderIdsIn(body: string): readonly string[] {
  const read = fieldsOf(parseJson(body))
  if (read === undefined) return []
  const named = [read, ...listOf(read['Orders']), ...listOf(read['Errors'])]
  const ids = named.flatMap((one) => textOf(fieldsOf(one)?.['OrderID']) ?? [])
  return [...new Set(ids)].filter((id) => ORDER_ID.test(id)).slice(0, MAX_IDS)
}

/** Whether a response is about an order: it names an order or an error. */
export function isAboutOrders(body: string): boolean {
  const read = fieldsOf(parseJson(body))
  if (read === undefined) return false
  return (
    orderIdsIn(body).length > 0 || textOf(read['Error']) !== undefined || listOf(read['Errors']).length > 0
  )
}

const ORDER_ID = /^[\w-]{1,64}$/
const MAX_IDS = 100
/** Statuses of a cancelled order (public facts, Orders). */
const CANCELLED: ReadonlySet<string> = new Set(['CAN', 'UCN'])

/** The terms that a replace request may change and that the service's list shows. */
interface Terms {
  readonly quantity: string | undefined
  readonly type: string | undefined
  readonly limit: string | undefined
  readonly stop: string | undefined
}

const termsOf = (order: Members): Terms => ({
  quantity: decimalOf(order['Quantity']),
  type: textOf(order['OrderType']),
  limit: decimalOf(order['LimitPrice']),
  stop: decimalOf(order['StopPrice']),
})

/** The legs of an order. An order without legs counts as its own only leg. */
function legsOf(order: Members): readonly LegText[] {
  const given = listOf(order['Legs'])
  return (given.length > 0 ? given : [order]).map((leg) => {
    const members = fieldsOf(leg)
    return [textOf(members?.['Symbol']), sideOf(members?.['TradeAction']), decimalOf(members?.['Quantity'])]
  })
}

function requestedText(order: Members): string | undefined {
  const legs = legsOf(order)
  const account = textOf(order['AccountID'])
  const terms = termsOf(order)
  const isWhole =
    account !== undefined && terms.type !== undefined && legs.every((leg) => !leg.includes(undefined))
  return isWhole ? orderText(account, legs, terms) : undefined
}

type LegText = readonly (string | undefined)[]

/**
 * The text that identifies an order. Prices that the order type does not use are left out, because a list or
 * a request may omit them.
 */
function orderText(
  account: string | undefined,
  legs: readonly LegText[],
  { type, limit, stop }: Terms,
): string {
  const isLimited = type === undefined || /limit/i.test(type)
  const isStopped = type === undefined || /stop/i.test(type)
  const sorted = legs.map((leg) => JSON.stringify(leg)).sort()
  return JSON.stringify(['order', account, sorted, type, isLimited ? limit : null, isStopped ? stop : null])
}

/** The text of a replace request. `undefined` if the request changes nothing that a list shows. */
const changeText = (orderId: string, terms: Partial<Terms>): string | undefined => {
  const changed = TERMS.filter((name) => terms[name] !== undefined)
  return changed.length === 0
    ? undefined
    : JSON.stringify(['change', orderId, changed.map((name) => [name, terms[name]])])
}

const TERMS = ['quantity', 'type', 'limit', 'stop'] as const

/** Every subset of the known terms, including the empty one. */
function subsetsOf(terms: Terms): readonly Partial<Terms>[] {
  return TERMS.reduce<readonly Partial<Terms>[]>(
    (subsets, name) =>
      terms[name] === undefined
        ? subsets
        : subsets.concat(subsets.map((subset) => ({ ...subset, [name]: terms[name] }))),
    [{}],
  )
}

/** The side of an action: `buy` or `sell`. The service's list shows nothing else of an action. */
const sideOf = (action: unknown): string | undefined => {
  const text = textOf(action)
  return text && (/^buy/i.test(text) ? 'buy' : /^sell/i.test(text) ? 'sell' : undefined)
}

/** The `OrderConfirmID` of an order. A blank ID counts as absent, because it identifies no order. */
const confirmIdOf = (order: Members): string | undefined =>
  [order['OrderConfirmID'], order['OrderConfirmId']]
    .flatMap((id) => textOf(id) ?? [])
    .find((id) => /\S/.test(id))

/** A decimal number in one spelling. `100`, `100.00` and 100 are equal, as are `-.5` and `-0.50`. */
function decimalOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value)
  const [, sign, whole, fraction = ''] = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(text ?? '') ?? []
  if (whole === undefined || !/\d/.test(text ?? '')) return undefined
  const size = `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`
  return sign === '-' && size !== '0' ? `-${size}` : size
}

/**
 * Whether every number of an order can be read. Otherwise, orders with different terms could get the same
 * text.
 */
const isReadable = (order: Members): boolean =>
  NUMBERS.every((name) => {
    const value = order[name] ?? ''
    return value === '' || decimalOf(value) !== undefined
  })

const NUMBERS = ['Quantity', 'LimitPrice', 'StopPrice'] as const

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT ? value : undefined

const MAX_TEXT = 200

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
