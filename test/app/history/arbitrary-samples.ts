import fc from 'fast-check'
import type { Sample } from '../../../app/history/sample.ts'

export const START_MS = Date.UTC(2026, 0, 5, 14, 0)

/** Samples in the order of time, with gaps as a sleeping machine leaves them. */
export const samples = (most = 200): fc.Arbitrary<readonly Sample[]> =>
  fc
    .array(
      fc.record({
        gapMs: fc.oneof(
          { weight: 8, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
          { weight: 2, arbitrary: fc.integer({ min: 3_000, max: 30_000 }) },
          { weight: 1, arbitrary: fc.integer({ min: 30_000, max: 2_000_000 }) },
        ),
        remaining: fc.integer({ min: 0, max: 100 }),
        source: fc.constantFrom('header', 'modelled', 'default'),
        own: fc.integer({ min: 0, max: 5 }),
        elsewhere: fc.integer({ min: 0, max: 5 }),
        rejected: fc.integer({ min: 0, max: 2 }),
      }),
      { maxLength: most },
    )
    .map((steps) => {
      let atMs = START_MS
      return steps.map(({ gapMs, ...rest }) => {
        atMs += gapMs
        return { ...rest, atMs, limit: 100 } as const
      })
    })
