import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from './desktop/builder-config.ts'

const IMPORT = /^(?:import|export)\b[^'"]*?from '([@\w][\w@/.:-]*)'|\bimport\('([@\w][\w@/.:-]*)'\)/gm
const IMPORTING = ['app', 'main', 'renderer', 'test']

/** `@scope/name` or `name`, without the path within the package. */
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

test('every imported package is declared', () => {
  const declared = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'))
  const known = new Set(
    ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((of) => Object.keys(declared[of])),
  )
  // Lists the folders instead of asking Git, because a downloaded archive has no history.
  const undeclared = IMPORTING.flatMap((folder) =>
    readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
    .flatMap((path) =>
      [...readFileSync(join(projectFolder, path), 'utf8').matchAll(IMPORT)].flatMap((found) => {
        const name = packageOf(found[1] ?? found[2] ?? '')
        return isBuiltin(name) || known.has(name) ? [] : [`${path}: ${name}`]
      }),
    )
  expect(undeclared).toEqual([])
})
