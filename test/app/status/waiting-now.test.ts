import { expect, test } from 'vitest'
import type { ProgramSummary } from '../../../app/contract/snapshot.ts'
import { waitingGroups, waitUsedOf } from '../../../app/status/waiting-now.ts'
import { exampleProgram } from '../../main/hosts/terminal/example-snapshot.ts'
import { DESK, NOW_MS, quota } from '../../renderer/fixtures.ts'

const program = (name: string, use: ProgramSummary['use']) => exampleProgram(name, { use })
const idle = { forwarded: 0, perSecond: 0, waiting: 0 }
const TWO = [
  program('a', [
    { ...idle, category: 'Accounts' },
    { ...idle, category: 'Positions', waiting: 2, longestWaitMs: 9, nextTurnAt: NOW_MS + 5000 },
  ]),
  program('b', [
    { ...idle, category: 'Positions', waiting: 1, longestWaitMs: 3, nextTurnAt: NOW_MS + 4000 },
    { ...idle, category: 'Order Stream', waiting: 1, longestWaitMs: 7 },
  ]),
]

test('only waiting requests are listed, by quota, the next turn first, slot waits before it', () => {
  const groups = waitingGroups({ programs: TWO, requests: [] }, NOW_MS)
  expect(groups.map(({ category, rows }) => [category, rows.map(({ program: name }) => name)])).toEqual([
    ['Order Stream', ['b']],
    ['Positions', ['b', 'a']],
  ])
  expect(groups[0]?.rows[0]).toMatchObject({ turns: 'for a slot', at: 1 })
})

test('requests whose turn is not announced yet come last, and do not seem to wait for a slot', () => {
  const early = program('c', [{ ...idle, category: 'Balances', waiting: 1, longestWaitMs: 1 }])
  const groups = waitingGroups({ programs: [early, ...TWO], requests: [] }, NOW_MS)
  expect(groups.map(({ category }) => category)).toEqual(['Order Stream', 'Positions', 'Balances'])
  expect(groups[2]?.rows).toMatchObject([{ program: 'c', turns: 'turn not known yet' }])
})

test('a quota shows why requests wait, and a row its first to its last turn', () => {
  const waits = {
    ...{ ...idle, category: 'Positions', waiting: 11, longestWaitMs: 2000 },
    ...{ nextTurnAt: NOW_MS + 48_000, lastTurnAt: NOW_MS + 126_000 },
    ...{ nextCameAt: NOW_MS - 2000, nextPatientUntil: NOW_MS + 298_000 },
  }
  const blocked = quota('Positions', 320, 300, 0, { state: 'blocked', blockedUntil: NOW_MS + 40_000 })
  const [group] = waitingGroups({ programs: [program('a', [waits])], requests: [blocked] }, NOW_MS)
  expect(group).toMatchObject({ severity: 'critical', label: '429' })
  expect(group?.why).toMatch(/^until \d\d:\d\d:\d\d$/)
  expect(group?.rows).toMatchObject([{ turns: '48 s – 2 min 6 s', maxWait: '5 min' }])
  expect(group?.rows[0]?.waitUsed).toBeCloseTo(50 / 300)
})

test('programs on other machines of the desk wait in the same order, with their machine', () => {
  const uses = [{ category: 'Positions', perSecond: 0, waiting: 3, nextTurnAt: NOW_MS + 4500 }]
  const scanner = { name: 'scanner', perSecond: 0.1, waiting: 3, longestWaitMs: 45_000, use: uses }
  const [self, laptop, server] = DESK.members
  if (self === undefined || laptop === undefined || server === undefined) throw new Error('no member')
  const desk = { ...DESK, members: [self, { ...laptop, programs: [scanner] }, server] }
  const rowsOf = (of: typeof desk) =>
    waitingGroups({ programs: TWO, requests: [], desk: of }, NOW_MS)
      .find(({ category }) => category === 'Positions')
      ?.rows.map(({ program: name, machine, turns, longest }) => [name, machine, turns, longest])
  expect(rowsOf(desk)).toEqual([
    ['b', undefined, '4 s', '0.1 s'],
    ['scanner', 'LAPTOP', '5 s', '45 s'],
    ['a', undefined, '5 s', '0.1 s'],
  ])
  const lost = { ...desk, members: desk.members.map((one) => ({ ...one, present: one.self })) }
  expect(rowsOf(lost)?.map(([name]) => name)).toEqual(['b', 'a'])
})

test('the wait is a share of the longest wait, and empty if that is unknown', () => {
  const waits = { category: 'Positions', perSecond: 0, waiting: 1 }
  const timed = { ...waits, nextTurnAt: 40, nextCameAt: 10, nextPatientUntil: 70 }
  expect(waitUsedOf(timed)).toEqual({ waitUsed: 0.5 })
  expect(waitUsedOf({ ...timed, nextTurnAt: 90 })).toEqual({ waitUsed: 1 })
  expect(waitUsedOf({ ...timed, nextPatientUntil: 10 })).toEqual({})
  expect(waitUsedOf(waits)).toEqual({})
})
