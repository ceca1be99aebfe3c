import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BundledPackage, noticesText, packageOf } from '../../main/packaging/third-party-notices.ts'
import { projectFolder } from '../desktop/builder-config.ts'
import { proves } from '../proof/proves.ts'

const built = (path: string) => readFileSync(join(projectFolder, 'dist', path), 'utf8')

/** The packages in node_modules from which the parts of a bundle come, according to the bundler. */
function packagesIn(bundle: string): readonly BundledPackage[] {
  const paths = new Set(
    [...bundle.matchAll(/^\/\/(?:#region)? (.*node_modules\/\S+)$/gm)].map(([, path]) => path),
  )
  const found = [...paths].map((path) => packageOf(join(projectFolder, path ?? '')))
  return found.filter((each) => each !== undefined)
}

test('every package of the desktop’s bundles and each font is in the notices, with its text', () => {
  const notices = built('THIRD_PARTY_NOTICES.md')
  const bundled = packagesIn(built('desktop/main.js'))
  expect(bundled.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['electron-store', 'conf', 'zod', 'oauth4webapi']),
  )
  for (const { name, version, text } of bundled) {
    expect(notices).toContain(`${name} ${version} (`)
    if (text !== undefined) expect(notices).toContain(text)
  }
  for (const name of [
    'react',
    'radix-ui',
    '@fontsource-variable/inter',
    '@fontsource-variable/jetbrains-mono',
  ])
    expect(notices).toMatch(new RegExp(`${name === 'radix-ui' ? '@radix-ui/[a-z-]+' : name} \\d`))
  proves('P1', { level: 3, cases: bundled.length })
})

test('packages under one text share it, by name', () => {
  const text = noticesText([
    { name: 'b', version: '2.0.0', identifier: 'MIT', text: 'the text' },
    { name: 'a', version: '1.0.0', identifier: 'MIT', text: 'the text' },
  ])
  expect(text).toContain('## a 1.0.0 (MIT), b 2.0.0 (MIT)\n\nthe text\n')
})

test('a package without a text is listed with its stated licence, and one that states nothing is rejected', () => {
  expect(noticesText([{ name: 'a', version: '1.0.0', identifier: 'MIT' }])).toContain('## a 1.0.0 (MIT)\n')
  expect(() => noticesText([{ name: 'a', version: '1.0.0' }])).toThrow('a 1.0.0 states no licence')
})
