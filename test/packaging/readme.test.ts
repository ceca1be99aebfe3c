import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'

const readme = readFileSync(join(projectFolder, 'README.md'), 'utf8')

/** Of npm, of Electron's runtime, of the build. */
const ELSEWHERE = ['package.json', 'checksums.json', 'bundled-packages.json']

test('the table of the data folder names every file that main puts there', () => {
  const main = join(projectFolder, 'main')
  const sources = readdirSync(main, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const named = sources.flatMap((name) => {
    const source = readFileSync(join(main, name), 'utf8')
    const whole = [...source.matchAll(/'([a-z][\w.-]*\.(?:json|db|log|sock))'/g)].map(([, file]) => file)
    // Of the toolbox of main/storage, which adds the extension itself.
    const ofToolbox = [...source.matchAll(/new JsonFile\(\{[^}]*name: '([\w-]+)'/g)].map(
      ([, file]) => `${file}.json`,
    )
    return [...whole, ...ofToolbox]
  })
  const files = new Set(named.filter((file) => file !== undefined && !ELSEWHERE.includes(file)))
  expect(files.size).toBeGreaterThan(10)
  expect([...files].filter((file) => !readme.includes(`\`${file}\``))).toEqual([])
})

test('every file of the repository that the README links to is there', () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path ?? '')
  expect(links.length).toBeGreaterThan(2)
  expect(links.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([])
})
