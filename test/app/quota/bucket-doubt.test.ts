import { expect, test } from 'vitest'
import { Bucket } from '../../../app/quota/bucket.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'
import { chanceFrom } from './chance.ts'
import { ReferenceService, type Rule } from './reference-service.ts'

const HOUR_MS = 3_600_000
const POSITIONS = { limit: 320, periodSeconds: 300 }
let nextId = 0

/**
 * One request, sent at `atMs` on the app's clock and `serviceMs` on the service's. Returns what others must
 * have used.
 */
function ask(bucket: Bucket, service: ReferenceService, atMs: number, serviceMs: number): number {
  nextId += 1
  bucket.sent(nextId, atMs)
  const accepted = service.spend(serviceMs)
  return bucket.answered({
    id: nextId,
    receivedAtMs: atMs,
    rejected: !accepted,
    rate: service.headers(serviceMs),
  })
}

test.each(['rolling', 'fixed'] as const)(
  '%s: after a gap the bounds contain the level whether time passed or the clock was set, without accusing others',
  (window) => {
    const seeds = lawRuns(400)
    for (let seed = 0; seed < seeds; seed += 1) {
      const chance = chanceFrom(seed)
      const rule: Rule = { ...POSITIONS, window }
      const service = new ReferenceService(rule, 320, 0)
      const bucket = new Bucket(320, 300, 0)
      let at = 0
      for (let count = 0; count < 300 * chance() + 3; count += 1) {
        ask(bucket, service, at, at)
        at += 200 * chance()
      }
      const gapMs = 2_000 + HOUR_MS * chance() ** 4
      const slept = seed % 2 === 0
      bucket.markClockUncertain(at, at + gapMs)
      const lag = slept ? 0 : gapMs
      at += gapMs
      for (let look = 0; look < 4; look += 1) {
        const { low, high } = bucket.estimate(at)
        const before = bucket.others(at)?.perSecond ?? 0
        expect(before).toBe(0)
        const remaining = service.headers(at - lag).remaining ?? 0
        // Remaining is the level rounded down. `low` and `high` may lie on two sides of a whole number.
        if (Math.floor(low) > remaining || Math.floor(high) + 1 < remaining) {
          expect.fail(
            `seed ${seed}: ${low} to ${high} after a gap of ${gapMs} ms, the service has ${remaining}`,
          )
        }
        expect(ask(bucket, service, at, at - lag)).toBe(0)
        at += 20_000 * chance()
      }
    }
    proves('Q2', { level: 2, cases: seeds })
  },
)

test('a bucket that was empty probably has a request again a step after the gap, and a fixed one within a period', () => {
  const rolling = new Bucket(320, 300, 0)
  const fixed = new Bucket(320, 300, 0)
  const rate = { limit: 320, periodSeconds: 300, remaining: 0 }
  rolling.answered({ id: 1, receivedAtMs: 0, rejected: false, rate: { ...rate, resetSeconds: 300 } })
  fixed.answered({ id: 2, receivedAtMs: 0, rejected: false, rate: { ...rate, resetSeconds: 60 } })
  for (const bucket of [rolling, fixed]) bucket.markClockUncertain(1, 24 * HOUR_MS)
  expect([rolling.model, fixed.model]).toEqual(['rolling', 'fixed'])
  expect(rolling.estimate(24 * HOUR_MS)).toMatchObject({ low: 0, high: 320 })
  expect(rolling.estimate(24 * HOUR_MS + 2_000).point).toBeGreaterThanOrEqual(1)
  expect(fixed.estimate(24 * HOUR_MS)).toMatchObject({ low: 0, high: 320 })
  expect(fixed.estimate(24 * HOUR_MS + 300_000).point).toBe(320)
})
