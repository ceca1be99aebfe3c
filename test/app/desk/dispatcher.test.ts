import { expect, test } from 'vitest'
import { Dispatcher, type Former } from '../../../app/desk/dispatcher.ts'
import type { Grant } from '../../../app/desk/queue-messages.ts'

const NOTHING = {
  confirmed: 0,
  used: 0,
  tokens: {},
  sent: {},
  windows: {},
  hasAllowance: false,
  parts: {},
}

function dispatching(former?: Former) {
  const state = { ms: 1_000, mayGrant: true }
  const sent: (readonly [to: string, grant: Grant])[] = []
  const dispatcher = new Dispatcher(
    {
      self: 'A',
      epoch: 2,
      now: () => state.ms,
      mayGrant: () => state.mayGrant,
      optionsOf: () => ({ size: { limit: 100, periodSeconds: 100 } }),
      send: (to, grant) => void sent.push([to, grant]),
    },
    former,
  )
  const joins = (id: string, handsIn = {}) => {
    const { number } = dispatcher.dispatch(0)
    const standing = { kind: 'standing' as const, epoch: 2, number, heard: 0, underWay: [], waiting: [] }
    dispatcher.standing(id, { ...standing, handsIn: { join: 1, ...NOTHING, ...handsIn } })
  }
  let attempts = 0
  const asks = (from: string, id: number, epoch = 2) => {
    attempts += 1
    dispatcher.ask(from, {
      kind: 'ask',
      epoch,
      withdrawn: [],
      asks: [
        {
          ...{ id, attempt: attempts, program: 'bot', class: 'critical', weight: 1 },
          ...{ bucket: 'Accounts', age: 0, leftMs: 30_000 },
        },
      ],
    })
    return attempts
  }
  const ended = (from: string, id: number, remaining: number) => {
    const rate = { limit: 100, periodSeconds: 100, remaining, resetSeconds: 100 - remaining }
    dispatcher.ended(from, {
      kind: 'ended',
      epoch: 2,
      used: [],
      ended: [{ id, outcome: { kind: 'answer', rate } }],
    })
  }
  const granted = (to: string) =>
    sent.flatMap(([id, grant]) => (id === to ? grant.granted.map((one) => one.id) : []))
  return { state, dispatcher, joins, asks, ended, granted, sent }
}

test('members get grants in one queue, one request until the first header', () => {
  const { joins, asks, ended, granted } = dispatching()
  joins('A')
  joins('B')
  asks('A', 1)
  asks('B', 1)
  expect([granted('A'), granted('B')]).toEqual([[1], []])
  ended('A', 1, 50)
  expect(granted('B')).toEqual([1])
})

test('nothing is granted while the lease does not allow it', () => {
  const { state, dispatcher, joins, asks, granted } = dispatching()
  joins('A')
  state.mayGrant = false
  asks('A', 1)
  dispatcher.due()
  expect(granted('A')).toEqual([])
  state.mayGrant = true
  dispatcher.due()
  expect(granted('A')).toEqual([1])
})

test('a member of another epoch, or one that has not joined, gets no grant', () => {
  const { joins, asks, granted } = dispatching()
  joins('A')
  asks('A', 1, 1)
  asks('B', 1)
  expect([granted('A'), granted('B')]).toEqual([[], []])
})

test('a second ask for a request takes back its unused grant', () => {
  const { joins, asks, ended, granted } = dispatching()
  joins('A')
  joins('B')
  asks('A', 1)
  ended('A', 1, 4)
  asks('B', 2)
  expect(granted('B')).toEqual([2])
  asks('B', 2)
  expect(granted('B')).toEqual([2, 2])
  // Without the first grant, one more is left for another request.
  asks('B', 3)
  expect(granted('B')).toEqual([2, 2, 3])
})

test('after a take-over, only the parts that members hand in may be used; the rest is set aside', () => {
  const former = { parts: { A: 0.25, B: 0.25, C: 0.25, D: 0.25 }, settledFromMs: 0 }
  const { state, dispatcher, joins, asks, ended, granted } = dispatching(former)
  const part = { confirmed: 0.25, used: 0.25, tokens: { Accounts: 0.5 } }
  joins('A', part)
  asks('A', 1)
  expect(granted('A')).toEqual([])
  joins('B', part)
  expect(granted('A')).toEqual([1])
  state.ms += 600
  dispatcher.due()
  ended('A', 1, 60)
  for (let id = 2; id < 80; id += 1) asks('A', id)
  // Half of the level, but for the allowances of A and B.
  expect(granted('A').length).toBeGreaterThan(24)
  expect(granted('A').length).toBeLessThan(31)
})

test('after a take-over, a part that two members hand in counts once, as the smaller of both', () => {
  for (const [left, right] of [
    [1, 0],
    [0, 1],
  ]) {
    const { state, dispatcher, joins, asks, granted } = dispatching({ parts: { A: 1 }, settledFromMs: 0 })
    const join = () => {
      joins('A', { confirmed: 1, used: 1, tokens: { Accounts: left } })
      joins('B', { confirmed: 1, used: 1, tokens: { Accounts: right } })
    }
    join()
    state.ms += 800
    join()
    asks('A', 1)
    expect(granted('A')).toEqual([])
    state.ms += 300
    dispatcher.due()
    expect(granted('A')).toEqual([1])
  }
})

test('a member that comes from another desk does not free the part of a silent one', () => {
  const { state, dispatcher, joins } = dispatching({ parts: { A: 0.5, C: 0.5 }, settledFromMs: 0 })
  const join = (id: string, left: number) =>
    joins(id, { confirmed: 0.5, used: 0.5, tokens: { Accounts: left } })
  join('A', 4)
  state.ms += 600
  join('A', 4)
  join('B', 0)
  expect(dispatcher.dispatch(0).split).toEqual(['Accounts'])
})

test('the part of a member that does not reply is set aside before it may work alone', () => {
  const { state, dispatcher, joins, asks, ended, granted } = dispatching()
  joins('A')
  joins('B')
  for (let one = 0; one < 3; one += 1) {
    joins('A')
    joins('B')
  }
  asks('A', 1)
  ended('A', 1, 60)
  state.ms += 899
  dispatcher.due()
  expect(dispatcher.dispatch(0).split).toEqual([])
  state.ms += 1
  dispatcher.due()
  expect(dispatcher.dispatch(0).split).toEqual(['Accounts'])
  for (let id = 2; id < 80; id += 1) asks('A', id)
  expect(granted('A').length).toBeLessThan(32)
})

test('a part that the member’s present run does not have is free', () => {
  const former = { parts: { A: 0.5, B: 0.5 }, settledFromMs: 0 }
  const { state, dispatcher, joins, asks, ended } = dispatching(former)
  joins('A', { confirmed: 0.5, tokens: { Accounts: 5 } })
  state.ms += 600
  asks('A', 1)
  expect(dispatcher.dispatch(0).split).toEqual(['Accounts'])
  joins('B')
  expect(dispatcher.dispatch(0).split).toEqual([])
  ended('A', 1, 50)
})

test('a new member gets a part only once the others know about it', () => {
  const { dispatcher, joins } = dispatching()
  joins('A')
  const reply = (id: string) => {
    const { number } = dispatcher.dispatch(0)
    const standing = { kind: 'standing' as const, epoch: 2, number, heard: 0, underWay: [], waiting: [] }
    dispatcher.standing(id, standing)
  }
  const withPart = () => {
    const { seats, members } = dispatcher.dispatch(0)
    expect(members).toBe(2)
    return Object.keys(seats).filter((id) => seats[id]?.part !== undefined)
  }
  reply('A')
  joins('B')
  expect(withPart()).toEqual(['A'])
  reply('A')
  expect(withPart()).toEqual(['A', 'B'])
})
