import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { MonitorEvent } from '../../../app/contract/events.ts'
import { MemberQueue } from '../../../app/desk/member-queue.ts'
import type { Ask, Ended } from '../../../app/desk/queue-messages.ts'
import type { AdmittedRequest } from '../../../main/gateway/admitted-request.ts'
import { Forwarder } from '../../../main/gateway/forwarder.ts'
import type { Program } from '../../../main/gateway/programs.ts'
import type { ForwardListener, ForwardRequest } from '../../../main/network/forward-http.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import type { Access } from '../../../main/tokens/keeper.ts'
import { startedTap } from '../api/started-tap.ts'
import { setUp } from '../streams/scripted-streams.ts'
import { FakeReply, program } from './scripted-hub.ts'

const ACCOUNTS = '/v3/brokerage/accounts'
const RULE = { 'x-ratelimit-resource': 'Accounts', 'x-ratelimit-limit': '250', 'x-ratelimit-period': '300' }
const left = (remaining: number) => ({
  ...RULE,
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil((250 - remaining) * 1.2)),
})
const LIMITED = JSON.stringify({ Error: 'TooManyRequests', Message: 'Rate quota exceeded' })

interface Upstream extends ForwardRequest {
  readonly listener: ForwardListener
  isAborted: boolean
}

/** The forwarder of one key in virtual time, before a service whose responses the test sends. */
function started(reserve?: Readonly<Record<string, number>>) {
  const { streams, slots, http } = setUp()
  const { clock, timeline, ledger, tap } = startedTap()
  if (reserve) ledger.reserves = reserve
  const events: MonitorEvent[] = []
  const sent: Upstream[] = []
  const told: unknown[] = []
  const state: { access: Access; next: Access | undefined; held: Promise<void> | undefined } = {
    access: { kind: 'token', value: 'a1' },
    next: undefined,
    held: undefined,
  }
  const forwarder = new Forwarder({
    clock,
    timeline,
    baseUrl: 'https://api.test',
    host: 'api.test',
    secrets: new Redactor(),
    tap,
    ledger,
    slots,
    reachability: { answered: () => {}, failed: () => {} },
    forward: (request, listener) => {
      const upstream: Upstream = { ...request, listener, isAborted: false }
      sent.push(upstream)
      return () => {
        upstream.isAborted = true
      }
    },
    defect: (cause) => void told.push(['defect', cause]),
    access: async () => {
      await state.held
      if (state.next !== undefined) state.access = state.next
      return state.access
    },
    usable: () => state.access,
    rejected: async (token, path) => void told.push(['rejected', token, path]),
    accepted: (token, path) => void told.push(['accepted', token, path]),
    event: (event) => void events.push(event),
    pausedUntilMs: () => undefined,
    changed: () => {},
    sharing: { streams, slots },
  })
  const ask = async (
    path = ACCOUNTS,
    of: Program = program('bot'),
    more: Partial<AdmittedRequest> = {},
  ): Promise<FakeReply> => {
    const reply = Object.assign(new FakeReply(), { writableLength: 0 })
    await forwarder.serve({
      program: of,
      method: 'GET',
      pathAndQuery: path,
      accept: undefined,
      acceptEncoding: undefined,
      contentType: undefined,
      contentEncoding: undefined,
      maxWaitMs: 30_000,
      body: undefined,
      reply: reply as unknown as ServerResponse,
      ...more,
    })
    return reply
  }
  const settle = async () => {
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate)
    await clock.advance(0)
  }
  /** The service answers one of the requests that were sent. */
  const say = async (upstream: Upstream | undefined, status: number, headers: object = {}, text = '{}') => {
    const body = Object.assign(new PassThrough(), { complete: true })
    const fields = { 'content-type': 'application/json', ...headers }
    upstream?.listener.answered({ status, headers: fields, rawHeaders: Object.entries(fields).flat(), body })
    body.end(text)
    await settle()
  }
  const used = (of = program('bot')) =>
    forwarder
      .nowOf(of)
      .use.byCategory(timeline.now())
      .map(({ category, forwarded }) => [category, forwarded])
  const own = (category: string) => slots.view().find((row) => row.category === category)?.own
  const permitted = async (path: string) => {
    const turn = await forwarder.permits.forOwn('GET', path)
    if (typeof turn !== 'function') throw new Error(turn.why)
    return turn
  }
  /** The quota of a path has this much left. */
  const spent = async (path: string, remaining: number) => {
    const turn = await permitted(path)
    turn({
      kind: 'answer',
      rate: { limit: 100, periodSeconds: 100, remaining, resetSeconds: 100 - remaining },
    })
  }
  const opened = () => http.streams.length
  /** The quota of accounts is used up by a first request. */
  const empty = async () => {
    await ask()
    await say(sent[0], 200, left(0))
  }
  /** No token is there until the returned function is called, which brings another one. */
  const holdToken = (why: 'active' | 'expired') => {
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(state, {
      access: { kind: 'none', why },
      next: { kind: 'token', value: 'a2' },
      held: promise,
    })
    return resolve
  }
  const parts = { forwarder, ask, say, sent, own, told, events, clock, state, timeline }
  return { ...parts, used, permitted, spent, opened, settle, empty, holdToken }
}

const NOTES = program('notes')

test('equal requests share one upstream, counted for the first caller', async () => {
  const { forwarder, ask, say, sent, used } = started()
  const replies = [await ask(), await ask(), await ask(ACCOUNTS, NOTES)]
  expect(sent).toHaveLength(1)
  await say(sent[0], 200, left(200), '{"a":1}')
  expect(replies.map(({ status, text }) => [status, text])).toEqual(Array(3).fill([200, '{"a":1}']))
  expect(replies.map(({ headers }) => headers.includes('headroom; hit; detail=coalesced'))).toEqual([
    false,
    true,
    true,
  ])
  expect([used(), used(NOTES)]).toEqual([[['Accounts', 1]], []])
  expect(forwarder.nowOf(program('bot')).use.coalesced).toBe(1)
  expect(forwarder.nowOf(NOTES).use.coalesced).toBe(1)
  expect(forwarder.open).toEqual({ requests: 0, upstreams: 0 })
})

test('requests with another path, form or method are not shared', async () => {
  const { ask, say, sent } = started()
  await ask()
  await say(sent[0], 200, left(200))
  await ask()
  await ask(`${ACCOUNTS}?x`)
  await ask(ACCOUNTS, program('bot'), { accept: 'application/xml' })
  await ask(ACCOUNTS, program('bot'), { method: 'HEAD' })
  expect(sent).toHaveLength(5)
})

test('a HEAD counts in the category of its GET', async () => {
  const { ask, say, sent, used } = started()
  await ask(ACCOUNTS, program('bot'), { method: 'HEAD' })
  await say(sent[0], 200, left(200), '')
  expect(used()).toEqual([['Accounts', 1]])
})

test('a POST that reads counts in its own category', async () => {
  const { ask, say, sent, used } = started()
  const body = Buffer.from('{}')
  await ask('/v3/marketdata/options/riskreward', program('bot'), { method: 'POST', body })
  await say(sent[0], 200)
  expect([sent[0]?.method, sent[0]?.body]).toEqual(['POST', body])
  expect(used()).toEqual([['Option Risk Reward', 1]])
})

test('sends nothing for a caller that has left, or has its response', async () => {
  const { forwarder, sent, ask } = started()
  const [gone, answered] = [new FakeReply(), new FakeReply()]
  gone.destroy()
  answered.end()
  for (const reply of [gone, answered])
    await ask(ACCOUNTS, program('bot'), { reply: reply as unknown as ServerResponse })
  expect(sent).toEqual([])
  expect(forwarder.open).toEqual({ requests: 0, upstreams: 0 })
})

test('without a token a request waits for one, and is declined with the reason if none comes', async () => {
  const { forwarder, ask, sent, state } = started()
  state.access = { kind: 'none', why: 'sign-in-required' }
  const reply = await ask()
  expect([reply.status, JSON.parse(reply.text).detail, sent.length]).toEqual([
    503,
    'Not sent: sign in with this key in Headroom.',
    0,
  ])
  expect(forwarder.nowOf(program('bot')).use.refused).toBe(1)
  state.next = { kind: 'token', value: 'a2' }
  await ask()
  expect(sent[0]?.headers['authorization']).toBe('Bearer a2')
})

test('waits for a token as long as the caller waits', async () => {
  const { ask, sent, clock, state } = started()
  state.access = { kind: 'none', why: 'active' }
  state.held = new Promise(() => {})
  const fromMs = clock.monotonicMs()
  const answered: unknown[] = []
  for (const maxWaitMs of [0, 5_000, 20_000])
    void ask(ACCOUNTS, program('bot'), { maxWaitMs }).then(({ status, text }) =>
      answered.push([status, JSON.parse(text).detail, clock.monotonicMs() - fromMs]),
    )
  await clock.advance(30_000)
  const detail = 'Not sent: the access token is being renewed.'
  expect(answered).toEqual([1_000, 5_000, 20_000].map((ms) => [503, detail, ms]))
  expect(sent).toEqual([])
})

test('a stream opens for a program that doesn’t wait, if its turn comes at once', async () => {
  const { ask, opened, spent, settle } = started()
  const path = '/v3/marketdata/stream/quotes/MSFT'
  await spent(path, 90)
  const reply = await ask(path, program('bot'), { maxWaitMs: 0 })
  await settle()
  expect([reply.status, opened()]).toEqual([undefined, 1])
})

test.each([
  ['its program is cut off', 401, (of: Forwarder): void => of.cut(program('bot'))],
  ['its program is paused', 429, (of: Forwarder): void => of.pause(program('bot'), Number.MAX_SAFE_INTEGER)],
  ['the gateway stops', 503, (of: Forwarder): void => void of.drain('Headroom is quitting')],
] as const)('a request that waits for a token is answered and never sent when %s', async (_, status, end) => {
  const { forwarder, ask, sent, opened, holdToken } = started()
  const bringToken = holdToken('active')
  const replies = [ACCOUNTS, '/v3/marketdata/stream/quotes/MSFT'].map((path) => ask(path))
  expect(forwarder.open.requests).toBe(2)
  end(forwarder)
  expect(forwarder.open.requests).toBe(0)
  bringToken()
  for (const reply of replies) expect((await reply).status).toBe(status)
  expect([sent.length, opened()]).toEqual([0, 0])
})

test('time spent on a token is no longer available for the turn', async () => {
  const { forwarder, ask, clock, timeline, empty, holdToken, settle } = started()
  await empty()
  const bringToken = holdToken('active')
  const cameAtMs = timeline.now()
  void ask(`${ACCOUNTS}?x`, program('bot'), { maxWaitMs: 100_000 })
  await clock.advance(10_000)
  bringToken()
  await settle()
  expect(forwarder.nowOf(program('bot')).waiting).toMatchObject([{ untilMs: cameAtMs + 100_000 }])
})

test('a waiting request is listed with its turn and its longest wait', async () => {
  const { forwarder, ask, sent, timeline, clock, empty } = started()
  await empty()
  await ask(`${ACCOUNTS}?x`, program('bot'), { maxWaitMs: 100_000 })
  const now = timeline.now()
  const { waiting } = forwarder.nowOf(program('bot'))
  expect(waiting).toEqual([
    { category: 'Accounts', sinceMs: now, untilMs: now + 100_000, turnAtMs: expect.any(Number) },
  ])
  expect(forwarder.hasWaiting).toBe(true)
  expect(forwarder.nowOf(NOTES).waiting).toEqual([])
  const [{ turnAtMs = 0 } = {}] = waiting
  await clock.advance(turnAtMs - now - 2)
  expect(sent).toHaveLength(1)
  // The clock may be fast, so the request waits a little longer.
  await clock.advance(0.001 * (turnAtMs - now) + 4)
  expect(sent).toHaveLength(2)
})

test('reports a declined request of a program once a minute per category', async () => {
  const { ask, say, sent, events, clock, empty } = started()
  await empty()
  const refused = async () => {
    const reply = await ask(`${ACCOUNTS}?x`, program('bot'), { maxWaitMs: 0 })
    expect(reply.status).toBe(429)
  }
  const spend = async () => {
    for (;;) {
      const before = sent.length
      await ask(`${ACCOUNTS}?y=${before}`, program('guard', { class: 'critical' }), { maxWaitMs: 0 })
      if (sent.length === before) return
      await say(sent[before], 200, left(0))
    }
  }
  await refused()
  await refused()
  const told = () => events.filter((event) => event.kind === 'program-refused' && event.program === 'bot')
  expect(told()).toEqual([
    { kind: 'program-refused', program: 'bot', category: 'Accounts', retryAt: expect.any(Number) },
  ])
  await clock.advance(59_999)
  await spend()
  await refused()
  expect(told()).toHaveLength(1)
  await clock.advance(1)
  await refused()
  expect(told()).toHaveLength(2)
})

test('a 429 counts for its program, is resent in turn, and its response relayed', async () => {
  const { forwarder, ask, say, sent, clock } = started()
  const reply = await ask(ACCOUNTS, program('bot'), { maxWaitMs: 100_000 })
  await say(sent[0], 429, left(0), LIMITED)
  expect(forwarder.nowOf(program('bot')).use.rejected).toBe(1)
  expect([sent.length, reply.status]).toEqual([1, undefined])
  await clock.advance(60_000)
  expect(sent).toHaveLength(2)
  await say(sent[1], 200, left(10), '{"late":1}')
  expect([reply.status, reply.text]).toEqual([200, '{"late":1}'])
})

test('a 401 causes one refresh and one resend with the new token', async () => {
  const { ask, say, sent, told, state } = started()
  const reply = await ask()
  state.next = { kind: 'token', value: 'a2' }
  await say(sent[0], 401)
  expect(told).toEqual([['rejected', 'a1', ACCOUNTS]])
  expect(sent.map(({ headers }) => headers['authorization'])).toEqual(['Bearer a1', 'Bearer a2'])
  expect(sent[0]?.isAborted).toBe(true)
  await say(sent[1], 200, left(200))
  expect(reply.status).toBe(200)
  expect(told.at(-1)).toEqual(['accepted', 'a2', ACCOUNTS])
})

test('a second 401 is relayed, and its token counts as rejected too', async () => {
  const { ask, say, sent, told, state } = started()
  const reply = await ask()
  state.next = { kind: 'token', value: 'a2' }
  await say(sent[0], 401)
  await say(sent[1], 401, {}, '{"Error":"Unauthorized"}')
  expect([reply.status, reply.text]).toEqual([401, '{"Error":"Unauthorized"}'])
  expect(told).toEqual([
    ['rejected', 'a1', ACCOUNTS],
    ['rejected', 'a2', ACCOUNTS],
  ])
})

test('a request cut twice fails, and frees its place', async () => {
  const { forwarder, ask, sent, clock } = started()
  const reply = await ask()
  sent[0]?.listener.failed('cut', 'reset')
  expect(sent).toHaveLength(2)
  sent[1]?.listener.failed('cut', 'reset')
  await clock.advance(0)
  expect([reply.status, forwarder.open]).toEqual([502, { requests: 0, upstreams: 0 }])
})

test('a token missing at its turn is the reason that the caller gets', async () => {
  const { ask, sent, clock, state, empty } = started()
  await empty()
  const reply = await ask(`${ACCOUNTS}?x`, program('bot'), { maxWaitMs: 100_000 })
  state.access = { kind: 'none', why: 'revoked' }
  await clock.advance(60_000)
  expect([reply.status, sent.length]).toEqual([503, 1])
  expect(JSON.parse(reply.text).detail).toBe(
    'Not sent: the tokens of this key are revoked; sign in again in Headroom.',
  )
})

test('renews a token that expired while a request waited, before sending', async () => {
  const { ask, say, sent, clock, state, empty } = started()
  await empty()
  const reply = await ask(`${ACCOUNTS}?x`, program('bot'), { maxWaitMs: 100_000 })
  state.access = { kind: 'none', why: 'expired' }
  state.next = { kind: 'token', value: 'a2' }
  await clock.advance(60_000)
  expect(sent[1]?.headers['authorization']).toBe('Bearer a2')
  await say(sent[1], 200, left(10))
  expect(reply.status).toBe(200)
})

test('sends and counts nothing for a caller that leaves during the refresh', async () => {
  const { forwarder, ask, sent, clock, timeline, empty, holdToken, settle } = started()
  await empty()
  const reply = await ask(`${ACCOUNTS}?x`, program('bot'), { maxWaitMs: 100_000 })
  const bringToken = holdToken('expired')
  const [{ turnAtMs = 0 } = {}] = forwarder.nowOf(program('bot')).waiting
  await clock.advance(Math.ceil(turnAtMs - timeline.now()) + 100)
  expect(forwarder.nowOf(program('bot')).waiting).toEqual([])
  reply.destroy()
  bringToken()
  await settle()
  expect([sent.length, forwarder.open]).toEqual([1, { requests: 0, upstreams: 0 }])
  expect(forwarder.permits.roomAtMs(ACCOUNTS)).toBe(timeline.now())
})

test('the last caller that leaves ends the sent request, and a shared one continues', async () => {
  const { forwarder, ask, say, sent, clock } = started()
  const [one, two] = [await ask(), await ask()]
  one.destroy()
  expect([sent[0]?.isAborted, forwarder.open.requests]).toEqual([false, 1])
  two.destroy()
  await clock.advance(0)
  expect([sent[0]?.isAborted, forwarder.open]).toEqual([true, { requests: 0, upstreams: 0 }])
  await say(sent[0], 200, left(100))
  expect([one.text, two.text]).toEqual(['', ''])
})

test('a revoked program gets the reason, and what others wait for continues', async () => {
  const { forwarder, ask, say, sent } = started()
  const bot = await ask()
  const notes = await ask(ACCOUNTS, NOTES)
  forwarder.cut(program('bot'))
  expect([bot.status, notes.status, sent[0]?.isAborted]).toEqual([401, undefined, false])
  await say(sent[0], 200, left(100))
  expect(notes.status).toBe(200)
  expect(forwarder.nowOf(program('bot')).use.lastSeenAtMs).toBeUndefined()
})

test('a revoked program waits for nothing more, and its response in progress ends', async () => {
  const { forwarder, ask, sent } = started()
  const reads = await ask()
  const fields = { 'content-type': 'application/json' }
  const body = Object.assign(new PassThrough(), { complete: false })
  sent[0]?.listener.answered({
    status: 200,
    headers: fields,
    rawHeaders: Object.entries(fields).flat(),
    body,
  })
  body.write('{')
  await new Promise(setImmediate)
  await ask(`${ACCOUNTS}?x`)
  forwarder.cut(program('bot'))
  expect([reads.status, reads.destroyed, sent[0]?.isAborted]).toEqual([200, true, true])
  expect([sent[1]?.isAborted, forwarder.open.requests]).toEqual([true, 0])
})

test('waiting requests are declined with the reason, sent ones continue', async () => {
  const { forwarder, ask, say, sent } = started()
  const going = await ask()
  const waiting = await ask(`${ACCOUNTS}?x`)
  forwarder.refuseWaiting('the tokens of this key are revoked; sign in again in Headroom')
  expect([waiting.status, JSON.parse(waiting.text).detail]).toEqual([
    503,
    'Not sent: the tokens of this key are revoked; sign in again in Headroom.',
  ])
  await say(sent[0], 200, left(100))
  expect(going.status).toBe(200)
})

test('a drained gateway accepts nothing more, and is drained once sent requests are answered', async () => {
  const { forwarder, ask, say, sent } = started()
  const going = await ask()
  let isDrained = false
  const drained = forwarder.drain('the gateway was turned off').then(() => {
    isDrained = true
  })
  const late = await ask(`${ACCOUNTS}?x`)
  expect([late.status, JSON.parse(late.text).detail]).toEqual([503, 'Not sent: the gateway was turned off.'])
  await new Promise(setImmediate)
  expect(isDrained).toBe(false)
  await say(sent[0], 200, left(100))
  await drained
  expect(going.status).toBe(200)
})

test('a drain waits for a slow reader of a shared response, and a cut ends that reader', async () => {
  const { forwarder, ask, say, sent, settle } = started()
  const slow = await ask(ACCOUNTS, NOTES)
  slow.isFrozen = true
  const fast = await ask()
  await say(sent[0], 200, left(200), '{"a":1}')
  expect([fast.status, forwarder.open]).toEqual([200, { requests: 1, upstreams: 0 }])
  let isDrained = false
  const drained = forwarder.drain('the gateway was turned off').then(() => {
    isDrained = true
  })
  await settle()
  expect([slow.destroyed, isDrained]).toEqual([false, false])
  forwarder.cut(NOTES)
  expect(slow.destroyed).toBe(true)
  await drained
})

test('a stopped gateway ends every request, and calls only unsent ones not sent', async () => {
  const { forwarder, ask, sent, clock } = started()
  const replies = [await ask(), await ask(`${ACCOUNTS}?x`)]
  forwarder.stop('the gateway was turned off')
  expect(replies.map(({ status }) => status)).toEqual([502, 503])
  expect(replies.map(({ text }) => JSON.parse(text).detail)).toEqual([
    'No response yet: the gateway was turned off. The request may count against the quota.',
    'Not sent: the gateway was turned off.',
  ])
  await clock.advance(0)
  expect([sent[0]?.isAborted, forwarder.open]).toEqual([true, { requests: 0, upstreams: 0 }])
})

test('an own check takes its turn, and its response’s quota is the programs’', async () => {
  const { forwarder, ask, sent, permitted } = started()
  const turn = await permitted(ACCOUNTS)
  turn({ kind: 'answer', rate: { limit: 250, periodSeconds: 300, remaining: 0, resetSeconds: 300 } })
  const reply = await ask(ACCOUNTS, program('bot'), { maxWaitMs: 0 })
  expect([reply.status, sent.length]).toEqual([429, 0])
  expect(await forwarder.permits.forOwn('GET', ACCOUNTS)).toEqual({
    why: 'the wait for this quota would exceed 5 s; retry in about 38 s',
  })
})

test('an own request with a query waits for the quota of its category', async () => {
  const { forwarder, permitted } = started()
  const turn = await permitted(ACCOUNTS)
  turn({ kind: 'answer', rate: { limit: 250, periodSeconds: 300, remaining: 0, resetSeconds: 300 } })
  expect(await forwarder.permits.forOwn('GET', `${ACCOUNTS}?since=2026-01-05`)).toHaveProperty('why')
})

test('an own check is declined with the true reason, though no program uses its quota', async () => {
  const { forwarder, permitted, clock } = started()
  const whyNot = () => forwarder.permits.forOwn('GET', ACCOUNTS)
  const limited = await permitted(ACCOUNTS)
  limited({ kind: 'rate-limited', of: 'unattributed' })
  expect(await whyNot()).toEqual({ why: expect.stringMatching(/^the wait for this quota would exceed 5 s;/) })
  await clock.advance(600_000)
  // Until its response arrives, the quota is unknown and no second check may be sent.
  await permitted(ACCOUNTS)
  const queued = Array.from({ length: 65 }, whyNot)
  expect(await Promise.race(queued)).toEqual({ why: expect.stringMatching(/^the queue is full/) })
  forwarder.stop('the gateway was turned off')
  expect(await queued[0]).toEqual({ why: 'the gateway was turned off' })
})

test('an urgent own request may spend the reserve, which a check leaves', async () => {
  const { forwarder, permitted } = started()
  const turn = await permitted(ACCOUNTS)
  turn({ kind: 'answer', rate: { limit: 250, periodSeconds: 300, remaining: 5, resetSeconds: 294 } })
  expect(await forwarder.permits.forOwn('GET', ACCOUNTS)).toMatchObject({ why: expect.anything() })
  expect(await forwarder.permits.forOwn('GET', ACCOUNTS, true)).toBeTypeOf('function')
})

test('an own check counts in the quota that its endpoint turned out to have', async () => {
  const BALANCES = '/v3/brokerage/accounts/SIM1001/balances'
  const { permitted, ask, say, sent } = started()
  const known = { limit: 250, periodSeconds: 300, remaining: 200, resetSeconds: 60 }
  await ask()
  await say(sent[0], 200, left(200))
  const first = await permitted(BALANCES)
  first({ kind: 'answer', rate: known })
  const turn = await permitted(BALANCES)
  await ask(BALANCES)
  await say(sent[1], 200, left(200))
  turn({ kind: 'answer', rate: { ...known, remaining: 0, resetSeconds: 300 } })
  const reply = await ask(ACCOUNTS, program('bot'), { maxWaitMs: 0 })
  expect([reply.status, sent.length]).toEqual([429, 2])
})

const QUOTES = '/v3/marketdata/stream/quotes/MSFT'
const BACKGROUND = program('scanner', { class: 'background' })
const CRITICAL = program('guard', { class: 'critical' })

test('a stream that waits for its turn gets it in the class of its most urgent reader', async () => {
  const { ask, spent, opened } = started()
  await spent(QUOTES, 3)
  await ask(QUOTES, BACKGROUND)
  expect(opened()).toBe(0)
  await ask(QUOTES, CRITICAL)
  expect(opened()).toBe(1)
})

test('each reader of a stream that waits for its turn waits as long as it wants', async () => {
  const { ask, spent, opened, clock, forwarder } = started()
  await spent(QUOTES, 3)
  const first = await ask(QUOTES, program('bot'), { maxWaitMs: 8_000 })
  const [short, long] = [
    await ask(QUOTES, NOTES, { maxWaitMs: 1_000 }),
    await ask(QUOTES, NOTES, { maxWaitMs: 60_000 }),
  ]
  expect([first.status, short.status, long.status]).toEqual([undefined, 429, undefined])
  for (let second = 0; second < 12; second += 1) {
    await forwarder.permits.forOwn('GET', QUOTES, true)
    await clock.advance(1_000)
  }
  expect([first.status, long.status, opened()]).toEqual([429, undefined, 0])
  await clock.advance(6_000)
  expect(opened()).toBe(1)
})

test('of one program, a patient reader of a stream waits on when another one’s wait has ended', async () => {
  for (const waits of [
    [6_000, 60_000],
    [60_000, 6_000],
  ]) {
    const { ask, spent, clock, forwarder, opened } = started()
    await spent(QUOTES, 3)
    const replies = [await ask(QUOTES, NOTES, { maxWaitMs: waits[0]! })]
    replies.push(await ask(QUOTES, NOTES, { maxWaitMs: waits[1]! }))
    for (let second = 0; second < 8; second += 1) {
      await forwarder.permits.forOwn('GET', QUOTES, true)
      await clock.advance(1_000)
    }
    const [first, second] = replies.toSorted((a, b) => (a.status ?? 0) - (b.status ?? 0))
    expect([first?.status, second?.status, second?.headers.join()]).toEqual([
      undefined,
      429,
      expect.stringMatching(/retry-after,\d+,.*x-ratelimit-limit,100/),
    ])
    await clock.advance(6_000)
    expect(opened()).toBe(1)
  }
})

test('a program’s readers of one stream wait as one request', async () => {
  const { ask, spent, clock, forwarder, opened } = started()
  await spent(QUOTES, 3)
  const replies: FakeReply[] = []
  for (let reader = 0; reader < 100; reader += 1)
    replies.push(await ask(QUOTES, NOTES, { maxWaitMs: 30_000 + (reader % 3) * reader }))
  expect(forwarder.nowOf(NOTES).waiting).toHaveLength(1)
  for (const reply of replies.slice(50)) reply.destroy()
  await clock.advance(5_000)
  expect([opened(), replies.filter(({ status }) => status !== undefined)]).toEqual([1, []])
})

test('readers that leave before the turn of their stream leave the queue', async () => {
  const { ask, spent, opened, clock, forwarder } = started()
  await spent(QUOTES, 3)
  for (let left = 0; left < 64; left += 1) (await ask(`${QUOTES},S${left}`, NOTES)).destroy()
  expect([forwarder.nowOf(NOTES).waiting, forwarder.open]).toEqual([[], { requests: 0, upstreams: 0 }])
  const reply = await ask(QUOTES, NOTES, { maxWaitMs: 8_000 })
  await clock.advance(5_000)
  expect([reply.status, opened()]).toEqual([undefined, 1])
})

test('an unshared stream uses its slot until it ends', async () => {
  const { ask, say, sent, own } = started()
  await ask('/v3/brokerage/stream/accounts/SIM1001/positions', program('bot'), { method: 'HEAD' })
  expect(own('Positions Stream')).toBe(1)
  await say(sent[0], 200)
  expect(own('Positions Stream')).toBe(0)
})

test('a HEAD of a stream is relayed and never shared', async () => {
  const { ask, sent } = started()
  await ask('/v3/brokerage/stream/accounts/SIM1001/positions', program('bot'), { method: 'HEAD' })
  expect(sent.map(({ method }) => method)).toEqual(['HEAD'])
})

test('a turn that a desk granted is not used if the token came too late for it', async () => {
  const { forwarder, ask, sent, state, clock } = started()
  const messages: (Omit<Ask, 'epoch'> | Omit<Ended, 'epoch'>)[] = []
  let member: MemberQueue | undefined
  forwarder.setDesk((local) => {
    member = new MemberQueue(local, {
      now: () => clock.monotonicMs(),
      maySpend: () => true,
      toDispatcher: (message) => void messages.push(message),
      touch: () => {},
      isOnlyMember: () => false,
      left: () => {},
    })
    member.setGranted()
    return member
  })
  const grantNewest = () => {
    const asks = messages.flatMap((message) => (message.kind === 'ask' ? message.asks : []))
    const granted = asks.slice(-1).map(({ id, attempt }) => ({ id, attempt }))
    const common = { kind: 'grant' as const, epoch: 1, number: 1, spendWithinMs: 1_500 }
    member?.answers({ ...common, granted, declined: [], turns: [] })
    return asks.length
  }
  const reply = await ask()
  for (const lateMs of [1_600, 1_400]) {
    const held = Promise.withResolvers<void>()
    state.access = { kind: 'none', why: 'expired' }
    state.held = held.promise
    const asked = grantNewest()
    await clock.advance(lateMs)
    state.access = { kind: 'token', value: 'a2' }
    held.resolve()
    await clock.advance(0)
    expect([asked, sent.length]).toEqual(lateMs > 1_500 ? [1, 0] : [2, 1])
  }
  const ended = messages.flatMap((message) => (message.kind === 'ended' ? message.ended : []))
  expect(ended).toEqual([{ id: expect.any(Number), outcome: { kind: 'not-sent' } }])
  expect(reply.status).toBeUndefined()
  forwarder.setDesk(undefined)
  forwarder.stop('the gateway was turned off')
})
