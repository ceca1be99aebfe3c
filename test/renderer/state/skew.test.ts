import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAnswer, afterPush, NO_SKEW } from '../../../renderer/state/skew.ts'

describe('the offset between main’s clock and the window’s', () => {
  it('is learned from the first message', () => {
    expect(afterPush(NO_SKEW, 10_000, 4000)).toEqual({ ms: 6000 })
  })

  it('ignores a push that waited in a frozen tab: old data is not made to look new', () => {
    const skew = afterPush(NO_SKEW, 10_000, 10_000)
    expect(afterPush(skew, 11_000, 600_000)).toBe(skew)
  })

  it('is zero in a window that opens slowly, if the response allows it: its numbers do not look younger', () => {
    expect(afterAnswer(NO_SKEW, 10_000, 9990, 14_000).ms).toBe(0)
  })

  it('is zero if the first push waited while the window opened', () => {
    const skew = afterPush(NO_SKEW, 10_000, 14_000)
    expect(afterAnswer(skew, 10_010, 9990, 14_000).ms).toBe(0)
  })

  it('matches another computer’s after the first response, whatever the push before it', () => {
    const skew = afterPush(NO_SKEW, 10_000, 70_000)
    expect(afterAnswer(skew, 10_010, 70_000, 70_020).ms).toBe(-59_990)
  })

  it('follows a window clock that was set forward, at the next response', () => {
    const skew = afterPush(NO_SKEW, 10_000, 10_000)
    expect(afterAnswer(skew, 20_000, 80_000, 80_010).ms).toBe(-60_000)
  })

  it('is off by at most a response’s round trip, after any messages and a response', () => {
    const delays = fc.array(fc.nat(5000), { maxLength: 20 })
    fc.assert(
      fc.property(
        fc.integer({ min: -1e6, max: 1e6 }),
        delays,
        fc.nat(300),
        fc.nat(300),
        (truth, late, out, back) => {
          let windowMs = 1_000_000
          let skew = NO_SKEW
          for (const delayMs of late) {
            windowMs += 250
            skew = afterPush(skew, windowMs - delayMs + truth, windowMs)
          }
          const askedMs = windowMs
          skew = afterAnswer(skew, askedMs + out + truth, askedMs, askedMs + out + back)
          expect(Math.abs(skew.ms - truth)).toBeLessThanOrEqual(out + back)
        },
      ),
    )
  })
})
