import { expect, test } from 'vitest'
import { type HashedOrder, type RecognisedBy, recognise } from '../../../app/orders/recognition.ts'

const SENT_MS = 1_000_000

const entry = (changed: Partial<RecognisedBy> = {}): RecognisedBy => ({
  id: '1',
  kind: 'order',
  atMs: SENT_MS,
  outcome: 'looking',
  hashes: ['h'],
  similarHashes: ['s'],
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
    similar: new Set(),
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
  expect(recognised(entry(), [listed('8', { hash: 'x' })]).kind).toBe('absent')
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

test('an equal order that opened just before is unclear, one long before or after is not looked at', () => {
  expect(recognised(entry(), [listed('7', { openedAtMs: SENT_MS - 5_000 })]).kind).toBe('found')
  expect(recognised(entry(), [listed('7', { openedAtMs: SENT_MS - 5_001 })]).kind).toBe('unclear')
  expect(recognised(entry(), [listed('7', { openedAtMs: SENT_MS - 300_001 })]).kind).toBe('absent')
  expect(recognised(entry(), [listed('7', { openedAtMs: SENT_MS + 300_001 })]).kind).toBe('absent')
})

test('an order of the same symbol and side could be it, replaced meanwhile', () => {
  const similar = { hash: 'x', similar: new Set(['s']) }
  const kindAt = (openedAtMs: number) => recognised(entry(), [listed('7', { ...similar, openedAtMs })]).kind
  expect([kindAt(SENT_MS - 5_001), kindAt(SENT_MS - 5_000)]).toEqual(['absent', 'unclear'])
  expect([kindAt(SENT_MS + 300_000), kindAt(SENT_MS + 300_001)]).toEqual(['unclear', 'absent'])
  expect(recognised(entry(), [listed('7', similar), listed('8')])).toEqual({ kind: 'found', orderIds: ['8'] })
  const answered = entry({ id: '2', outcome: 'answered', orderIds: ['7'] })
  expect(recognised(entry(), [listed('7', similar)], [answered]).kind).toBe('absent')
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
