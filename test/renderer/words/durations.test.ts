import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  coarseSinceWords,
  durationWords,
  sinceWords,
  untilWords,
  waitWords,
} from '../../../renderer/words/durations.ts'

describe('durations', () => {
  it.each([
    [0, '0 s'],
    [41, '41 s'],
    [59.9, '59 s'],
    [60, '1 m 0 s'],
    [872, '14 m 32 s'],
    [3599, '59 m 59 s'],
    [3600, '1 h 0 m'],
    [8040, '2 h 14 m'],
    [67_260, '18 h 41 m'],
    [86_399, '23 h 59 m'],
    [86_400, '1 d 0 h'],
    [-5, '0 s'],
  ])('says %d seconds as %s', (seconds, words) => {
    expect(durationWords(seconds)).toBe(words)
  })

  it('counts down to "0 s" only when the moment has come', () => {
    expect(untilWords(1000, 1)).toBe('1 s')
    expect(untilWords(1000, 999)).toBe('1 s')
    expect(untilWords(1000, 1000)).toBe('0 s')
    expect(untilWords(1000, 5000)).toBe('0 s')
  })

  it('never says that something is older than it is', () => {
    expect(sinceWords(0, 1999)).toBe('1 s')
    expect(sinceWords(0, 2000)).toBe('2 s')
  })

  it('rounds an old age down to one unit', () => {
    expect(coarseSinceWords(0, 299_999)).toBe('4 m')
    expect(coarseSinceWords(0, 7_199_000)).toBe('1 h')
  })

  it('says short waits in tenths, rounded up, and never zero', () => {
    expect(waitWords(0)).toBe('0.1 s')
    expect(waitWords(900)).toBe('0.9 s')
    expect(waitWords(901)).toBe('1.0 s')
    expect(waitWords(9900)).toBe('9.9 s')
    expect(waitWords(9901)).toBe('10 s')
    expect(waitWords(300_000)).toBe('5 m 0 s')
  })

  it('reads back to within its smaller unit', () => {
    const size = { s: 1, m: 60, h: 3600, d: 86_400 } as const
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e8, noNaN: true }), (seconds) => {
        const units = [...durationWords(seconds).matchAll(/(\d+) ([smhd])/g)].map(
          ([, count, unit]) => [Number(count), size[unit as keyof typeof size]] as const,
        )
        const read = units.reduce((sum, [count, unit]) => sum + count * unit, 0)
        const smallest = units.at(-1)?.[1] ?? 1
        expect(read).toBeLessThanOrEqual(seconds)
        expect(seconds - read).toBeLessThan(smallest)
      }),
    )
  })
})
