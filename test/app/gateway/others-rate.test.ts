import { expect, test } from 'vitest'
import { OthersRate } from '../../../app/gateway/others-rate.ts'

const BUCKET = { gainPerMs: 0.001, limit: 320, isVoid: false } as const
/** The share of a moving average that decays in one second. The time constant is 60 s. */
const FADED = 1 - Math.exp(-1 / 60)

/** The pace after a header with 100 left at 0 ms, and after the calls in `more`. */
function paceAfter(more: (pace: OthersRate) => void): number {
  const pace = new OthersRate()
  pace.shown(100, 0, BUCKET)
  more(pace)
  return pace.perMs
}

test('a first header shows no rate', () => {
  expect(paceAfter(() => {})).toBe(0)
})

test('use that own requests and the refill do not explain is others’', () => {
  const pace = paceAfter((others) => {
    others.ownCounted()
    others.shown(98, 1_000, BUCKET)
  })
  expect(pace).toBeCloseTo((2 * FADED) / 1_000, 12)
})

test('own requests count until the next header, no longer', () => {
  const pace = paceAfter((others) => {
    others.ownCounted()
    others.shown(100, 1_000, BUCKET)
    others.shown(101, 2_000, BUCKET)
  })
  expect(pace).toBe(0)
})

test('a full bucket has no refill that others could use', () => {
  const pace = new OthersRate()
  pace.shown(320, 0, BUCKET)
  pace.shown(320, 60_000, BUCKET)
  expect(pace.perMs).toBe(0)
})

test('the second of two headers in one millisecond adds to the first', () => {
  const pace = paceAfter((others) => {
    others.shown(100, 1_000, BUCKET)
    others.shown(99, 1_000, BUCKET)
  })
  const first = FADED / 1_000
  expect(pace).toBeCloseTo(first + 1 / 60_000, 12)
})

test('the rate fades while headers show no use by others', () => {
  const pace = (seconds: number) =>
    paceAfter((others) => {
      others.shown(99, 1_000, BUCKET)
      others.shown(99 + seconds, 1_000 + 1_000 * seconds, BUCKET)
    })
  expect(pace(60)).toBeCloseTo(pace(0) / Math.E, 9)
})

test('a header that voids the level shows no rate, but is the base for the next one', () => {
  const pace = paceAfter((others) => {
    others.ownCounted()
    others.shown(50, 1_000, { ...BUCKET, isVoid: true })
    others.shown(50, 2_000, BUCKET)
  })
  expect(pace).toBeCloseTo(FADED / 1_000, 12)
})

test('a higher level than expected lowers the rate, down to 0', () => {
  expect(paceAfter((others) => others.shown(110, 1_000, BUCKET))).toBe(0)
})
