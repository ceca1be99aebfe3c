import { describe, expect, test } from 'vitest'
import { orderFactsOf } from '../../../app/orders/order-facts.ts'
import { LOOKUP_AT_MS } from '../../../app/orders/recognition.ts'
import type { HashedEntry } from '../../../main/orders/journal-file.ts'
import { Lookups, type Resolution } from '../../../main/orders/lookups.ts'
import { OrderHashes } from '../../../main/orders/order-hashes.ts'
import { readOrderList } from '../../../main/orders/order-list.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { ORDER } from './order-gateway.ts'

const KEY = Buffer.from('of this run')

/** The orders of the account, those of today and those of former days. */
type Read = (path: string) => readonly unknown[]

/** What the lookups conclude about an order whose hashes have this key, from these orders of its account. */
async function concluded(
  key: Uint8Array,
  listed: readonly unknown[] | Read,
): Promise<Resolution | undefined> {
  return (await lookedUp(key, typeof listed === 'function' ? listed : () => listed)).resolution
}

async function lookedUp(key: Uint8Array, read: Read) {
  const clock = new VirtualClock()
  const made = new OrderHashes(() => [], key)
  const { texts } = orderFactsOf('order', JSON.stringify(ORDER))
  const entry: HashedEntry = {
    ...{ id: 'a', profile: 'key-1', atMs: clock.wallMs(), program: 'bot', method: 'POST', kind: 'order' },
    ...{ accountEnding: '001', orderIds: [], outcome: 'looking', isDismissed: false },
    hashes: texts.map((text) => made.of(text)),
    confirmHashes: [],
  }
  let resolution: Resolution | undefined
  const resolved: number[] = []
  const defects: unknown[] = []
  const lookups = new Lookups({
    clock,
    hashes: new OrderHashes(() => [], KEY),
    read: async (_, path) =>
      JSON.stringify(
        path.endsWith('/accounts') ? { Accounts: [{ AccountID: 'SIM1001' }] } : { Orders: read(path) },
      ),
    isOfFormerKey: () => false,
    entries: () => [entry],
    resolved: (ended) => {
      resolved.push(ended.length)
      resolution = ended[0]?.resolution
    },
    defect: (cause) => defects.push(cause),
  })
  lookups.add(entry)
  for (const id of ['b', 'c']) lookups.add({ ...entry, id })
  await clock.advance(61_000)
  lookups.stop()
  return { resolution, resolved, defects }
}

const FORMER = { OrderID: '1', AccountID: 'SIM1001', OpenedDateTime: '2001-01-01T00:00:00Z' }

describe('after 60 s an order is not found only if that is certain', () => {
  test('no listed order could be it', async () => {
    expect(await concluded(KEY, [])).toEqual({ state: 'not-found' })
    expect(await concluded(KEY, [FORMER])).toEqual({ state: 'not-found' })
  })

  test('made with a lost key, its hashes equal no others', async () => {
    expect(await concluded(Buffer.from('of a former run'), [])).toEqual({ state: 'ambiguous' })
  })

  test.each([
    ['can’t be read', { ...FORMER, OrderID: 1 }],
    ['is no object', 'x'],
    ['opened later', { ...FORMER, OpenedDateTime: '2100-01-01T00:00:00Z' }],
  ])('a listed order that %s could be it', async (_, order) => {
    expect(await concluded(KEY, [FORMER, order])).toEqual({ state: 'ambiguous' })
  })
})

test('after 60 s an order is also looked for in the list of former days: the service’s day may have changed', async () => {
  const order = {
    ...{ OrderID: '2', AccountID: 'SIM1001', OrderType: 'Market' },
    Legs: [{ Symbol: 'MSFT', BuyOrSell: 'Buy', QuantityOrdered: '10' }],
  }
  const isFormer = (path: string) => path.includes('historicalorders')
  const found = await concluded(KEY, (path) => (isFormer(path) ? [order] : []))
  expect(found).toEqual({ state: 'found', orderIds: ['2'] })
})

test('a list whose pages lead back to an earlier page proves nothing, and is not read further', async () => {
  const tokens = ['a', 'b', 'a']
  const read: string[] = []
  const list = await readOrderList(
    'key-1',
    { accountEndings: ['001'], sinceMs: 0, nowMs: 0, isLast: true },
    async (_, path) => {
      read.push(path)
      if (path.endsWith('/accounts')) return JSON.stringify({ Accounts: [{ AccountID: 'SIM1001' }] })
      return JSON.stringify({ Orders: [], NextToken: tokens[(read.length - 2) % tokens.length] })
    },
  )
  expect(list).toBeUndefined()
  expect(read).toHaveLength(4)
})

test('a lookup ends all its orders at once, so that they are written with one flush', async () => {
  expect((await lookedUp(KEY, () => [])).resolved).toEqual([3])
})

test('a lookup that fails is repeated in its time, not at once', async () => {
  const { defects, resolution } = await lookedUp(KEY, () => {
    throw new Error('a bug')
  })
  expect(defects).toHaveLength(LOOKUP_AT_MS.length)
  expect(resolution).toBeUndefined()
})
