import { expect, test } from 'vitest'
import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import type { KeyReport, MonitorEvent } from '../../../app/contract/events.ts'
import { type AnswerProblem, RowProblems } from '../../../app/quota/row-problems.ts'

/** The problems of a key's rows, with their events. */
function startedProblems() {
  const problems = new RowProblems()
  const tracker = new ConditionTracker()
  const told = (reports: readonly KeyReport[], atMs: number): Omit<MonitorEvent, 'id'> | undefined => {
    const events = reports.flatMap((report) => tracker.eventOf(report, atMs) ?? [])
    expect(events.length).toBeLessThanOrEqual(1)
    if (events[0] === undefined) return undefined
    const { id: _, ...event } = events[0]
    return event
  }
  return {
    of: (category: string) => problems.of(category, true),
    refused: (category: string, refused: AnswerProblem, atMs: number) =>
      told(problems.refused(category, refused, atMs), atMs),
    strange: (category: string, refused: AnswerProblem, atMs: number) =>
      problems.strange(category, refused, atMs),
    answered: (category: string, atMs = 60_000) => told(problems.answered(category, atMs), atMs),
  }
}

test('a problem keeps its status, message and start until the next number', () => {
  const problems = startedProblems()
  problems.refused('Accounts', { status: 403, message: 'Forbidden' }, 1_000)
  problems.refused('Accounts', { status: 403, message: 'Still forbidden' }, 9_000)
  expect(problems.of('Accounts')).toEqual({ status: 403, message: 'Still forbidden', since: 1_000 })
  problems.refused('Accounts', { status: 500 }, 12_000)
  expect(problems.of('Accounts')).toEqual({ status: 500, since: 12_000 })
  problems.answered('Accounts')
  expect(problems.of('Accounts')).toBeUndefined()
})

test.each([401, 500, 503])('a %d on many rows is one event at its start and one at its end', (status) => {
  const problems = startedProblems()
  const rows = ['Accounts', 'Balances', 'Positions']
  const begun = rows.flatMap((row) => problems.refused(row, { status }, 1_000) ?? [])
  expect(begun).toEqual([{ kind: 'requests-refused', category: 'Accounts', status }])
  const ended = rows.flatMap((row) => problems.answered(row) ?? [])
  expect(ended).toEqual([{ kind: 'requests-answered', category: 'Positions', status, since: 1_000 }])
})

test('a problem of the whole key began with its first row, whichever ends last', () => {
  const problems = startedProblems()
  problems.refused('Accounts', { status: 502 }, 1_000)
  problems.refused('Positions', { status: 502 }, 5_000)
  expect(problems.of('Positions')).toEqual({ status: 502, since: 5_000 })
  expect(problems.answered('Accounts')).toBeUndefined()
  expect(problems.answered('Positions')).toMatchObject({ status: 502, since: 1_000 })
})

test('a missing permission is one event per row', () => {
  const problems = startedProblems()
  const told = ['Accounts', 'Balances', 'Accounts'].flatMap(
    (row) => problems.refused(row, { status: 403 }, 5) ?? [],
  )
  expect(told).toMatchObject([{ category: 'Accounts' }, { category: 'Balances' }])
})

test('a number on a row without a problem ends nothing', () => {
  expect(startedProblems().answered('Accounts')).toBeUndefined()
})

test.each([418, 502])(
  'a %d from another sender is the problem of its row without an event; the service’s own is reported after it',
  (status) => {
    const problems = startedProblems()
    problems.strange('Accounts', { status, message: 'Not the service' }, 1_000)
    expect(problems.of('Accounts')).toEqual({ status, message: 'Not the service', since: 1_000 })
    expect(problems.refused('Accounts', { status }, 2_000)).toEqual({
      kind: 'requests-refused',
      category: 'Accounts',
      status,
    })
    expect(problems.of('Accounts')).toEqual({ status, since: 1_000 })
    expect(problems.refused('Accounts', { status }, 3_000)).toBeUndefined()
    expect(problems.answered('Accounts')).toMatchObject({ kind: 'requests-answered', status, since: 2_000 })
  },
)

test('a response of another sender begins and ends no problem of the service, whichever row it is on', () => {
  const problems = startedProblems()
  problems.strange('Accounts', { status: 502 }, 1_000)
  expect(problems.refused('Balances', { status: 502 }, 2_000)).toMatchObject({ category: 'Balances' })
  expect(problems.answered('Accounts')).toBeUndefined()
  expect(problems.of('Accounts')).toBeUndefined()
  expect(problems.answered('Balances')).toMatchObject({ kind: 'requests-answered', since: 2_000 })
})

test('the end of a problem is reported even if another sender responded meanwhile', () => {
  const problems = startedProblems()
  problems.refused('Accounts', { status: 403, message: 'No permission' }, 1_000)
  problems.strange('Accounts', { status: 403 }, 2_000)
  expect(problems.of('Accounts')).toEqual({ status: 403, message: 'No permission', since: 1_000 })
  problems.strange('Accounts', { status: 502 }, 3_000)
  expect(problems.of('Accounts')).toEqual({ status: 502, since: 3_000 })
  expect(problems.answered('Accounts')).toEqual({
    kind: 'requests-answered',
    category: 'Accounts',
    status: 403,
    since: 1_000,
  })
})

test('a 401 of a renewed token says nothing about the new one, and lasts if that is rejected too', () => {
  const problems = new RowProblems()
  problems.refused('Positions', { status: 401 }, 1_000)
  problems.refused('Balances', { status: 503 }, 1_500)
  problems.renewed()
  expect([problems.of('Positions', true), problems.of('Balances', true)]).toEqual([
    undefined,
    { status: 503, since: 1_500 },
  ])
  problems.refused('Positions', { status: 401 }, 2_000)
  expect(problems.of('Positions', true)).toEqual({ status: 401, since: 1_000 })
  problems.renewed()
  problems.answered('Positions', 2_500)
  problems.refused('Positions', { status: 401 }, 3_000)
  expect(problems.of('Positions', true)).toEqual({ status: 401, since: 3_000 })
})

test('a 401 is reported as one row’s while another row has a number of this token', () => {
  const problems = startedProblems()
  expect(problems.refused('Accounts', { status: 401 }, 1_000)).not.toHaveProperty('alone')
  problems.answered('Accounts')
  problems.answered('Positions')
  expect(problems.refused('Accounts', { status: 401 }, 2_000)).toMatchObject({ alone: true })
  // The token is the cause once another row rejects it too.
  expect(problems.refused('Positions', { status: 401 }, 3_000)).toMatchObject({ category: 'Positions' })
  expect(problems.refused('Balances', { status: 401 }, 4_000)).toBeUndefined()
})

test('a 401 is one row’s by a number of the token in use, without a sign-in host only by a later one', () => {
  const problems = new RowProblems()
  const isAlone = (canRenew: boolean) => problems.of('Balances', canRenew)?.alone === true
  problems.answered('Positions', 1_000)
  problems.refused('Balances', { status: 401 }, 2_000)
  expect([isAlone(true), isAlone(false)]).toEqual([true, false])
  problems.answered('Positions', 2_000)
  expect([isAlone(true), isAlone(false)]).toEqual([true, true])
  // The next token is rejected by the row, and nothing shows yet whether another accepts it.
  problems.renewed()
  problems.refused('Balances', { status: 401 }, 3_000)
  expect([isAlone(true), isAlone(false)]).toEqual([false, false])
  problems.answered('Positions', 4_000)
  expect([isAlone(true), isAlone(false)]).toEqual([true, true])
  problems.refused('Accounts', { status: 401 }, 5_000)
  expect([isAlone(true), isAlone(false)]).toEqual([false, false])
})
