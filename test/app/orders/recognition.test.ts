import { describe, expect, test } from 'vitest'
import { LOOKUP_MS } from '../../../app/contract/orders.ts'
import { DAY_MS } from '../../../app/contract/units.ts'
import {
  type HashedOrder,
  LOOKUP_AT_MS,
  nextLookupMs,
  type RecognisedBy,
  recognise,
} from '../../../app/orders/recognition.ts'

const SENT_MS = 100 * DAY_MS

const entry = (changed: Partial<RecognisedBy> = {}): RecognisedBy => ({
  id: '1',
  kind: 'order',
  atMs: SENT_MS,
  accountEnding: '001',
  outcome: 'looking',
  hashes: ['h'],
  confirmHashes: [],
  orderIds: [],
  ...changed,
})

const listed = (orderId: string, changed: Partial<HashedOrder> & { hash?: string } = {}): HashedOrder => {
  const { hash = 'h', ...rest } = changed
  return {
    orderId,
    isCancelled: false,
    openedAtMs: SENT_MS,
    hashes: new Set([hash]),
    accountEnding: '001',
    changes: new Set(),
    ...rest,
  }
}

const recognised = (one: RecognisedBy, list: readonly HashedOrder[], others: readonly RecognisedBy[] = []) =>
  recognise(one, list, [one, ...others])

test('the only equal order is found', () => {
  expect(recognised(entry(), [listed('7'), listed('8', { hash: 'x' })])).toEqual({
    kind: 'found',
    orderIds: ['7'],
  })
})

test('no equal order is absent, two are unclear', () => {
  const former = listed('8', { hash: 'x', openedAtMs: SENT_MS - DAY_MS - 1 })
  expect(recognised(entry(), [former]).kind).toBe('absent')
  expect(recognised(entry(), [listed('7'), listed('8')]).kind).toBe('unclear')
})

test('an order that the journal knows is not found again', () => {
  const answered = entry({ id: '2', outcome: 'answered', orderIds: ['7'] })
  expect(recognised(entry(), [listed('7')], [answered]).kind).toBe('absent')
  expect(recognised(entry(), [listed('7'), listed('8')], [answered])).toEqual({
    kind: 'found',
    orderIds: ['8'],
  })
})

test('a cancel of the order does not make it known', () => {
  const cancel = entry({ id: '2', kind: 'cancel', outcome: 'answered', orderIds: ['7'] })
  expect(recognised(entry(), [listed('7')], [cancel]).kind).toBe('found')
})

test('an order sent again with its OrderConfirmID is the same order', () => {
  const again = entry({ id: '2', outcome: 'answered', orderIds: ['7'], confirmHashes: ['c'] })
  expect(recognised(entry({ confirmHashes: ['c'] }), [listed('7')], [again])).toEqual({
    kind: 'found',
    orderIds: ['7'],
  })
})

test.each(['sent', 'looking', 'ambiguous'] as const)('an equal order that is %s could be it', (outcome) => {
  expect(recognised(entry(), [listed('7')], [entry({ id: '2', outcome })]).kind).toBe('unclear')
})

test('an equal order that was not found, or long ago, could not', () => {
  expect(recognised(entry(), [listed('7')], [entry({ id: '2', outcome: 'not-found' })]).kind).toBe('found')
  const earlier = entry({ id: '2', atMs: SENT_MS - 300_001 })
  expect(recognised(entry(), [listed('7')], [earlier]).kind).toBe('found')
})

test('an equal order that opened just before is unclear, or long before or after', () => {
  expect(recognised(entry(), [listed('7', { openedAtMs: SENT_MS - 5_000 })]).kind).toBe('found')
  expect(recognised(entry(), [listed('7', { openedAtMs: SENT_MS - 5_001 })]).kind).toBe('unclear')
  expect(recognised(entry(), [listed('7', { openedAtMs: SENT_MS - 300_001 })]).kind).toBe('unclear')
  expect(recognised(entry(), [listed('7', { openedAtMs: SENT_MS + 300_001 })]).kind).toBe('unclear')
})

describe('an order is absent only if each listed one is certainly another', () => {
  const other = (changed: Partial<HashedOrder> = {}) => listed('7', { hash: 'x', ...changed })
  const { openedAtMs: _, ...undated } = other()
  const { accountEnding: __, ...ofNoAccount } = other()

  test.each<[string, HashedOrder]>([
    ['of unknown terms', other()],
    ['opened a day before', other({ openedAtMs: SENT_MS - DAY_MS })],
    ['opened at any later time', other({ openedAtMs: SENT_MS + 9 * DAY_MS })],
    ['without a time', undated],
    ['without an account', ofNoAccount],
    ['with an account in other letters', other({ accountEnding: 'A1b' })],
  ])('one %s could be it', (_name, one) => {
    expect(recognised(entry({ accountEnding: one.accountEnding?.toUpperCase() ?? '001' }), [one]).kind).toBe(
      'unclear',
    )
  })

  test.each([
    ['of another account', other({ accountEnding: '002' })],
    ['opened more than a day before', other({ openedAtMs: SENT_MS - DAY_MS - 1 })],
  ])('one %s is another', (_name, one) => {
    expect(recognised(entry(), [one]).kind).toBe('absent')
  })

  test('one that the journal knows by its ID is another', () => {
    const answered = entry({ id: '2', outcome: 'answered', hashes: ['x'], orderIds: ['7'] })
    expect(recognised(entry(), [other()], [answered]).kind).toBe('absent')
    expect(recognised(entry(), [other(), listed('8')])).toEqual({ kind: 'found', orderIds: ['8'] })
  })
})

test('an order without an outcome could be equal if its hash has another key', () => {
  const rival = entry({ id: '2', hashes: ['key2.x'] })
  const list = [listed('7', { hash: 'key1.h' })]
  expect(recognised(entry({ hashes: ['key1.h'] }), list, [rival]).kind).toBe('unclear')
  expect(recognised(entry({ hashes: ['key1.h'] }), list, [{ ...rival, hashes: ['key1.x'] }]).kind).toBe(
    'found',
  )
})

test('a group is found if each of its orders is', () => {
  const group = entry({ kind: 'group', hashes: ['h', 'i', 'h'] })
  const list = [listed('1'), listed('2', { hash: 'i' }), listed('3')]
  expect(recognised(group, list)).toEqual({ kind: 'found', orderIds: ['1', '3', '2'] })
  expect(recognised(group, list.slice(1)).kind).toBe('unclear')
  expect(recognised(group, []).kind).toBe('absent')
})

test('a cancel is found once the list shows its order as cancelled', () => {
  const cancel = entry({ kind: 'cancel', hashes: [], orderIds: ['7'] })
  expect(recognised(cancel, [listed('7')]).kind).toBe('unclear')
  expect(recognised(cancel, [listed('8', { isCancelled: true })]).kind).toBe('unclear')
  expect(recognised(cancel, [listed('7', { isCancelled: true })])).toEqual({
    kind: 'found',
    orderIds: ['7'],
  })
})

test('a replace is found once the list shows its change', () => {
  const replace = entry({ kind: 'replace', hashes: ['c'], orderIds: ['7'] })
  expect(recognised(replace, [listed('7')]).kind).toBe('unclear')
  expect(recognised(replace, [listed('7', { changes: new Set(['c']) })]).kind).toBe('found')
})

test('an order without a hash can’t be recognised', () => {
  expect(recognised(entry({ hashes: [] }), []).kind).toBe('unclear')
})

test('lookups follow their schedule, then repeat', () => {
  const times: number[] = []
  let atMs: number | undefined
  for (let n = 0; n < LOOKUP_AT_MS.length + 2; n += 1) {
    atMs = nextLookupMs(atMs)
    times.push(atMs)
  }
  expect(times).toEqual([...LOOKUP_AT_MS, LOOKUP_MS + 30_000, LOOKUP_MS + 60_000])
})
