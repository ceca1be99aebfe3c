import { expect, test } from 'vitest'
import { Bucket } from '../../../app/quota/bucket.ts'
import type { LearnedQuota } from '../../../app/quota/learned.ts'
import { Ledger } from '../../../app/quota/ledger.ts'

const LIMIT = 320
const PERIOD_SECONDS = 300
const REFILL = LIMIT / PERIOD_SECONDS
const HEADER_SECONDS = 50
const HOUR_SECONDS = 3600

let nextId = 1

/** A header of a rolling quota at `seconds`. */
function header(bucket: Bucket, seconds: number, level: number, limit = LIMIT): void {
  const remaining = Math.floor(level)
  const atMs = seconds * 1000
  const id = nextId++
  bucket.sent(id, atMs)
  bucket.answered({
    id,
    receivedAtMs: atMs,
    rejected: false,
    rate: {
      limit,
      periodSeconds: PERIOD_SECONDS,
      remaining,
      resetSeconds: Math.ceil(((limit - level) * PERIOD_SECONDS) / limit),
    },
  })
}

/**
 * Pairs of second and level, one for each header. Others use 0.9 times the refill, and 2.2 times in two of
 * every ten minutes.
 */
function levels(fromSeconds: number, toSeconds: number): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = []
  let level = LIMIT
  for (let second = fromSeconds; second <= toSeconds; second += 1) {
    const others = second % 600 < 120 ? 2.2 * REFILL : 0.9 * REFILL
    level = Math.min(LIMIT, level + REFILL - others)
    if (second % HEADER_SECONDS === 0) found.push([second, level])
  }
  return found
}

function learnedForAnHour(): { readonly running: Bucket; readonly learned: LearnedQuota } {
  const running = new Bucket(LIMIT, PERIOD_SECONDS, 0)
  for (const [second, level] of levels(0, HOUR_SECONDS)) header(running, second, level)
  const learned = running.learned()
  if (!learned) throw new Error('nothing learned')
  return { running, learned }
}

test('a restored bucket continues like an uninterrupted one', () => {
  const { running, learned } = learnedForAnHour()
  const restored = new Bucket(LIMIT, PERIOD_SECONDS, HOUR_SECONDS * 1000)
  restored.restore(learned)
  const anew = new Bucket(LIMIT, PERIOD_SECONDS, HOUR_SECONDS * 1000)
  let [apart, apartAnew, looks] = [0, 0, 0]
  for (const [second, level] of levels(HOUR_SECONDS + HEADER_SECONDS, 2 * HOUR_SECONDS)) {
    for (const bucket of [running, restored, anew]) header(bucket, second, level)
    const chances = [running, restored, anew].map((bucket) => bucket.others(second * 1000)?.emptyChance)
    const [ran, resumed, fresh] = chances
    if (ran === undefined || resumed === undefined || fresh === undefined) continue
    apart += Math.abs(ran - resumed)
    apartAnew += Math.abs(ran - fresh)
    looks += 1
  }
  expect(looks).toBeGreaterThan(60)
  expect(apart / looks).toBeLessThan(0.01)
  expect(apartAnew / looks).toBeGreaterThan(3 * (apart / looks))
})

test('learned data is reported again before a second header of the next run', () => {
  const { learned } = learnedForAnHour()
  const next = new Bucket(LIMIT, PERIOD_SECONDS, 0)
  next.restore(learned)
  expect(next.learned()).toEqual(learned)
  expect(next.estimate(1000)).toEqual(new Bucket(LIMIT, PERIOD_SECONDS, 0).estimate(1000))
  header(next, 2 * HOUR_SECONDS, 200)
  expect(next.learned()).toEqual(learned)
})

test('a quota of another size, or with fixed windows, learns from scratch', () => {
  const { learned } = learnedForAnHour()
  const model: LearnedQuota['model'] = 'fixed'
  for (const other of [
    { ...learned, limit: 500 },
    { ...learned, periodSeconds: 60 },
    { ...learned, model },
  ]) {
    const bucket = new Bucket(LIMIT, PERIOD_SECONDS, 0)
    const fresh = new Bucket(LIMIT, PERIOD_SECONDS, 0)
    bucket.restore(other)
    for (const one of [bucket, fresh]) {
      header(one, HOUR_SECONDS, 100)
      header(one, HOUR_SECONDS + HEADER_SECONDS, 100)
    }
    expect(bucket.learned()).toEqual(fresh.learned())
  }
})

test('a quota whose header shows its size adopts what was learned at that size', () => {
  const { learned } = learnedForAnHour()
  const [table, told] = [new Bucket(250, 60, 0), new Bucket(LIMIT, PERIOD_SECONDS, 0)]
  for (const bucket of [table, told]) {
    bucket.restore(learned)
    header(bucket, 2 * HOUR_SECONDS, 200)
    header(bucket, 2 * HOUR_SECONDS + HEADER_SECONDS, 150)
  }
  expect(table.learned()).toEqual(told.learned())
})

test('after a clock was set back, only what jumps leave in the long run remains of the rates', () => {
  const { learned } = learnedForAnHour()
  const [before, after] = [new Bucket(LIMIT, PERIOD_SECONDS, 0), new Bucket(LIMIT, PERIOD_SECONDS, 0)]
  before.restore(learned)
  after.restore({ ...learned, atMs: -1e9 })
  for (const bucket of [before, after]) {
    header(bucket, 1, 200)
    header(bucket, 1 + HEADER_SECONDS, 200)
  }
  expect(before.learned()?.rates).toEqual(after.learned()?.rates)
})

test('a ledger restores each row, including those that headers have yet to name', () => {
  const { learned } = learnedForAnHour()
  const defaults = [{ category: 'Positions', limit: LIMIT, periodSeconds: PERIOD_SECONDS }]
  const ledger = new Ledger(defaults, 0)
  ledger.restore({ Positions: learned, Rare: learned })
  expect(ledger.learned()).toEqual({ Positions: learned, Rare: learned })
  const ticket = ledger.sent('/v3/rare', 1000)
  const rate = {
    limit: LIMIT,
    periodSeconds: PERIOD_SECONDS,
    remaining: 300,
    resetSeconds: 20,
    resource: 'Rare',
  }
  ledger.answered(ticket, rate, 1000, false)
  expect(ledger.rowAt('Rare', 1000)?.limit).toBe(LIMIT)
  expect(ledger.learned()).toEqual({ Positions: learned, Rare: learned })
})
