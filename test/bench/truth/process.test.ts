import { expect, test } from 'vitest'
import { chanceFrom } from '../../app/quota/chance.ts'
import { listedKinds, randomKinds } from './kinds.ts'
import { DrawnTraffic, poisson } from './process.ts'
import { around, cyclic, exponential, heavyTailed, selfExciting, spells, steady } from './processes.ts'

const START_MS = 1_000_000
const HOURS = 8

function requestsAnHour(process: Parameters<typeof drawn>[0]): number {
  return drawn(process).length / HOURS
}

function drawn(process: ConstructorParameters<typeof DrawnTraffic>[0], seed = 1): readonly number[] {
  const traffic = new DrawnTraffic(process, START_MS, HOURS * 3600, chanceFrom(seed))
  const times: number[] = []
  for (; traffic.nextAtMs < Number.POSITIVE_INFINITY; traffic.advance()) times.push(traffic.nextAtMs)
  return times
}

test.each([0.02, 1, 12, 45])('counts of mean %d have that mean and variance', (mean) => {
  const chance = chanceFrom(3)
  const counts = Array.from({ length: 20_000 }, () => poisson(mean, chance))
  const average = counts.reduce((sum, count) => sum + count, 0) / counts.length
  const variance = counts.reduce((sum, count) => sum + (count - average) ** 2, 0) / counts.length
  expect(average / mean).toBeCloseTo(1, 1)
  expect(variance / mean).toBeCloseTo(1, 1)
})

test('requests are in order of time, at the rate of their process', () => {
  const times = drawn(steady(0.5))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(requestsAnHour(steady(0.5)) / 1800).toBeCloseTo(1, 1)
  expect(drawn(steady(0))).toEqual([])
})

test('one seed gives one run of a process, and another seed another', () => {
  const bursts = () => spells(2, exponential(100), exponential(100))
  expect(drawn(bursts(), 7)).toEqual(drawn(bursts(), 7))
  expect(drawn(bursts(), 7)).not.toEqual(drawn(bursts(), 8))
})

test('spells are active for their share of the time', () => {
  const share = (process: Parameters<typeof drawn>[0], rate: number) =>
    requestsAnHour(process) / (3600 * rate)
  expect(share(spells(2, around(120, 0.25), around(180, 0.25)), 2)).toBeCloseTo(0.4, 1)
  expect(share(spells(2, heavyTailed(60), exponential(200)), 2)).toBeGreaterThan(0.3)
  expect(share(cyclic(2, 30, 300), 2)).toBeCloseTo(0.1, 1)
})

test('self-exciting requests have their mean rate, unevenly spread', () => {
  const times = drawn(selfExciting(1, 0.8, 30))
  const minutes = Array.from({ length: HOURS * 60 }, () => 0)
  for (const time of times) minutes[Math.floor((time - START_MS) / 60_000)]! += 1
  const average = times.length / minutes.length
  const variance = minutes.reduce((sum, count) => sum + (count - average) ** 2, 0) / minutes.length
  expect(average / 60).toBeGreaterThan(0.8)
  expect(average / 60).toBeLessThan(1.2)
  expect(variance).toBeGreaterThan(4 * average)
})

test('kinds from one seed are the same, from another different, and each is on its own quota', () => {
  const names = (seed: number) => randomKinds(60, chanceFrom(seed)).map(({ name }) => name)
  expect(names(1)).toEqual(names(1))
  expect(names(1)).not.toEqual(names(2))
  expect(new Set(randomKinds(60, chanceFrom(1)).map(({ limit }) => limit)).size).toBeGreaterThan(5)
})

test('the listed kinds are on both periods, without and with own traffic', () => {
  const kinds = listedKinds()
  expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length)
  for (const periodSeconds of [60, 300]) {
    const ofPeriod = kinds.filter((kind) => kind.periodSeconds === periodSeconds)
    expect(ofPeriod.filter(({ own }) => own > 0)).toHaveLength(12)
    expect(ofPeriod.filter(({ own }) => own === 0)).toHaveLength(12)
  }
})
