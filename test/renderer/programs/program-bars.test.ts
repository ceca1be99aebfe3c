import fc from 'fast-check'
import { expect, test } from 'vitest'
import { programBars } from '../../../renderer/programs/program-bars.ts'

const history = (
  programs: readonly { readonly program: string; readonly requests: readonly number[] }[],
) => ({
  from: 0,
  resolutionMs: 60_000,
  programs,
})

test('bars are stacked on each other, the busiest program lowest', () => {
  const bars = programBars(
    history([
      { program: 'notes', requests: [0, 60] },
      { program: 'bot', requests: [30, 60] },
      { program: 'idle', requests: [0, 0] },
    ]),
  )
  expect(bars).toEqual({
    programs: [
      { name: 'bot', requests: 90 },
      { name: 'notes', requests: 60 },
    ],
    maxPerSecond: 2,
    pieces: [
      { program: 0, left: 0, width: 0.5, bottom: 0, height: 0.25 },
      { program: 0, left: 0.5, width: 0.5, bottom: 0, height: 0.5 },
      { program: 1, left: 0.5, width: 0.5, bottom: 0.5, height: 0.5 },
    ],
  })
  expect(programBars(history([]))).toBeUndefined()
  expect(programBars(history([{ program: 'idle', requests: [0] }]))).toBeUndefined()
})

test('whatever the requests, no bar leaves the chart, and the highest fills it', () => {
  const requests = fc.array(fc.nat(10_000), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(requests, { maxLength: 6 }), (all) => {
      const bars = programBars(history(all.map((own, i) => ({ program: `p${i}`, requests: own }))))
      const tops = bars?.pieces.map(({ bottom, height }) => bottom + height) ?? [1]
      expect(Math.max(...tops)).toBeCloseTo(1)
    }),
  )
})
