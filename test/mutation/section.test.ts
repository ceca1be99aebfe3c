import { expect, test } from 'vitest'
import { type MutationResults, mutationText, parseMutation, resultsOf } from './results.ts'
import { mutationLine, mutationSection } from './section.ts'

const ORIGIN = { commit: 'abcdef0123', isClean: true, date: '2026-11-20T10:00:00.000Z' }
const mutant = (status: string, line: number) => ({
  mutatorName: 'ConditionalExpression',
  replacement: 'true',
  status,
  location: { start: { line } },
})
const REPORT = {
  files: {
    'main/storage/example.ts': {
      mutants: ['Killed', 'Killed', 'Timeout', 'Survived', 'NoCoverage', 'CompileError', 'Ignored'].map(
        mutant,
      ),
    },
  },
}
const results = (changes: Partial<MutationResults> = {}): MutationResults => ({
  seed: 1,
  share: 0.1,
  folders: { 'main/storage': 7 },
  files: resultsOf(REPORT, ORIGIN),
  ...changes,
})

test('noticed, survived and uncovered mutants are counted separately; a missing run counts none', () => {
  expect(resultsOf(REPORT, ORIGIN)['main/storage/example.ts']).toMatchObject({
    killed: 2,
    timedOut: 1,
    survivors: [
      { line: 3, isUncovered: false },
      { line: 4, isUncovered: true },
    ],
  })
  const none = { ...ORIGIN, killed: 0, timedOut: 0, survivors: [] }
  expect(resultsOf(REPORT, ORIGIN, ['main/storage/example.ts', 'main/storage/types.ts'])).toEqual({
    ...resultsOf(REPORT, ORIGIN),
    'main/storage/types.ts': none,
  })
  expect(parseMutation(mutationText(results()))).toEqual(results())
})

test('the page shows the score by folder, that it is a sample, of how many files, and each survivor', () => {
  const text = mutationSection(results()).join('\n')
  expect(text).toContain('| `main/storage` | 1 of 7 | 5 | 3 | 60.0 % |')
  expect(text).toContain('A sample: 10 % of the lines of each file that was tried, drawn by seed 1.')
  expect(text).toContain(
    'line 3, ConditionalExpression → `true`: no test of the folder noticed; **no reason yet**',
  )
  expect(text).toContain('line 4, ConditionalExpression → `true`: no test of the folder runs it')
  expect(mutationSection(results({ share: 1 })).join('\n')).toContain('Every line was mutated.')
})

test('a missing run is marked', () => {
  expect(mutationSection(undefined)).toContain('Not run.')
  expect(mutationSection(results({ files: {} }))).toContain('Not run.')
  expect(mutationLine(results({ files: {} }))).toBe(undefined)
  const folders = { 'main/storage': 7, 'main/vault': 3 }
  expect(mutationSection(results({ folders })).join('\n')).toContain('| `main/vault` | 0 of 3 | 0 | 0 | – |')
  expect(mutationLine(results({ folders }))).toBe('3 of 5 mutants noticed (60.0 %), in 1 of 10 files')
})

test('a reason for one line of a file does not apply to another', () => {
  const at = (line: number) => {
    const report = { files: { 'main/storage/lock.ts': { mutants: [mutant('Survived', line)] } } }
    return mutationSection(results({ files: resultsOf(report, ORIGIN) })).join('\n')
  }
  expect(at(136)).not.toContain('no reason yet')
  expect(at(3)).toContain('no reason yet')
})
