import { expect, test } from 'vitest'
import { BucketShare, type Refill } from '../../../app/gateway/bucket-share.ts'
import { SharedBound } from '../../../app/gateway/shared-bound.ts'

/** One request a second, up to 100. */
const REFILL: Refill = { limit: 100, perMs: 0.001, meanPerMs: 0.001, windowEndsMs: undefined }
const start = (changes: object = {}) => ({ fraction: 0.25, tokens: 2, settledFromMs: 0, ...changes })

test('a share grows by its part of the refill, up to its part of the limit', () => {
  const share = new BucketShare(start(), 0)
  expect(share.tokens(REFILL, 4_000)).toBeCloseTo(3)
  expect(share.tokens(REFILL, 1_000_000)).toBe(25)
})

test('looking ahead changes nothing', () => {
  const share = new BucketShare(start(), 0)
  share.tokens(REFILL, 40_000)
  share.reachesInMs(20, REFILL, 40_000)
  expect(share.tokens(REFILL, 0)).toBe(2)
})

test('sides that take their fractions of a level never take more than the level together', () => {
  const level = { now: 40 }
  const sides = [0, 1, 2, 3].map(() => new BucketShare(start({ tokens: 1 }), 0))
  for (const side of sides) {
    for (let one = 0; one < 30; one += 1) {
      side.shown(level.now, REFILL, 0)
      if (side.tokens(REFILL, 0) < 1) break
      side.sent(0)
      level.now -= 1
    }
  }
  // 40 − 10 − 7 − 5 − 4: each takes a quarter of what it finds, and no more however often it looks.
  expect(level.now).toBe(14)
})

test('no other side has more than its part of the limit', () => {
  const share = new BucketShare(start({ fraction: 0.5 }), 0)
  for (let one = 0; one < 90; one += 1) share.sent(0)
  share.shown(95, REFILL, 0)
  expect(share.tokens(REFILL, 0)).toBe(45)
})

test('the share of a fixed window grows only at the end of the window', () => {
  const refill = { ...REFILL, perMs: 0, windowEndsMs: 10_000 }
  const share = new BucketShare(start(), 0)
  share.sent(5_000)
  expect(share.tokens(refill, 9_999)).toBe(1)
  expect(share.tokens(refill, 10_000)).toBe(25)
  share.advance(refill, 10_000)
  share.sent(10_000)
  expect(share.tokens({ ...refill, windowEndsMs: undefined }, 20_000)).toBe(24)
})

const header = (remaining: number) => ({
  limit: 100,
  periodSeconds: 100,
  remaining,
  resetSeconds: 100 - remaining,
})
const shared = () => {
  const bound = new SharedBound({ limit: 100, periodSeconds: 100 })
  const asked = (id: number, remaining: number, sentMs: number) => {
    bound.sent(id, sentMs)
    bound.answered(id, 'no', header(remaining), sentMs)
  }
  return { bound, asked }
}

test('only a header of a request that was sent after the split is settled raises a share', () => {
  const { bound, asked } = shared()
  bound.setShare({ fraction: 0.5, tokens: 2, settledFromMs: 1_000 }, 0)
  asked(1, 60, 999)
  expect(bound.tokens(999)).toBeCloseTo(1.5, 1)
  asked(2, 60, 1_000)
  expect(bound.tokens(1_000)).toBeGreaterThan(25)
})

test('a class waits for its level on the scale of the share', () => {
  const { bound, asked } = shared()
  asked(1, 60, 0)
  bound.setShare({ fraction: 0.5, tokens: 3.9, settledFromMs: 0 }, 0)
  // While a request is on its way, which shows the level.
  bound.sent(2, 0)
  expect(bound.allows(7, 0)).toBe(false)
  expect(bound.reachesAtMs(7, 0)).toBe(2_202)
  expect(bound.allows(7, 2_202)).toBe(true)
})

test('until a header has shown the level of a share, one request at a time may use it up', () => {
  const { bound, asked } = shared()
  asked(1, 60, 0)
  bound.setShare({ fraction: 0.5, tokens: 2, settledFromMs: 0 }, 0)
  expect(bound.allows(7, 0)).toBe(true)
  expect(bound.turnAtMs(7, 20, 0)).toBe(0)
  asked(2, 3, 0)
  expect(bound.allows(7, 0)).toBe(false)
})

test('use by another side shows once the whole bucket belongs to this side, even a part of a request', () => {
  const { bound, asked } = shared()
  asked(1, 60, 0)
  bound.setAside({ fraction: 0.5, least: 0 }, 500)
  // The other side has sent one request meanwhile, when 60.9 were left.
  bound.takeBack({ fraction: 0.5, tokens: 29, settledFromMs: 500 }, 500)
  asked(2, 59, 950)
  expect(bound.low(950)).toBe(59)
  expect(bound.hasShare).toBe(false)
})

test('nothing is set aside in a bucket where neither side has a part', () => {
  const { bound } = shared()
  bound.setShare({ fraction: 0, tokens: 2, settledFromMs: 0 }, 0)
  bound.setAside({ fraction: 0, least: 0 }, 0)
  expect(bound.tokens(0)).toBe(0)
})

test('a floor remains for others', () => {
  const { bound, asked } = shared()
  asked(1, 10, 0)
  expect(bound.allows(1, 0)).toBe(true)
  bound.floorOf = () => 12
  expect(bound.allows(1, 0)).toBe(false)
  expect(bound.isScarce(0)).toBe(true)
  expect(bound.reachesAtMs(1, 0)).toBe(3_003)
})

test('the part of a silent side is set aside, and given back with what is left of it', () => {
  const { bound, asked } = shared()
  asked(1, 60, 0)
  bound.setAside({ fraction: 0.25, least: 1 }, 0)
  expect(bound.tokens(0)).toBeCloseTo(45, 0)
  bound.setAside({ fraction: 0.25, least: 1 }, 0)
  expect(bound.tokens(0)).toBeCloseTo(30, 0)
  bound.takeBack({ fraction: 0.25, tokens: 3, settledFromMs: 0 }, 0)
  expect(bound.tokens(0)).toBeCloseTo(33, 0)
  expect(bound.isSplit).toBe(true)
})

test('what is set aside is released a minute later by a header, unless others have used the bucket', () => {
  for (const used of [0, 5]) {
    const { bound, asked } = shared()
    asked(1, 99, 0)
    bound.setAside({ fraction: 0.5, least: 1 }, 0)
    bound.releaseFrom(60_000)
    asked(2, 98 - used, 59_000)
    expect(bound.isSplit).toBe(true)
    asked(3, 98 - used, 60_001)
    expect(bound.isSplit).toBe(used > 0)
  }
})
