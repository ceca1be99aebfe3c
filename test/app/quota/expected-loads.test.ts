import { expect, test } from 'vitest'
import type { UsualLoad } from '../../../app/contract/history.ts'
import { DAY_MS } from '../../../app/contract/units.ts'
import { Bucket } from '../../../app/quota/bucket.ts'
import { ExpectedLoads } from '../../../app/quota/expected-loads.ts'
import type { LoadStart } from '../../../app/quota/learned.ts'
import { RowState } from '../../../app/quota/state.ts'
import { viewOf } from '../../../app/quota/view.ts'

const LIMIT = 320
const PERIOD_SECONDS = 300
const REFILL = LIMIT / PERIOD_SECONDS
const HEADER_SECONDS = 47
/** When the load usually starts, in seconds after the start. */
const START_SECONDS = 3000

const LOAD: UsualLoad = {
  atMs: START_SECONDS * 1000,
  untilMs: (START_SECONDS + 900) * 1000,
  requests: 900,
  perSecond: 3,
  chance: 0.9,
}

let nextId = 1

function header(bucket: Bucket, seconds: number, level: number): void {
  const id = nextId++
  bucket.sent(id, seconds * 1000)
  bucket.answered({
    id,
    receivedAtMs: seconds * 1000,
    rejected: false,
    rate: {
      limit: LIMIT,
      periodSeconds: PERIOD_SECONDS,
      remaining: Math.floor(level),
      resetSeconds: Math.ceil(((LIMIT - level) * PERIOD_SECONDS) / LIMIT),
    },
  })
}

/**
 * Two buckets under the same headers, with and without the usual load; others use a fifth of the refill
 * before it.
 */
function both(loads: readonly UsualLoad[], then: number, starts: readonly LoadStart[] = []) {
  const [told, untold] = [new Bucket(LIMIT, PERIOD_SECONDS, 0), new Bucket(LIMIT, PERIOD_SECONDS, 0)]
  if (starts.length > 0) told.restore({ ...learnedEarlier(), starts })
  told.expect(loads)
  let level = LIMIT
  let second = 0
  const until = (end: number) => {
    for (; second < end; second += 1) {
      const others = second < START_SECONDS ? 0.2 * REFILL : then
      level = Math.max(0, Math.min(LIMIT, level + REFILL - others))
      if (second % HEADER_SECONDS !== 0) continue
      header(told, second, level)
      header(untold, second, level)
    }
  }
  return { told, untold, until }
}

function learnedEarlier() {
  const bucket = new Bucket(LIMIT, PERIOD_SECONDS, 0)
  for (const seconds of [0, 60]) header(bucket, seconds, LIMIT)
  return bucket.learned() ?? expect.fail('nothing learned')
}

const row = (bucket: Bucket, seconds: number) =>
  viewOf('Positions', undefined, bucket, { hold: undefined, state: new RowState() }, seconds * 1000)

test('a usual load that would empty the quota shows from ten minutes ahead to half a minute into it', () => {
  const { told, untold, until } = both([LOAD], 0.2 * REFILL)
  until(START_SECONDS - 601)
  expect(row(told, START_SECONDS - 601).usualLoad).toBeUndefined()
  until(START_SECONDS - 400)
  const ahead = row(told, START_SECONDS - 400)
  expect(ahead.usualLoad).toEqual({ at: LOAD.atMs, perSecond: 3 })
  expect(ahead.emptyChance).toBeCloseTo(LOAD.chance, 5)
  expect(row(told, START_SECONDS - 400).state).toBe('watch')
  expect(row(untold, START_SECONDS - 400).usualLoad).toBeUndefined()
  expect(row(untold, START_SECONDS - 400).emptyChance).toBeLessThan(0.2)
  expect(row(told, START_SECONDS + 29).usualLoad?.at).toBe(LOAD.atMs)
  expect(row(told, START_SECONDS + 30).usualLoad).toBeUndefined()
})

test('a load that is too short or fits the refill does not show', () => {
  for (const short of [
    { ...LOAD, requests: 200 },
    { ...LOAD, perSecond: REFILL },
  ]) {
    const { told, until } = both([short], 0)
    until(START_SECONDS - 100)
    expect(row(told, START_SECONDS - 100).usualLoad).toBeUndefined()
  }
})

test('nothing shows before a second header', () => {
  const bucket = new Bucket(LIMIT, PERIOD_SECONDS, 0)
  bucket.expect([{ ...LOAD, atMs: 60_000 }])
  header(bucket, 0, 300)
  expect(row(bucket, 1).usualLoad).toBeUndefined()
  header(bucket, 2, 300)
  expect(row(bucket, 3).usualLoad).toBeDefined()
})

test('bounds widen at the usual time, never narrow, and the warning comes sooner', () => {
  const { told, untold, until } = both([LOAD], LOAD.perSecond)
  let [wider, soonerTold, soonerUntold] = [0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let second = START_SECONDS - 100; second < START_SECONDS + 300; second += 1) {
    until(second)
    const [with_, without] = [told.estimate(second * 1000), untold.estimate(second * 1000)]
    expect(with_.high).toBe(without.high)
    // After that, a header has shown the load, which narrows both ranges.
    if (second < START_SECONDS + HEADER_SECONDS) {
      expect(with_.low).toBeLessThanOrEqual(without.low + 1e-9)
      if (with_.low < without.low - 5) wider += 1
    }
    const isWarned = (bucket: Bucket) => row(bucket, second).state === 'running-out'
    if (isWarned(told)) soonerTold = Math.min(soonerTold, second)
    if (isWarned(untold)) soonerUntold = Math.min(soonerUntold, second)
  }
  expect(wider).toBeGreaterThan(10)
  expect(soonerTold).toBeGreaterThanOrEqual(START_SECONDS)
  expect(soonerUntold - soonerTold).toBeGreaterThan(30)
})

test('a day that differs is believed within two headers of the usual start', () => {
  const { told, untold, until } = both([LOAD], 0.2 * REFILL)
  until(START_SECONDS)
  // The probability of a load is added in three steps. This is one second after the last step.
  const lastStart = START_SECONDS + 121
  const second = HEADER_SECONDS * (Math.ceil(lastStart / HEADER_SECONDS) + 1) + 1
  until(second)
  const [differs, without] = [row(told, second + 20), row(untold, second + 20)]
  expect(differs.use?.elsewhere).toBeCloseTo(without.use?.elsewhere ?? 0, 1)
  expect(Math.abs(differs.low - without.low)).toBeLessThanOrEqual(3)
  expect(Math.abs((differs.emptyChance ?? 0) - (without.emptyChance ?? 0))).toBeLessThan(0.05)
})

/** The load's start on three earlier days: second 4, 10 and 16 after `atMs`. */
const TIMED = [1, 2, 3].map((day) => ({
  atMs: LOAD.atMs - day * DAY_MS + 1000 * (22 - 6 * day),
  perSecond: 3.5,
}))

test('a start that earlier days showed to the second warns from the earliest one on, not before', () => {
  const expected = new ExpectedLoads()
  expected.set([LOAD])
  const row = { level: 300, limit: LIMIT, gain: REFILL, others: 0 }
  const due = (second: number) => expected.dueChance(row, LOAD.atMs + 1000 * second, 600)
  expect(due(10)).toBe(0)
  expected.restore(TIMED)
  expect([due(-2.1), due(-2), due(22), due(22.1)]).toEqual([0, 0.9 * LOAD.chance, 0.9 * LOAD.chance, 0])
  expect(expected.dueChance({ ...row, gain: 3 }, LOAD.atMs, 600)).toBe(0)
  expect(expected.ahead(row, LOAD.atMs - 60_000, 600)).toMatchObject({
    ...{ atMs: LOAD.atMs - 2000, perSecond: 3.5 },
  })
  const onsets = expected.between(LOAD.atMs - 60_000, LOAD.atMs + 60_000)
  expect(onsets.map(({ atMs }) => (atMs - LOAD.atMs) / 1000)).toEqual([-2, 10, 22])
})

test('a fixed window is full again at its end, before a usual load and during one', () => {
  const expected = new ExpectedLoads()
  expected.set([LOAD])
  const row = { level: 300, limit: 300, gain: 0, others: 0 }
  /** In how many seconds the load empties the row, rounded up. */
  const emptyIn = (changes: Partial<typeof row>, leftSeconds: number, periodSeconds = 300) => {
    const before = { ...row, ...changes, window: { leftSeconds, periodSeconds } }
    const isEmptyBy = (seconds: number) => expected.emptyChance(before, LOAD.atMs - 50_000, seconds) > 0
    return Array.from({ length: 1000 }, (_, second) => second).find(isEmptyBy)
  }
  // The load makes 3 requests per second for 300 s, so it needs 100 s for a full window.
  expect(emptyIn({}, 150)).toBe(50 + 100)
  expect(emptyIn({}, 149)).toBe(149 + 100)
  expect(emptyIn({}, 60, 100)).toBe(60 + 100)
  expect(emptyIn({}, 60, 99)).toBeUndefined()
  expect(emptyIn({ limit: 900, level: 900 }, 150)).toBeUndefined()
  // 20 requests would be gone before the load. The window ends first, and the next one loses 2 × 30 of 300.
  expect(emptyIn({ level: 20, others: 2 }, 20)).toBe(50 + 80)
  // The second window after this one begins 10 s before the load.
  expect(emptyIn({ level: 20, others: 3 }, 10, 30)).toBeUndefined()
  expect(emptyIn({ level: 20, others: 3, limit: 60 }, 10, 30)).toBe(50 + 10)
})

test('a usual load that fits each fixed window does not show', () => {
  const shown = (periodSeconds: number) => {
    const bucket = new Bucket(LIMIT, periodSeconds, 0)
    bucket.expect([{ ...LOAD, atMs: 200_000 }])
    for (const [id, receivedAtMs] of [0, 2000].entries()) {
      const rate = { limit: LIMIT, periodSeconds, remaining: LIMIT - 1 - id, resetSeconds: periodSeconds }
      bucket.sent(id, receivedAtMs)
      const resetSeconds = rate.resetSeconds - receivedAtMs / 1000
      bucket.answered({ id, receivedAtMs, rejected: false, rate: { ...rate, resetSeconds } })
    }
    return [bucket.model, row(bucket, 3).usualLoad?.at, (row(bucket, 3).emptyChance ?? 0) > 0.5]
  }
  expect(shown(120)).toEqual(['fixed', 200_000, true])
  expect(shown(80)).toEqual(['fixed', undefined, false])
})

test('a bucket keeps the start of a usual load for the next day, and of no other load', () => {
  const starts = (loads: readonly UsualLoad[]) => {
    const { told, until } = both(loads, LOAD.perSecond)
    until(START_SECONDS + 200)
    return told.learned()?.starts
  }
  const [start, ...more] = starts([LOAD]) ?? []
  expect(Math.abs((start?.atMs ?? 0) - LOAD.atMs)).toBeLessThan(5000)
  expect(start?.perSecond).toBeCloseTo(LOAD.perSecond, 0)
  expect(more).toEqual([])
  expect(starts([{ ...LOAD, atMs: LOAD.atMs - 301_000 - 5000 }])).toBeUndefined()
})

test('on a day without the load, the warning at its start ends within two headers', () => {
  const { told, until } = both([LOAD], 0.2 * REFILL, TIMED)
  const state = new RowState()
  const states: string[] = []
  for (let second = START_SECONDS - 60; second < START_SECONDS + 200; second += 1) {
    until(second)
    states.push(viewOf('Positions', undefined, told, { hold: undefined, state }, second * 1000).state)
  }
  // The latest start is 22 s after the load's, and two headers later is the end.
  const [warnedAt, endedAt] = [states.indexOf('running-out'), states.lastIndexOf('running-out')]
  expect(warnedAt).toBe(58)
  expect(endedAt).toBeLessThanOrEqual(60 + 22 + 2 * HEADER_SECONDS)
})

test('a load starts at most with its chance, in three steps', () => {
  const expected = new ExpectedLoads()
  expected.set([LOAD])
  expect(expected.between(LOAD.atMs, LOAD.atMs + 1)).toEqual([])
  const onsets = expected.between(LOAD.atMs - 1, LOAD.atMs + 180_000)
  expect(onsets.map(({ atMs }) => atMs - LOAD.atMs)).toEqual([0, 60_000, 120_000])
  const begun = 1 - onsets.reduce((rest, { chance }) => rest * (1 - chance), 1)
  expect(begun).toBeCloseTo(0.9 * LOAD.chance, 10)
})
