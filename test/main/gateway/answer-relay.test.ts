import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { passedHeaders, relay } from '../../../main/gateway/answer-relay.ts'
import { TokenRemoval } from '../../../main/gateway/token-removal.ts'
import { nodeClock } from '../../../main/ports/node-clock.ts'
import { PATIENT } from '../../patient.ts'
import { proves } from '../../proof/proves.ts'
import { listening, portOf } from '../loopback-server.ts'
import { SteppedClock } from '../stepped-clock.ts'
import { FakeReply } from './scripted-hub.ts'

const MIB = 1 << 20

/** Callers that share one answer, each on its own socket. The first one sent the request. */
async function relaying(count: number, traits: { readonly rawHeaders?: readonly string[] } = {}) {
  const replies: ServerResponse[] = []
  const server = createServer((_, reply) => void replies.push(reply))
  const port = portOf(await listening(server))
  const callers = Array.from({ length: count }, () => request({ port, agent: false }).end())
  for (const caller of callers) caller.on('error', () => {})
  const answers = callers.map(async (caller) => ((await once(caller, 'response')) as [IncomingMessage])[0])
  await vi.waitFor(() => expect(replies).toHaveLength(count), PATIENT)
  const body = Object.assign(new PassThrough(), { complete: false })
  const noted = { ended: 0, aborted: 0, defects: [] as unknown[] }
  relay({
    answer: { status: 200, headers: {}, rawHeaders: [], ...traits, body },
    removal: new TokenRemoval('the-token-of-the-key'),
    readers: replies.map((reply, i) => ({ reply, isCoalesced: i > 0 })),
    abort: () => {
      noted.aborted += 1
      body.destroy()
    },
    ended: () => {
      noted.ended += 1
    },
    isEndless: false,
    clock: nodeClock,
    defect: (cause) => void noted.defects.push(cause),
  })
  const say = async (bytes: Buffer) => {
    if (!body.write(bytes)) await once(body, 'drain')
  }
  const end = () => {
    body.complete = true
    body.end()
  }
  return { answers: await Promise.all(answers), replies, body, noted, callers, say, end }
}

test('a coalesced reader 8 MiB behind is ended, and the other one gets the whole response', async () => {
  const { answers, replies, say, end, noted } = await relaying(2)
  const [fast, frozen] = answers as [IncomingMessage, IncomingMessage]
  // This reader reads nothing before the end of the test.
  frozen.on('error', () => {})
  const read = buffer(fast)
  const part = Buffer.alloc(MIB, 'x')
  let mostBehind = 0
  for (let i = 0; i < 64; i += 1) {
    await say(part)
    mostBehind = Math.max(mostBehind, ...replies.map((reply) => reply.writableLength))
  }
  end()
  expect((await read).length).toBe(64 * MIB)
  expect(mostBehind).toBeLessThan(10 * MIB)
  await vi.waitFor(() => expect(replies[1]?.destroyed).toBe(true), PATIENT)
  expect(await buffer(frozen).catch(() => 'cut')).toBe('cut')
  expect(noted).toMatchObject({ ended: 1, aborted: 0, defects: [] })
  proves('G1', { level: 3, cases: 1 })
})

test('a reader less far behind delays no other, and gets the whole response when it continues', async () => {
  const { answers, say, end } = await relaying(2)
  const [fast, slow] = answers as [IncomingMessage, IncomingMessage]
  slow.pause()
  const read = buffer(fast)
  for (let i = 0; i < 6; i += 1) await say(Buffer.alloc(MIB, 'x'))
  end()
  expect((await read).length).toBe(6 * MIB)
  expect((await buffer(slow)).length).toBe(6 * MIB)
})

test('only callers that share a request learn that it was shared', async () => {
  const { answers, end } = await relaying(3)
  end()
  // Sorted, because the connections arrive in any order.
  expect(answers.map(({ headers }) => headers['cache-status']).sort()).toEqual([
    ...Array(2).fill('headroom; hit; detail=coalesced'),
    undefined,
  ])
  for (const answer of answers) expect((await buffer(answer)).length).toBe(0)
})

test('the last caller to disconnect ends the upstream request, and no earlier one', async () => {
  const { callers, noted, say } = await relaying(2)
  await say(Buffer.from('x'))
  callers[0]?.destroy()
  await vi.waitFor(() => expect(callers[0]?.destroyed).toBe(true), PATIENT)
  await say(Buffer.from('y'))
  expect(noted).toMatchObject({ ended: 0, aborted: 0 })
  callers[1]?.destroy()
  await vi.waitFor(() => expect(noted).toMatchObject({ ended: 1, aborted: 1 }), PATIENT)
})

test.each([
  ['ends before its length', (body: PassThrough) => void body.end()],
  ['fails', (body: PassThrough) => void body.destroy(new Error('lost'))],
  ['closes', (body: PassThrough) => void body.destroy()],
])('a response that %s is cut for each caller', async (_, stop) => {
  const { answers, body, say, noted } = await relaying(2)
  await say(Buffer.from('half'))
  const read = answers.map((answer) => buffer(answer).catch(() => 'cut'))
  stop(body)
  expect(await Promise.all(read)).toEqual(['cut', 'cut'])
  expect(noted.ended).toBe(1)
})

/** One endless answer, passed on to one reply that reads only as fast as the test allows. */
function streaming(reply: FakeReply, rawHeaders: readonly string[] = []) {
  const body = Object.assign(new PassThrough(), { complete: false })
  const noted = { ended: 0, aborted: 0, defects: [] as unknown[] }
  const { goAway } = relay({
    answer: { status: 200, headers: {}, rawHeaders, body },
    removal: new TokenRemoval('the-token-of-the-key'),
    readers: [{ reply: reply as unknown as ServerResponse, isCoalesced: false }],
    abort: () => {
      noted.aborted += 1
    },
    ended: () => {
      noted.ended += 1
    },
    isEndless: true,
    clock: new SteppedClock(),
    defect: (cause) => void noted.defects.push(cause),
  })
  return { body, noted, goAway }
}

test('a stream with a content coding is cut, because no GoAway can be added', () => {
  const reply = new FakeReply()
  const { noted, goAway } = streaming(reply, ['Content-Encoding', 'gzip'])
  goAway()
  expect([reply.destroyed, reply.writableEnded, reply.text]).toEqual([true, false, ''])
  expect(noted).toEqual({ ended: 1, aborted: 1, defects: [] })
})

test('a stream that got GoAway has ended, even while its reader reads nothing', () => {
  const reply = new FakeReply()
  reply.isFrozen = true
  const { noted, goAway } = streaming(reply)
  goAway()
  expect([reply.writableEnded, reply.text]).toEqual([true, '{"StreamStatus":"GoAway"}\n'])
  expect(noted).toEqual({ ended: 1, aborted: 1, defects: [] })
})

test('a response whose caller left before it begins ends upstream, unread', async () => {
  const reply = new FakeReply()
  reply.destroy()
  const { body, noted } = streaming(reply)
  body.write('{}')
  await new Promise(setImmediate)
  expect(noted).toEqual({ ended: 1, aborted: 1, defects: [] })
  expect([reply.text, body.readableFlowing]).toEqual(['', null])
})

test('a response that fails after its end has ended once', async () => {
  const { body, noted } = streaming(new FakeReply())
  body.complete = true
  body.end('{}')
  await once(body, 'end')
  body.emit('error', new Error('reset'))
  expect(noted).toEqual({ ended: 1, aborted: 0, defects: [] })
})

test('a bug during relaying ends the response upstream, and for its readers', async () => {
  const reply = new FakeReply()
  const cause = new Error('a bug')
  reply.write = () => {
    throw cause
  }
  const { body, noted } = streaming(reply)
  body.write('{}')
  await new Promise(setImmediate)
  expect(noted).toEqual({ ended: 1, aborted: 1, defects: [cause] })
  expect(reply.destroyed).toBe(true)
})

test('hop-by-hop fields and cookies are dropped, end-to-end ones relayed', () => {
  const dropped = [
    'Keep-Alive',
    'Proxy-Authenticate',
    'Proxy-Authorization',
    'Proxy-Connection',
    'Set-Cookie',
  ]
  const more = ['TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'X-One', 'X-Two']
  const rawHeaders = ['Connection', 'x-one ,X-Two', ...[...dropped, ...more].flatMap((name) => [name, 'a'])]
  const kept = ['X-Kept', 'b', 'x-kept', 'c', 'X-RateLimit-Limit', '250']
  expect(passedHeaders({ status: 404, rawHeaders: [...rawHeaders, ...kept] })).toEqual([
    ...kept,
    ...['Via', '1.1 headroom', 'Proxy-Status', 'headroom; received-status=404'],
  ])
})

test('drops what the field Connection names, however many spaces surround it', () => {
  const value = `a${' '.repeat(100_000)}b,${' '.repeat(100_000)}X-Named${'\t'.repeat(100_000)}, c`
  const beganMs = performance.now()
  expect(passedHeaders({ status: 404, rawHeaders: ['Connection', value, 'X-Named', 'y', 'D', 'z'] })).toEqual(
    [...['D', 'z'], ...['Via', '1.1 headroom', 'Proxy-Status', 'headroom; received-status=404']],
  )
  expect(performance.now() - beganMs).toBeLessThan(1_000)
})
