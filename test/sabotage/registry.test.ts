import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { PROMISE_IDS } from '../proof/promise-list.ts'
import { MUTANTS } from './registry.ts'

/**
 * Maximum number of breaks of one promise that do not restore a finding. This is enough for its parts and
 * levels.
 */
const MAX_BREAKS = 8

test('the text that each mutant replaces occurs once in its file', () => {
  const stale = MUTANTS.flatMap(({ promise, what, file, find }) => {
    const count = readFileSync(join(projectFolder, file), 'utf8').split(find).length - 1
    return count === 1 ? [] : [`${promise} ${what}: ${count} times in ${file}`]
  })
  expect(stale).toEqual([])
})

test('the test that each mutant should fail exists', () => {
  const missing = MUTANTS.filter(({ test: path }) => !existsSync(join(projectFolder, 'test', path)))
  expect(missing.map(({ what, test: path }) => `${what}: ${path}`)).toEqual([])
})

test('each promise has a break, and few without a finding', () => {
  const odd = PROMISE_IDS.flatMap((id) => {
    const breaks = MUTANTS.filter(({ promise }) => promise === id)
    const own = breaks.filter(({ found }) => found === undefined)
    return breaks.length > 0 && own.length <= MAX_BREAKS ? [] : [`${id}: ${breaks.length}, own ${own.length}`]
  })
  expect(odd).toEqual([])
})

const FINDINGS = Map.groupBy(
  MUTANTS.filter(({ found }) => found !== undefined),
  ({ found }) => found,
)
const isIn = (file: string, name: string) =>
  readFileSync(join(projectFolder, 'test', file), 'utf8').includes(name)

test('each finding has existing tests, by their names', () => {
  const missing = [...FINDINGS].flatMap(([found, mutants]) => {
    const named = mutants.flatMap((mutant) =>
      (mutant.tests ?? []).map((one) => (typeof one === 'string' ? ([mutant.test, one] as const) : one)),
    )
    if (named.length === 0) return [found]
    return named.filter(([file, name]) => !isIn(file, name)).map(([file, name]) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
})

test('each mutant of a finding is for a file with one of its tests to notice', () => {
  const missing = [...FINDINGS.values()].flatMap((mutants) => {
    const names = mutants.flatMap(({ tests = [] }) => tests)
    const isNoticed = (file: string) =>
      names.some((one) => (typeof one === 'string' ? isIn(file, one) : one[0] === file))
    return mutants.filter((mutant) => !isNoticed(mutant.test)).map(({ what }) => what)
  })
  expect(missing).toEqual([])
})
