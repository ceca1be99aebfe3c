import { expect, test } from 'vitest'
import { proves } from '../../proof/proves.ts'
import { readByTwo, SHORT_FAULTS } from './two-clients.ts'

test('fetch and curl read one stream through faults, and end with every value as the service has it', async () => {
  const { problems, clients, open, faults } = await readByTwo({
    seconds: 0,
    faults: SHORT_FAULTS,
    perSecond: 100,
    pauseMs: 100,
  })
  expect(problems).toEqual([])
  expect(clients.map(({ name, read }) => [name, read.end, read.objects.size])).toEqual([
    ['fetch', undefined, 4],
    ['curl', undefined, 4],
  ])
  expect(open).toBe(1)
  proves('G9', { level: 3, cases: faults.length })
}, 240_000)
