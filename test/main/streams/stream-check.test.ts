import { expect, test } from 'vitest'
import { CURRENT_REQUEST_QUOTAS, SLOT_QUOTAS } from '../../../app/service/categories.ts'
import { streamToCheck } from '../../../main/streams/stream-check.ts'
import { DEPTH, POSITIONS, RATE, SLOTS, setUp } from './scripted-streams.ts'

const KNOWN = { account: 'SIM1001', symbol: 'MSFT' }

test('every stream category can be checked, or the error says that a person has to name the target', () => {
  const categories = [...CURRENT_REQUEST_QUOTAS, ...SLOT_QUOTAS].map(({ category }) => category)
  for (const category of categories) {
    const request = streamToCheck(category, KNOWN)
    expect(request !== undefined, category).toBe(category.includes('Stream'))
  }
  expect(streamToCheck('Option Quote Stream', KNOWN)).toBe('no-target')
  expect(streamToCheck('Positions Stream', { ...KNOWN, account: undefined })).toBe('no-account')
})

test('a check opens one stream, reads its headers, and frees its slot', async () => {
  const { clock, http, streams, slots, service, own, kinds } = setUp()
  const look = streams.look(POSITIONS)
  await clock.advance(0)
  expect(own('Positions Stream')).toBe(1)
  service.opens({ 'x-concurrency-limit': '40', 'x-concurrency-remaining': '36' })
  expect(await look).toEqual({ ok: true })
  expect(http.streams.map(({ closed }) => closed)).toEqual([true])
  expect(slots.view().find(({ category }) => category === 'Positions Stream')).toMatchObject({
    own: 0,
    elsewhere: 3,
    free: 37,
    source: 'header',
  })
  expect(streams.summaries()).toEqual([])
  expect(kinds()).toEqual([])
  await clock.advance(3_600_000)
  expect(http.streams.length).toBe(1)
})

test('a check that waits for a token opens nothing after a revocation', async () => {
  const { clock, http, streams, state } = setUp()
  const look = streams.look(POSITIONS)
  state.access = { kind: 'none', why: 'revoke-unconfirmed' }
  await clock.advance(0)
  expect(http.streams).toEqual([])
  expect(await look).toMatchObject({ ok: false })
})

test('without a free slot nothing is opened', async () => {
  const { http, streams, slots } = setUp()
  for (let taken = 0; taken < 40; taken += 1) slots.taken('Positions Stream')
  expect(await streams.look(POSITIONS)).toMatchObject({ ok: false, code: 'no-slot' })
  expect(http.streams).toEqual([])
})

test('nothing is opened in a paused category, and the error says when it can be', async () => {
  const { clock, http, streams, ledger } = setUp()
  const untilMs = clock.worldMs() + 30_000
  ledger.hold('MarketDepth Stream', { untilMs, refusals: 1 })
  expect(await streams.look(DEPTH)).toMatchObject({ ok: false, code: 'held', retryAt: untilMs })
  expect(http.streams).toEqual([])
})

test.each([
  [429, SLOTS, 'no-slot'],
  [429, RATE, 'held'],
  [503, '', 'no-headers'],
])('a rejection of %d %s is no success, and uses no slot', async (status, body, code) => {
  const { clock, streams, service, own } = setUp()
  const look = streams.look(POSITIONS)
  await clock.advance(0)
  service.refuses(status, body)
  expect(await look).toMatchObject({ ok: false, code })
  expect(own('Positions Stream')).toBe(0)
})

test('a connection that fails before a response is unreachable, and uses no slot', async () => {
  const { clock, streams, service, own, state } = setUp()
  const look = streams.look(POSITIONS)
  await clock.advance(0)
  service.ends()
  expect(await look).toMatchObject({ ok: false, code: 'unreachable' })
  expect(own('Positions Stream')).toBe(0)
  state.access = { kind: 'none', why: 'revoked' }
  expect(await streams.look(POSITIONS)).toMatchObject({ ok: false, code: 'cannot-ask' })
})
