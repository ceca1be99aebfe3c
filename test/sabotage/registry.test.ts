import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { MUTANTS } from './registry.ts'

test('the text that each mutant replaces occurs once in its file', () => {
  const stale = MUTANTS.flatMap(({ promise, what, file, find }) => {
    const count = readFileSync(join(projectFolder, file), 'utf8').split(find).length - 1
    return count === 1 ? [] : [`${promise} ${what}: ${count} times in ${file}`]
  })
  expect(stale).toEqual([])
})

test('the test that each mutant is to fail exists', () => {
  const missing = MUTANTS.filter(({ test: path }) => !existsSync(join(projectFolder, 'test', path)))
  expect(missing.map(({ what, test: path }) => `${what}: ${path}`)).toEqual([])
})
