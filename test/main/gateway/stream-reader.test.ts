import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { mergeRuleOf } from '../../../app/streams/merge-rules.ts'
import type { Behind } from '../../../app/streams/reader-queue.ts'
import { SharedState } from '../../../app/streams/shared-state.ts'
import { streamAddressOf } from '../../../app/streams/stream-address.ts'
import { StreamReader } from '../../../main/gateway/stream-reader.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { FakeReply, program } from './scripted-hub.ts'

const quote = (symbol: string, last: string) => `{"Symbol":"${symbol}","Last":"${last}"}`

/** A reply that records each write, and each time its head was sent without data. */
class NotingReply extends FakeReply {
  readonly writes: number[] = []
  flushed = 0

  override write(bytes: Uint8Array | string): boolean {
    this.writes.push(bytes.length)
    return super.write(bytes)
  }

  override flushHeaders(): void {
    this.flushed += 1
  }
}

function quotes(...lines: readonly string[]): SharedState {
  const rule = mergeRuleOf({ kind: 'quotes', options: {} })
  if (rule === undefined) throw new Error('not shared')
  const state = new SharedState({ kind: 'quotes', symbols: new Set('ABCD') }, rule, (text) =>
    new TextEncoder().encode(text),
  )
  state.opened()
  for (const line of lines) state.heard(line)
  return state
}

function readerOf(symbols: string, max?: Behind) {
  const address = streamAddressOf(`/v3/marketdata/stream/quotes/${symbols}`)
  if (address === undefined) throw new Error('no stream')
  const reply = new NotingReply()
  const asked = { program: program('bot'), reply: reply as unknown as ServerResponse }
  const reader = new StreamReader(asked, address, { sinceMs: 5, waitsUntilMs: 9 }, max)
  return { reader, reply }
}

test('a reader gets the service’s head and the present state', () => {
  const { reader, reply } = readerOf('A,B')
  expect([reader.sinceMs, reader.waitsUntilMs, reader.program.name]).toEqual([5, 9, 'bot'])
  reader.begin(['X-Of', 'service'], quotes(quote('A', '1'), quote('B', '2')))
  expect([reply.status, reply.headers, reply.sendDate]).toEqual([200, ['X-Of', 'service'], false])
  expect(reply.lines).toEqual([quote('A', '1'), quote('B', '2')])
  // The head and the frames are sent in one write.
  expect([reply.writes.length, reply.flushed]).toEqual([1, 0])
})

test('a reader that takes everything gets each frame of a burst', () => {
  const { reader, reply } = readerOf('A')
  const state = quotes()
  reader.begin([], state)
  const lines = Array.from({ length: 1_000 }, (_, at) => quote('A', String(at)))
  reader.hear(lines.flatMap((line) => state.heard(line)))
  expect(reply.lines).toEqual(lines)
  expect(reply.writes.length).toBeLessThan(20)
})

test('sends the head at once if there is no data yet', () => {
  const { reader, reply } = readerOf('A')
  reader.begin([], quotes())
  expect([reply.flushed, reply.writes]).toEqual([1, []])
})

test('a reader gets only its own symbols, and nothing before it begins', () => {
  const { reader, reply } = readerOf('A')
  const state = quotes(quote('B', '1'))
  reader.hear(state.heard(quote('A', '1')))
  reader.moveTo(state)
  expect([reply.writes, reader.isLost]).toEqual([[], false])
  reader.begin([], state)
  expect(reply.lines).toEqual([quote('A', '1')])
  reader.hear([...state.heard(quote('B', '2')), ...state.heard(quote('A', '2'))])
  expect(reply.lines).toEqual([quote('A', '1'), quote('A', '2')])
})

test('joins frames up to 64 KiB, and writes a larger one alone', () => {
  const { reader, reply } = readerOf('A,B,C,D')
  const half = 'x'.repeat(32 << 10)
  const whole = 'x'.repeat(64 << 10)
  reader.begin([], quotes(quote('A', half), quote('B', half), quote('C', half), quote('D', whole)))
  const size = (last: string) => quote('A', last).length + 1
  expect(reply.writes).toEqual([2 * size(half), size(half) + size(whole)])
})

test('writes nothing while the program reads nothing, then everything pending', () => {
  const { reader, reply } = readerOf('A')
  const state = quotes()
  reader.begin([], state)
  reply.isFrozen = true
  for (const last of ['1', '2', '3']) reader.hear(state.heard(quote('A', last)))
  expect(reply.lines).toEqual([quote('A', '1')])
  reply.thaw()
  expect(reply.lines.map((line) => JSON.parse(line).Last)).toEqual(['1', '2', '3'])
})

test('a reader beyond its bound gets the newest state of each object', () => {
  const { reader, reply } = readerOf('A', { frames: 2, bytes: 1 << 20 })
  const state = quotes()
  reader.begin([], state)
  reply.isFrozen = true
  for (const last of ['1', '2', '3', '4', '5']) reader.hear(state.heard(quote('A', last)))
  reply.thaw()
  expect(reply.lines).toEqual([quote('A', '1'), quote('A', '5')])
})

test('writes the differences when a reader moves to another stream', () => {
  const { reader, reply } = readerOf('A,B')
  reader.begin([], quotes(quote('A', '1'), quote('B', '1')))
  reader.moveTo(quotes(quote('A', '1'), quote('B', '2')))
  expect(reply.lines).toEqual([quote('A', '1'), quote('B', '1'), quote('B', '2')])
})

test('a disconnected reader is reported once, and gets nothing more', () => {
  const { reader, reply } = readerOf('A')
  const state = quotes()
  let gone = 0
  reader.onGone = () => {
    gone += 1
  }
  reader.begin([], state)
  expect(reader.isGone).toBe(false)
  reply.destroy()
  reader.hear(state.heard(quote('A', '1')))
  expect([reader.isGone, gone, reply.writes]).toEqual([true, 1, []])
})

test('an ended reader gets its last line, and nothing after it', () => {
  const { reader, reply } = readerOf('A')
  const state = quotes()
  reader.begin([], state)
  reader.end(new TextEncoder().encode('{"StreamStatus":"GoAway"}'), new SteppedClock())
  reader.hear(state.heard(quote('A', '1')))
  expect([reader.isGone, reply.lines]).toEqual([true, ['{"StreamStatus":"GoAway"}']])
})
