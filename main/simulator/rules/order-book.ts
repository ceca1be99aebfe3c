import {
  missingPrice,
  type OrderChange,
  type OrderGroup,
  type OrderPlan,
  type OrderTerms,
  withoutOtherPrices,
} from './order-terms.ts'
import { type Payload, priceOf, SYNTHETIC, timestamp, UNKNOWN_SYMBOL } from './payloads-market.ts'

/** Time in milliseconds from an order's receipt until it is filled or starts to rest in the book. */
export const WORKED_AFTER_MS = 1000

const DESCRIPTIONS = {
  ACK: 'Received',
  DON: 'Queued',
  OPN: 'Sent',
  FLL: 'Filled',
  REJ: 'Rejected',
  CAN: 'Cancelled',
} as const
type OrderStatus = keyof typeof DESCRIPTIONS

interface BookedOrder {
  readonly id: string
  readonly openedAtMs: number
  terms: OrderTerms
  status: OrderStatus
  /** When the order's status changes next. `undefined` if no change is due. */
  workAtMs: number | undefined
  fill: { readonly price: number; readonly atMs: number } | undefined
  /** The orders that are cancelled when this order is filled or cancelled. */
  siblings: readonly BookedOrder[]
  /** The orders that are placed after this order is filled. */
  followers: readonly BookedOrder[]
}

export interface PlacedOrder {
  readonly id: string
  readonly terms: OrderTerms
  readonly isRejected: boolean
  /** Whether an earlier request placed the order. */
  readonly isRepeated: boolean
}

/**
 * Outcome of replacing or cancelling an order. `closed`: the order was already filled, rejected or cancelled.
 */
export type ChangeOutcome = 'changed' | 'unknown' | 'closed' | 'price-missing'

/** The order changes that one reader, such as a stream, has not seen yet. */
export interface OrderChanges {
  /** Time of the next possible change. `undefined` if only a request can change anything. */
  nextMs(): number | undefined
  /** The changed orders up to `atMs`, oldest change first. */
  take(atMs: number): readonly Payload[]
}

/**
 * The orders that programs have placed, for one key and user.
 *
 * An order is received (ACK) immediately. After `WORKED_AFTER_MS`, a market order is filled (FLL), and so is
 * a limit order if the price has reached its limit. Any other order rests (OPN), or is cancelled (CAN) if its
 * duration is immediate. An order for an unknown symbol is rejected (REJ).
 *
 * Nothing runs between requests. Before each read, due changes are applied in order.
 */
export class OrderBook {
  readonly #seed: number
  readonly #orders = new Map<string, BookedOrder>()
  /** The first order of each OrderConfirmID. */
  readonly #confirmed = new Map<string, BookedOrder>()
  readonly #working = new Set<BookedOrder>()
  readonly #log: { readonly atMs: number; readonly order: BookedOrder; readonly payload: Payload }[] = []
  #changed: () => void = () => undefined

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Sets the callback for requests that place, replace or cancel orders. */
  whenChanged(changed: () => void): void {
    this.#changed = changed
  }

  has(id: string): boolean {
    return this.#orders.has(id)
  }

  named(account: string, ids: readonly string[], atMs: number): readonly Payload[] {
    this.#advance(atMs)
    return ids.flatMap((id) => {
      const order = this.#orders.get(id)
      return order?.terms.account === account ? [payloadOf(order)] : []
    })
  }

  /**
   * Places every order of `plan`. For an OrderConfirmID that was used before, returns the earlier order
   * instead (service 14).
   */
  place(plan: OrderPlan, atMs: number): readonly PlacedOrder[] {
    this.#advance(atMs)
    const placed: { readonly order: BookedOrder; readonly isRepeated: boolean }[] = []
    const add = (terms: OrderTerms): readonly BookedOrder[] => {
      const first = terms.confirmId === undefined ? undefined : this.#confirmed.get(terms.confirmId)
      placed.push({ order: first ?? this.#added(terms, atMs), isRepeated: first !== undefined })
      return first === undefined ? placed.slice(-1).map(({ order }) => order) : []
    }
    const addFollowers = (group: OrderGroup): readonly BookedOrder[] =>
      joined(
        group.type,
        group.orders.flatMap((terms) => add(terms)),
      )
    const orders = plan.orders.flatMap(({ terms, followers }) =>
      add(terms).map((order) => {
        order.followers = followers.flatMap((group) => addFollowers(group))
        return order
      }),
    )
    for (const order of joined(plan.type, orders)) {
      for (const follower of order.followers) this.#become(follower, 'DON', atMs)
      this.#receive(order, atMs)
    }
    this.#changed()
    return placed.map(({ order: { id, terms, status }, isRepeated }) => ({
      ...{ id, terms, isRepeated },
      isRejected: status === 'REJ',
    }))
  }

  replace(id: string, change: OrderChange, atMs: number): ChangeOutcome {
    return this.#change(id, atMs, (order) => {
      const { terms } = order
      const replaced: OrderTerms = {
        ...terms,
        legs: terms.legs.map((leg) => ({ ...leg, Quantity: change.quantity ?? leg.Quantity })),
        type: change.type ?? terms.type,
        limitPrice: change.limitPrice ?? terms.limitPrice,
        stopPrice: change.stopPrice ?? terms.stopPrice,
        duration: change.duration ?? terms.duration,
      }
      if (missingPrice(replaced) !== undefined) return 'price-missing'
      order.terms = withoutOtherPrices(replaced)
      if (order.status === 'DON') this.#become(order, 'DON', atMs)
      else this.#receive(order, atMs)
      return 'changed'
    })
  }

  cancel(id: string, atMs: number): ChangeOutcome {
    return this.#change(id, atMs, (order) => {
      this.#become(order, 'CAN', atMs)
      return 'changed'
    })
  }

  /** The orders of an account, newest first. */
  ordersOf(account: string, atMs: number): readonly Payload[] {
    this.#advance(atMs)
    return [...this.#orders.values()]
      .filter(({ terms }) => terms.account === account)
      .map((order) => payloadOf(order))
      .reverse()
  }

  /** The changes after `sinceMs`, only of orders for which `isWanted` returns true. */
  changes(sinceMs: number, isWanted: (account: string, id: string) => boolean): OrderChanges {
    this.#advance(sinceMs)
    let seen = this.#log.length
    const unseen = () => this.#log.slice(seen).filter(({ order }) => isWanted(order.terms.account, order.id))
    return {
      nextMs: () => unseen()[0]?.atMs ?? this.#nextWork()?.workAtMs,
      take: (atMs) => {
        this.#advance(atMs)
        const payloads = unseen().map(({ payload }) => payload)
        seen = this.#log.length
        return payloads
      },
    }
  }

  #change(id: string, atMs: number, change: (order: BookedOrder) => ChangeOutcome): ChangeOutcome {
    this.#advance(atMs)
    const order = this.#orders.get(id)
    if (order === undefined) return 'unknown'
    if (!isAlive(order)) return 'closed'
    const outcome = change(order)
    this.#changed()
    return outcome
  }

  #added(terms: OrderTerms, openedAtMs: number): BookedOrder {
    // This id has ten digits. The ids of the simulated day's orders have nine, so no id occurs twice.
    const id = String(1_000_000_001 + this.#orders.size)
    const order: BookedOrder = {
      ...{ id, openedAtMs, terms, status: 'ACK', workAtMs: undefined, fill: undefined },
      ...{ siblings: [], followers: [] },
    }
    this.#orders.set(id, order)
    if (terms.confirmId !== undefined) this.#confirmed.set(terms.confirmId, order)
    return order
  }

  #receive(order: BookedOrder, atMs: number): void {
    if (order.terms.legs.some((leg) => leg.Symbol === UNKNOWN_SYMBOL)) {
      this.#become(order, 'REJ', atMs)
      return
    }
    this.#become(order, 'ACK', atMs)
    order.workAtMs = atMs + WORKED_AFTER_MS
    this.#working.add(order)
  }

  /** Changes the status of an order, and of orders that depend on it. */
  #become(order: BookedOrder, status: OrderStatus, atMs: number): void {
    order.status = status
    order.workAtMs = undefined
    this.#working.delete(order)
    if (status === 'FLL') order.fill = { price: priceOf(this.#seed, symbolOf(order), atMs), atMs }
    this.#log.push({ atMs, order, payload: payloadOf(order) })
    if (isAlive(order)) return
    for (const sibling of status === 'REJ' ? [] : order.siblings) {
      if (isAlive(sibling)) this.#become(sibling, 'CAN', atMs)
    }
    for (const follower of order.followers.filter((one) => one.status === 'DON')) {
      if (status === 'FLL') this.#receive(follower, atMs)
      else this.#become(follower, 'CAN', atMs)
    }
  }

  #nextWork(): BookedOrder | undefined {
    let next: BookedOrder | undefined
    for (const order of this.#working) {
      if ((order.workAtMs ?? 0) < (next?.workAtMs ?? Number.POSITIVE_INFINITY)) next = order
    }
    return next
  }

  #advance(atMs: number): void {
    for (;;) {
      const order = this.#nextWork()
      if (order?.workAtMs === undefined || order.workAtMs > atMs) return
      this.#become(order, this.#worked(order.terms, order.workAtMs), order.workAtMs)
    }
  }

  /** The status of a received order after `WORKED_AFTER_MS`. */
  #worked({ type, legs, limitPrice, duration }: OrderTerms, atMs: number): OrderStatus {
    if (type === 'Market') return 'FLL'
    const [leg] = legs
    const price = priceOf(this.#seed, leg?.Symbol ?? '', atMs)
    const isReached = isBuy(leg?.TradeAction) ? Number(limitPrice) >= price : Number(limitPrice) <= price
    if (type === 'Limit' && legs.length === 1 && isReached) return 'FLL'
    return /^(?:IOC|FOK)$/i.test(duration) ? 'CAN' : 'OPN'
  }
}

const isAlive = ({ status }: BookedOrder): boolean => status === 'ACK' || status === 'DON' || status === 'OPN'

export const isBuy = (tradeAction: string | undefined): boolean => tradeAction?.startsWith('BUY') === true

const symbolOf = ({ terms }: BookedOrder): string => terms.legs[0]?.Symbol ?? ''

function joined(type: OrderGroup['type'], orders: readonly BookedOrder[]): readonly BookedOrder[] {
  if (type === 'NORMAL') return orders
  for (const order of orders) order.siblings = orders.filter((other) => other !== order)
  return orders
}

/** An order in lists and streams. Its OrderConfirmID is not included (service 14). */
function payloadOf({ id, terms, status, openedAtMs, fill }: BookedOrder): Payload {
  const { account, legs, type, limitPrice, stopPrice, duration, route } = terms
  return {
    AccountID: account,
    OrderID: id,
    Status: status,
    StatusDescription: DESCRIPTIONS[status],
    Currency: 'USD',
    OrderType: type,
    Routing: route,
    Duration: duration,
    ...(limitPrice === undefined ? {} : { LimitPrice: limitPrice }),
    ...(stopPrice === undefined ? {} : { StopPrice: stopPrice }),
    ...(status === 'REJ' ? { RejectReason: 'EX_INVALID_SYMBOL' } : {}),
    OpenedDateTime: timestamp(openedAtMs),
    ...(fill === undefined ? {} : { ClosedDateTime: timestamp(fill.atMs) }),
    Legs: legs.map(({ Symbol: symbol, Quantity, TradeAction }) => ({
      Symbol: symbol,
      BuyOrSell: isBuy(TradeAction) ? 'Buy' : 'Sell',
      OpenOrClose: /TOCLOSE|TOCOVER|^SELL$/.test(TradeAction) ? 'Close' : 'Open',
      QuantityOrdered: Quantity,
      ExecQuantity: fill === undefined ? '0' : Quantity,
      ExecutionPrice: fill === undefined ? '0' : fill.price.toFixed(2),
      QuantityRemaining: fill === undefined ? Quantity : '0',
      AssetType: symbol.includes(' ') ? 'STOCKOPTION' : 'STOCK',
    })),
    ...SYNTHETIC,
  }
}
