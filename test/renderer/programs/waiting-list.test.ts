import { expect, test } from 'vitest'
import type { ProgramSummary } from '../../../app/contract/snapshot.ts'
import { waitingRows } from '../../../renderer/programs/waiting-list.tsx'

const program = (name: string, use: ProgramSummary['use']): ProgramSummary => ({
  ...{ id: name, name, class: 'normal', weight: 1, keyEnding: 'abcd', forwarded: 0, coalesced: 0 },
  ...{ refused: 0, perSecond: 0, waiting: 0, longestWaitMs: 0, streams: 0, use },
})
const idle = { forwarded: 0, perSecond: 0, waiting: 0 }

test('only what waits is listed, the next turn first, what waits for a slot before it', () => {
  const rows = waitingRows([
    program('a', [
      { ...idle, category: 'Accounts' },
      { ...idle, category: 'Positions', waiting: 2, longestWaitMs: 9, nextTurnAt: 50 },
    ]),
    program('b', [
      { ...idle, category: 'Positions', waiting: 1, longestWaitMs: 3, nextTurnAt: 40 },
      { ...idle, category: 'Order Stream', waiting: 1, longestWaitMs: 7 },
    ]),
  ])
  expect(rows.map(({ program: name, category }) => [name, category])).toEqual([
    ['b', 'Order Stream'],
    ['b', 'Positions'],
    ['a', 'Positions'],
  ])
})
