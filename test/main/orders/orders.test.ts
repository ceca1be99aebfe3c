import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { showTimesIn } from '../../../app/status/moments.ts'
import { type HashedEntry, openJournalFile } from '../../../main/orders/journal-file.ts'
import { Orders } from '../../../main/orders/orders.ts'
import { PATIENT } from '../../patient.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { ORDER, ORDERS, startOrderGateway } from './order-gateway.ts'

test('an order passes once, byte for byte, and is in the journal', async () => {
  const { add, send, service, orders } = await startOrderGateway()
  const body = ` ${JSON.stringify(ORDER)}\n`
  const answer = await send('POST', `${ORDERS}?a=1`, add('bot'), body)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('proxy-status')).toBe('headroom; received-status=200')
  const { Orders: placed } = await answer.json()
  const arrivals = service.service.orders.ledger.arrivals()
  expect(arrivals).toHaveLength(1)
  const [entry] = await vi.waitFor(() => {
    const entries = orders.entries(0, Date.now())
    expect(entries?.[0]?.outcome).toBe('answered')
    return entries ?? []
  }, PATIENT)
  expect(entry).toMatchObject({
    program: 'bot',
    method: 'POST',
    kind: 'order',
    accountEnding: '001',
    status: 200,
    orderIds: [placed[0].OrderID],
  })
  expect(orders.summary('key-1')).toMatchObject({ state: 'on', today: 1, unknown: [] })
})

test('while orders are off, nothing passes, and no journal is created', async () => {
  const { add, send, service, orders, dataFolder } = await startOrderGateway({}, { state: 'off' })
  const answer = await send('POST', ORDERS, add('bot'), ORDER)
  expect([answer.status, await answer.json()]).toEqual([
    403,
    expect.objectContaining({
      detail: 'Headroom forwards reads, but not orders. To allow orders, run headroom orders allow.',
    }),
  ])
  expect(service.service.orders.ledger.total()).toBe(0)
  expect(existsSync(join(dataFolder, 'orders.db'))).toBe(false)
  expect(orders.summary('key-1')).toEqual({ state: 'off', today: 0, unknown: [] })
})

/** The data folder of a run that ended before its order got a response, or with another outcome. */
function endedEarly({
  atMs = Date.now(),
  keyMark = 'key',
  outcome = 'sent',
}: Partial<Pick<HashedEntry, 'atMs' | 'keyMark' | 'outcome'>> = {}): string {
  const dataFolder = temporaryFolder()
  const opening = openJournalFile(dataFolder, atMs)
  if (opening.kind === 'failed') throw new Error(opening.failure)
  opening.file.insert({
    ...{ id: 'former', profile: 'key-1', atMs, program: 'bot', method: 'POST', kind: 'order' },
    ...{ accountEnding: '001', orderIds: [], outcome: 'sent', isDismissed: false },
    ...{ hashes: ['h'], confirmHashes: [], keyMark },
  })
  opening.file.settle('former', { outcome })
  opening.file.close()
  return dataFolder
}

/** Locks the journal of a data folder until the result is called. */
function locked(dataFolder: string): () => void {
  const other = new DatabaseSync(join(dataFolder, 'orders.db'))
  other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  return () => other.close()
}

test('a journal that is locked during the start delivers its unknown outcomes later', async () => {
  const dataFolder = endedEarly({ keyMark: 'simulator' })
  const unlock = locked(dataFolder)
  const { add, send, orders, events } = await startOrderGateway({ dataFolder })
  expect(orders.summary('key-1')).toMatchObject({ state: 'failed', today: 0, unknown: [] })
  unlock()
  // The order that opens the journal is not from an earlier run.
  expect((await send('POST', ORDERS, add('bot'), ORDER)).status).toBe(200)
  expect(events.filter(({ kind }) => kind === 'order-unknown')).toEqual([
    { kind: 'order-unknown', id: 'former', program: 'bot' },
  ])
  expect(orders.summary('key-1')).toMatchObject({ state: 'on', today: 2, unknown: [{ id: 'former' }] })
})

test.each(['sent', 'answered'] as const)(
  'with a journal that is locked during the start, an order of the last minute counts later: %s',
  async (outcome) => {
    const dataFolder = endedEarly({ outcome })
    const unlock = locked(dataFolder)
    const { add, send, service } = await startOrderGateway({ dataFolder }, { max: 1 })
    unlock()
    expect((await send('POST', ORDERS, add('bot'), ORDER)).status).toBe(429)
    expect((await send('POST', ORDERS, add('other'), ORDER)).status).toBe(200)
    expect(service.service.orders.ledger.total()).toBe(1)
  },
)

/** Starts again with the orders in a data folder. The order list of the key can't be read. */
function startedOn(dataFolder: string, state: 'off' | 'stopped' | 'on' = 'on', keyMark = 'key') {
  const clock = new VirtualClock()
  const reads: string[] = []
  const orders = new Orders({
    switch: { state: () => state, maxPerMinute: () => undefined },
    profiles: () => ['key-1'],
    keyMark: () => keyMark,
    dataFolder,
    hashKeys: () => [],
    read: async (_, path) => {
      reads.push(path)
      return undefined
    },
    clock,
    log: { note: () => {} },
    randomBytes,
    listener: { changed: () => {}, event: () => {} },
    problem: () => {},
  })
  onTestFinished(() => orders.stop())
  return { orders, clock, reads }
}

test.each(['off', 'stopped', 'on'] as const)(
  'while orders are %s, an unknown outcome of an earlier run is shown and looked up',
  async (state) => {
    const { orders, clock, reads } = startedOn(endedEarly(), state)
    const unknown = [expect.objectContaining({ id: 'former', state: 'looking' })]
    expect(orders.summary('key-1')).toMatchObject({ state, unknown })
    await clock.advance(1_000)
    expect(reads).toEqual(['/v3/brokerage/accounts'])
  },
)

test('a key with the id of a former one neither looks up nor counts the orders of that one', async () => {
  const { orders, clock, reads } = startedOn(endedEarly(), 'on', 'another key')
  const shown = () => orders.summary('key-1')
  expect(shown()).toMatchObject({ today: 0, unknown: [{ id: 'former', state: 'looking' }] })
  await clock.advance(61_000)
  expect(reads).toEqual([])
  expect(shown().unknown).toMatchObject([{ id: 'former', state: 'ambiguous' }])
  expect(orders.dismiss('former')).toBe(true)
  expect([shown().unknown, orders.entries(0, Number.MAX_SAFE_INTEGER)]).toEqual([[], []])
})

test.each([
  ['utc', 1],
  ['exchange', 0],
] as const)('orders of today are those since midnight in the displayed zone: %s', (zone, today) => {
  onTestFinished(() => showTimesIn('local'))
  showTimesIn(zone)
  // In New York, this is 22:00 on the day before.
  const atMs = Date.UTC(2026, 0, 5, 3)
  expect(startedOn(endedEarly({ atMs })).orders.summary('key-1').today).toBe(today)
})

test('an unknown outcome that a person dismissed while it was looked up stays dismissed after a restart', () => {
  const dataFolder = endedEarly()
  const opening = openJournalFile(dataFolder, Date.now())
  if (opening.kind === 'failed') throw new Error(opening.failure)
  opening.file.settle('former', { outcome: 'looking' })
  opening.file.dismiss('former')
  opening.file.close()
  expect(startedOn(dataFolder).orders.summary('key-1').unknown).toEqual([])
})

test('while orders are off, an unknown outcome of this run stays shown', async () => {
  const { add, send, service, orders, orderSwitch } = await startOrderGateway()
  service.faults.set('order-lost-response', 1)
  expect((await send('POST', ORDERS, add('bot'), ORDER)).status).toBe(502)
  await vi.waitFor(() => expect(orders.summary('key-1').unknown).toHaveLength(1), PATIENT)
  orderSwitch.state = 'off'
  orders.switchChanged()
  expect(orders.summary('key-1')).toMatchObject({ state: 'off', unknown: [{ program: 'bot' }] })
})
