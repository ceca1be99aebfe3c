import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from './desktop/builder-config.ts'

const EXPORT = /^export (?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm
const PRODUCT = ['app', 'main', 'renderer']

test('every export of the product is named a second time', () => {
  const files = [...PRODUCT, 'test'].flatMap((folder) =>
    readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:tsx?|js)$/.test(path) && !path.includes('node_modules'))
      .map((path) => ({ folder, path, text: readFileSync(join(projectFolder, folder, path), 'utf8') })),
  )
  // Exports that the build configuration uses are named in it.
  files.push({
    folder: '.',
    path: 'vite.config.ts',
    text: readFileSync(join(projectFolder, 'vite.config.ts'), 'utf8'),
  })
  const counts = new Map<string, number>()
  for (const { text } of files)
    for (const [word] of text.matchAll(/\w+/g)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const exported = files
    .filter(({ folder }) => PRODUCT.includes(folder))
    .flatMap(({ folder, path, text }) =>
      [...text.matchAll(EXPORT)].map(([, name = '']) => ({ name, file: `${folder}/${path}` })),
    )
  expect(exported.length).toBeGreaterThan(1_000)
  expect(exported.filter(({ name }) => counts.get(name) === 1)).toEqual([])
})
