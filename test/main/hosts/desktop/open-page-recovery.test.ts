import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RETRY } from '../../../../app/retry/schedules.ts'
import { FORGOTTEN_AFTER_MS, recoveryStep } from '../../../../main/hosts/desktop/open-page.ts'

/** The waits before each reload of a page that ends at these times. */
function waits(endsMs: readonly number[]): number[] {
  let ended: readonly number[] = []
  return endsMs.map((atMs) => {
    const step = recoveryStep(ended, atMs)
    ended = step.endedAtMs
    return step.waitMs
  })
}

describe('a crashed page', () => {
  it('is reloaded at once the first time, and later each further time', () => {
    expect(waits([0, 100, 1_500, 8_000, 40_000])).toEqual([0, 1_000, 5_000, 30_000, 30_000])
  })

  it('is reloaded at once if the last crash is long ago, and not a moment before', () => {
    expect(waits([0, FORGOTTEN_AFTER_MS])).toEqual([0, 0])
    expect(waits([0, FORGOTTEN_AFTER_MS - 1])).toEqual([0, 1_000])
  })

  it('is never reloaded more than four times in half a minute, and the record of crashes is bounded', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2_000), { maxLength: 200 }), (gaps) => {
        let nowMs = 0
        let ended: readonly number[] = []
        const loads: number[] = []
        for (const gap of gaps) {
          const step = recoveryStep(ended, nowMs)
          ended = step.endedAtMs
          nowMs += step.waitMs
          loads.push(nowMs)
          nowMs += gap
          expect(ended.length).toBeLessThanOrEqual(RETRY.page.stepsMs.length)
        }
        for (const atMs of loads)
          expect(loads.filter((other) => other > atMs - 30_000 && other <= atMs).length).toBeLessThanOrEqual(
            5,
          )
      }),
    )
  })
})
