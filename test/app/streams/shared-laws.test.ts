import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { check, SHAPES, steps } from './interleaving.ts'

const RUNS = 10_000

test('10,000 interleavings of frames, joins, leaves, restarts and slow readers end as a fresh stream does', {
  timeout: 600_000,
}, () => {
  let readers = 0
  fc.assert(
    fc.property(fc.constantFrom(...SHAPES), steps, (shape, happened) => {
      readers += check(shape, happened).readers
    }),
    { numRuns: RUNS },
  )
  expect(readers).toBeGreaterThan(RUNS)
  proves('G9', { level: 2, cases: RUNS })
})
