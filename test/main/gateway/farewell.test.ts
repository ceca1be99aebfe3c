import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { END_STREAM_MS, endStream, GO_AWAY } from '../../../main/gateway/answer-relay.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { FakeReply } from './scripted-hub.ts'

const real = (reply: FakeReply) => reply as unknown as ServerResponse

test('a stream ends with its last line, and waits for nothing once that is read', () => {
  const [clock, reply] = [new SteppedClock(), new FakeReply()]
  endStream(real(reply), GO_AWAY, clock)
  expect([reply.text, reply.writableEnded, clock.pending]).toEqual([GO_AWAY, true, 0])
})

test('cuts a reader that does not read its last line in time', () => {
  const [clock, reply] = [new SteppedClock(), new FakeReply()]
  reply.isFrozen = true
  endStream(real(reply), undefined, clock)
  clock.advance(END_STREAM_MS - 1)
  expect(reply.destroyed).toBe(false)
  clock.advance(1)
  expect(reply.destroyed).toBe(true)
})

test('an ended stream gets no last line', () => {
  const clock = new SteppedClock()
  const [gone, ended] = [new FakeReply(), new FakeReply()]
  gone.destroy()
  ended.end()
  for (const reply of [gone, ended]) endStream(real(reply), GO_AWAY, clock)
  expect([gone.text, ended.text, clock.pending]).toEqual(['', '', 0])
})
