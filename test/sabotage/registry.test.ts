import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { PROMISE_IDS } from '../proof/promise-list.ts'
import { FINDINGS } from './findings.ts'
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
  const found = new Set(FINDINGS.flatMap(({ breaks }) => breaks))
  const odd = PROMISE_IDS.flatMap((id) => {
    const breaks = MUTANTS.filter(({ promise }) => promise === id)
    const own = breaks.filter(({ what }) => !found.has(what))
    return breaks.length > 0 && own.length <= MAX_BREAKS ? [] : [`${id}: ${breaks.length}, own ${own.length}`]
  })
  expect(odd).toEqual([])
})
