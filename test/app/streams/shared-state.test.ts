import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StreamKind } from '../../../app/service/stream-kinds.ts'
import { membersOf, textOfMembers } from '../../../app/streams/json-members.ts'
import { MAX_RING_BARS, mergeRuleOf } from '../../../app/streams/merge-rules.ts'
import { MAX_BEHIND, ReaderQueue } from '../../../app/streams/reader-queue.ts'
import { MAX_STATE_LENGTH, type SharedFrame, SharedState } from '../../../app/streams/shared-state.ts'
import { collectGarbage } from '../../collect-garbage.ts'
import { proves } from '../../proof/proves.ts'
import { check, SHAPES, steps } from './interleaving.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const END = '{"StreamStatus":"EndSnapshot"}'

/** The state of a stream; `symbols`: those of a quote stream. */
function stateOf(
  kind: StreamKind,
  options: Readonly<Record<string, string>> = {},
  symbols?: readonly string[],
): SharedState {
  const rule = mergeRuleOf({ kind, options })
  if (rule === undefined) throw new Error('not shared')
  const address = { kind, ...(symbols && { symbols: new Set(symbols) }) }
  const state = new SharedState(address, rule, (text) => encoder.encode(text))
  state.opened()
  return state
}

const order = (id: number, status: string) => `{"AccountID":"A","OrderID":"${id}","Status":"${status}"}`
const textsOf = (frames: readonly SharedFrame[]) => frames.map(({ bytes }) => decoder.decode(bytes).trim())
const hearAll = (state: SharedState, ...lines: readonly string[]) =>
  lines.flatMap((line) => state.heard(line))

function restOf(queue: ReaderQueue): string[] {
  const texts: string[] = []
  for (let bytes = queue.take(); bytes !== undefined; bytes = queue.take())
    texts.push(decoder.decode(bytes).trim())
  return texts
}

test.each(SHAPES.map((shape) => [shape.kind, shape.options, shape] as const))(
  'any interleaving ends as a fresh stream does: %s %o',
  (_kind, _options, shape) => {
    fc.assert(
      fc.property(steps, (happened) => void check(shape, happened)),
      { numRuns: 60 },
    )
    proves('G9', { level: 2, cases: 60 })
  },
)

test('a new reader gets every object in its present state, the end of the snapshot, then the rest', () => {
  const state = stateOf('orders')
  hearAll(state, order(1, 'OPN'), order(2, 'OPN'), END, order(1, 'FLL'))
  hearAll(state, '{"AccountID":"A","OrderID":"2","Deleted":true}')
  const queue = new ReaderQueue(state)
  queue.join()
  expect(restOf(queue)).toEqual([order(1, 'FLL'), END])
  for (const frame of state.heard(order(3, 'OPN'))) queue.push(frame)
  expect(restOf(queue)).toEqual([order(3, 'OPN')])
})

test('a reader that joins during the first response gets its end from the service', () => {
  const state = stateOf('positions')
  hearAll(state, '{"AccountID":"A","PositionID":"1","Last":"1"}')
  const queue = new ReaderQueue(state)
  queue.join()
  expect(restOf(queue)).toHaveLength(1)
  for (const frame of state.heard(END)) queue.push(frame)
  expect(restOf(queue)).toEqual([END])
})

test('after a restart readers get only the differences, and deletions for what vanished', () => {
  const state = stateOf('orders')
  hearAll(state, order(1, 'OPN'), order(2, 'OPN'), END)
  state.opened()
  expect(hearAll(state, order(1, 'OPN'), order(3, 'OPN'))).toEqual([])
  expect(textsOf(state.heard(END))).toEqual([
    '{"AccountID":"A","OrderID":"2","Deleted":true}',
    order(3, 'OPN'),
  ])
})

test('a restart that is cut before the end of its snapshot changes nothing', () => {
  const state = stateOf('orders')
  hearAll(state, order(1, 'OPN'), order(2, 'OPN'), END)
  state.opened()
  hearAll(state, order(1, 'FLL'))
  state.opened()
  expect(textsOf(hearAll(state, order(1, 'OPN'), order(2, 'OPN'), END))).toEqual([])
})

test('does not relay quotes that a new connection repeats, or announcements, but heartbeats', () => {
  const state = stateOf('quotes')
  hearAll(state, '{"Symbol":"MSFT","Last":1.10,"Bid":1}', '{"Symbol":"MSFT","Bid":2}')
  state.opened()
  expect(state.heard('{"Symbol":"MSFT","Last":1.10,"Bid":2}')).toEqual([])
  expect(textsOf(state.heard('{"Symbol":"MSFT","Last":1.10,"Bid":2}'))).toHaveLength(1)
  expect(textsOf(state.heard('{"Heartbeat":7}'))).toEqual(['{"Heartbeat":7}'])
  expect(state.heard('{"StreamStatus":"GoAway"}')).toEqual([])
  expect(state.heard('{"Error":"GoAway","Message":"x"}')).toEqual([])
  expect(state.heard('{"Error":"InternalServerError"}')).toEqual([])
})

test('merged quotes keep each number as written', () => {
  const state = stateOf('quotes')
  hearAll(state, '{"Symbol":"MSFT","Last":1.10,"Id":12345678901234567890}', '{"Symbol":"MSFT","Bid":2.50}')
  const queue = new ReaderQueue(state)
  queue.join()
  expect(restOf(queue)).toEqual(['{"Symbol":"MSFT","Last":1.10,"Id":12345678901234567890,"Bid":2.50}'])
})

test('a reader of some symbols gets only these, and their errors', () => {
  const state = stateOf('quotes', {}, ['MSFT', 'AAPL', 'NOPE'])
  hearAll(
    state,
    '{"Symbol":"MSFT","Last":1}',
    '{"Symbol":"AAPL","Last":1}',
    '{"Symbol":"NOPE","Error":"FAILED"}',
  )
  const queue = new ReaderQueue(state, (symbol) => symbol === 'AAPL' || symbol === 'NOPE')
  queue.join()
  const later = hearAll(state, '{"Symbol":"MSFT","Last":2}', '{"Symbol":"AAPL","Last":2}', '{"Heartbeat":1}')
  for (const frame of later) queue.push(frame)
  expect(restOf(queue).map((text) => (JSON.parse(text) as { Symbol: string }).Symbol)).toEqual([
    'AAPL',
    'NOPE',
  ])
})

const LONG = 'L'.repeat(70)

test.each([
  ['data', '"Last":1'],
  ['an error', '"Error":"FAILED"'],
])('a reader of any symbol gets %s of a symbol that was not requested by this name', (_what, rest) => {
  const state = stateOf('quotes', {}, ['$SPX.X', 'MSFT', LONG])
  const wantsSpx = (symbol: string | undefined) => symbol === undefined || symbol === '$SPX.X'
  const early = new ReaderQueue(state, wantsSpx)
  const unknown = ['$SPX', '', 'MSFT,NOPE', `${LONG}x`].map((name) => `{"Symbol":"${name}",${rest}}`)
  for (const frame of hearAll(state, ...unknown, `{"Symbol":"msft",${rest}}`, `{"Symbol":"${LONG}",${rest}}`))
    early.push(frame)
  expect(restOf(early)).toEqual(unknown)
  const late = new ReaderQueue(state, wantsSpx)
  late.join()
  expect(restOf(late)).toEqual(unknown)
})

/** What a new reader gets. */
function joined(state: SharedState): string[] {
  const queue = new ReaderQueue(state)
  queue.join()
  return restOf(queue)
}

test('a symbol’s error is over with its next data', () => {
  const state = stateOf('quotes')
  const failed = '{"Symbol":"MSFT","Error":"FeedDown"}'
  hearAll(state, '{"Symbol":"MSFT","Last":100}', failed)
  expect(joined(state)).toEqual(['{"Symbol":"MSFT","Last":100}', failed])
  hearAll(state, '{"Symbol":"AAPL","Last":1}')
  expect(joined(state)).toContain(failed)
  hearAll(state, '{"Symbol":"msft","Last":101}')
  expect(joined(state)).not.toContain(failed)
  expect(textsOf(state.heard(failed))).toEqual([failed])
})

test.each([
  ['quotes', []],
  ['orders', [END]],
] as const)('a new reader of %s gets no error of an earlier connection', (kind, end) => {
  const state = stateOf(kind)
  const failed = '{"Symbol":"MSFT","Error":"FeedDown"}'
  hearAll(state, failed, ...end)
  for (let count = 0; count < 2; count += 1) {
    state.opened()
    expect(joined(state)).toEqual(end)
  }
  // Present readers have the error already.
  expect(hearAll(state, failed, ...end)).toEqual([])
  expect(joined(state)).toEqual([failed, ...end])
  expect(textsOf(state.heard(failed))).toEqual([failed])
})

test('a reader that reads nothing is sent the newest state of each object, after any number of frames', () => {
  const state = stateOf('orders')
  hearAll(state, END)
  const queue = new ReaderQueue(state)
  queue.join()
  restOf(queue)
  for (let i = 0; i < 100 * MAX_BEHIND.frames; i += 1)
    for (const frame of state.heard(order(i % 3, `${i}`))) queue.push(frame)
  expect(queue.behind).toBe(3)
  expect(queue.isLost).toBe(false)
  expect(restOf(queue)).toHaveLength(3)
})

test('merges nothing up to 256 frames or 1 MiB, and merges beyond', () => {
  const frameOf = (length: number): SharedFrame => ({
    kind: 'object',
    bytes: new Uint8Array(length),
    key: 'one',
    isDeletion: false,
  })
  const within = (frames: number, length: number) => {
    const queue = new ReaderQueue(stateOf('depth'))
    for (let i = 0; i < frames; i += 1) queue.push(frameOf(length))
    return queue.behind
  }
  expect(within(MAX_BEHIND.frames, 10)).toBe(MAX_BEHIND.frames)
  expect(within(MAX_BEHIND.frames + 1, 10)).toBe(1)
  expect(within(4, MAX_BEHIND.bytes / 4)).toBe(4)
  expect(within(5, MAX_BEHIND.bytes / 4)).toBe(1)
})

test('never drops unmergeable frames silently', () => {
  const queue = new ReaderQueue(stateOf('quotes'))
  for (let i = 0; i <= MAX_BEHIND.frames; i += 1)
    queue.push({ kind: i === 0 ? 'unmergeable' : 'heartbeat', bytes: new Uint8Array(4) })
  expect(queue.isLost).toBe(true)
})

test('ends a reader that lacks a bar that is no longer stored', () => {
  const state = stateOf('barcharts', { barsback: '2' })
  const queue = new ReaderQueue(state)
  for (let i = 0; i <= MAX_BEHIND.frames; i += 1)
    for (const frame of state.heard(`{"TimeStamp":"${1000 + i}","Close":"1"}`)) queue.push(frame)
  restOf(queue)
  expect(queue.isLost).toBe(true)
})

test('the closed tick bar replaces the open one', () => {
  const state = stateOf('tickbars', { barsback: '3' })
  hearAll(
    state,
    '{"TimeStamp":"/Date(1)/","Status":13}',
    '{"TimeStamp":"/Date(2)/","Status":1}',
    '{"TimeStamp":"/Date(3)/","Status":3}',
    '{"TimeStamp":"/Date(4)/","Status":13}',
  )
  const queue = new ReaderQueue(state)
  queue.join()
  expect(restOf(queue).map((text) => (JSON.parse(text) as { TimeStamp: string }).TimeStamp)).toEqual([
    '/Date(1)/',
    '/Date(4)/',
  ])
})

test('bars of a longer past than is stored, or from a date on, are not shared', () => {
  const rule = (options: Readonly<Record<string, string>>) => mergeRuleOf({ kind: 'barcharts', options })
  expect(rule({})?.ring).toBe(1)
  expect(rule({ barsback: String(MAX_RING_BARS) })?.ring).toBe(MAX_RING_BARS)
  expect(rule({ barsback: String(MAX_RING_BARS + 1) })).toBeUndefined()
  expect(rule({ firstdate: '2026-01-01' })).toBeUndefined()
})

test('relays an object that a later connection sends again', () => {
  const state = stateOf('orders')
  hearAll(state, order(1, 'OPN'), END)
  state.opened()
  hearAll(state, order(1, 'OPN'), END)
  expect(textsOf(state.heard(order(1, 'OPN')))).toEqual([order(1, 'OPN')])
})

test('an error of a symbol is stored next to the existing bars', () => {
  const state = stateOf('barcharts', { barsback: '2' })
  const bar = (minute: number) => `{"TimeStamp":"2026-01-05T14:3${minute}:00Z","Close":"1"}`
  const failed = '{"Symbol":"NOPE","Error":"FAILED"}'
  hearAll(state, failed, bar(1), bar(2), bar(3))
  const queue = new ReaderQueue(state)
  queue.join()
  expect(restOf(queue)).toEqual([failed, bar(3)])
})

test('a member called Deleted deletes no object of a kind without deletions', () => {
  const state = stateOf('quotes')
  hearAll(state, '{"Symbol":"A","Last":"1"}', '{"Symbol":"A","Deleted":true}')
  expect([...state.keys].map((key) => state.textOf(key))).toEqual([
    '{"Symbol":"A","Last":"1","Deleted":true}',
  ])
})

const padded = (id: number, length: number) =>
  `{"AccountID":"A","OrderID":"${id}","Note":"${'n'.repeat(length)}"}`

test('stores a state of 16 MiB, and reports a larger one as too large', () => {
  const state = stateOf('orders')
  const count = 15
  for (let id = 0; id < count; id += 1) state.heard(padded(id, 1 << 20))
  expect(state.isTooLarge).toBe(false)
  // Objects that arrive again add nothing, and deleted objects no longer count.
  for (let id = 0; id < count; id += 1) state.heard(padded(id, 1 << 20))
  for (let id = 100; id < 200; id += 1) {
    state.heard(padded(id, 900 << 10))
    state.heard(`{"AccountID":"A","OrderID":"${id}","Deleted":true}`)
  }
  expect(state.isTooLarge).toBe(false)
  state.heard(padded(count, 1 << 20))
  state.heard(padded(count + 1, 1 << 20))
  expect(state.isTooLarge).toBe(true)
})

test('the snapshot of a later connection is counted as it arrives, and is the state afterwards', () => {
  const state = stateOf('orders')
  hearAll(state, padded(1, 1 << 20), END)
  state.opened()
  for (let id = 0; id < 15; id += 1) state.heard(padded(id, 1 << 20))
  state.heard(END)
  expect(state.isTooLarge).toBe(false)
  state.opened()
  for (let id = 0; id < 17; id += 1) state.heard(padded(id, 1 << 20))
  expect(state.isTooLarge).toBe(true)
  state.opened()
  expect(state.isTooLarge).toBe(false)
  for (let id = 100; id < 103; id += 1) state.heard(padded(id, 1 << 20))
  state.heard(END)
  for (let id = 0; id < 12; id += 1) state.heard(padded(id, 1 << 20))
  expect(state.isTooLarge).toBe(false)
})

test('many small objects are counted with their overhead', () => {
  const state = stateOf('quotes')
  let count = 0
  while (!state.isTooLarge) state.heard(`{"Symbol":"S${count++}"}`)
  expect(count).toBeLessThan(MAX_STATE_LENGTH / 256)
})

test('members added to one object are counted', () => {
  const state = stateOf('quotes')
  let count = 0
  while (!state.isTooLarge && count < 50) state.heard(`{"Symbol":"S","M${count++}":"${'m'.repeat(1 << 19)}"}`)
  expect(count).toBe(32)
})

/**
 * Time in milliseconds to merge 500 frames, each of which changes one of the `members` members of an object.
 */
function mergingMs(members: number): number {
  const state = stateOf('quotes')
  const all = Array.from({ length: members }, (_, at) => `"M${at}":"${at}"`).join(',')
  state.heard(`{"Symbol":"S",${all}}`)
  const from = performance.now()
  for (let count = 0; count < 500; count += 1) state.heard(`{"Symbol":"S","M1":"${count}"}`)
  return performance.now() - from
}

test('a frame costs what it changes, however large its object is', () => {
  mergingMs(10)
  const smallMs = Math.max(5, mergingMs(10))
  expect(mergingMs(20_000) / smallMs).toBeLessThan(40)
})

test('of a frame only its object’s members are stored', async () => {
  const state = stateOf('quotes')
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  const padding = 'p'.repeat(64 << 10)
  for (let count = 0; count < 1_500; count += 1) {
    state.heard(`{"Symbol":"S","Padding":"${padding}","Member${count}":"0123456789abcdef"}`)
  }
  for (let count = 0; count < 500; count += 1) {
    const symbol = `A long name of a symbol, ${count}`
    state.heard(`{"Symbol":"${symbol}","Padding":"${padding}"}`)
    state.heard(`{"Symbol":"${symbol}","Padding":""}`)
    state.heard(`{"Symbol":"${symbol} in error","Error":"FAILED","Padding":"${padding}"}`)
    state.heard(`{"Symbol":"${symbol} in error","Error":"FAILED"}`)
  }
  await collectGarbage()
  expect(state.isTooLarge).toBe(false)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(24 << 20)
  expect([...state.keys].map((key) => state.textOf(key)).join()).toContain('"Member0":"0123456789abcdef"')
})

test('a reader always one frame behind keeps none of its past frames', async () => {
  const state = stateOf('orders')
  const queue = new ReaderQueue(state)
  await collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  for (let count = 0; count < 1_500; count += 1) {
    for (const frame of state.heard(padded(1, 64 << 10))) queue.push(frame)
    if (count > 0) expect(queue.take()).toBeDefined()
  }
  await collectGarbage()
  expect(queue.behind).toBe(1)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 << 20)
})

test('the members of any object match a full parse, and are written unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, isWide) => {
      const text = JSON.stringify(object, null, isWide ? 2 : 0)
      const members = membersOf(text)
      expect(JSON.parse(textOfMembers(members))).toEqual(JSON.parse(text))
      expect([...members.keys()].toSorted()).toEqual(Object.keys(object).toSorted())
    }),
    { numRuns: 300 },
  )
})
