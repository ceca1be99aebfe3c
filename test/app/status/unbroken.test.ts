import { expect, test } from 'vitest'
import { unbroken } from '../../../app/status/durations.ts'

const shown = (text: string) => unbroken(text).replaceAll('\u00a0', '_')

test('a duration or a share does not wrap', () => {
  expect(shown('Positions, empty in 2 min 20 s.')).toBe('Positions, empty in 2_min_20_s.')
  expect(shown('in 40 s, then in 3 d 4 h')).toBe('in 40_s, then in 3_d_4_h')
  expect(shown('Quote Snapshot, 17 %')).toBe('Quote Snapshot, 17_%')
  expect(shown('1 per 0.9 s.')).toBe('1 per 0.9_s.')
})

test('a word that only begins like a unit may wrap after its number', () => {
  expect(shown('4 streams of 10 programs, 2 days')).toBe('4 streams of 10 programs, 2 days')
  expect(shown('5 min 3 streams')).toBe('5_min 3 streams')
})
