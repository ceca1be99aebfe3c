import { expect, test } from 'vitest'
import { type Position, progressLine } from './progress.ts'

const SUITES = [
  { name: 'unit', counted: 'files', seconds: 120 },
  { name: 'browser', counted: 'tests', seconds: 180 },
]
const line = (changes: Partial<Position>) =>
  progressLine({
    suites: SUITES,
    at: 0,
    message: { done: 10, total: 40, share: 0.5 },
    elapsedMs: 60_000,
    ...changes,
  })

test('the line shows the part, the count, and the minutes left', () => {
  expect(line({})).toBe('part 1 of 2, unit: 10 of 40 files, about 4 minutes left')
})

test('the minutes left follow the speed of this machine', () => {
  expect(line({ elapsedMs: 120_000 })).toContain('about 8 minutes left')
  const message = { done: 20, total: 184, share: 0.5 }
  expect(line({ at: 1, message, elapsedMs: 210_000 })).toBe(
    'part 2 of 2, browser: 20 of 184 tests, about 2 minutes left',
  )
})

test('the minutes left are unknown at first, and never below one', () => {
  expect(line({ message: { done: 1, total: 40, share: 0.05 } })).toBe('part 1 of 2, unit: 1 of 40 files')
  expect(line({ at: 1, message: { done: 184, total: 184, share: 1 } })).toContain('about 1 minute left')
})
