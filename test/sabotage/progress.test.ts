import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'
import { Progress } from './progress.ts'
import { MUTANTS } from './registry.ts'

const [first, second] = MUTANTS

test('an interrupted run continues, and one of another commit restarts', () => {
  const path = join(temporaryFolder(), 'mutants.json')
  const run = new Progress(path, 'c1')
  expect(run.resultOf(first!)).toBeUndefined()
  run.add(first!, { result: 'killed', by: 'a test', said: 'expected 1 to be 2' })
  const next = new Progress(path, 'c1')
  expect(next.resultOf(first!)).toMatchObject({ result: 'killed', by: 'a test' })
  expect(next.resultOf(second!)).toBeUndefined()
  next.add(second!, { result: 'survived', said: '' })
  expect(new Progress(path, 'c1').resultOf(first!)?.result).toBe('killed')
  expect(new Progress(path, 'c1').resultOf(second!)?.result).toBe('survived')
  expect(new Progress(path, 'c2').resultOf(first!)).toBeUndefined()
})

test('if only mutants changed, outcomes of unchanged mutants stay valid', () => {
  const path = join(temporaryFolder(), 'mutants.json')
  const run = new Progress(path, 'c1')
  run.add(first!, { result: 'killed', by: 'a test', said: 'expected 1 to be 2' })
  run.add(second!, { result: 'does-not-type-check', said: 'unused' })
  const next = new Progress(path, 'c2', (commit) => commit === 'c1')
  expect(next.resultOf(first!)?.result).toBe('killed')
  expect(next.resultOf({ ...second!, replace: 'written anew' })).toBeUndefined()
  expect(new Progress(path, 'c2', () => false).resultOf(first!)).toBeUndefined()
})

test('without a file nothing is saved', () => {
  const run = new Progress(undefined, 'c1')
  run.add(first!, { result: 'killed', said: '' })
  expect(new Progress(undefined, 'c1').resultOf(first!)).toBeUndefined()
})
