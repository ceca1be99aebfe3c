import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const RENDERER = fileURLToPath(new URL('../../../renderer', import.meta.url))

const components = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.tsx'),
)
const read = (file: string) => readFileSync(join(RENDERER, file), 'utf8')
const namesIn = (sheet: string) => [...sheet.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name)

/** The names that every component can use. */
const SHARED = ['components/controls.css', 'components/dialog.css'].flatMap((file) => namesIn(read(file)))

describe('class names', () => {
  it.each(components)('of %s are in the style sheets that it can use', (file) => {
    const source = read(file)
    const sheets = [...source.matchAll(/from '(.+\.module\.css)'/g)].map(([, sheet]) =>
      readFileSync(resolve(dirname(join(RENDERER, file)), sheet ?? ''), 'utf8'),
    )
    const known = new Set([...SHARED, ...sheets.flatMap(namesIn)])
    const calls = [...source.matchAll(/\bcss\(([^()]*)\)/g)].map(([, args]) => args ?? '')
    const used = calls.flatMap((args) =>
      [...args.matchAll(/(?<![=!]== )'([\w-]+)'/g)].map(([, name]) => name),
    )
    expect(used.filter((name) => !known.has(name))).toEqual([])
  })

  it.each(components)('of %s that have no style sheet of their own are shared', (file) => {
    const texts = [...read(file).matchAll(/\b(?:className|look)="([^"]*)"/g)]
    const used = texts.flatMap(([, names = '']) => names.split(' '))
    expect(used.filter((name) => !SHARED.includes(name))).toEqual([])
  })
})
