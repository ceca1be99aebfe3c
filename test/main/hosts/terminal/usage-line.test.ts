import { expect, test } from 'vitest'
import { editDistance, suggestionFor } from '../../../../main/hosts/terminal/usage-line.ts'

const COMMANDS = ['start', 'watch', 'status', 'export', 'plan', 'simulate', 'revoke', 'gateway', 'program']

test.each([
  ['simulator', 'simulate'],
  ['simulation', 'simulate'],
  ['watc', 'watch'],
  ['wacth', 'watch'],
  ['Status', 'status'],
  ['strat', 'start'],
  ['programs', 'program'],
])('%s may mean %s', (word, meant) => {
  expect(suggestionFor(word, COMMANDS)).toBe(meant)
})

test.each(['', 'x', 'hello', 'Vd7qX2-a-secret', 'start'.repeat(20)])('%j has no suggestion', (word) => {
  expect(suggestionFor(word, COMMANDS)).toBeUndefined()
})

test('the distance counts letters to insert, remove, replace and swap', () => {
  expect(editDistance('', 'abc')).toBe(3)
  expect(editDistance('kitten', 'sitting')).toBe(3)
  expect(editDistance('wacth', 'watch')).toBe(1)
  expect(editDistance('same', 'same')).toBe(0)
})
