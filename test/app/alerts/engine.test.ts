import { expect, test } from 'vitest'
import { type AlertEffect, AlertEngine } from '../../../app/alerts/engine.ts'
import type { Snapshot, StreamSummary } from '../../../app/contract/snapshot.ts'
import {
  AT_MS,
  exampleQuota,
  exampleSnapshot,
  exampleStream,
} from '../../main/hosts/terminal/example-snapshot.ts'

const PROFILE = exampleSnapshot().profile.id

/** One quota whose header is as new as the look, unless told otherwise. */
const quota = (
  second: number,
  remaining: number,
  blocked = false,
  seenSecond = second,
  threshold = 0.2,
): Partial<Snapshot> => ({
  at: AT_MS + second * 1000,
  requests: [
    exampleQuota({
      remaining,
      observedAt: AT_MS + seenSecond * 1000,
      low: remaining,
      high: remaining + 1,
      threshold,
      state: blocked ? 'blocked' : remaining < threshold * 320 ? 'low' : 'ok',
      ...(blocked && { blockedUntil: AT_MS + 3_600_000 }),
    }),
  ],
  slots: [],
  streams: [],
})

const told = (effects: readonly AlertEffect[]) => effects.map(({ kind, alert }) => `${kind} ${alert.kind}`)

function follow(engine: AlertEngine, snapshots: readonly Partial<Snapshot>[]): readonly string[] {
  return snapshots.flatMap((changes) => told(engine.observe(exampleSnapshot(changes))))
}

const seconds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('a low quota is said once, after it lasted, and withdrawn once, after it was well again', () => {
  const engine = new AlertEngine()
  expect(
    follow(
      engine,
      seconds(1, 5).map((second) => quota(second, 10)),
    ),
  ).toEqual([])
  expect(follow(engine, [quota(6, 10)])).toEqual(['raised below-threshold'])
  expect(
    follow(
      engine,
      seconds(7, 60).map((second) => quota(second, 10)),
    ),
  ).toEqual([])
  expect(
    follow(
      engine,
      seconds(61, 70).map((second) => quota(second, 200)),
    ),
  ).toEqual([])
  expect(
    follow(
      engine,
      seconds(71, 90).map((second) => quota(second, 200)),
    ),
  ).toEqual(['withdrawn below-threshold'])
  expect(engine.alerts()).toEqual([])
})

test('a block is said at once, and its end is good news for two minutes', () => {
  const engine = new AlertEngine()
  expect(follow(engine, [quota(1, 200, true)])).toEqual(['raised blocked'])
  expect(follow(engine, [quota(2, 200, false, 1)])).toEqual([])
  expect(follow(engine, [quota(3, 200)])).toEqual(['withdrawn blocked', 'raised capacity-back'])
  expect(follow(engine, [quota(122, 200)])).toEqual([])
  expect(follow(engine, [quota(123, 200)])).toEqual(['withdrawn capacity-back'])
})

test('a new block takes the good news back at once', () => {
  const engine = new AlertEngine()
  follow(engine, [quota(1, 200, true), quota(2, 200)])
  expect(follow(engine, [quota(3, 200, true)]).toSorted()).toEqual([
    'raised blocked',
    'withdrawn capacity-back',
  ])
})

test('a numbers-only recovery after the service went away ends nothing', () => {
  const engine = new AlertEngine()
  follow(
    engine,
    seconds(1, 10).map((second) => quota(second, 10)),
  )
  // The model refills, the header stays the one of second 10.
  expect(
    follow(
      engine,
      seconds(11, 400).map((second) => quota(second, 320, false, 10)),
    ),
  ).toEqual([])
  expect(engine.alerts().map(({ kind }) => kind)).toEqual(['below-threshold'])
})

const streams = (second: number, stream: Partial<StreamSummary>): Partial<Snapshot> => ({
  at: AT_MS + second * 1000,
  requests: [],
  slots: [],
  streams: [exampleStream({ id: 's1', ...stream })],
})

test('a silent stream is said, and its end is its next frame or its going', () => {
  const engine = new AlertEngine()
  expect(follow(engine, [streams(1, { state: 'stale' })])).toEqual(['raised stream-stale'])
  expect(
    follow(
      engine,
      seconds(2, 7).map((second) => streams(second, { state: 'live' })),
    ),
  ).toEqual(['withdrawn stream-stale'])
  expect(follow(engine, [streams(8, { state: 'stale' })])).toEqual(['raised stream-stale'])
  expect(follow(engine, [{ ...streams(9, {}), streams: [] }])).toEqual(['withdrawn stream-stale'])
})

test('three restarts within ten minutes are one alert, until ten minutes are quiet', () => {
  const engine = new AlertEngine()
  const restarts = (second: number, count: number) => streams(second, { state: 'live', restarts: count })
  expect(follow(engine, [restarts(0, 5), restarts(60, 6), restarts(120, 7)])).toEqual([])
  expect(follow(engine, [restarts(180, 8), restarts(240, 9)])).toEqual(['raised stream-restarts'])
  expect(follow(engine, [restarts(839, 9)])).toEqual([])
  expect(follow(engine, [restarts(840, 9)])).toEqual(['withdrawn stream-restarts'])
})

test('restarts of before the app looked are not counted', () => {
  const engine = new AlertEngine()
  expect(follow(engine, [streams(0, { state: 'live', restarts: 90 })])).toEqual([])
})

test('a disconnected key takes its alerts along', () => {
  const engine = new AlertEngine()
  follow(engine, [quota(1, 200, true)])
  expect(told(engine.removed(PROFILE))).toEqual(['withdrawn blocked'])
  expect(engine.alerts()).toEqual([])
})

test('what was open when the app ended is not said again, and withdrawn when it is over', () => {
  const before = new AlertEngine()
  follow(
    before,
    seconds(1, 10).map((second) => quota(second, 10)),
  )
  const after = new AlertEngine(before.alerts())
  expect(
    follow(
      after,
      seconds(30, 60).map((second) => quota(second, 10)),
    ),
  ).toEqual([])
  expect(after.alerts().map(({ id }) => id)).toEqual(before.alerts().map(({ id }) => id))
  expect(
    follow(
      after,
      seconds(61, 80).map((second) => quota(second, 300)),
    ),
  ).toEqual(['withdrawn below-threshold'])
})

test('a dismissed alert stays the same episode', () => {
  const engine = new AlertEngine()
  follow(engine, [quota(1, 200, true)])
  const [alert] = engine.alerts()
  expect(engine.dismiss(alert?.id ?? '')).toMatchObject({ dismissed: true })
  expect(follow(engine, [quota(2, 200, true)])).toEqual([])
  expect(engine.dismiss('another')).toBeUndefined()
})

test('another threshold is another condition', () => {
  const engine = new AlertEngine()
  follow(
    engine,
    seconds(1, 10).map((second) => quota(second, 10)),
  )
  expect(told(engine.thresholdsChanged(PROFILE))).toEqual(['withdrawn below-threshold'])
  expect(
    follow(
      engine,
      seconds(11, 30).map((second) => quota(second, 10, false, second, 0)),
    ),
  ).toEqual([])
  engine.thresholdsChanged(PROFILE)
  expect(
    follow(
      engine,
      seconds(31, 40).map((second) => quota(second, 10)),
    ),
  ).toEqual(['raised below-threshold'])
})

test('what is said names the category, the key and what is left', () => {
  const engine = new AlertEngine()
  follow(
    engine,
    seconds(1, 6).map((second) => quota(second, 10)),
  )
  const [alert] = engine.alerts()
  expect(alert?.title).toBe('Accounts low')
  expect(alert?.body).toContain('10 of 320 left on Built-in simulator.')
})

test('refused requests are told once they have lasted half a minute, and withdrawn with the next number', () => {
  const engine = new AlertEngine()
  const refused = (second: number): Partial<Snapshot> => ({
    ...quota(second, 300),
    requests: [exampleQuota({ problem: { status: 401, since: AT_MS } })],
  })
  expect(
    follow(
      engine,
      seconds(1, 30).map((second) => refused(second)),
    ),
  ).toEqual([])
  expect(follow(engine, [refused(31)])).toEqual(['raised refused'])
  expect(engine.alerts()[0]).toMatchObject({
    severity: 'critical',
    title: 'Token rejected (401)',
    subject: '',
  })
  expect(follow(engine, [quota(32, 300), quota(33, 300)])).toEqual(['withdrawn refused'])
})
