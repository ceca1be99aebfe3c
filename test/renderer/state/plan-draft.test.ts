import { expect, test } from 'vitest'
import type { Plan } from '../../../app/plan/plan.ts'
import {
  changeOf,
  changesText,
  conceded,
  draftOf,
  fileOpened,
  programAdded,
  programChanged,
  programRemoved,
  rateBefore,
  requestsAdded,
  requestsChanged,
  requestsRemoved,
  streamAdded,
  streamRemoved,
} from '../../../renderer/state/plan-draft.ts'
import { proves } from '../../proof/proves.ts'

const plan: Plan = {
  programs: [
    {
      name: 'scanner',
      class: 'normal',
      weight: 2,
      requests: [{ category: 'Positions', perSecond: 0.4, burst: 4 }],
      streams: [],
    },
    { name: 'Headroom', class: 'background', weight: 1, requests: [], streams: [] },
    { name: 'Others', class: 'critical', weight: 1, requests: [], streams: [] },
  ],
  limits: {},
  reserves: {},
}
const draft = draftOf('main', { plan, others: [] }, 0)
const names = (one: typeof draft) => one.plan.programs.map(({ name }) => name)

test('a draft taken from the running plan has no changes', () => {
  expect(changesText(draft)).toBe('')
  expect(draft.plan).toBe(plan)
})

test('programs are added before Headroom with a new name each, and removed again', () => {
  const two = programAdded(programAdded(draft, 'Accounts'), undefined)
  expect(names(two)).toEqual(['scanner', 'program 1', 'program 2', 'Headroom', 'Others'])
  expect(two.plan.programs.map((program) => program.requests.length)).toEqual([1, 1, 0, 0, 0])
  expect(changesText(two)).toBe('2 added')
  const one = programRemoved(two, 'program 1')
  // The name contains the number of added programs. A number that is in use is not given again.
  expect(names(programAdded(one, undefined))).toEqual([
    'scanner',
    'program 2',
    'program 3',
    'Headroom',
    'Others',
  ])
  expect(changesText(programRemoved(one, 'scanner'))).toBe('1 added, 1 left out')
})

test('a name that is empty, taken or reserved is rejected', () => {
  const one = programAdded(draft, undefined)
  for (const name of ['', '  ', 'scanner', 'Others', 'Headroom'])
    expect(names(programChanged(one, 'program 1', { name }))).toEqual(names(one))
  const named = programChanged(one, 'program 1', { name: ' notes ' })
  expect(names(named)).toEqual(['scanner', 'notes', 'Headroom', 'Others'])
  expect(changeOf(named, named.plan.programs[1]!)).toBe('added')
})

test('a changed rate shows its old value, and changed back it is no change', () => {
  const faster = requestsChanged(draft, 'scanner', { at: 0, perSecond: 0.6 })
  expect(changesText(faster)).toBe('1 changed')
  expect(rateBefore(faster, 'scanner', faster.plan.programs[0]!.requests[0]!)).toBe(0.4)
  const back = requestsChanged(faster, 'scanner', { at: 0, perSecond: 0.4 })
  expect(changesText(back)).toBe('')
  expect(rateBefore(back, 'scanner', back.plan.programs[0]!.requests[0]!)).toBeUndefined()
})

test('rows and streams can be added and removed, an equal stream once', () => {
  const more = requestsAdded(draft, 'scanner', 'Accounts')
  expect(more.plan.programs[0]?.requests.map(({ category }) => category)).toEqual(['Positions', 'Accounts'])
  expect(changesText(requestsRemoved(more, 'scanner', 1))).toBe('')
  const stream = { kind: 'option-chains', target: 'MSFT', options: {} } as const
  const streaming = streamAdded(streamAdded(draft, 'scanner', stream), 'scanner', { ...stream })
  expect(streaming.plan.programs[0]?.streams).toEqual([stream])
  expect(changesText(streamRemoved(streaming, 'scanner', 0))).toBe('')
})

test('applying an advice makes its reduction', () => {
  const less = conceded(draft, { category: 'Positions', program: 'scanner', perSecond: 0.2 })
  expect(less.plan.programs[0]?.requests).toEqual([{ category: 'Positions', perSecond: 0.2, burst: 4 }])
  expect(changesText(less)).toBe('1 changed')
})

test('a file replaces the programs; others stay as observed, and unnamed limits unchanged', () => {
  const [scanner] = plan.programs
  const running: Plan = {
    ...plan,
    programs: plan.programs.map((one) =>
      one.name === 'Others'
        ? { ...one, requests: [{ category: 'Positions', perSecond: 0.2, burst: 2 }] }
        : one,
    ),
    limits: {
      Positions: { limit: 320, periodSeconds: 300 },
      Accounts: { limit: 320, periodSeconds: 300 },
    },
    slots: { 'Option Chain Stream': { limit: 10, elsewhere: 3 } },
  }
  const before = draftOf('main', { plan: running, others: [] }, 0)
  const file: Plan = {
    programs: [
      { ...scanner!, weight: 5 },
      { ...scanner!, name: 'notes' },
      { ...scanner!, name: 'Others' },
    ],
    limits: { Positions: { limit: 100, periodSeconds: 60 } },
    reserves: { Positions: 4 },
  }
  const opened = fileOpened(before, file)
  expect(names(opened)).toEqual(['scanner', 'notes', 'Others'])
  expect(opened.plan.programs.at(-1)).toBe(running.programs.at(-1))
  expect(opened.plan.limits).toEqual({
    Positions: { limit: 100, periodSeconds: 60 },
    Accounts: { limit: 320, periodSeconds: 300 },
  })
  expect(opened.plan).toMatchObject({ reserves: { Positions: 4 }, slots: running.slots })
  expect(opened.added).toEqual(['notes'])
  expect(changesText(opened)).toBe('1 added, 1 changed, 1 left out, 1 quota changed')
  const sizes = { ...file, programs: running.programs }
  expect(changesText(fileOpened(before, sizes))).toBe('1 quota changed')
  expect(changesText(fileOpened(before, { ...sizes, limits: running.limits, reserves: {} }))).toBe('')
  expect(opened.base).toBe(before.base)
  proves('L3', { level: 1, cases: 1 })
})

test('a file’s category without a quota of its own is added to the quota that counts it', () => {
  const [scanner] = plan.programs
  const size = { limit: 320, periodSeconds: 300 }
  const running = { ...plan, limits: { Positions: size }, countedBy: { Balances: 'Positions' } }
  const requests = ['Positions', 'Balances'].map((category) => ({ category, perSecond: 1, burst: 4 }))
  const file: Plan = {
    programs: [{ ...scanner!, requests }],
    limits: { Balances: size },
    reserves: { Balances: 4 },
  }
  const opened = fileOpened(draftOf('main', { plan: running, others: [] }, 0), file).plan
  expect(opened.programs[0]?.requests).toEqual([{ category: 'Positions', perSecond: 2, burst: 8 }])
  expect(opened).toMatchObject({ limits: { Positions: size }, reserves: {} })
  expect(Object.keys(opened.limits)).toEqual(['Positions'])
})
