import { expect, test } from 'vitest'
import {
  CATEGORIES,
  CURRENT_REQUEST_QUOTAS,
  EARLIER_REQUEST_QUOTAS,
  SLOT_QUOTAS,
} from '../../../app/service/categories.ts'
import { sourcesOf, textOf } from '../source-comments.ts'

const asRows = (quotas: readonly { category: string; limit: number; periodSeconds: number }[]) =>
  Object.fromEntries(quotas.map((quota) => [quota.category, [quota.limit, quota.periodSeconds]]))

const unchanged = {
  'Quote Change Stream': [500, 300],
  'Barchart Stream': [500, 300],
  'TickBar Stream': [500, 300],
  'Option Expirations': [90, 60],
  'Option Strikes': [90, 60],
  'Option Spread Types': [90, 60],
  'Option Risk Reward': [90, 60],
  'MarketDepth Stream': [30, 60],
}

test('the current table is that of service 8.2', () => {
  expect(asRows(CURRENT_REQUEST_QUOTAS)).toEqual({
    Accounts: [320, 300],
    'Order Details': [320, 300],
    Balances: [320, 300],
    Positions: [320, 300],
    'Quote Snapshot': [500, 300],
    ...unchanged,
  })
})

test('the earlier statement differs in five rows and no other', () => {
  expect(asRows(EARLIER_REQUEST_QUOTAS)).toEqual({
    Accounts: [250, 300],
    'Order Details': [250, 300],
    Balances: [250, 300],
    Positions: [250, 300],
    'Quote Snapshot': [30, 60],
    ...unchanged,
  })
})

test('the concurrent rows are those of service 8.2', () => {
  expect(Object.fromEntries(SLOT_QUOTAS.map((quota) => [quota.category, quota.limit]))).toEqual({
    'MarketDepth Stream': 10,
    'Option Quote Stream': 10,
    'Option Chain Stream': 10,
    'Order Stream': 40,
    'Order Stream by Order Id': 40,
    'Positions Stream': 40,
  })
})

test('only the table and the simulator name a category of requests, so that a new one is two edits', () => {
  // Names of one word, such as Positions, are left out, because they have other meanings too.
  const names = CATEGORIES.map(({ name }) => name).filter(
    (name) => name.includes(' ') && !name.includes('Stream'),
  )
  const naming = ['app', 'main', 'renderer']
    .flatMap(sourcesOf)
    .filter((path) => !path.startsWith('main/simulator/'))
    .filter((path) => names.some((name) => textOf(path).includes(`'${name}'`)))
  expect(naming).toEqual(['app/service/categories.ts'])
})
