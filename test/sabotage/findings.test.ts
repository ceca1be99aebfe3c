import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { FINDINGS } from './findings.ts'
import { MUTANTS } from './registry.ts'

const textOf = (file: string) => readFileSync(join(projectFolder, 'test', file), 'utf8')
const filesOf = (breaks: readonly string[]) =>
  MUTANTS.filter(({ what }) => breaks.includes(what)).map((mutant) => mutant.test)

test('each finding has existing tests, by their names', () => {
  const missing = FINDINGS.flatMap(({ found, tests, breaks }) => [
    ...(tests.length === 0 ? [found] : []),
    ...tests.flatMap((one) => {
      const [files, name] = typeof one === 'string' ? [filesOf(breaks), one] : [[one[0]], one[1]]
      return files.some((file) => textOf(file).includes(name)) ? [] : [`${files.join(' or ')}: ${name}`]
    }),
  ])
  expect(missing).toEqual([])
})

test('each finding has breaks in the registry, each for a file with one of its tests to notice', () => {
  const missing = FINDINGS.flatMap(({ found, tests, breaks }) => {
    const isNoticed = (what: string) =>
      filesOf([what]).some((file) =>
        tests.some((one) => (typeof one === 'string' ? textOf(file).includes(one) : one[0] === file)),
      )
    return breaks.length === 0 ? [found] : breaks.filter((what) => !isNoticed(what))
  })
  expect(missing).toEqual([])
})
