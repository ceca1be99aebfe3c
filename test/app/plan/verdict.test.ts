import { expect, test } from 'vitest'
import type { Plan, PlannedProgram } from '../../../app/plan/plan.ts'
import { verdictLine } from '../../../app/plan/plan-words.ts'
import { planVerdict } from '../../../app/plan/verdict.ts'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'

const program = (name: string, change: Partial<PlannedProgram> = {}): PlannedProgram => ({
  name,
  class: 'normal',
  weight: 1,
  requests: [],
  streams: [],
  ...change,
})
const positions = (perSecond: number, burst: number) => [{ category: 'Positions', perSecond, burst }]
const planOf = (...programs: PlannedProgram[]): Plan => ({ programs, limits: {}, reserves: {} })
const chain = (target: string): StreamRequest => ({ kind: 'option-chains', target, options: {} })

test('rates and bursts below the table fit, and nobody waits', () => {
  const plan = planOf(
    program('bot', { class: 'critical', requests: positions(0.2, 10) }),
    program('notes', { requests: positions(0.5, 40) }),
  )
  const verdict = planVerdict(plan)
  expect(verdict).toEqual({
    fits: true,
    categories: [
      {
        category: 'Positions',
        perSecond: 0.7,
        capacityPerSecond: 320 / 300,
        burst: 50,
        limit: 320,
        reserve: 20,
        fits: true,
        waits: [
          { program: 'bot', worstSeconds: 0 },
          { program: 'notes', worstSeconds: 0 },
        ],
      },
    ],
    slots: [],
    advice: [],
  })
  expect(verdictLine(verdict)).toBe('Fits. No program waits.')
})

test('a background program waits for the second reserve, which its plan may need', () => {
  const verdict = planVerdict(
    planOf(program('scanner', { class: 'background', requests: positions(0.5, 300) })),
  )
  // A background program may send from a level of 41 on. For a burst of 300, 21 requests have to refill, at
  // 320 in 300 s.
  const worstSeconds = (300 + 41 - 320) / (320 / 300)
  expect(verdict.categories[0]?.waits).toEqual([{ program: 'scanner', worstSeconds }])
  expect(verdictLine(verdict)).toBe('Fits. Positions: scanner waits up to 20 s.')
})

test('a less urgent class can use the quota only down to the level at which it stops', () => {
  const plan = planOf(
    program('bot', { class: 'critical', requests: positions(0.1, 20) }),
    program('scanner', { class: 'background', requests: positions(0.5, 5000) }),
  )
  const waits = planVerdict(plan).categories[0]?.waits
  expect(waits?.[0]).toEqual({ program: 'bot', worstSeconds: 0 })
  expect(waits?.[1]?.worstSeconds).toBeCloseTo((5020 + 41 - 320) / (320 / 300 - 0.1))
})

test('rates beyond the refill do not fit, and wait without bound', () => {
  const plan = planOf(
    program('bot', { class: 'critical', requests: positions(0.8, 5) }),
    program('scanner', { class: 'background', requests: positions(0.5, 5) }),
  )
  const verdict = planVerdict(plan)
  expect(verdict.fits).toBe(false)
  expect(verdict.categories[0]?.waits).toEqual([
    { program: 'bot', worstSeconds: 0 },
    { program: 'scanner', worstSeconds: null },
  ])
  expect(verdictLine(verdict)).toBe('Does not fit. Positions needs 1.30/s, refills 1.07/s.')
  expect(verdict.advice).toEqual(['Positions: lower scanner to 0.26/s.'])
})

test.each([
  [1.07, 'needs 1.070/s, refills 1.067/s.'],
  [1.0667, 'needs 1.06670/s, refills 1.06667/s.'],
  [1.08, 'needs 1.08/s, refills 1.07/s.'],
])('a rate of %d just beyond the refill does not look equal to it', (perSecond, why) => {
  const verdict = planVerdict(planOf(program('bot', { requests: positions(perSecond, 5) })))
  expect(verdict.categories[0]?.why).toBe(why)
})

test('the least urgent class is reduced first, in it the lowest weight, completely before the next', () => {
  const plan = planOf(
    program('heavy', { class: 'background', weight: 5, requests: positions(0.1, 200) }),
    program('light', { class: 'background', requests: positions(0.1, 100) }),
    program('notes', { requests: positions(0.1, 120) }),
  )
  expect(planVerdict(plan).advice).toEqual([
    'Positions: remove light.',
    'Positions: lower heavy to 180 at once.',
  ])
})

test('programs that are all critical need no reserve', () => {
  const fits = (burst: number) =>
    planVerdict(planOf(program('bot', { class: 'critical', requests: positions(0.1, burst) }))).fits
  expect([fits(320), fits(321)]).toEqual([true, false])
})

test('equal streams share a slot', () => {
  const streams = Array.from({ length: 9 }, (_, at) => chain(`S${at}`))
  const two = [chain('S0'), chain('S9')]
  const plan = planOf(program('a', { streams }), program('b', { streams: two }))
  const verdict = planVerdict(plan)
  expect(verdict.slots).toEqual([
    { category: 'Option Chain Stream', streams: 11, shared: 10, limit: 10, elsewhere: 0, fits: true },
  ])
  const more = planVerdict(planOf(program('a', { streams }), program('b', { streams: [...two, chain('T')] })))
  expect(more.slots[0]).toMatchObject({ streams: 12, shared: 11, fits: false })
  expect(more.advice).toEqual([
    'Option chains: close 1 of 11 different streams; identical ones share a slot.',
  ])
  expect(verdictLine(more)).toBe('Does not fit. Option chains: 11 different streams for 10 slots.')
  const held = { ...plan, slots: { 'Option Chain Stream': { limit: 10, elsewhere: 1 } } }
  expect(verdictLine(planVerdict(held))).toBe(
    'Does not fit. Option chains: 10 different streams for 10 slots, 1 used by others.',
  )
})

test('opening streams counts against their request quota', () => {
  const depth = (target: string): StreamRequest => ({ kind: 'depth', target, options: {} })
  // The second program reads a stream that is open already.
  const opens = planVerdict(
    planOf(
      program('a', { streams: [depth('MSFT'), depth('SPY')] }),
      program('b', { streams: [depth('MSFT')] }),
    ),
  )
  expect(opens.categories.map(({ category, burst, perSecond }) => [category, burst, perSecond])).toEqual([
    ['MarketDepth Stream', 2, 0],
  ])
})

test('a limit of the plan overrides the table, and a category without one is not judged', () => {
  const requests = [{ category: 'Else', perSecond: 1, burst: 1 }]
  const plan = planOf(program('a', { requests }))
  expect(planVerdict(plan).categories).toEqual([])
  const limits = { Else: { limit: 10, periodSeconds: 100 } }
  expect(planVerdict({ ...plan, limits }).categories[0]).toMatchObject({ limit: 10, fits: false })
})
