import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { circles, figuresOf, namesExportedTwice, productSources, upwardArrows } from './measure.ts'

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

  test('a name counts once however many files export it', () => {
    const sources = ['a', 'b', 'c'].map((room) => source(`app/${room}/x.ts`, 'export const SAME = 1\n'))
    expect(namesExportedTwice([...sources, source('app/d/x.ts', 'export const OTHER = 1\n')])).toEqual([
      'SAME',
    ])
  })
})

const figures = figuresOf(productSources(projectFolder))
const recorded: typeof figures = JSON.parse(
  readFileSync(join(projectFolder, 'test/structure/figures.json'), 'utf8'),
)

test.each(Object.entries(figures))('%s: %i, no more than recorded', (name, count) => {
  expect(count).toBeLessThanOrEqual(recorded[name as keyof typeof figures])
})
