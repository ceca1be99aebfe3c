import { describe, expect, test } from 'vitest'
import { OrderBook, WORKED_AFTER_MS } from '../../../../main/simulator/rules/order-book.ts'
import {
  type BodyRead,
  readChange,
  readGroup,
  readOrder,
} from '../../../../main/simulator/rules/order-terms.ts'
import { priceOf } from '../../../../main/simulator/rules/payloads-market.ts'
import { orderBody as body } from '../simulated.ts'

const SEED = 1
const AT_MS = Date.UTC(2026, 2, 2, 15)
const UNCHANGED = {
  quantity: undefined,
  type: undefined,
  limitPrice: undefined,
  stopPrice: undefined,
  duration: undefined,
}
const WORKED_MS = AT_MS + WORKED_AFTER_MS
const PRICE = priceOf(SEED, 'MSFT', WORKED_MS)

const resting = { OrderType: 'Limit', LimitPrice: '0.01' }

function read<T>(result: BodyRead<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}
const order = (fields?: object) => read(readOrder(JSON.stringify(body(fields))))
const group = (type: string, orders: readonly object[]) =>
  read(readGroup(JSON.stringify({ Type: type, Orders: orders.map((one) => body(one)) })))
const change = (fields: object) => read(readChange(JSON.stringify(fields)))

function booked() {
  const book = new OrderBook(SEED)
  const place = (plan: ReturnType<typeof order>, atMs = AT_MS) => book.place(plan, atMs).map(({ id }) => id)
  const statuses = (ids: readonly string[], atMs: number) =>
    book.named('SIM1001', ids, atMs).map(({ Status }) => Status)
  return { book, place, statuses }
}

describe('an order', () => {
  test.each([
    ['a market order', {}, 'FLL'],
    ['a buy limit at the price', { OrderType: 'Limit', LimitPrice: PRICE.toFixed(6) }, 'FLL'],
    ['a buy limit below it', { OrderType: 'Limit', LimitPrice: (PRICE - 0.01).toFixed(2) }, 'OPN'],
    [
      'a sell limit above it',
      { TradeAction: 'SELL', OrderType: 'Limit', LimitPrice: (PRICE + 0.01).toFixed(2) },
      'OPN',
    ],
    [
      'a sell limit below it',
      { TradeAction: 'SELL', OrderType: 'Limit', LimitPrice: (PRICE - 0.01).toFixed(2) },
      'FLL',
    ],
    ['a stop order', { OrderType: 'StopMarket', StopPrice: '1' }, 'OPN'],
    ['an immediate limit out of reach', { ...resting, TimeInForce: { Duration: 'IOC' } }, 'CAN'],
  ])('%s is received at once, and after a second %j makes it %s', (_, fields, status) => {
    const { place, statuses } = booked()
    const ids = place(order(fields))
    expect(statuses(ids, WORKED_MS - 1)).toEqual(['ACK'])
    expect(statuses(ids, WORKED_MS)).toEqual([status])
  })

  test('of an unknown symbol is rejected at once and stays in the book', () => {
    const { book, statuses } = booked()
    const [placed] = book.place(order({ Symbol: 'NOPE' }), AT_MS)
    expect(placed).toMatchObject({ isRejected: true, isRepeated: false })
    expect(statuses([placed?.id ?? ''], WORKED_MS)).toEqual(['REJ'])
  })

  test('replaced by another type leaves the price of its former type', () => {
    const { book, place } = booked()
    const [id = ''] = place(order({ OrderType: 'Limit', LimitPrice: '0.01' }))
    expect(book.replace(id, { ...UNCHANGED, type: 'Market' }, AT_MS)).toBe('changed')
    expect(book.ordersOf('SIM1001', AT_MS)[0]).not.toHaveProperty('LimitPrice')
    expect(book.replace(id, { ...UNCHANGED, type: 'Limit' }, AT_MS)).toBe('price-missing')
  })

  test('is in the list of its account only, the newest first', () => {
    const { book, place } = booked()
    const [first, second] = [...place(order()), ...place(order())]
    expect(book.ordersOf('SIM1001', AT_MS).map(({ OrderID }) => OrderID)).toEqual([second, first])
    expect(book.ordersOf('SIM1002', AT_MS)).toEqual([])
    expect(book.named('SIM1002', [first ?? ''], AT_MS)).toEqual([])
  })

  test('with a used OrderConfirmID is the first one again, also in a group', () => {
    const { book, place } = booked()
    const [first] = place(order({ OrderConfirmID: 'A' }))
    expect(book.place(order({ OrderConfirmId: 'A', Quantity: '99' }), AT_MS)).toMatchObject([
      { id: first, isRepeated: true, isRejected: false },
    ])
    const placed = book.place(group('NORMAL', [{ OrderConfirmID: 'A' }, { OrderConfirmID: 'B' }]), AT_MS)
    expect(placed.map(({ isRepeated }) => isRepeated)).toEqual([true, false])
    expect(book.ordersOf('SIM1001', AT_MS)).toHaveLength(2)
  })
})

describe('a replace', () => {
  test('changes the terms, and the order is worked again from then', () => {
    const { book, place, statuses } = booked()
    const [id = ''] = place(order(resting))
    const laterMs = WORKED_MS + 5000
    expect(book.replace(id, change({ Quantity: '7', OrderType: 'Market' }), laterMs)).toBe('changed')
    expect(statuses([id], laterMs)).toEqual(['ACK'])
    expect(book.named('SIM1001', [id], laterMs + WORKED_AFTER_MS)).toMatchObject([
      { Status: 'FLL', OrderType: 'Market', Legs: [{ QuantityOrdered: '7', ExecQuantity: '7' }] },
    ])
  })

  test('is refused for a filled order, an unknown one, and a type whose price is missing', () => {
    const { book, place } = booked()
    const [filled = '', rests = ''] = [...place(order()), ...place(order(resting))]
    expect(book.replace(filled, change({ Quantity: '7' }), WORKED_MS)).toBe('closed')
    expect(book.replace('1', change({ Quantity: '7' }), WORKED_MS)).toBe('unknown')
    expect(book.replace(rests, change({ OrderType: 'StopLimit' }), WORKED_MS)).toBe('price-missing')
    expect(book.named('SIM1001', [rests], WORKED_MS)).toMatchObject([{ OrderType: 'Limit', Status: 'OPN' }])
  })
})

describe('a cancel', () => {
  test('ends an order before its fill, once', () => {
    const { book, place, statuses } = booked()
    const [id = ''] = place(order())
    expect(book.cancel(id, WORKED_MS - 1)).toBe('changed')
    expect(book.cancel(id, WORKED_MS - 1)).toBe('closed')
    expect(statuses([id], WORKED_MS + 60_000)).toEqual(['CAN'])
  })

  test('of a filled or an unknown order changes nothing', () => {
    const { book, place, statuses } = booked()
    const [id = ''] = place(order())
    expect(book.cancel(id, WORKED_MS)).toBe('closed')
    expect(book.cancel('1', WORKED_MS)).toBe('unknown')
    expect(statuses([id], WORKED_MS)).toEqual(['FLL'])
  })
})

describe('a group', () => {
  test.each(['OCO', 'BRK'])('%s: the first fill cancels the others', (type) => {
    const { place, statuses } = booked()
    expect(statuses(place(group(type, [resting, {}, resting])), WORKED_MS)).toEqual(['CAN', 'FLL', 'CAN'])
  })

  test('NORMAL: each order is for itself', () => {
    const { place, statuses } = booked()
    expect(statuses(place(group('NORMAL', [resting, {}])), WORKED_MS)).toEqual(['OPN', 'FLL'])
  })

  test('a rejected order of an OCO group leaves the others', () => {
    const { place, statuses } = booked()
    expect(statuses(place(group('OCO', [{ Symbol: 'NOPE' }, resting])), WORKED_MS)).toEqual(['REJ', 'OPN'])
  })
})

describe('followers (OSOs)', () => {
  const following = { OSOs: [{ Type: 'OCO', Orders: [body(), body(resting)] }] }

  test('wait for the fill and are then worked', () => {
    const { place, statuses } = booked()
    const ids = place(order(following))
    expect(statuses(ids, WORKED_MS - 1)).toEqual(['ACK', 'DON', 'DON'])
    expect(statuses(ids, WORKED_MS)).toEqual(['FLL', 'ACK', 'ACK'])
    expect(statuses(ids, WORKED_MS + WORKED_AFTER_MS)).toEqual(['FLL', 'FLL', 'CAN'])
  })

  test('are cancelled with the order, and with a rejected one', () => {
    const { book, place, statuses } = booked()
    const ids = place(order({ ...resting, ...following }))
    book.cancel(ids[0] ?? '', WORKED_MS)
    expect(statuses(ids, WORKED_MS)).toEqual(['CAN', 'CAN', 'CAN'])
    expect(statuses(place(order({ Symbol: 'NOPE', ...following })), AT_MS)).toEqual(['REJ', 'CAN', 'CAN'])
  })
})

describe('changes', () => {
  test('give a reader what happened after it began, once and in order', () => {
    const { book, place } = booked()
    place(order())
    const changes = book.changes(AT_MS, (account) => account === 'SIM1001')
    const taken = (atMs: number) => changes.take(atMs).map(({ Status }) => Status)
    expect(changes.nextMs()).toBe(WORKED_MS)
    const [id = ''] = place(order(resting), AT_MS)
    expect(changes.nextMs()).toBe(AT_MS)
    expect(taken(AT_MS)).toEqual(['ACK'])
    expect(taken(AT_MS)).toEqual([])
    expect(taken(WORKED_MS)).toEqual(['FLL', 'OPN'])
    book.cancel(id, WORKED_MS + 1)
    expect(taken(WORKED_MS + 1)).toEqual(['CAN'])
    expect(changes.nextMs()).toBeUndefined()
  })

  test('leave out other accounts', () => {
    const { book, place } = booked()
    const changes = book.changes(AT_MS, (account) => account === 'SIM1002')
    place(order())
    expect(changes.take(WORKED_MS)).toEqual([])
  })
})

describe('a body', () => {
  test.each([
    ['{', 'The body must be JSON.'],
    ['[]', 'The body must be a JSON object.'],
    [JSON.stringify(body({ AccountID: 'SIM9' })), 'AccountID is missing or invalid.'],
    [JSON.stringify(body({ Quantity: 10 })), 'Quantity is missing or invalid.'],
    [JSON.stringify(body({ Quantity: '0' })), 'Quantity is missing or invalid.'],
    [JSON.stringify(body({ TradeAction: 'HOLD' })), 'TradeAction is missing or invalid.'],
    [JSON.stringify(body({ TimeInForce: {} })), 'TimeInForce.Duration is missing or invalid.'],
    [JSON.stringify(body({ Symbol: undefined })), 'Symbol is missing or invalid.'],
    [JSON.stringify(body({ OrderType: 'Limit' })), 'LimitPrice is missing or invalid.'],
    [JSON.stringify(body({ OrderType: 'StopLimit', LimitPrice: '1' })), 'StopPrice is missing or invalid.'],
  ])('%s is answered by %s', (text, message) => {
    expect(readOrder(text)).toEqual({ ok: false, message })
  })

  test('of an order with legs needs no symbol of its own', () => {
    const legs = [{ Symbol: 'MSFT 260320C400', Quantity: '1', TradeAction: 'BUYTOOPEN' }]
    const spread = { Symbol: undefined, Quantity: undefined, TradeAction: undefined, Legs: legs }
    expect(order(spread).orders[0]?.terms.legs).toEqual(legs)
  })

  test('of a group needs a type and an order; of a replace, a term', () => {
    expect(readGroup(JSON.stringify({ Type: 'ALL', Orders: [body()] })).ok).toBe(false)
    expect(readGroup(JSON.stringify({ Type: 'OCO', Orders: [] })).ok).toBe(false)
    expect(readChange('{}')).toEqual({ ok: false, message: 'Name a term to change, such as Quantity.' })
    expect(readChange('{"LimitPrice":"1.5"}').ok).toBe(true)
  })
})
