import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { SABOTAGES } from './registry.ts'

test('the text that each break replaces stands once in its file', () => {
  const stale = SABOTAGES.flatMap(({ promise, what, file, find }) => {
    const count = readFileSync(join(projectFolder, file), 'utf8').split(find).length - 1
    return count === 1 ? [] : [`${promise} ${what}: ${count} times in ${file}`]
  })
  expect(stale).toEqual([])
})

test('the test that each break is to turn red is there', () => {
  const missing = SABOTAGES.filter(({ test: path }) => !existsSync(join(projectFolder, 'test', path)))
  expect(missing.map(({ what, test: path }) => `${what}: ${path}`)).toEqual([])
})
