import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { UpstreamOutcome } from '../../../app/gateway/decisions.ts'
import { type Outgoing, Sending, type SendingDeps } from '../../../main/gateway/sending.ts'
import type { ForwardListener, ForwardRequest } from '../../../main/network/forward-http.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { SteppedClock } from '../stepped-clock.ts'

const ORIGIN = 'https://api.example'
const PATH = '/v3/brokerage/accounts?a=1'
const RATE = quotaHeaders(7, 12)

/** The body of a response, which its sender ends on request. */
class Body extends PassThrough {
  complete = false

  finish(text = ''): void {
    this.complete = true
    this.end(text)
  }
}

interface Setting {
  readonly request?: Partial<Outgoing['request']>
  readonly stream?: string
  readonly refused?: 'rate' | 'unattributed' | 'concurrency'
  readonly slots?: Partial<SendingDeps['slots']>
}

/** Sends one request. Records all calls to the quota, the slots and the host. */
function sent({ request = {}, stream, refused, slots = {} }: Setting = {}) {
  const said: unknown[] = []
  const outcomes: UpstreamOutcome[] = []
  const clock = new SteppedClock()
  const note =
    (name: string) =>
    (...more: readonly unknown[]) =>
      void said.push([name, ...more])
  let asked: ForwardRequest | undefined
  let listener: ForwardListener | undefined
  const deps = {
    clock,
    timeline: { now: () => 5_000 },
    baseUrl: ORIGIN,
    host: 'api.example',
    tap: {
      sent: (method: string, path: string) => {
        said.push(['sent', method, path])
        return 'ticket'
      },
      answered: (_: unknown, reading: object, body: string) => {
        said.push(['answered', body])
        return { reading, ...(refused && { refused }) }
      },
      notTheService: note('not the service'),
      notSent: note('not sent'),
      lost: note('lost'),
      hungUp: note('hung up'),
    },
    slots: { taken: note('taken'), released: note('released'), observed: note('observed'), ...slots },
    reachability: { answered: note('reached'), failed: note('unreachable') },
    secrets: { clean: (text: string) => text },
    accepted: note('accepted'),
    forward: (wanted: ForwardRequest, told: ForwardListener) => {
      asked = wanted
      listener = told
      return () => void said.push('aborted')
    },
    defect: note('defect'),
  } as unknown as SendingDeps
  const sending = new Sending(
    {
      request: {
        method: 'GET',
        pathAndQuery: PATH,
        accept: undefined,
        acceptEncoding: undefined,
        contentType: undefined,
        contentEncoding: undefined,
        body: undefined,
        ...request,
      },
      token: 'token',
      stream,
      bucket: () => 'Accounts',
    },
    deps,
    (outcome) => void outcomes.push(outcome),
  )
  sending.start()
  const before = said.splice(0)
  const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = new Body()) => {
    listener?.answered({ status, headers, rawHeaders: [], body })
    return body
  }
  return { sending, said, before, outcomes, clock, answer, asked: () => asked, fail: () => listener }
}

/** The headers of a stream's slots. */
const SLOTS = {
  'x-concurrency-limit': '10',
  'x-concurrency-remaining': '4',
}
const JSON_TYPE = { 'content-type': 'application/json' }

test('a request goes upstream unchanged, with the token and the gateway’s name', () => {
  const { asked, before } = sent()
  expect(asked()).toEqual({
    method: 'GET',
    origin: ORIGIN,
    pathAndQuery: PATH,
    headers: { authorization: 'Bearer token', via: '1.1 headroom' },
    timeoutMs: 30_000,
  })
  expect(before).toEqual([['sent', 'GET', PATH]])
  const body = Buffer.from('{}')
  const fields = { accept: 'a', acceptEncoding: 'gzip', contentType: 'application/json', body }
  expect(sent({ request: { method: 'POST', ...fields } }).asked()).toMatchObject({
    method: 'POST',
    headers: { accept: 'a', 'accept-encoding': 'gzip', 'content-type': 'application/json' },
    body,
  })
  expect(sent({ request: { method: 'HEAD' } }).before).toEqual([['sent', 'GET', PATH]])
})

test('counts a response with its quota, and leaves its body to the reader', () => {
  const { answer, outcomes, said, sending } = sent()
  const body = answer(200, { ...JSON_TYPE, ...RATE })
  expect(outcomes).toEqual([
    {
      kind: 'answer',
      rate: { limit: 320, periodSeconds: 300, remaining: 7, resetSeconds: 12 },
      bucket: 'Accounts',
    },
  ])
  expect(said).toEqual([
    ['reached', 'api.example'],
    ['answered', ''],
    ['accepted', 'token', PATH],
  ])
  expect([sending.answer?.status, sending.begun, body.readableFlowing]).toEqual([200, undefined, null])
  // An error of the body ends no process.
  body.emit('error', new Error('reset'))
})

test('a response without quota headers names no quota', () => {
  const { answer, outcomes } = sent()
  answer(204)
  expect(outcomes).toEqual([{ kind: 'answer' }])
})

test('a page in place of the service shows nothing about quotas', () => {
  const { answer, outcomes, said } = sent({ stream: 'quotes' })
  answer(200, { 'content-type': 'text/html' })
  expect(outcomes).toEqual([{ kind: 'answer' }])
  expect(said).toEqual([
    ['not the service', 'ticket', 200, expect.stringContaining('something else')],
    ['unreachable', 'api.example', expect.stringContaining('something else')],
    ['released', 'quotes', undefined],
  ])
})

test.each([
  [429, 'rate', { kind: 'rate-limited', of: 'rate' }],
  [429, 'unattributed', { kind: 'rate-limited', of: 'unattributed' }],
  [429, 'concurrency', { kind: 'answer' }],
  [401, undefined, { kind: 'unauthorized' }],
] as const)('judges a %d of the quota %s by its body, once complete', async (status, refused, outcome) => {
  const { answer, outcomes, said, sending, clock } = sent(refused === undefined ? {} : { refused })
  const body = answer(status, RATE)
  body.write('{"a":')
  await new Promise(setImmediate)
  expect(outcomes).toEqual([])
  body.finish('1}')
  await new Promise(setImmediate)
  expect(outcomes).toEqual([expect.objectContaining({ ...outcome, bucket: 'Accounts' })])
  // Only the body of a 429 is read for the quota, because it may name one.
  expect(said).toContainEqual(['answered', status === 429 ? '{"a":1}' : ''])
  expect(sending.begun).toEqual({ bytes: Buffer.from('{"a":1}'), rest: 'none' })
  expect([clock.pending, body.listenerCount('data')]).toEqual([0, 0])
})

/** What a reader of the answer gets. */
async function readOf(sending: Sending): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of sending.answer?.body ?? []) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString()
}

test('reads at most 64 KiB of an error ahead, and its reader gets all of it', async () => {
  const { answer, outcomes, sending } = sent({ refused: 'rate' })
  const body = answer(429)
  body.write('x'.repeat((64 << 10) - 1))
  await new Promise(setImmediate)
  expect(outcomes).toEqual([])
  body.write('y')
  await new Promise(setImmediate)
  expect(outcomes).toEqual([{ kind: 'rate-limited', of: 'rate' }])
  expect(sending.begun).toBeUndefined()
  body.finish('end')
  expect(await readOf(sending)).toBe(`${'x'.repeat((64 << 10) - 1)}yend`)
})

test('judges an error without a body after five seconds, and its reader gets the rest', async () => {
  const { answer, outcomes, clock, sending } = sent({ refused: 'unattributed' })
  const body = answer(429)
  body.write('{')
  await new Promise(setImmediate)
  clock.advance(4_999)
  expect(outcomes).toEqual([])
  clock.advance(1)
  expect(outcomes).toEqual([{ kind: 'rate-limited', of: 'unattributed' }])
  body.finish('}')
  expect(await readOf(sending)).toBe('{}')
})

test('judges a truncated error by what arrived', async () => {
  const { answer, outcomes, sending } = sent({ refused: 'unattributed' })
  const body = answer(429)
  body.write('{"a"')
  await new Promise(setImmediate)
  body.destroy()
  await new Promise(setImmediate)
  expect(outcomes).toEqual([{ kind: 'rate-limited', of: 'unattributed' }])
  expect(sending.begun).toEqual({ bytes: Buffer.from('{"a"'), rest: 'cut' })
})

test('relays an error that echoes the access token without it', async () => {
  const { answer, sending } = sent()
  answer(404).finish('{"of":"token"}')
  await new Promise(setImmediate)
  expect(String(sending.begun?.bytes)).not.toContain('token')
  expect(sending.answer?.status).toBe(404)
})

test.each([
  ['not-sent', 'not sent', true],
  ['cut', 'lost', false],
  ['broken', 'lost', true],
  ['timeout', 'hung up', true],
] as const)('counts a request that failed as %s as %s', (how, counted, isHostAway) => {
  const { fail, outcomes, said } = sent({ stream: 'quotes' })
  fail()?.failed(how, 'why')
  expect(outcomes).toEqual([{ kind: how }])
  expect(said).toEqual([
    [counted, 'ticket'],
    ...(isHostAway ? [['unreachable', 'api.example', 'why']] : []),
    ['released', 'quotes', undefined],
  ])
})

test('a stream takes its slot before it is sent, and frees it once, with the time of its end', () => {
  const { sending, before, said, answer } = sent({ stream: 'quotes' })
  expect(before).toEqual([
    ['sent', 'GET', PATH],
    ['taken', 'quotes'],
  ])
  answer(200, JSON_TYPE)
  said.length = 0
  sending.freeSlot()
  sending.discard()
  expect(said).toEqual([['released', 'quotes', 5_000], 'aborted'])
})

test('a rejected stream has no slot', async () => {
  const { said, answer } = sent({ stream: 'quotes' })
  answer(404, JSON_TYPE).finish()
  await new Promise(setImmediate)
  expect(said.at(-1)).toEqual(['released', 'quotes', undefined])
})

test('an abandoned request is counted, ended, and no longer judged', async () => {
  const unanswered = sent({ stream: 'quotes' })
  unanswered.sending.abandon()
  expect(unanswered.said).toEqual([['hung up', 'ticket'], ['released', 'quotes', undefined], 'aborted'])
  const answered = sent({ refused: 'rate' })
  const body = answered.answer(429)
  answered.sending.abandon()
  body.finish('{}')
  await new Promise(setImmediate)
  expect(answered.said).toEqual([['lost', 'ticket'], 'aborted'])
  expect(answered.outcomes).toEqual([])
})

test('a plain end is an abort, and frees nothing', () => {
  const { sending, said } = sent({ stream: 'quotes' })
  sending.abort()
  expect(said).toEqual(['aborted'])
})

test('a bug while handling a response fails only its request, once', () => {
  const cause = new Error('a bug')
  const { answer, outcomes, said, fail } = sent({
    stream: 'quotes',
    slots: {
      observed: () => {
        throw cause
      },
    },
  })
  answer(200, { ...JSON_TYPE, ...SLOTS })
  expect(outcomes).toEqual([{ kind: 'broken' }])
  expect(said.slice(-4)).toEqual([
    ['defect', cause],
    ['lost', 'ticket'],
    ['released', 'quotes', 5_000],
    'aborted',
  ])
  fail()?.failed('cut', 'why')
  expect(outcomes).toHaveLength(1)
})

test('observes the slots in a stream’s response, and no others', () => {
  const stream = sent({ stream: 'quotes' })
  stream.answer(200, { ...JSON_TYPE, ...SLOTS })
  expect(stream.said).toContainEqual(['observed', 'quotes', expect.any(Object), 0, 5_000])
  const request = sent()
  request.answer(200, { ...JSON_TYPE, ...SLOTS })
  expect(request.said.flat()).not.toContain('observed')
})
