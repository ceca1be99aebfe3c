import { expect, test } from 'vitest'
import type { ProgramSummary } from '../../../app/contract/snapshot.ts'
import {
  otherMachineRows,
  otherUsers,
  programRow,
  reserveText,
  sharingText,
  totalsOf,
} from '../../../renderer/programs/program-rows.ts'
import { byMinute } from '../../../renderer/programs/use-recent-use.ts'
import { exampleProgram } from '../../main/hosts/terminal/example-snapshot.ts'
import { DESK, DESK_ALONE, NOW_MS, quota, snapshot } from '../fixtures.ts'

const program = (more: Partial<ProgramSummary>) => exampleProgram('a', more)
const use = (category: string, perSecond: number, waiting = 0) => ({
  ...{ category, perSecond, waiting, forwarded: 10 },
})

test('waiting is shown before use, with its share of the refill', () => {
  const of = program({
    use: [use('Positions', 0.32), use('Balances', 0), use('Accounts', 0.1), use('Quotes', 0, 2)],
    waiting: 2,
  })
  const row = programRow(of, [quota('Positions', 320, 500, 100)], NOW_MS)
  expect(row.uses.map(({ category, text }) => [category, text])).toEqual([
    ['Quotes', '2 wait'],
    ['Positions', '0.32'],
  ])
  expect(row.uses[1]?.share).toBeCloseTo(0.5)
  expect(row).toMatchObject({ moreUses: 1, used: expect.stringContaining('Quotes 10 (2 waiting)') })
})

test('the sum of 429s is shown only if every program reports its own', () => {
  const two = [
    program({ rejected: 2, forwarded: 5, waiting: 1, longestWaitMs: 900 }),
    program({ rejected: 1 }),
  ]
  expect(totalsOf(two)).toMatchObject({ rejected: 3, forwarded: 5, waiting: 1, longest: '0.9 s' })
  expect(totalsOf([...two, program({})])).not.toHaveProperty('rejected')
})

test('Headroom’s checks are its own requests without those of programs; others have a range', () => {
  const shown = snapshot({
    programs: [program({ perSecond: 0.2, use: [use('Positions', 0.2)] })],
    streams: [],
    requests: [
      quota('Positions', 320, 300, 100, {
        use: { total: 1.5, own: 0.25, elsewhere: 1.25, elsewhereLow: 1.1, elsewhereHigh: 1.4 },
      }),
    ],
  })
  expect(otherUsers(shown, NOW_MS)).toMatchObject({
    checks: { rate: '0.05', streams: 0, uses: [{ category: 'Positions', text: '0.05' }] },
    others: { rate: '1.3', range: '1.1–1.4/s', most: 'Positions 1.25' },
  })
  expect(otherUsers(snapshot({ requests: [] }), NOW_MS)).not.toHaveProperty('others')
})

test('on a desk, requests of its other machines outside their programs have a row', () => {
  const row = quota('Positions', 320, 300, 200, {
    use: { total: 1.7, own: 0.1, desk: 0.35, elsewhere: 1.25, elsewhereLow: 1.1, elsewhereHigh: 1.4 },
  })
  expect(otherUsers(snapshot({ requests: [row], desk: DESK }), NOW_MS)).toMatchObject({
    ...{ hasDesk: true, sharesChecks: true },
    // The program risk sends 0.1 of them.
    desk: { rate: '0.25', most: 'Positions 0.25' },
    others: { rate: '1.3', range: '1.1–1.4/s', most: 'Positions 1.25' },
  })
  const byPrograms = { ...row, use: { total: 0.1, own: 0, desk: 0.103, elsewhere: 0 } }
  expect(otherUsers(snapshot({ requests: [byPrograms], desk: DESK }), NOW_MS)).not.toHaveProperty('desk')
  expect(otherUsers(snapshot({ requests: [] }), NOW_MS)).toMatchObject({
    hasDesk: false,
    sharesChecks: false,
  })
  expect(otherUsers(snapshot({ desk: DESK_ALONE }), NOW_MS)).toMatchObject({ sharesChecks: false })
})

test('programs on other machines of the desk have their class, rate, waits and use', () => {
  const requests = [quota('Positions', 320, 320, 100)]
  expect(otherMachineRows({ desk: DESK, requests }, NOW_MS)).toMatchObject([
    { name: 'dashboard', machine: 'LAPTOP', class: 'normal', weight: 1, rate: '0.25', waiting: 0 },
    {
      ...{ name: 'risk', machine: 'SERVER', class: 'critical', weight: 2, moreUses: 0 },
      uses: [
        { category: 'Positions', text: '0.10', share: 0.1 },
        { category: 'Order Details', text: '0.10' },
      ],
    },
  ])
  const waiting = [
    { category: 'Positions', perSecond: 0, waiting: 2, nextTurnAt: NOW_MS + 4_000 },
    { category: 'Balances', perSecond: 0.2, waiting: 0 },
    { category: 'Accounts', perSecond: 0.1, waiting: 0 },
  ]
  const members = DESK.members.map((one) => ({
    ...one,
    programs: [{ name: 'bot', perSecond: 0.3, waiting: 2, longestWaitMs: 45_000, use: waiting }],
  }))
  expect(otherMachineRows({ desk: { ...DESK, members }, requests }, NOW_MS)[0]).toMatchObject({
    ...{ waiting: 2, next: 'next in 4 s', longest: '45 s', moreUses: 1 },
    uses: [{ text: '2 wait' }, { text: '0.20' }],
  })
  expect(otherMachineRows({ desk: DESK_ALONE, requests }, NOW_MS)).toEqual([])
  expect(otherMachineRows({ requests }, NOW_MS)).toEqual([])
})

test('the heading counts the programs of all machines that respond', () => {
  expect(sharingText(2)).toBe('2 programs share this key')
  expect(sharingText(2, DESK)).toBe('4 programs on 3 machines share this key')
  expect(sharingText(0, DESK)).toBe('2 programs on 2 machines share this key')
  expect(sharingText(1, DESK_ALONE)).toBe('1 program on 1 machine uses this key')
})

test('minutes of all categories of a program are summed, and those outside are ignored', () => {
  const recent = byMinute(
    [
      {
        program: 'a',
        category: 'x',
        minutes: [
          [60_000, 3],
          [0, 1],
        ],
      },
      {
        program: 'a',
        category: 'y',
        minutes: [
          [60_000, 4],
          [900_000, 9],
        ],
      },
    ],
    0,
  )
  expect(recent.get('a')).toEqual([1, 7, ...new Array<number>(13).fill(0)])
})

test('categories dropped from a snapshot are counted with those that the table does not name', () => {
  const listed = { use: [use('Positions', 0.3), use('Accounts', 0.2), use('Balances', 0.1)] }
  expect(programRow(program(listed), [], NOW_MS).moreUses).toBe(1)
  expect(programRow(program({ ...listed, unlisted: 40 }), [], NOW_MS).moreUses).toBe(41)
})

test('a reserve that a person set is shown next to the default', () => {
  expect(reserveText({ state: 'serving' })).toMatchObject({ value: '6 % reserve', name: 'for critical' })
  const { name, title } = reserveText({ state: 'serving', reserve: { Positions: 20 } })
  expect(name).toBe('for critical; Positions 20')
  expect(title).toContain('Set in requests, twice that for background: Positions 20.')
})
