import { expect, test } from 'vitest'
import { Bucket } from '../../../app/quota/bucket.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'
import { chanceFrom } from './chance.ts'
import { ReferenceService, type Rule } from './reference-service.ts'
import { play, type Traffic } from './traffic.ts'

/** A client that probes every 20 s, and others who take `burst` requests at once after the third probe. */
function afterBurst(seed: number, window: Rule['window'], burst: number): number[] {
  const chance = chanceFrom(seed)
  const [limit, periodSeconds] = (
    [
      [500, 300],
      [320, 300],
      [90, 60],
    ] as const
  )[seed % 3]!
  const service = new ReferenceService({ limit, periodSeconds, window }, limit, 0)
  const bucket = new Bucket(limit, periodSeconds, 0)
  for (let spent = 0; spent < limit / 2; spent += 1) service.spend(0)
  const found: number[] = []
  for (let probe = 0; probe < 5; probe += 1) {
    // The pauses between probes are so short that less than half a bucket refills in them.
    const sentAtMs = 1 + probe * 5_000 * (periodSeconds / 300) + 200 * chance()
    if (probe === 3) for (let taken = 0; taken < burst; taken += 1) service.spend(sentAtMs - 100)
    bucket.sent(probe, sentAtMs)
    const countedAtMs = sentAtMs + 150 * chance()
    service.spend(countedAtMs)
    const rate = service.headers(countedAtMs)
    found.push(
      bucket.answered({ id: probe, receivedAtMs: countedAtMs + 150 * chance(), rejected: false, rate }),
    )
  }
  return found
}

for (const window of ['rolling', 'fixed'] as const) {
  test(`${window}: finds a burst of others within two observations, and its size to a request`, () => {
    const seeds = lawRuns(3_000)
    for (let seed = 0; seed < seeds; seed += 1) {
      const burst = 3 + (seed % 40)
      const [first, second, third, fourth, fifth] = afterBurst(seed, window, burst) as [
        number,
        number,
        number,
        number,
        number,
      ]
      if (first + second + third > 0) expect.fail(`seed ${seed}: invented before the burst`)
      const sum = fourth + fifth
      if (Math.abs(sum - burst) > 1) expect.fail(`seed ${seed}: ${burst} were used elsewhere, ${sum} found`)
    }
    proves('Q2', { level: 2, cases: seeds })
  })
}

test('finds steady use by others by the second header after it exceeds the rounding', {
  timeout: 120_000,
}, () => {
  const seeds = lawRuns(2_000)
  for (let seed = 0; seed < seeds; seed += 1) {
    const chance = chanceFrom(seed)
    let headers = 0
    let found = 0
    play(
      {
        rule: { limit: 320, periodSeconds: 300, window: 'rolling' },
        level: 100 + 100 * chance(),
        forMs: 100_000,
        chance,
        pauseMs: () => 10_000,
        latencyMs: () => 10 + 200 * chance(),
        elsewherePerSecond: 0.3,
        elsewhereFromMs: 25_000,
      },
      {
        answered: (_bucket, elsewhere, nowMs) => {
          if (nowMs < 25_000) {
            expect(elsewhere).toBe(0)
            return
          }
          headers += 1
          found += elsewhere
          // After one header, at most three requests are gone, which may be rounding. After two headers, the
          // burst has to show.
          if (headers === 3 && found === 0) expect.fail(`seed ${seed}: nothing found after three headers`)
        },
      },
    )
    expect(headers).toBeGreaterThan(5)
  }
  proves('Q2', { level: 2, cases: seeds })
})

for (const perSecond of [0.2, 0.5, 2]) {
  test(`the rate elsewhere settles near ${perSecond} a second`, () => {
    const seeds = 200
    let sum = 0
    let within = 0
    for (let seed = 0; seed < seeds; seed += 1) {
      const others = othersAfter(spacedEvenly(seed, perSecond, 180_000))
      if (perSecond > 1) expect(others.perSecond).toBeGreaterThan(perSecond * 0.75)
      sum += others.perSecond
      if (others.perSecondAtLeast <= perSecond && perSecond <= others.perSecondAtMost) within += 1
    }
    // Others use less than the refill, so the bucket fills up. Their use shows in the share of headers below
    // full.
    expect(Math.abs(sum / seeds - perSecond)).toBeLessThan(perSecond * (perSecond < 1 ? 0.4 : 0.1))
    // Ten headers that find the bucket full make a rate below 0.2 a second likely. So the range contains a
    // true rate of 0.2 less often.
    if (perSecond < 1) expect(within / seeds).toBeGreaterThan(perSecond < 0.3 ? 0.55 : 0.85)
  })
}

test('detects even use by others that never shows more than one missing request', {
  timeout: 120_000,
}, () => {
  const seeds = 20
  for (const share of [0.3, 0.6, 0.9]) {
    const perSecond = (share * 500) / 300
    let within = 0
    for (let seed = 0; seed < seeds; seed += 1) {
      const others = othersAfter(spacedEvenly(seed, perSecond, 900_000, 500))
      if (others.perSecondAtLeast <= perSecond && perSecond <= others.perSecondAtMost) within += 1
    }
    expect([share, within / seeds >= 0.85]).toEqual([share, true])
  }
})

const spacedEvenly = (seed: number, elsewherePerSecond: number, forMs: number, level = 400): Traffic => {
  const chance = chanceFrom(seed)
  return {
    rule: { limit: 500, periodSeconds: 300, window: 'rolling' },
    ...{ level, forMs, chance, elsewherePerSecond },
    pauseMs: () => 8_000 + 4_000 * chance(),
    latencyMs: () => 10 + 200 * chance(),
  }
}

function othersAfter(traffic: Traffic) {
  const others = play(traffic, {}).others(traffic.forMs)
  if (others === undefined) throw new Error('no two headers')
  return others
}

test('with others on the key, every header restores the floor of the level', {
  timeout: 120_000,
}, () => {
  for (let seed = 0; seed < lawRuns(500); seed += 1) {
    const chance = chanceFrom(seed)
    play(
      {
        rule: { limit: 90, periodSeconds: 60, window: seed % 2 === 0 ? 'rolling' : 'fixed' },
        level: 90,
        forMs: 120_000,
        chance,
        pauseMs: () => 3_000 * chance(),
        latencyMs: () => 1 + 300 * chance(),
        elsewherePerSecond: 4 * chance(),
      },
      {
        answered: (bucket, _found, nowMs, _level, rate) => {
          const { low, high, point } = bucket.estimate(nowMs)
          for (const number of [low, high, point]) {
            expect(Number.isFinite(number)).toBe(true)
            expect(number).toBeGreaterThanOrEqual(0)
            expect(number).toBeLessThanOrEqual(rate.limit ?? 0)
          }
          expect(low).toBeLessThanOrEqual(point)
          expect(point).toBeLessThanOrEqual(high)
        },
      },
    )
  }
})

test('a rate of others needs two observations', () => {
  const bucket = new Bucket(320, 300, 0)
  bucket.answered({ id: 1, receivedAtMs: 1_000, rejected: false, rate: { remaining: 10, resetSeconds: 290 } })
  expect(bucket.others(1_000)?.perSecond).toBeUndefined()
  bucket.answered({ id: 2, receivedAtMs: 9_000, rejected: false, rate: { remaining: 18, resetSeconds: 283 } })
  expect(bucket.others(9_000)?.perSecond).toBe(0)
})

test('a rate of others neither drops nor narrows without a header', () => {
  const bucket = new Bucket(30, 60, 0)
  bucket.answered({ id: 1, receivedAtMs: 0, rejected: false, rate: { remaining: 20, resetSeconds: 20 } })
  bucket.answered({ id: 2, receivedAtMs: 10_000, rejected: false, rate: { remaining: 10, resetSeconds: 40 } })
  const rangeAt = (atMs: number) => {
    const { perSecondAtLeast = 0, perSecondAtMost = 0 } = bucket.others(atMs) ?? {}
    return perSecondAtMost - perSecondAtLeast
  }
  expect(bucket.others(70_001)?.perSecond ?? 0).toBeGreaterThan(1)
  expect(rangeAt(70_001)).toBeGreaterThanOrEqual(rangeAt(10_001))
})

test('counts what spilled over a full quota: a steady fall shows its true rate, not the least proved (A1)', () => {
  // The quota is full at first. Others use 1.3/s, while 1.067/s refill. A check is made every 47 s.
  const service = new ReferenceService({ limit: 320, periodSeconds: 300, window: 'rolling' }, 320, 0)
  const bucket = new Bucket(320, 300, 0)
  let owed = 0
  for (let second = 0; second <= 300; second += 1) {
    const nowMs = second * 1000
    for (owed += 1.3; owed >= 1; owed -= 1) service.spend(nowMs)
    if (second % 47 !== 0) continue
    bucket.sent(second, nowMs)
    service.spend(nowMs)
    bucket.answered({ id: second, receivedAtMs: nowMs, rejected: false, rate: service.headers(nowMs) })
  }
  const others = bucket.others(300_000)
  expect(others?.perSecond).toBeGreaterThan(1.15)
  expect(others?.perSecond).toBeLessThan(1.45)
  const { low, high, point } = bucket.estimate(320_000)
  const truth = service.headers(320_000).remaining ?? Number.NaN
  // In the last 20 s, others sent nothing. At 1.3 a second, the bucket expects that they used 26 requests.
  expect(Math.abs(point - (truth - 26))).toBeLessThan(8)
  expect(truth - 26).toBeGreaterThanOrEqual(Math.floor(low))
  expect(truth - 26).toBeLessThanOrEqual(high)
})

test('a 60-second quota that others empty is not full and idle a minute after its header (A2)', () => {
  const bucket = new Bucket(90, 60, 0)
  const rate = (remaining: number, resetSeconds: number) => ({ remaining, resetSeconds })
  bucket.answered({ id: 1, receivedAtMs: 0, rejected: false, rate: rate(52, 26) })
  bucket.answered({ id: 2, receivedAtMs: 30_000, rejected: false, rate: rate(10, 54) })
  bucket.answered({ id: 3, receivedAtMs: 60_000, rejected: false, rate: rate(0, 60) })
  expect(bucket.others(121_000)?.perSecond).toBeGreaterThan(1.5)
  expect(bucket.estimate(121_000).point).toBeLessThan(45)
  expect(bucket.estimate(121_000).low).toBeLessThan(1)
})

test('a reading just after a header is renewed within the next second', () => {
  // Others take 20/s of a quota that refills 8.3/s; a header comes every 5 s.
  const [limit, periodSeconds, perSecond] = [1000, 120, 20]
  const seen = () => {
    const bucket = new Bucket(limit, periodSeconds, 0)
    for (let header = 0; header < 6; header += 1) {
      const remaining = Math.floor(limit - 1 - 5 * header * (perSecond - limit / periodSeconds))
      const resetSeconds = Math.ceil(((limit - remaining) * periodSeconds) / limit)
      const rate = { limit, periodSeconds, remaining, resetSeconds }
      bucket.sent(header, header * 5_000)
      bucket.answered({ id: header, receivedAtMs: header * 5_000, rejected: false, rate })
    }
    return bucket
  }
  const [often, once] = [seen(), seen()]
  often.estimate(25_050)
  expect(often.estimate(25_900).point).toBeCloseTo(once.estimate(25_900).point, 0)
  expect(once.estimate(25_900).point).toBeLessThan(once.estimate(25_000).point - 5)
})

test('two headers of the same millisecond leave a range of others’ rate', () => {
  const bucket = new Bucket(320, 300, 0)
  for (const [id, [atMs, remaining]] of [
    [1_000, 300] as const,
    [10_000, 290] as const,
    [10_000, 280] as const,
  ].entries()) {
    bucket.sent(id, atMs - 20)
    const rate = {
      limit: 320,
      periodSeconds: 300,
      remaining,
      resetSeconds: Math.ceil((320 - remaining) / (320 / 300)),
    }
    bucket.answered({ id, receivedAtMs: atMs, rejected: false, rate })
  }
  const { perSecondAtLeast, perSecond, perSecondAtMost } = bucket.others(10_000)!
  expect(perSecondAtLeast).toBeLessThan(perSecond)
  expect(perSecondAtMost).toBeGreaterThan(perSecond)
})
