import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RecordedMinute, recordedRequests } from '../../../app/plan/recorded.ts'
import { planVerdict } from '../../../app/plan/verdict.ts'

const MINUTE_MS = 60_000
const PERIOD_SECONDS = 300

const minutesOf = (requests: readonly number[]): readonly RecordedMinute[] =>
  requests.map((count, at) => ({ category: 'Positions', atMs: at * MINUTE_MS, requests: count }))
const lasting = (minutes: number) => ({
  lengthMs: minutes * MINUTE_MS,
  periodSecondsOf: () => PERIOD_SECONDS,
})
const of = (requests: readonly number[]) => recordedRequests(minutesOf(requests), lasting(requests.length))

test('even minutes have their mean as rate, and one minute as burst', () => {
  expect(of(Array.from({ length: 100 }, () => 30))).toEqual([
    { category: 'Positions', perSecond: 0.5, burst: 30 },
  ])
  expect(of([0, 0, 0])).toEqual([])
})

test('a day that is busy during market hours fits as recorded, at the rate of those hours', () => {
  const day = Array.from({ length: 1440 }, (_, at) => (at >= 570 && at < 960 ? 54 : 0))
  const [requests] = of(day)
  expect(requests?.perSecond).toBeCloseTo(0.9, 3)
  expect(requests?.burst).toBeLessThanOrEqual(55)
  const plan = {
    programs: [{ name: 'a', class: 'normal' as const, weight: 1, requests: of(day), streams: [] }],
    limits: {},
    reserves: {},
  }
  expect(planVerdict(plan).fits).toBe(true)
})

test.each([24, 1])('%d busy minutes of a day are a burst at a low rate, which fits', (busy) => {
  const sent = Array.from({ length: busy }, (_, hour) => ({
    category: 'Positions',
    atMs: hour * 60 * MINUTE_MS,
    requests: 100,
  }))
  // The history has no minutes without requests, so they must not be needed.
  const requests = recordedRequests(sent, lasting(1440))
  expect(requests).toHaveLength(1)
  expect(requests[0]?.perSecond).toBeLessThan(100 / 3599)
  expect(requests[0]?.burst).toBeLessThanOrEqual(101)
  const program = { name: 'scanner', class: 'normal' as const, weight: 1, requests, streams: [] }
  expect(planVerdict({ programs: [program], limits: {}, reserves: {} }).fits).toBe(true)
})

test('the bucket covers every recorded interval, and no covering bucket uses less', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(40), { minLength: 1, maxLength: 40 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (counts, share) => {
        const [found] = of(counts)
        if (found === undefined) {
          expect(counts.every((count) => count === 0)).toBe(true)
          return
        }
        const burstAt = (perSecond: number) => {
          let most = 0
          for (let from = 0; from < counts.length; from += 1) {
            let sum = 0
            for (let to = from; to < counts.length; to += 1) {
              sum += counts[to] ?? 0
              most = Math.max(most, sum - perSecond * 60 * (to - from))
            }
          }
          return most
        }
        const { perSecond, burst } = found
        expect(burst).toBeGreaterThanOrEqual(burstAt(perSecond) - 1e-6)
        const mean = counts.reduce((sum, count) => sum + count, 0) / (60 * counts.length)
        const other = mean + share * (Math.max(...counts) / 60 - mean)
        const taken = (rate: number) => rate * PERIOD_SECONDS + burstAt(rate)
        expect(taken(perSecond)).toBeLessThanOrEqual(taken(other) + 1e-3)
      },
    ),
  )
})
