import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { FINDINGS } from './findings.ts'
import { MUTANTS } from './registry.ts'

test('each finding has existing tests, by their names', () => {
  const missing = FINDINGS.flatMap(({ found, tests }) => [
    ...(tests.length === 0 ? [found] : []),
    ...tests
      .filter(([file, name]) => !readFileSync(join(projectFolder, 'test', file), 'utf8').includes(name))
      .map(([file, name]) => `${file}: ${name}`),
  ])
  expect(missing).toEqual([])
})

test('each finding has breaks in the registry, each for one of its tests to notice', () => {
  const missing = FINDINGS.flatMap(({ found, tests, breaks }) => {
    const files = new Set<string>(tests.map(([file]) => file))
    const isNoticed = (what: string) =>
      MUTANTS.some((mutant) => mutant.what === what && files.has(mutant.test))
    return breaks.length === 0 ? [found] : breaks.filter((what) => !isNoticed(what))
  })
  expect(missing).toEqual([])
})
