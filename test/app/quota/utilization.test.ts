import { expect, test } from 'vitest'
import { Utilization } from '../../../app/quota/utilization.ts'
import { chanceFrom } from './chance.ts'

/** After headers every 20 s, of which `busy` (0 to 1) find the quota less than full. */
function after(headers: number, busy: number, seed = 1, utilization = new Utilization()): Utilization {
  const chance = chanceFrom(seed)
  for (let header = 0; header < headers; header += 1) utilization.observed(chance() < busy, 20)
  return utilization
}

test('before any header it is probably zero, and may be everything', () => {
  const utilization = new Utilization()
  expect(utilization.at(0.5)).toBe(0)
  expect(utilization.at(0.99)).toBeGreaterThan(0.9)
})

test('a quota that is always full is not used, with growing certainty', () => {
  expect(after(2, 0).at(0.95)).toBeGreaterThan(0.1)
  expect(after(20, 0).at(0.95)).toBe(0)
})

test('the share of headers below full lies within the shown range nine times in ten', () => {
  for (const busy of [0.1, 0.3, 0.5, 0.8, 0.95]) {
    let within = 0
    for (let seed = 1; seed <= 400; seed += 1) {
      const utilization = after(45, busy, seed)
      if (utilization.at(0.05) <= busy && busy <= utilization.at(0.95)) within += 1
    }
    expect([busy, within / 400 > 0.85]).toEqual([busy, true])
    const middle = after(400, busy).at(0.5)
    expect(Math.abs(middle - busy)).toBeLessThan(0.15)
  }
})

test('one header below full does not establish a lasting use', () => {
  const utilization = after(40, 0.9)
  expect(utilization.at(0.5)).toBeGreaterThan(0.7)
  expect(after(30, 0, 1, utilization).at(0.95)).toBeLessThan(0.1)
  expect(after(8, 1, 1, utilization).at(0.5)).toBeGreaterThan(0.5)
  utilization.forget()
  expect(utilization.at(0.5)).toBe(0)
})

const LIMIT = 320
const SHARP_AND_FULL = {
  overflowed: 20,
  seconds: 20,
  missing: 0,
  least: 0,
  most: 0.2,
  before: LIMIT,
  width: 0.3,
}

test('reports use only if the quota was full for long enough, and the header is sharp', () => {
  const told = (...headers: readonly Partial<typeof SHARP_AND_FULL>[]) => {
    const utilization = new Utilization()
    for (const header of headers) utilization.header(LIMIT, { ...SHARP_AND_FULL, ...header })
    return utilization.isConclusive
  }
  expect(told({})).toBe(true)
  expect(told({ overflowed: 1 })).toBe(false)
  expect(told({ least: 3, most: 4 })).toBe(false)
  expect(told({ width: 2 })).toBe(false)
  expect(told({}, { width: 2 })).toBe(true)
  expect(told({}, { overflowed: 0 })).toBe(false)
  expect(told({ before: LIMIT - 1.1, width: 0.6 })).toBe(true)
  expect(told({ before: LIMIT - 1.2 })).toBe(false)
})

test('reports nothing after a reset', () => {
  const utilization = new Utilization()
  utilization.header(LIMIT, SHARP_AND_FULL)
  utilization.forget()
  expect(utilization.isConclusive).toBe(false)
})

test('learns from sharp headers alone, and reports nothing for a quota of three', () => {
  const utilization = new Utilization()
  for (let header = 0; header < 40; header += 1) {
    utilization.header(LIMIT, { ...SHARP_AND_FULL, least: 0.6, most: 1.2, missing: 1 })
  }
  expect(utilization.at(0.5)).toBe(0)
  for (let header = 0; header < 40; header += 1) {
    utilization.header(LIMIT, { ...SHARP_AND_FULL, least: 0.6, most: 1.2 })
  }
  expect(utilization.at(0.5)).toBeGreaterThan(0.9)
  utilization.header(3, { ...SHARP_AND_FULL, before: 3 })
  expect(utilization.isConclusive).toBe(false)
})
