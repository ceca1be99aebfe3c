import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  coarseSinceText,
  countdownSeconds,
  countdownText,
  durationText,
  lengthText,
  sinceText,
  untilText,
  waitText,
} from '../../../app/status/durations.ts'

describe('durations', () => {
  it.each([
    [0, 'under 0.1 s'],
    [49, 'under 0.1 s'],
    [50, '0.1 s'],
    [400, '0.4 s'],
    [1_000, '1 s'],
    [9_949, '9.9 s'],
    [9_999, '9.9 s'],
    [10_000, '10 s'],
    [10_999, '10 s'],
    [108_000, '1 min 48 s'],
  ])('shows a duration of %d ms as %s', (milliseconds, words) => {
    expect(lengthText(milliseconds)).toBe(words)
  })

  it.each([
    [0, '0 s'],
    [41, '41 s'],
    [59.9, '59 s'],
    [60, '1 min 0 s'],
    [872, '14 min 32 s'],
    [3599, '59 min 59 s'],
    [3600, '1 h 0 min'],
    [8040, '2 h 14 min'],
    [67_260, '18 h 41 min'],
    [86_399, '23 h 59 min'],
    [86_400, '1 d 0 h'],
    [-5, '0 s'],
  ])('shows %d seconds as %s', (seconds, words) => {
    expect(durationText(seconds)).toBe(words)
  })

  it('counts down to "0 s" only at the very end', () => {
    expect(untilText(1000, 1)).toBe('1 s')
    expect(untilText(1000, 999)).toBe('1 s')
    expect(untilText(1000, 1000)).toBe('0 s')
    expect(untilText(1000, 5000)).toBe('0 s')
  })

  it('never shows an age as older than it is', () => {
    expect(sinceText(0, 1999)).toBe('1 s')
    expect(sinceText(0, 2000)).toBe('2 s')
  })

  it('rounds an old age down to one unit', () => {
    expect(coarseSinceText(0, 299_999)).toBe('4 min')
    expect(coarseSinceText(0, 7_199_000)).toBe('1 h')
  })

  it('shows short waits in tenths, rounded up, and never zero', () => {
    expect(waitText(0)).toBe('0.1 s')
    expect(waitText(900)).toBe('0.9 s')
    expect(waitText(901)).toBe('1.0 s')
    expect(waitText(9900)).toBe('9.9 s')
    expect(waitText(9901)).toBe('10 s')
    expect(waitText(300_000)).toBe('5 min 0 s')
  })

  it('parses back to within its smaller unit', () => {
    const size = { s: 1, min: 60, h: 3600, d: 86_400 } as const
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e8, noNaN: true }), (seconds) => {
        const units = [...durationText(seconds).matchAll(/(\d+) (s|min|h|d)/g)].map(
          ([, count, unit]) => [Number(count), size[unit as keyof typeof size]] as const,
        )
        const read = units.reduce((sum, [count, unit]) => sum + count * unit, 0)
        const smallest = units.at(-1)?.[1] ?? 1
        expect(read).toBeLessThanOrEqual(seconds)
        expect(seconds - read).toBeLessThan(smallest)
      }),
    )
  })

  it.each([
    [601, '10 min', '11 min'],
    [600, '10 min', '10 min'],
    [360, '6 min', '6 min'],
    [301, '5 min 0 s', '6 min'],
    [300, '5 min 0 s', '5 min 0 s'],
    [214, '3 min 30 s', '3 min 40 s'],
    [61, '1 min 0 s', '1 min 10 s'],
    [60, '1 min 0 s', '1 min 0 s'],
    [59.5, '59 s', '1 min 0 s'],
    [40, '40 s', '40 s'],
    [0.2, '0 s', '1 s'],
    [0, '0 s', '0 s'],
    [-3, '0 s', '0 s'],
    [7500, '2 h 5 min', '2 h 5 min'],
  ])('counts down from %d seconds as %s, or %s if early is wrong', (seconds, down, up) => {
    expect(countdownText(seconds * 1000, 'down')).toBe(down)
    expect(countdownText(seconds * 1000, 'up')).toBe(up)
  })

  it('changes a countdown of ten minutes at most 90 times, never backwards, and never shows less than is left', () => {
    const told: number[] = []
    for (let left = 600_000; left >= 0; left -= 1000) {
      const up = countdownSeconds(left, 'up')
      expect(up).toBeGreaterThanOrEqual(left / 1000)
      expect(countdownSeconds(left, 'down')).toBeLessThanOrEqual(left / 1000)
      if (told.at(-1) !== up) told.push(up)
    }
    expect(told.length).toBeLessThanOrEqual(91)
    expect(told).toEqual([...told].sort((a, b) => b - a))
  })
})
