import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AlertEffect, AlertEngine } from '../../../app/alerts/engine.ts'
import type { Snapshot, StreamSummary } from '../../../app/contract/snapshot.ts'
import {
  AT_MS,
  exampleQuota,
  exampleSlot,
  exampleSnapshot,
  exampleStream,
} from '../../main/hosts/terminal/example-snapshot.ts'
import { proves } from '../../proof/proves.ts'

const PROFILE = exampleSnapshot().profile.id

/** One quota whose header is as new as the snapshot, unless `changes` says otherwise. */
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
      asOf: AT_MS + second * 1000,
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

/** Follows one state of each of these seconds. */
const over = (engine: AlertEngine, all: readonly number[], state: (second: number) => Partial<Snapshot>) =>
  follow(engine, all.map(state))

/** Each of these seconds with that much left. */
const left = (remaining: number, from: number, to: number) =>
  seconds(from, to).map((second) => quota(second, remaining))

test('announces a low quota once after it lasted, and withdraws it once it has recovered', () => {
  const engine = new AlertEngine()
  expect(follow(engine, left(10, 1, 5))).toEqual([])
  expect(follow(engine, [quota(6, 10)])).toEqual(['raised low'])
  expect(follow(engine, left(10, 7, 60))).toEqual([])
  expect(follow(engine, left(200, 61, 70))).toEqual([])
  expect(follow(engine, left(200, 71, 90))).toEqual(['withdrawn low'])
  expect(engine.alerts()).toEqual([])
})

test('announces a 429 at once, and its end as good news for two minutes', () => {
  const engine = new AlertEngine()
  expect(follow(engine, [quota(1, 200, true)])).toEqual(['raised rate-limited'])
  expect(follow(engine, [quota(2, 200, false, 1)])).toEqual([])
  const well = (from: number, to: number) => left(200, from, to)
  expect(follow(engine, well(3, 12))).toEqual([])
  expect(follow(engine, well(13, 13))).toEqual(['withdrawn rate-limited', 'raised capacity-back'])
  expect(follow(engine, well(14, 132))).toEqual([])
  expect(follow(engine, well(133, 133))).toEqual(['withdrawn capacity-back'])
})

test('announces one recovery after both, if a 429 outlasts others that used the whole refill', () => {
  const engine = new AlertEngine()
  const busy = { total: 2, own: 0, elsewhere: 2, elsewhereLow: 2, elsewhereHigh: 2 }
  const refused = (second: number, by?: typeof busy): Partial<Snapshot> => {
    const [row] = quota(second, 0, true).requests ?? []
    return { ...quota(second, 0, true), requests: row ? [{ ...row, ...(by && { use: by }) }] : [] }
  }
  const of = (from: number, to: number, by?: typeof busy) =>
    seconds(from, to).map((second) => refused(second, by))
  expect(follow(engine, of(1, 12, busy))).toEqual(['raised others-use-refill'])
  expect(follow(engine, of(13, 40))).toEqual(['raised rate-limited', 'withdrawn others-use-refill'])
  const well = left(200, 41, 160)
  expect(follow(engine, well)).toEqual(['withdrawn rate-limited', 'raised capacity-back'])
})

test('a 429 that repeats within seconds is the same alert, and a later one withdraws the good news', () => {
  const engine = new AlertEngine()
  expect(follow(engine, [quota(1, 0, true), quota(2, 200), quota(9, 0, true)])).toEqual([
    'raised rate-limited',
  ])
  expect(follow(engine, left(200, 10, 20))).toHaveLength(2)
  expect(follow(engine, [quota(21, 0, true)])).toEqual(['withdrawn capacity-back', 'raised rate-limited'])
})

test('a 429 does not end while nothing is left', () => {
  const engine = new AlertEngine()
  follow(engine, [quota(1, 0, true)])
  expect(follow(engine, left(0, 2, 60))).not.toContain('withdrawn rate-limited')
})

test('a recovery by numbers alone during an outage ends no alert', () => {
  const engine = new AlertEngine()
  follow(engine, left(10, 1, 10))
  // The model refills the quota, but the last header is still that of second 10.
  expect(over(engine, seconds(11, 400), (second) => quota(second, 320, false, 10))).toEqual([])
  expect(engine.alerts().map(({ kind }) => kind)).toEqual(['low'])
})

const streams = (second: number, ...all: readonly Partial<StreamSummary>[]): Partial<Snapshot> => ({
  at: AT_MS + second * 1000,
  requests: [],
  slots: [],
  streams: all.map((stream, index) => exampleStream({ id: `s${index}`, lastFrameAt: AT_MS, ...stream })),
})

test('silent streams are one alert, which ends when all receive data again or are gone', () => {
  const engine = new AlertEngine()
  const silent = { state: 'stale' } as const
  expect(follow(engine, [streams(20, silent, {}), streams(21, silent, silent, {})])).toEqual([
    'raised streams-silent',
  ])
  expect(over(engine, seconds(22, 26), (second) => streams(second, {}, {}))).toEqual([])
  expect(follow(engine, [streams(27)])).toEqual(['withdrawn streams-silent'])
})

test('streams that keep restarting are one alert', () => {
  const engine = new AlertEngine()
  const restarted = (second: number, recentRestarts: number) => streams(second, { recentRestarts }, {})
  expect(follow(engine, [restarted(1, 2)])).toEqual([])
  expect(follow(engine, [restarted(2, 3), restarted(3, 4)])).toEqual(['raised streams-restarting'])
  expect(follow(engine, [restarted(4, 2), restarted(5, 2)])).toEqual(['withdrawn streams-restarting'])
})

const full = (second: number, ...all: readonly Partial<StreamSummary>[]): Partial<Snapshot> => {
  const at = AT_MS + second * 1000
  return {
    ...streams(second, ...all),
    slots: [exampleSlot({ own: 10, elsewhere: 30, free: 0, observedAt: at })],
  }
}

test('full slots cause an alert only if a stream waits for one', () => {
  const engine = new AlertEngine()
  const waiting = { state: 'waiting', reasonCode: 'no-slot' } as const
  expect(over(engine, seconds(1, 30), (second) => full(second, {}))).toEqual([])
  expect(over(engine, seconds(31, 40), (second) => full(second, {}, waiting))).toEqual([])
  expect(follow(engine, [full(41, {}, waiting)])).toEqual(['raised slots-full'])
})

const unreachable = (second: number, sinceSecond: number): Partial<Snapshot> => ({
  ...quota(second, 10, false, sinceSecond),
  service: { reachable: false, host: 'h', since: AT_MS + sinceSecond * 1000 },
})

test('announces an outage after a minute, and withdraws the alerts that it explains', () => {
  const engine = new AlertEngine()
  follow(engine, left(10, 1, 10))
  expect(over(engine, seconds(20, 70), (second) => unreachable(second, 11))).toEqual([])
  expect(follow(engine, [unreachable(71, 11)])).toEqual(['withdrawn low', 'raised service-unreachable'])
  expect(engine.alerts()[0]).toMatchObject({ since: AT_MS + 11_000 })
  // An alert that it had explained is raised again if its condition is still true.
  expect(follow(engine, left(10, 80, 84))).toEqual(['withdrawn service-unreachable'])
  expect(follow(engine, [quota(85, 10)])).toEqual(['raised low'])
})

test('a short outage neither announces nor ends anything', () => {
  const engine = new AlertEngine()
  follow(engine, left(10, 1, 10))
  expect(over(engine, seconds(11, 40), (second) => unreachable(second, 11))).toEqual([])
  expect(follow(engine, [quota(41, 10), quota(42, 10)])).toEqual([])
})

test('announces an alert again when it becomes critical, and not again when it wavers', () => {
  const engine = new AlertEngine()
  const { refresh } = exampleSnapshot()
  const ending = (second: number, minutes: number): Partial<Snapshot> => ({
    at: AT_MS + second * 1000,
    refresh: { ...refresh, endsAt: AT_MS + second * 1000 + minutes * 60_000 },
    requests: [],
    slots: [],
    streams: [],
  })
  expect(follow(engine, [ending(1, 61)])).toEqual([])
  expect(follow(engine, [ending(2, 60), ending(3, 16)])).toEqual(['raised sign-in-ends'])
  expect(follow(engine, [ending(4, 15)])).toEqual(['withdrawn sign-in-ends', 'raised sign-in-ends'])
  expect(engine.alerts()).toMatchObject([{ severity: 'critical', since: AT_MS + 2_000 }])
  expect(follow(engine, [ending(5, 16), ending(6, 15)])).toEqual([])
  const ended = { ...ending(7, -1), refresh: { ...refresh, state: 'sign-in-required' as const } }
  expect(follow(engine, [ended])).toEqual(['withdrawn sign-in-ends', 'raised signed-out'])
})

test('the worst alert is first, among equals the latest', () => {
  const engine = new AlertEngine()
  const rows = (second: number) => ({
    ...quota(second, 10),
    requests: [
      exampleQuota({ category: 'A', state: 'blocked', blockedUntil: AT_MS + 3_600_000 }),
      ...(quota(second, 10).requests ?? []),
      ...(second < 20 ? [] : (quota(second, 9).requests ?? []).map((row) => ({ ...row, category: 'B' }))),
    ],
  })
  over(engine, seconds(1, 30), rows)
  expect(engine.alerts().map(({ subject }) => subject)).toEqual(['A', 'B', 'Accounts'])
})

test('withdraws a key’s alerts when it is disconnected', () => {
  const engine = new AlertEngine()
  follow(engine, [quota(1, 200, true)])
  expect(told(engine.removed(PROFILE))).toEqual(['withdrawn rate-limited'])
  expect(engine.alerts()).toEqual([])
})

test('does not announce an open alert again after a restart, and withdraws it when it has ended', () => {
  const before = new AlertEngine()
  follow(before, left(10, 1, 10))
  const after = new AlertEngine(before.alerts())
  expect(follow(after, left(10, 30, 60))).toEqual([])
  expect(after.alerts().map(({ id }) => id)).toEqual(before.alerts().map(({ id }) => id))
  expect(follow(after, left(300, 61, 80))).toEqual(['withdrawn low'])
})

test('a dismissed alert stays the same episode', () => {
  const engine = new AlertEngine()
  follow(engine, [quota(1, 200, true)])
  const [alert] = engine.alerts()
  expect(engine.dismiss(alert?.id ?? '')).toMatchObject({ dismissed: true })
  expect(follow(engine, [quota(2, 200, true)])).toEqual([])
  expect(engine.dismiss('another')).toBeUndefined()
})

test('a changed threshold makes a new condition', () => {
  const engine = new AlertEngine()
  follow(engine, left(10, 1, 10))
  expect(told(engine.thresholdsChanged(PROFILE))).toEqual(['withdrawn low'])
  expect(over(engine, seconds(11, 30), (second) => quota(second, 10, false, second, 0))).toEqual([])
  engine.thresholdsChanged(PROFILE)
  expect(follow(engine, left(10, 31, 40))).toEqual(['raised low'])
})

test('an announcement names the category, the remedy and the key', () => {
  const engine = new AlertEngine()
  follow(engine, left(10, 1, 6))
  const [alert] = engine.alerts()
  expect(alert?.title).toBe('Accounts is low')
  expect(alert?.body).toMatch(/^3 % left\. .+ On Built-in simulator\.$/)
})

test('announces a rejected token after ten seconds as one alert of the key, and withdraws it with the next number', () => {
  const engine = new AlertEngine()
  const rejected = (second: number): Partial<Snapshot> => ({
    ...quota(second, 300),
    requests: ['Accounts', 'Balances'].map((category) =>
      exampleQuota({ category, problem: { status: 401, since: AT_MS } }),
    ),
  })
  expect(over(engine, seconds(1, 9), (second) => rejected(second))).toEqual([])
  expect(follow(engine, [rejected(10)])).toEqual(['raised token-rejected'])
  expect(engine.alerts()).toMatchObject([
    { severity: 'critical', title: 'Token rejected (401)', subject: '', since: AT_MS },
  ])
  expect(follow(engine, [quota(11, 300)])).toEqual(['withdrawn token-rejected'])
})

test('before the first response after a start, whether an outage has ended is unknown', () => {
  const before = new AlertEngine()
  over(before, seconds(0, 61), (second) => unreachable(second, 0))
  const after = new AlertEngine(before.alerts())
  const pending = { ...quota(90, 300), service: { reachable: false, pending: true, host: 'h' } as const }
  expect(follow(after, [pending])).toEqual([])
  expect(follow(after, [quota(91, 300)])).toEqual(['withdrawn service-unreachable'])
})

/** A row at one moment: whether it is low, and the age of its last header. */
interface Look {
  readonly atMs: number
  readonly isLow: boolean
  readonly ageMs: number
}

const looks: fc.Arbitrary<readonly Look[]> = fc
  .array(
    fc.record({
      afterMs: fc.constantFrom(1_000, 2_000, 5_000),
      isLow: fc.boolean(),
      repeats: fc.integer({ min: 1, max: 12 }),
      ageMs: fc.constantFrom(0, 0, 500, 4_000, 150_000, 150_001),
    }),
    { maxLength: 12 },
  )
  .map((runs) => {
    let atMs = 0
    return runs.flatMap(({ afterMs, isLow, repeats, ageMs }) =>
      Array.from({ length: repeats }, () => {
        atMs += afterMs
        return { atMs, isLow, ageMs }
      }),
    )
  })

const HOLD_MS = 5_000
const RECOVER_MS = 10_000
const FRESH_MS = 150_000

/**
 * The expected alerts for these looks, from the definition of an episode. It does not use the engine's
 * states.
 */
function expected(all: readonly Look[]): readonly string[] {
  const result: string[] = []
  let from = 0
  for (;;) {
    const raised = all.findIndex((_, index) => lasts(index, from, isBad, HOLD_MS))
    if (raised === -1) return result
    result.push(`raised low at ${all[raised]?.atMs}`)
    const over = all.findIndex((_, index) => lasts(index, raised + 1, isGoodNews(raised), RECOVER_MS))
    if (over === -1) return result
    result.push(`withdrawn low at ${all[over]?.atMs}`)
    from = over + 1
  }

  /**
   * Whether `isSo` has held at each look up to `index` for at least `forMs`. Looks before `first` do not
   * count.
   */
  function lasts(index: number, first: number, isSo: (index: number) => boolean, forMs: number): boolean {
    if (index < first || !isSo(index)) return false
    let begin = index
    while (begin > first && isSo(begin - 1)) begin -= 1
    return (all[index]?.atMs ?? 0) - (all[begin]?.atMs ?? 0) >= forMs
  }

  function isBad(index: number): boolean {
    const look = all[index]
    return look?.isLow === true && look.ageMs <= FRESH_MS
  }

  function isGoodNews(raised: number): (index: number) => boolean {
    return (index) => {
      const look = all[index]
      if (look === undefined || look.isLow || look.ageMs > FRESH_MS) return false
      let begin = raised
      while (isBad(begin - 1)) begin -= 1
      const bad = all.flatMap((one, at) =>
        at >= begin && at < index && isBad(at) ? [one.atMs - one.ageMs] : [],
      )
      return look.atMs - look.ageMs > Math.max(...bad)
    }
  }
}

test('episodes match their definition: no duplicates, none missed, none from stale evidence', () => {
  fc.assert(
    fc.property(looks, (all) => {
      const engine = new AlertEngine()
      const said = all.flatMap(({ atMs, isLow, ageMs }) => {
        const at = AT_MS + atMs
        const row = { remaining: isLow ? 10 : 300, low: isLow ? 10 : 300, high: 301, asOf: at }
        const state = isLow ? 'low' : 'ok'
        const requests = [exampleQuota({ ...row, state, observedAt: at - ageMs })]
        const effects = engine.observe(exampleSnapshot({ at, requests, slots: [], streams: [] }))
        return told(effects).map((one) => `${one} at ${atMs}`)
      })
      expect(said).toEqual(expected(all))
    }),
    { numRuns: 500 },
  )
  proves('C3', { level: 2, cases: 500 })
})
