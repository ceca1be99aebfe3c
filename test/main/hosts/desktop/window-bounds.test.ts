import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SIZE, MIN_SIZE, openingBounds } from '../../../../main/hosts/desktop/window-bounds.ts'

const SCREEN = { x: 0, y: 25, width: 1920, height: 1055 }
const at = (x: number, y: number, width = 800, height = 600) => ({ x, y, width, height })

describe('the window’s position', () => {
  it('is centred at 1440 × 900 the first time', () => {
    expect(openingBounds(undefined, [SCREEN])).toEqual({ width: 1440, height: 900 })
    expect(DEFAULT_SIZE).toEqual({ width: 1440, height: 900 })
  })

  it('is no larger than the work area the first time', () => {
    const small = { x: 0, y: 40, width: 1280, height: 680 }
    expect(openingBounds(undefined, [small, SCREEN])).toEqual({ width: 1280, height: 680 })
    expect(openingBounds(at(2500, 100, 3000, 2000), [small])).toEqual({ width: 1280, height: 680 })
  })

  it('is restored', () => {
    expect(openingBounds(at(100, 100), [SCREEN])).toEqual(at(100, 100))
    expect(openingBounds(at(-100, 100), [SCREEN])).toEqual(at(-100, 100))
  })

  it('is centred, at its size, if that screen is gone', () => {
    expect(openingBounds(at(2500, 100), [SCREEN])).toEqual({ width: 800, height: 600 })
    expect(openingBounds(at(100, -10), [SCREEN])).toEqual({ width: 800, height: 600 })
    expect(openingBounds(at(100, 100), [])).toEqual({ width: 800, height: 600 })
  })

  it('leaves 64 pixels of the title bar within reach', () => {
    expect(openingBounds(at(1920 - 64, 100), [SCREEN])).toHaveProperty('x', 1920 - 64)
    expect(openingBounds(at(1920 - 63, 100), [SCREEN])).not.toHaveProperty('x')
  })

  it('is never below its minimum size, nor larger than its screen', () => {
    const side = fc.integer({ min: 1, max: 10_000 })
    const place = fc.integer({ min: -5000, max: 5000 })
    const rectangle = fc.record({ x: place, y: place, width: side, height: side })
    fc.assert(
      fc.property(rectangle, fc.array(rectangle, { maxLength: 3 }), (saved, areas) => {
        const bounds = openingBounds(saved, areas)
        expect(bounds.width).toBeGreaterThanOrEqual(MIN_SIZE.width)
        expect(bounds.height).toBeGreaterThanOrEqual(MIN_SIZE.height)
        if (areas.length === 0) return
        expect(areas.some((area) => bounds.width <= Math.max(area.width, MIN_SIZE.width))).toBe(true)
      }),
    )
  })
})
