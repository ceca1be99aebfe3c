import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const RENDERER = fileURLToPath(new URL('../../../renderer', import.meta.url))

const components = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.tsx'),
)

describe('class names', () => {
  it.each(components)('of %s are in the style sheets it imports', (file) => {
    const source = readFileSync(join(RENDERER, file), 'utf8')
    const sheets = [...source.matchAll(/from '(.+\.module\.css)'/g)].map(([, sheet]) =>
      readFileSync(resolve(dirname(join(RENDERER, file)), sheet ?? ''), 'utf8'),
    )
    const known = new Set(
      sheets.flatMap((sheet) => [...sheet.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name)),
    )
    const calls = [...source.matchAll(/\bcss\(([^()]*)\)/g)].map(([, args]) => args ?? '')
    const used = calls.flatMap((args) =>
      [...args.matchAll(/(?<![=!]== )'([\w-]+)'/g)].map(([, name]) => name),
    )
    expect(used.filter((name) => !known.has(name))).toEqual([])
  })
})
