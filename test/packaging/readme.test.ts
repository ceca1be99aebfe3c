import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'

const readme = readFileSync(join(projectFolder, 'README.md'), 'utf8')

test('the table of the data folder names every file that main puts there', () => {
  const main = join(projectFolder, 'main')
  const sources = readdirSync(main, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const named = sources.flatMap((name) => {
    const source = readFileSync(join(main, name), 'utf8')
    return [...source.matchAll(/join\([\w.#]*[fF]older, '([\w.-]+\.(?:json|db|log|sock))'\)/g)].map(
      ([, file]) => file,
    )
  })
  // `package.json` and Electron's checksums lie in other folders.
  const files = new Set(named.filter((file) => file !== 'package.json' && file !== 'checksums.json'))
  expect(files.size).toBeGreaterThan(8)
  expect([...files].filter((file) => !readme.includes(`\`${file}\``))).toEqual([])
})

test('every file of the repository that the README links to is there', () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path ?? '')
  expect(links.length).toBeGreaterThan(2)
  expect(links.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([])
})
