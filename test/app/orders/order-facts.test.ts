import { describe, expect, test } from 'vitest'
import { listedOrderOf, orderFactsOf, orderIdsIn } from '../../../app/orders/order-facts.ts'

const ORDER = {
  AccountID: 'SIM1001',
  Symbol: 'MSFT',
  Quantity: '10',
  OrderType: 'Limit',
  LimitPrice: '100.50',
  TradeAction: 'BUYTOCOVER',
  TimeInForce: { Duration: 'DAY' },
}

const LISTED = {
  OrderID: '1000000001',
  AccountID: 'SIM1001',
  Status: 'OPN',
  OrderType: 'Limit',
  LimitPrice: '100.5',
  OpenedDateTime: '2026-11-26T10:00:00Z',
  Legs: [{ Symbol: 'MSFT', BuyOrSell: 'Buy', QuantityOrdered: '10.0' }],
}

const textOf = (order: object) => orderFactsOf('order', JSON.stringify(order)).texts[0]

describe('a requested order and the listed one', () => {
  test('have one text, whatever the spelling of numbers and the action of a side', () => {
    expect(textOf(ORDER)).toBe(listedOrderOf(LISTED)?.text)
    expect(textOf({ ...ORDER, TradeAction: 'BUY', Quantity: 10 })).toBe(listedOrderOf(LISTED)?.text)
  })

  test.each([
    { AccountID: 'SIM1002' },
    { Symbol: 'AAPL' },
    { Quantity: '100' },
    { TradeAction: 'SELL' },
    { OrderType: 'StopLimit', StopPrice: '1' },
    { LimitPrice: '100.05' },
  ])('differ by %o', (change) => {
    expect(textOf({ ...ORDER, ...change })).not.toBe(listedOrderOf(LISTED)?.text)
  })

  test('have signs, and no text with a price that can’t be read', () => {
    const priced = (LimitPrice: unknown) => textOf({ ...ORDER, LimitPrice })
    const listed = (LimitPrice: unknown) => listedOrderOf({ ...LISTED, LimitPrice })?.text
    expect(priced('-0.50')).toBe(listed('-.5'))
    expect(priced('-0.50')).not.toBe(listed('-1.00'))
    expect(priced('-0.50')).not.toBe(listed('0.5'))
    expect([priced('+0100.'), priced('-0'), priced('0.0')]).toEqual([listed(100), listed(0), listed('.0')])
    for (const unreadable of ['1e3', '-', '.', '1,5', {}]) {
      expect(priced(unreadable)).toBeUndefined()
      expect(listed(unreadable)).not.toBe(priced(''))
    }
    const replace = JSON.stringify({ Quantity: '10', LimitPrice: '1e3' })
    expect(orderFactsOf('replace', replace, '1000000001').texts).toEqual([])
  })

  test('of type Market have no prices', () => {
    const market = { ...ORDER, OrderType: 'Market' }
    const { LimitPrice: _, ...listed } = { ...LISTED, OrderType: 'Market' }
    expect(textOf(market)).toBe(listedOrderOf(listed)?.text)
  })

  test('have legs in any order', () => {
    const legs = [
      { Symbol: 'A', Quantity: '1', TradeAction: 'BUYTOOPEN' },
      { Symbol: 'B', Quantity: '2', TradeAction: 'SELLTOOPEN' },
    ]
    const { Symbol: _, Quantity: __, TradeAction: ___, ...rest } = ORDER
    const listed = {
      ...LISTED,
      Legs: [
        { Symbol: 'B', BuyOrSell: 'Sell', QuantityOrdered: '2' },
        { Symbol: 'A', BuyOrSell: 'Buy', QuantityOrdered: '1' },
      ],
    }
    expect(textOf({ ...rest, Legs: legs })).toBe(listedOrderOf(listed)?.text)
  })

  test('the list shows a replace by every change it has', () => {
    const changed = (change: object) => orderFactsOf('replace', JSON.stringify(change), '1000000001').texts[0]
    const changes = listedOrderOf(LISTED)?.changes
    expect(changes).toContain(changed({ Quantity: '10' }))
    expect(changes).toContain(changed({ LimitPrice: '100.5', OrderType: 'Limit' }))
    expect(changes).not.toContain(changed({ Quantity: '10', LimitPrice: '101' }))
    expect(changes).not.toContain(orderFactsOf('replace', '{"Quantity":"10"}', '2').texts[0])
  })

  test('a blank OrderConfirmID is none', () => {
    const having = (id: unknown) => orderFactsOf('order', JSON.stringify({ ...ORDER, OrderConfirmID: id }))
    for (const id of ['', ' ', '\t\u00a0', null, 7]) expect(having(id).hasConfirmId).toBe(false)
    expect(having('a b').hasConfirmId).toBe(true)
  })

  test('a replace of what no list shows has no text', () => {
    expect(orderFactsOf('replace', '{"TimeInForce":{"Duration":"GTC"}}', '1').texts).toEqual([])
  })
})

describe('OrderConfirmID', () => {
  test('counts in either spelling', () => {
    const facts = orderFactsOf('order', JSON.stringify({ ...ORDER, OrderConfirmId: 'abc' }))
    expect(facts).toMatchObject({ account: 'SIM1001', hasConfirmId: true, confirmIds: ['abc'] })
  })

  test('of a group counts only if each order has one', () => {
    const group = (...orders: object[]) =>
      orderFactsOf('group', JSON.stringify({ Type: 'OCO', Orders: orders }))
    const one = { ...ORDER, OrderConfirmID: 'a' }
    expect(group(one, { ...one, OrderConfirmID: 'b' })).toMatchObject({ hasConfirmId: true })
    expect(group(one, ORDER)).toMatchObject({ hasConfirmId: false })
    expect(group()).toMatchObject({ hasConfirmId: false, texts: [] })
    expect(group(one, ORDER).texts).toHaveLength(2)
    // A lookup reads one account, so a group with orders of two accounts can't be looked up.
    expect(group(one, { ...ORDER, AccountID: 'SIM1002' }).texts).toEqual([])
  })
})

test.each(['', '[]', 'null', '{"Orders":{}}', '{', '"a"'])(
  'a body that is no order has no facts: %s',
  (body) => {
    for (const kind of ['order', 'group', 'replace'] as const)
      expect(orderFactsOf(kind, body, '1')).toMatchObject({ hasConfirmId: false, confirmIds: [], texts: [] })
  },
)

test('an answer names its orders and the failed ones', () => {
  const body = JSON.stringify({
    Orders: [{ OrderID: '1', Message: 'Sent' }, { OrderID: 'a b' }],
    Errors: [{ OrderID: '2' }, { Error: 'x' }, { OrderID: '1' }],
  })
  expect(orderIdsIn(body)).toEqual(['1', '2'])
  expect(orderIdsIn('{"OrderID":"7","Message":"Cancel request sent."}')).toEqual(['7'])
  expect(orderIdsIn('<html>')).toEqual([])
})

test('a listed order without an ID or with hostile members is left out or harmless', () => {
  expect(listedOrderOf({})).toBeUndefined()
  expect(listedOrderOf(null)).toBeUndefined()
  expect(listedOrderOf({ OrderID: '1', Legs: 'x', OpenedDateTime: 'x' })).toMatchObject({ orderId: '1' })
})
