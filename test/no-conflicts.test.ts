import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What Git leaves around two versions of a text; a linter of code does not look into the others. */
const MARKER = /^(?:<{7}|>{7}|\|{7}) /m

test('no file holds what a merge left', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.(?:[cm]?[jt]sx?|css|html|json|md|svg|ya?ml)$/.test(file))
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((file) => MARKER.test(readFileSync(`${root}/${file}`, 'utf8')))).toEqual([])
})
