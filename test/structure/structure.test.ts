import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'

import {
  circles,
  figuresOf,
  namesExportedTwice,
  productSources,
  sentenceModules,
  testSources,
  thousandsOfLines,
  upwardArrows,
} from './measure.ts'
import { strayFiles, walksIn } from './walks.ts'

const source = (path: string, text: string) => ({ path, text })

describe('the count', () => {
  test('an import into a higher layer of main is an upward arrow, one into the same or a lower layer is not', () => {
    const up = source('main/api/client.ts', "import type { Monitor } from '../monitor/monitor.ts'\n")
    const down = source('main/monitor/monitor.ts', "import { Client } from '../api/client.ts'\n")
    const level = source('main/api/prober.ts', "import { Keeper } from '../tokens/keeper.ts'\n")
    expect(upwardArrows([up, down, level])).toEqual(['main/api/client.ts → main/monitor/monitor.ts'])
  })

  test('rooms that reach each other by way of a third are one circle', () => {
    const sources = [
      source('app/a/one.ts', "import { two } from '../b/two.ts'\n"),
      source('app/b/two.ts', "import { three } from '../c/three.ts'\n"),
      source('app/c/three.ts', "import { one } from '../a/one.ts'\n"),
      source('app/d/four.ts', "import { one } from '../a/one.ts'\n"),
    ]
    expect(circles(sources)).toEqual([['app/a', 'app/b', 'app/c']])
  })

  test('a text with a placeholder and a full stop is a sentence; the folder of messages is one module', () => {
    const says = (path: string, text: string) => source(path, `export const a = (b: string) => ${text}\n`)
    const sources = [
      says('app/conditions/messages/rows.ts', `\`\${b} is empty.\``),
      says('app/conditions/messages/keys.ts', `\`Renews at \${b}.\``),
      says('app/status/labels.ts', `\`\${b} free\``),
      says('renderer/strip/text.ts', `\`It lasts until \${b}.\``),
      says('renderer/plan/text.ts', `\`It lasts until \${b}.\``),
    ]
    expect(sentenceModules(sources)).toEqual(['app/conditions/messages', 'renderer/strip/text.ts'])
  })

  test('a name counts once however many files export it', () => {
    const sources = ['a', 'b', 'c'].map((room) => source(`app/${room}/x.ts`, 'export const SAME = 1\n'))
    expect(namesExportedTwice([...sources, source('app/d/x.ts', 'export const OTHER = 1\n')])).toEqual([
      'SAME',
    ])
  })
})

test('lines are counted in thousands, rounded up', () => {
  const lines = (count: number) => source('app/a/x.ts', '\n'.repeat(count))
  expect(thousandsOfLines([lines(600), lines(400)])).toBe(1)
  expect(thousandsOfLines([lines(600), lines(401)])).toBe(2)
})

const sources = productSources(projectFolder)
const walks = walksIn(readFileSync(join(projectFolder, 'main/README.md'), 'utf8'), sources)
const figures: Readonly<Record<string, number>> = {
  ...figuresOf(sources),
  'thousands of lines of tests': thousandsOfLines(testSources(projectFolder)),
  ...Object.fromEntries(walks.map(({ name, files }) => [`files of the walk: ${name}`, files.length])),
}
const recorded: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(projectFolder, 'test/structure/figures.json'), 'utf8'),
)

test.each(Object.entries(figures))('%s: %i, no more than recorded', (name, count) => {
  expect(count).toBeLessThanOrEqual(recorded[name] ?? -1)
})

describe('a walk', () => {
  const one = (path: string, to: string) => source(path, `import { x } from '${to}'\n`)
  const page = `### A coin to its slot (2 files)

1. \`a/one.ts\` gives it to \`two.ts\`. (In a browser: \`a/other.ts\`.)
2. Back to \`a/one.ts\`.
`

  test('its files are counted once, by the folder of the one before', () => {
    const [walk] = walksIn(page, [one('main/a/one.ts', './two.ts'), source('main/a/two.ts', '')])
    expect(walk).toEqual({ name: 'A coin to its slot', said: 2, files: ['main/a/one.ts', 'main/a/two.ts'] })
  })

  test('a file more than two imports away from all others is stray', () => {
    const files = ['main/a/one.ts', 'main/a/two.ts', 'main/b/far.ts']
    const near = [one('main/a/one.ts', '../ports.ts'), one('main/a/two.ts', '../ports.ts')]
    const far = [one('main/b/far.ts', './else.ts'), one('main/b/else.ts', '../ports.ts')]
    expect(strayFiles({ name: '', said: 3, files }, [...near, ...far])).toEqual(['main/b/far.ts'])
  })

  test.each(walks)('$name passes through existing files near each other, as many as recorded', (walk) => {
    const known = new Set(sources.map(({ path }) => path))
    expect(walk.files.filter((path) => !known.has(path))).toEqual([])
    expect(strayFiles(walk, sources)).toEqual([])
    expect(walk.said).toBe(walk.files.length)
  })
})
