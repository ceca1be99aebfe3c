import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { barParts } from '../../../renderer/capacity/bar-parts.ts'
import { NOW_MS, quota } from '../fixtures.ts'

describe('a capacity bar', () => {
  it('is solid for what the header said and hatched for what the model adds', () => {
    const row = quota('Accounts', 320, 300, 296, { seen: 288 })
    expect(barParts(row, 296, NOW_MS)).toEqual({ seen: 90, modelled: 2.5 })
  })

  it('does not show as seen what the model has already taken away', () => {
    const row = quota('Positions', 320, 300, 32, { seen: 64 })
    expect(barParts(row, 32, NOW_MS)).toEqual({ seen: 10, modelled: 0 })
  })

  it('has nothing solid once the header is old', () => {
    const row = quota('Balances', 320, 300, 160)
    expect(barParts(row, 160, NOW_MS + 121_000)).toEqual({ seen: 0, modelled: 50 })
  })

  it('never leaves its track', () => {
    const amount = fc.double({ min: -10, max: 1000, noNaN: true })
    fc.assert(
      fc.property(fc.nat(600), amount, amount, (limit, level, seen) => {
        const parts = barParts(quota('x', limit, 300, level, { seen }), level, NOW_MS)
        expect(parts.seen).toBeGreaterThanOrEqual(0)
        expect(parts.modelled).toBeGreaterThanOrEqual(0)
        expect(parts.seen + parts.modelled).toBeLessThanOrEqual(100.0001)
      }),
    )
  })
})
