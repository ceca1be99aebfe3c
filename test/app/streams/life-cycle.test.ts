import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frameOf } from '../../../app/streams/frames.ts'
import {
  nextStreamState,
  SILENCE,
  type StreamInput,
  type StreamState,
} from '../../../app/streams/life-cycle.ts'
import { proves } from '../../proof/proves.ts'

const CHANCE = 0.5
const next = (state: StreamState, input: StreamInput, nowMs: number): StreamState =>
  nextStreamState(state, input, nowMs, CHANCE)
const line = (text: string): StreamInput => ({ kind: 'frame', frame: frameOf(text) })

const opening = (attempt = 0): StreamState => ({
  kind: 'opening',
  sinceMs: 0,
  attempt,
  shortLives: 0,
  code: 'asked',
})
const opened = (hasSnapshot = false, attempt = 0) =>
  next(opening(attempt), { kind: 'opened', hasSnapshot }, 0)
const heartbeat = line('{"Heartbeat":1,"Timestamp":"2026-01-01T00:00:00Z"}')
const data = line('{"Symbol":"MSFT","Last":"1"}')
const ended: StreamInput = { kind: 'ended', reason: 'reset', code: 'connection-lost' }

/** An open stream that heard a heartbeat every 5 s until `ms`. */
function aliveUntil(ms: number, attempt = 0): StreamState {
  let state = opened(false, attempt)
  for (let at = 5_000; at < ms; at += 5_000) state = next(state, heartbeat, at)
  return next(state, heartbeat, ms)
}

test('a stream with a snapshot is live after it, one without at once', () => {
  expect(opened(false).kind).toBe('live')
  const first = opened(true)
  expect(first.kind).toBe('snapshot')
  expect(next(next(first, data, 10), heartbeat, 20).kind).toBe('snapshot')
  expect(next(first, line('{"StreamStatus":"EndSnapshot"}'), 30).kind).toBe('live')
})

describe('silence', () => {
  const at = (ms: number) => next(opened(), { kind: 'tick' }, ms).kind
  test('is stale at 15 s and not before', () => {
    expect(at(SILENCE.staleMs - 1)).toBe('live')
    expect(at(SILENCE.staleMs)).toBe('stale')
    expect(SILENCE.staleMs).toBe(15_000)
  })
  test('is death at 30 s and not before', () => {
    expect(at(SILENCE.deadMs - 1)).toBe('stale')
    expect(at(SILENCE.deadMs)).toBe('waiting')
    expect(SILENCE.deadMs).toBe(30_000)
  })
  test('counts from the last frame, not from the opening', () => {
    const state = next(opened(), heartbeat, 20_000)
    expect(next(state, { kind: 'tick' }, 34_999).kind).toBe('live')
    expect(next(state, { kind: 'tick' }, 35_000).kind).toBe('stale')
  })
  test('of a stale stream ends with any frame', () => {
    const stale = next(opened(), { kind: 'tick' }, 16_000)
    for (const text of [
      '{"Heartbeat":1}',
      '{"Symbol":"X"}',
      '{"Symbol":"X","Error":"EX_INVALID_SYMBOL"}',
      'noise',
    ]) {
      expect(next(stale, line(text), 17_000), text).toMatchObject({ kind: 'live', lastFrameAtMs: 17_000 })
    }
  })
  test('before the response, and while waiting, ends nothing', () => {
    expect(next(opening(), { kind: 'tick' }, 1e9)).toEqual(opening())
    const waiting = next(opened(), ended, 1_000)
    expect(next(waiting, { kind: 'tick' }, 1e9)).toEqual(waiting)
  })
})

test('GoAway in both spellings is an immediate planned restart, and no attempt counts', () => {
  for (const text of ['{"StreamStatus":"GoAway"}', '{"Error":"GoAway","Message":"maintenance"}']) {
    expect(next(aliveUntil(60_000), line(text), 60_000)).toMatchObject({
      kind: 'waiting',
      retryAtMs: 60_000,
      attempt: 0,
    })
    expect(next(aliveUntil(3_000, 4), line(text), 3_000)).toMatchObject({ retryAtMs: 3_000, attempt: 0 })
  }
  proves('S3', { level: 1, cases: 2 })
})

test('a server that always says GoAway causes backoff, not a storm', () => {
  let state: StreamState = opening()
  let now = 0
  let openings = 0
  while (now < 60_000) {
    state = next(state, { kind: 'opened', hasSnapshot: false }, now)
    openings += 1
    state = next(state, line('{"StreamStatus":"GoAway"}'), now + 10)
    if (state.kind !== 'waiting') expect.fail(state.kind)
    now = Math.max(now + 10, state.retryAtMs)
    state = next(state, { kind: 'retry' }, now)
  }
  expect(openings).toBeLessThan(20)
})

test("one symbol's error never ends a stream, however often it is sent", () => {
  let state = opened()
  for (let at = 0; at < 100; at += 1) {
    for (const error of ['FAILED, EX_NOT_ENTITLED', 'EX_INVALID_SYMBOL', 'anything new']) {
      state = next(state, line(JSON.stringify({ Symbol: 'X', Error: error })), at)
      expect(state.kind).toBe('live')
    }
  }
  proves('S3', { level: 1, cases: 1 })
})

test('DualLogon closes for good; an internal error is retried', () => {
  const closed = next(opened(), line('{"Symbol":"X","Error":"DualLogon"}'), 100)
  expect(closed).toEqual({ kind: 'closed', reason: 'DualLogon', code: 'dual-logon' })
  for (const input of [
    { kind: 'retry' },
    ended,
    data,
    { kind: 'opened', hasSnapshot: true },
  ] as const satisfies readonly StreamInput[]) {
    expect(next(closed, input, 200)).toBe(closed)
  }
  expect(next(opened(), line('{"Symbol":"X","Error":"InternalServerError"}'), 100).kind).toBe('waiting')
})

test('the last line of an older stream ends it', () => {
  expect(next(opened(), line('END'), 100)).toMatchObject({ kind: 'waiting', reason: 'ended by the service' })
  expect(next(opened(), line('ERROR - A Timeout Occurred after waiting 15000ms'), 100).kind).toBe('waiting')
  expect(next(opened(), line('<not json>'), 100).kind).toBe('live')
})

describe('attempts', () => {
  const attemptAfter = (state: StreamState, input: StreamInput, at: number) => {
    const after = next(state, input, at)
    return after.kind === 'waiting' ? [after.retryAtMs - at, after.attempt] : after.kind
  }
  test('grow with every failure, and the wait with them', () => {
    expect(attemptAfter(opening(0), ended, 0)).toEqual([250, 1])
    expect(attemptAfter(opening(1), ended, 0)).toEqual([500, 2])
    expect(attemptAfter(opening(5), ended, 0)).toEqual([8_000, 6])
    expect(attemptAfter(opening(50), ended, 0)).toEqual([15_000, 51])
  })
  test('restart from 0 after 30 s of health, and not earlier', () => {
    expect(attemptAfter(aliveUntil(29_999, 6), ended, 29_999)).toEqual([15_000, 7])
    expect(attemptAfter(aliveUntil(30_000, 6), ended, 30_000)).toEqual([250, 1])
  })
  test('do not count from 0 again after 30 s of silence', () => {
    expect(attemptAfter(opened(false, 6), { kind: 'tick' }, 30_000)).toEqual([15_000, 7])
  })
  test('survive waiting and opening', () => {
    const waiting = next(opening(3), ended, 0)
    const again = next(waiting, { kind: 'retry' }, 9_000)
    expect(again).toMatchObject({ kind: 'opening', sinceMs: 9_000, attempt: 4 })
    expect(next(again, { kind: 'opened', hasSnapshot: false }, 9_100)).toMatchObject({ attempt: 4 })
  })
})

test('a rejection waits for its Retry-After', () => {
  expect(
    next(opening(2), { kind: 'refused', reason: '429', code: 'rate-limited', retryAtMs: 77_000 }, 5),
  ).toEqual({
    kind: 'waiting',
    reason: '429',
    code: 'rate-limited',
    retryAtMs: 77_000,
    attempt: 3,
    shortLives: 0,
  })
})

test('an error that a retry cannot fix closes from every state, as does a person', () => {
  for (const state of [opening(), opened(), opened(true), next(opened(), ended, 1)]) {
    expect(next(state, { kind: 'failed', reason: '404' }, 2)).toEqual({
      kind: 'closed',
      reason: '404',
      code: 'refused',
    })
    expect(next(state, { kind: 'close', reason: 'by hand', code: 'closed-here' }, 2).kind).toBe('closed')
  }
})

test('a finished connection’s frames change nothing', () => {
  const waiting = next(opened(), ended, 1_000)
  for (const late of [ended, data, heartbeat, { kind: 'opened', hasSnapshot: false }] as const) {
    expect(next(waiting, late, 1_001)).toEqual(waiting)
  }
  const live = opened()
  expect(next(live, { kind: 'retry' }, 5)).toEqual(live)
})

test('no order of inputs makes a negative wait or an impossible state', () => {
  const runs = 3_000
  const input = fc.oneof(
    fc.constantFrom<StreamInput>({ kind: 'tick' }, { kind: 'retry' }, ended, data, heartbeat),
    fc.constantFrom<StreamInput>(
      { kind: 'opened', hasSnapshot: true },
      line('{"StreamStatus":"GoAway"}'),
      line('{"Error":"InternalServerError"}'),
      { kind: 'refused', reason: '429', code: 'rate-limited', retryAtMs: 1e6 },
    ),
  )
  const steps = fc.array(fc.tuple(input, fc.nat(40_000), fc.double({ min: 0, max: 0.999, noNaN: true })))
  fc.assert(
    fc.property(steps, (all) => {
      let state: StreamState = opening()
      let now = 0
      for (const [one, elapsed, chance] of all) {
        now += elapsed
        state = nextStreamState(state, one, now, chance)
        if (state.kind === 'closed') expect.fail('nothing here closes')
        if (!(state.attempt >= 0)) expect.fail(`attempt ${state.attempt}`)
        if (state.kind === 'waiting' && one.kind !== 'refused') expect(state.retryAtMs).not.toBeNaN()
        if ('lastFrameAtMs' in state) expect(state.lastFrameAtMs).toBeLessThanOrEqual(now)
      }
    }),
    { numRuns: runs },
  )
  proves('S2', { level: 2, cases: runs })
})

describe('make before break', () => {
  const goAway: StreamInput = {
    kind: 'frame',
    frame: frameOf('{"StreamStatus":"GoAway"}'),
    canOverlap: true,
  }
  const restarting = () => next(aliveUntil(60_000, 4), goAway, 60_000)
  test('with a spare slot, a stream with GoAway is still read while its successor opens', () => {
    expect(restarting()).toMatchObject({
      kind: 'restarting',
      code: 'going-away',
      attempt: 0,
      sinceMs: 60_000,
    })
    expect(next(restarting(), heartbeat, 61_000)).toMatchObject({ kind: 'restarting', lastFrameAtMs: 61_000 })
    for (const late of [goAway, line('{"Error":"DualLogon"}'), line('END')]) {
      expect(next(restarting(), late, 200_000).kind).toBe('restarting')
    }
  })
  test('an old connection without a frame for 30 s is over, and its successor continues to open', () => {
    const tick = { kind: 'tick' } as const
    expect(next(restarting(), tick, 89_999).kind).toBe('restarting')
    expect(next(restarting(), tick, 90_000)).toMatchObject({ kind: 'opening', sinceMs: 60_000 })
  })
  test('the successor takes over once open, whether the old connection is gone or not', () => {
    const up = { kind: 'opened', hasSnapshot: true } as const
    expect(next(restarting(), up, 61_000)).toMatchObject({ kind: 'snapshot', openedAtMs: 61_000 })
    const alone = next(restarting(), { kind: 'former-ended' }, 60_500)
    expect(alone).toMatchObject({ kind: 'opening', sinceMs: 60_000 })
    expect(next(alone, up, 61_000).kind).toBe('snapshot')
  })
  test('if the successor fails, the stream waits, on the first step', () => {
    expect(next(restarting(), ended, 61_000)).toMatchObject({
      kind: 'waiting',
      retryAtMs: 61_250,
      attempt: 1,
    })
  })
  test('only a restart has an old connection to lose', () => {
    expect(next(opened(), { kind: 'former-ended' }, 10)).toEqual(opened())
  })
})

test('every transition has a reason', () => {
  const codeOf = (state: StreamState) => state.code
  expect(codeOf(opening())).toBe('asked')
  expect(codeOf(opened(true))).toBe('opened')
  expect(codeOf(next(opened(true), line('{"StreamStatus":"EndSnapshot"}'), 1))).toBe('snapshot-ended')
  const stale = next(opened(), { kind: 'tick' }, 15_000)
  expect(codeOf(stale)).toBe('silent')
  expect(codeOf(next(stale, heartbeat, 15_001))).toBe('frame')
  expect(codeOf(next(opened(), { kind: 'tick' }, 30_000))).toBe('silent')
  expect(codeOf(next(opened(), ended, 1))).toBe('connection-lost')
  expect(codeOf(next(next(opened(), ended, 1), { kind: 'retry' }, 2))).toBe('connection-lost')
  expect(codeOf(next(opened(), line('END'), 1))).toBe('ended-by-service')
  expect(codeOf(next(opened(), line('{"Error":"InternalServerError"}'), 1))).toBe('stream-error')
  expect(codeOf(next(opened(), { kind: 'restart' }, 1))).toBe('restarted-here')
  expect(codeOf(next(opened(), { kind: 'failed', reason: '404' }, 1))).toBe('refused')
})

describe('a hidden cap', () => {
  const died = (lives: number, livedMs: number, sawData: boolean): StreamState => {
    let state: StreamState = opening()
    for (let life = 0; life < lives; life += 1) {
      const from = life * 100_000
      state = next(state, { kind: 'opened', hasSnapshot: false }, from)
      if (sawData) state = next(state, data, from + 10)
      for (let at = 5_000; at <= livedMs; at += 5_000) state = next(state, heartbeat, from + at)
      state = next(state, ended, from + livedMs)
      if (life < lives - 1) state = next(state, { kind: 'retry' }, from + 90_000)
    }
    return state
  }
  test('is suspected after three connections in a row that ended within 30 s of data', () => {
    expect([died(2, 3_000, true).code, died(3, 3_000, true).code]).toEqual(['connection-lost', 'hidden-cap'])
    expect([died(3, 29_999, true).code, died(3, 30_000, true).code]).toEqual([
      'hidden-cap',
      'connection-lost',
    ])
  })
  test('is not suspected of a stream that never had data', () => {
    expect(died(5, 3_000, false).code).toBe('connection-lost')
  })
})
