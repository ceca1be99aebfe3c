import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { TestSpecification } from 'vitest/node'
import { LongestFirst, SECONDS } from './longest-first.ts'

const at = (name: string) => new URL(name, import.meta.url)

function specification(name: string, isolate: boolean): TestSpecification {
  const config = { isolate, sequence: { groupOrder: 0 } }
  return {
    moduleId: decodeURIComponent(at(name).pathname),
    project: { name: isolate ? 'alone' : 'shared', config },
  } as unknown as TestSpecification
}

const [first = '', second = '', third = ''] = Object.entries(SECONDS)
  .sort(([, a], [, b]) => b - a)
  .map(([name]) => name)

test('each file of the list exists', () => {
  expect(Object.keys(SECONDS).filter((name) => !existsSync(at(name)))).toEqual([])
})

test('the longest files come first, and those that share a worker last', async () => {
  const shared = specification(first, false)
  const given = [
    shared,
    specification('counts.test.ts', true),
    specification(third, true),
    specification(second, true),
  ]
  const cache = { getTestSpecificationResult: () => undefined }
  const sequencer = new LongestFirst({ cache } as unknown as ConstructorParameters<typeof LongestFirst>[0])
  const sorted = await sequencer.sort(given)
  expect(sorted.map((spec) => given.indexOf(spec))).toEqual([3, 2, 1, 0])
})
