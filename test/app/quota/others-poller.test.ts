import { expect, test } from 'vitest'
import { Bucket } from '../../../app/quota/bucket.ts'
import type { LearnedQuota, Poller } from '../../../app/quota/learned.ts'
import { OthersPoller } from '../../../app/quota/others-poller.ts'
import { chanceFrom } from './chance.ts'
import { ReferenceService } from './reference-service.ts'
import { play, type Traffic } from './traffic.ts'

const RULE = { limit: 320, periodSeconds: 300, window: 'rolling' } as const

/** Own requests every three seconds on average, at random, as of a program behind the gateway. */
function withOwn(others: Partial<Traffic>, seed = 1, pauseSeconds = 3): Traffic {
  const chance = chanceFrom(seed)
  return {
    ...{ rule: RULE, level: RULE.limit, forMs: 600_000, chance },
    pauseMs: () => -1000 * pauseSeconds * Math.log(1 - chance()),
    latencyMs: () => 10 + 60 * chance(),
    ...others,
  }
}

/** The time of each header, and the poller that was recognized after it, if any. */
function recognized(
  traffic: Traffic,
): readonly { readonly atMs: number; readonly poller: Poller | undefined }[] {
  const seen: { atMs: number; poller: Poller | undefined }[] = []
  play(traffic, { answered: (bucket, _elsewhere, atMs) => seen.push({ atMs, poller: bucket.poller }) })
  return seen
}

test('a poller every five seconds is recognized within six minutes of headers every three seconds', () => {
  const seen = recognized(withOwn({ elsewherePerSecond: 0.2, forMs: 1_200_000 }))
  const first = seen.find(({ poller }) => poller !== undefined)
  expect(first?.atMs).toBeLessThan(360_000)
  expect(first?.poller).toMatchObject({ everySeconds: 5, calls: 1, mayBeMore: false })
  expect(first?.poller?.sinceMs).toBeLessThan(60_000)
  const later = seen.filter(({ atMs }) => atMs >= first!.atMs)
  const share = later.filter(({ poller }) => poller?.everySeconds === 5).length / later.length
  expect(share).toBeGreaterThan(0.85)
})

test('three calls every ten seconds are recognized as such', () => {
  const seen = recognized(withOwn({ elsewherePerSecond: 0.1, elsewhereBurst: 3 }))
  expect(seen.at(-1)?.poller).toMatchObject({ everySeconds: 10, calls: 3 })
})

test('checks alone, one in 48 s, show a poller within an hour and a half', () => {
  const seen = recognized(withOwn({ elsewherePerSecond: 0.2, forMs: 5_400_000 }, 2, 48))
  expect(seen.at(-1)?.poller).toMatchObject({ everySeconds: 5, calls: 1 })
})

test('a poller that begins later is shown since then, and one that ended is not shown', () => {
  const seen = recognized(
    withOwn({
      elsewherePerSecond: 0.2,
      elsewhereFromMs: 300_000,
      elsewhereUntilMs: 900_000,
      forMs: 1_200_000,
    }),
  )
  const before = seen.filter(({ atMs }) => atMs < 300_000)
  expect(before.every(({ poller }) => poller === undefined)).toBe(true)
  const shown = seen.find(({ poller }) => poller !== undefined)?.poller
  expect(shown?.sinceMs).toBeGreaterThan(295_000)
  expect(shown?.sinceMs).toBeLessThan(340_000)
  expect(seen.at(-1)?.poller).toBeUndefined()
})

/** Returns what a run of `traffic` learned. Throws if the run recognized no poller. */
function learnedFrom(traffic: Traffic): LearnedQuota {
  const learned = play(traffic, {}).learned()
  if (learned?.poller === undefined) throw new Error('no poller was recognized')
  return learned
}

const MINUTE_MS = 60_000
/** The traffic of the next run, which starts a minute after the last header of the previous run. */
const nextRun = (learned: LearnedQuota, others: Partial<Traffic>, pauseSeconds?: number): Traffic =>
  withOwn({ ...others, learned: { ...learned, atMs: -MINUTE_MS } }, 7, pauseSeconds)

test.each<[string, Partial<Traffic>, number]>([
  ['of one call, by a program’s own requests', { elsewherePerSecond: 0.2 }, 3],
  ['of three calls', { elsewherePerSecond: 0.1, elsewhereBurst: 3 }, 3],
  ['of one call, by checks alone', { elsewherePerSecond: 0.2, forMs: 5_400_000 }, 48],
])('a stored poller %s is believed in two thirds of the time once headers agree', (_, others, pause) => {
  const learned = learnedFrom(withOwn(others, 2, pause))
  const stored = { ...learned.poller!, sinceMs: -10 * MINUTE_MS }
  const { poller: unknown, ...without } = learned
  const [next, anew] = [{ ...learned, poller: stored }, without].map((before) => {
    const seen = recognized(nextRun(before, others, pause))
    expect(seen[0]?.poller).toBeUndefined()
    return seen.find(({ poller }) => poller !== undefined)
  })
  expect(next?.poller).toMatchObject({ calls: stored.calls, sinceMs: stored.sinceMs })
  expect(next!.poller!.everySeconds).toBeCloseTo(stored.everySeconds, 1)
  expect(next!.atMs).toBeLessThan((2 / 3) * anew!.atMs)
})

test('a stored poller counts as new if hours lie between', () => {
  const others = { elsewherePerSecond: 0.2 }
  const learned = learnedFrom(withOwn(others))
  const seen = recognized(withOwn({ ...others, learned: { ...learned, atMs: -120 * MINUTE_MS } }, 7))
  expect(seen.at(-1)?.poller?.sinceMs).toBeGreaterThan(0)
})

test('a stored poller is stored again until headers disagree', () => {
  const learned = learnedFrom(withOwn({ elsewherePerSecond: 0.2 }))
  expect(play(nextRun(learned, { forMs: 30_000 }), {}).learned()?.poller).toEqual(learned.poller)
  const seen = recognized(nextRun(learned, { forMs: 1_800_000 }))
  expect(seen.every(({ poller }) => poller === undefined)).toBe(true)
  expect(play(nextRun(learned, { forMs: 1_800_000 }), {}).learned()?.poller).toBeUndefined()
})

const HOURS = 1.5

/** Whether any header within `HOURS` hours shows a poller, although others' requests come at random times. */
function recognizedAtRandom(seed: number, othersPerSecond: number, stored?: LearnedQuota): boolean {
  const chance = chanceFrom(seed)
  const gapMs = (perSecond: number) => (-1000 * Math.log(1 - chance())) / perSecond
  const service = new ReferenceService(RULE, RULE.limit, 0)
  const bucket = new Bucket(RULE.limit, RULE.periodSeconds, 0)
  if (stored) bucket.restore(stored)
  let othersAtMs = gapMs(othersPerSecond)
  let id = 0
  for (let nowMs = gapMs(0.3); nowMs < HOURS * 3_600_000; nowMs += gapMs(0.3)) {
    for (; othersAtMs < nowMs; othersAtMs += gapMs(othersPerSecond)) service.spend(othersAtMs)
    id += 1
    bucket.sent(id, nowMs)
    const rejected = !service.spend(nowMs)
    bucket.answered({ id, receivedAtMs: nowMs + 20, rejected, rate: service.headers(nowMs) })
    if (bucket.poller !== undefined) return true
  }
  return false
}

test('others at random times are not taken for a poller, whether the quota is nearly full or not', () => {
  const taken = [0.1, 0.3, 0.6, 0.9].filter((perSecond, seed) => recognizedAtRandom(seed, perSecond))
  expect(taken).toEqual([])
})

test('nor is a stored poller seen in others at random times, at its rate or at another one', () => {
  const stored = learnedFrom(withOwn({ elsewherePerSecond: 0.2 }))
  const taken = [0.1, 0.2, 0.2, 0.2, 0.3, 0.9].filter((perSecond, seed) =>
    recognizedAtRandom(seed, perSecond, stored),
  )
  expect(taken).toEqual([])
})

test('headers of simultaneous requests, in any order, end each search', () => {
  const quota = { limit: RULE.limit, refill: RULE.limit / RULE.periodSeconds }
  for (let seed = 1; seed <= 20; seed += 1) {
    const chance = chanceFrom(seed)
    const poller = new OthersPoller()
    const requests = Array.from({ length: 200 }, (_, number) => {
      const sentAtMs = 1_000 + number
      return { sentAtMs, nowMs: sentAtMs + 400 * chance(), level: RULE.limit - 1 - number }
    })
    for (const { sentAtMs, nowMs, level } of requests.toSorted((a, b) => a.nowMs - b.nowMs)) {
      poller.sent()
      poller.header({ sentAtMs, nowMs, least: level, most: level, doubtful: 0, chance: 0.001 }, quota)
    }
    expect(poller.found).toBeUndefined()
  }
})
