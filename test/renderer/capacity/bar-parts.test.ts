import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { barParts } from '../../../renderer/capacity/bar-parts.ts'
import { quota } from '../fixtures.ts'

describe('a capacity bar', () => {
  it('is solid up to what is certainly left and hatched up to what is possibly left', () => {
    const row = quota('Positions', 320, 300, 78, { low: 64, high: 96 })
    expect(barParts(row)).toEqual({ low: 20, possible: 10 })
  })

  it('has no hatched part if the number is exact', () => {
    expect(barParts(quota('Accounts', 320, 300, 288))).toEqual({ low: 90, possible: 0 })
  })

  it('has no solid part if nothing is certain', () => {
    expect(barParts({ low: 0, high: 45, limit: 90 })).toEqual({ low: 0, possible: 50 })
  })

  it('never leaves its track', () => {
    const amount = fc.double({ min: -10, max: 1000, noNaN: true })
    fc.assert(
      fc.property(fc.nat(600), amount, amount, (limit, low, high) => {
        const parts = barParts({ limit, low, high })
        expect(parts.low).toBeGreaterThanOrEqual(0)
        expect(parts.possible).toBeGreaterThanOrEqual(0)
        expect(parts.low + parts.possible).toBeLessThanOrEqual(100.0001)
      }),
    )
  })
})
