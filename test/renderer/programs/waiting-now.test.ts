import { expect, test } from 'vitest'
import type { ProgramSummary } from '../../../app/contract/snapshot.ts'
import { waitingGroups } from '../../../renderer/programs/waiting-now.ts'
import { NOW_MS, quota } from '../fixtures.ts'

const program = (name: string, use: ProgramSummary['use']): ProgramSummary => ({
  ...{ id: name, name, class: 'normal', weight: 1, keyEnding: 'abcd', forwarded: 0, coalesced: 0 },
  ...{ refused: 0, perSecond: 0, waiting: 0, longestWaitMs: 0, streams: 0, use },
})
const idle = { forwarded: 0, perSecond: 0, waiting: 0 }

test('only waiting requests are listed, by quota, the next turn first, slot waits before it', () => {
  const groups = waitingGroups(
    [
      program('a', [
        { ...idle, category: 'Accounts' },
        { ...idle, category: 'Positions', waiting: 2, longestWaitMs: 9, nextTurnAt: NOW_MS + 5000 },
      ]),
      program('b', [
        { ...idle, category: 'Positions', waiting: 1, longestWaitMs: 3, nextTurnAt: NOW_MS + 4000 },
        { ...idle, category: 'Order Stream', waiting: 1, longestWaitMs: 7 },
      ]),
    ],
    [],
    NOW_MS,
  )
  expect(groups.map(({ category, rows }) => [category, rows.map(({ program: name }) => name)])).toEqual([
    ['Order Stream', ['b']],
    ['Positions', ['b', 'a']],
  ])
  expect(groups[0]?.rows[0]).toMatchObject({ turns: 'for a slot', at: 1 })
})

test('a quota shows why requests wait, and a row its first to its last turn', () => {
  const waits = {
    ...{ ...idle, category: 'Positions', waiting: 11, longestWaitMs: 2000 },
    ...{ nextTurnAt: NOW_MS + 48_000, lastTurnAt: NOW_MS + 126_000 },
    ...{ nextCameAt: NOW_MS - 2000, nextPatientUntil: NOW_MS + 298_000 },
  }
  const blocked = quota('Positions', 320, 300, 0, { state: 'blocked', blockedUntil: NOW_MS + 40_000 })
  const [group] = waitingGroups([program('a', [waits])], [blocked], NOW_MS)
  expect(group).toMatchObject({ severity: 'critical', label: '429' })
  expect(group?.why).toMatch(/^until \d\d:\d\d:\d\d$/)
  expect(group?.rows).toMatchObject([{ turns: '48 s – 2 min 6 s', maxWait: '5 min' }])
  expect(group?.rows[0]?.waitUsed).toBeCloseTo(50 / 300)
})
