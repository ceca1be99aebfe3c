import { expect, test } from 'vitest'
import { FairQueue } from '../../../app/gateway/fair-queue.ts'
import { OthersRate } from '../../../app/gateway/others-rate.ts'
import { ServedRates } from '../../../app/gateway/served-rates.ts'
import { SteadyPart } from '../../../app/gateway/steady-part.ts'

test('programs count at their rate, by class, and are forgotten when they stop', () => {
  const rates = new ServedRates()
  for (let nowMs = 0; nowMs <= 600_000; nowMs += 1000) {
    rates.add({ program: 'bot', class: 'critical', weight: 2 }, nowMs)
    if (nowMs % 4000 === 0) rates.add({ program: 'notes', class: 'critical', weight: 1 }, nowMs)
  }
  expect(rates.programsOf('critical', 600_000)).toMatchObject([
    { program: 'bot', weight: 2, perMs: expect.closeTo(0.001, 4) },
    { program: 'notes', weight: 1, perMs: expect.closeTo(0.00025, 4) },
  ])
  expect(rates.perMs('critical', 600_000)).toBeCloseTo(0.00125, 4)
  expect(rates.perMs('normal', 600_000)).toBe(0)
  expect(rates.programsOf('critical', 1_200_000)).toEqual([])
})

test('a forgotten program starts over', () => {
  const rates = new ServedRates()
  rates.add({ program: 'bot', class: 'normal', weight: 1 }, 0)
  expect(rates.programsOf('normal', 3_600_000)).toEqual([])
  rates.add({ program: 'bot', class: 'normal', weight: 1 }, 3_600_000)
  // The first request counts over ten seconds, not over the hour in which the program was forgotten.
  expect(rates.perMs('normal', 3_600_000)).toBeCloseTo(1 / (60_000 * (1 - Math.exp(-1 / 6))), 9)
})

test('another program’s requests go first up to its share, and no more', () => {
  const queue = new FairQueue<{ readonly order: number }>()
  const items = [0, 1, 2, 3].map((order) => ({ order }))
  for (const item of items) queue.add('scanner', 1, item)
  const last = items[3]!
  expect(queue.roomBefore('scanner', last, 'idle', 1)).toBe(3)
  expect(queue.roomBefore('scanner', last, 'idle', 2)).toBe(6)
  queue.add('notes', 1, { order: 9 })
  expect(queue.roomBefore('scanner', last, 'notes', 1)).toBe(2)
  expect(queue.roomBefore('scanner', items[0]!, 'notes', 1)).toBe(0)
  expect(queue.roomBefore('scanner', { order: 99 }, 'notes', 1)).toBe(0)
})

test('a burst counts as one request until another follows, then as far as the first is remembered', () => {
  const steady = new SteadyPart(1)
  const burst = (nowMs: number) =>
    Array.from({ length: 20 }, () => steady.of(1, nowMs)).reduce((sum, one) => sum + one, 0)
  expect(burst(0)).toBe(1)
  expect(burst(9_999)).toBe(0)
  expect(burst(10_000)).toBe(20)
  // The first ten seconds had 40 requests. Their memory then decays for a minute, its time constant, to 40 /
  // e.
  expect(burst(80_000)).toBeCloseTo(40 / Math.E)
  expect(burst(3_600_000)).toBe(1)
  // These requests did not count, so taking them back changes nothing.
  expect(steady.of(5, 3_600_000)).toBe(0)
  expect(steady.of(-24, 3_600_000)).toBe(0)
  expect(steady.of(-0.5, 3_600_000)).toBe(-0.5)
})

test('a program that stopped after one large burst counts no more than after one request', () => {
  const rates = new ServedRates()
  for (let i = 0; i < 20; i += 1) {
    rates.add({ program: 'bot', class: 'critical', weight: 1 }, 100 * i)
    if (i === 0) rates.add({ program: 'notes', class: 'normal', weight: 1 }, 0)
  }
  expect(rates.perMs('critical', 2_000)).toBeCloseTo(rates.perMs('normal', 2_000))
  for (let nowMs = 20_000; nowMs <= 200_000; nowMs += 20_000)
    for (let i = 0; i < 20; i += 1) rates.add({ program: 'bot', class: 'critical', weight: 1 }, nowMs)
  // Twenty requests every 20 s are 1 per second. Earlier bursts make the later ones expected, so they count.
  expect(1000 * rates.perMs('critical', 210_000)).toBeCloseTo(1, 0)
})

test('outside programs that stopped after a burst do not count as fast', () => {
  const pace = new OthersRate()
  const bucket = { gainPerMs: 0.001, limit: 320, isVoid: false }
  for (let nowMs = 0; nowMs <= 60_000; nowMs += 5_000) pace.shown(300, nowMs, { ...bucket, limit: 300 })
  expect(pace.perMs).toBe(0)
  pace.shown(250, 65_000, bucket)
  expect(1000 * pace.perMs).toBeLessThan(0.05)
  for (let i = 1; i <= 60; i += 1) {
    pace.ownCounted()
    pace.shown(250 - 1.5 * i, 65_000 + 1_000 * i, bucket)
  }
  // Each second, 1 request refills and the level falls by 1.5, so 2.5 are used. One of them is an own
  // request.
  expect(1000 * pace.perMs).toBeGreaterThan(0.8)
  expect(1000 * pace.perMs).toBeLessThan(1.6)
})
