import { expect, test } from 'vitest'
import { recordedPlan } from '../../../app/plan/recorded-plan.ts'
import { runningPlan } from '../../../app/plan/running.ts'
import { dayOf } from '../../../renderer/plan/use-day.ts'
import { exampleProgram } from '../../main/hosts/terminal/example-snapshot.ts'
import { DESK, quota, snapshot } from '../fixtures.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const TO_MS = 100 * HOUR_MS
const use = { total: 0.9, own: 0.3, elsewhere: 0.6 }
const base = runningPlan(
  snapshot({
    requests: [quota('Positions', 320, 300, 200, { use })],
    programs: [exampleProgram('bot', { id: 'p1', class: 'critical' })],
    slots: [],
    streams: [],
  }),
)

test('the day begins with the first recorded minute, and divides own requests by program', () => {
  const atMs = TO_MS - 2 * HOUR_MS
  const day = dayOf({
    base,
    toMs: TO_MS,
    uses: {
      rows: {
        Positions: [
          [atMs, 10, 4],
          [atMs + MINUTE_MS, 3, 0],
        ],
      },
      programs: [
        { program: 'bot', category: 'Positions', minutes: [[atMs, 6]] },
        { program: 'gone', category: 'Positions', minutes: [[atMs, 1]] },
      ],
    },
  })
  expect(day).toMatchObject({ fromMs: atMs, lengthMs: 2 * HOUR_MS, base: base.plan, minutes: 2 })
  const of = (requests: number, minute = 0) => ({
    category: 'Positions',
    atMs: atMs + minute * MINUTE_MS,
    requests,
  })
  expect(day.recorded).toEqual([
    { program: 'bot', minutes: [of(6)] },
    // Ten own requests, minus the seven of the two programs. Requests of a deleted program are not shown
    // separately.
    { program: 'Headroom', minutes: [of(3), of(3, 1)] },
    { program: 'Others', minutes: [of(4)] },
  ])
})

test('without a recording the day is as long as the trading session', () => {
  const day = dayOf({ base, toMs: TO_MS, uses: { rows: {}, programs: [] } })
  expect(day).toMatchObject({
    recorded: [],
    fromMs: TO_MS - 6.5 * HOUR_MS,
    lengthMs: 6.5 * HOUR_MS,
    minutes: 0,
  })
})

test('minutes without program requests are recorded too', () => {
  const atMs = TO_MS - 3 * MINUTE_MS
  const rows = {
    Positions: [0, 1, 2].map((at) => [atMs + at * MINUTE_MS, at === 0 ? 5 : 0, 0] as const),
    Accounts: [[atMs, 0, 0] as const],
  }
  expect(dayOf({ base, toMs: TO_MS, uses: { rows, programs: [] } })).toMatchObject({
    minutes: 3,
    lengthMs: 3 * MINUTE_MS,
  })
})

test('programs on the desk’s other machines replace what these machines sent in their categories', () => {
  const atMs = TO_MS - HOUR_MS
  const rows = {
    Positions: [[atMs, 0, 9, 5] as const],
    Balances: [[atMs, 0, 4, 4] as const],
  }
  const of = (base: ReturnType<typeof runningPlan>) =>
    dayOf({ base, toMs: TO_MS, uses: { rows, programs: [] } }).recorded.map(({ program, minutes }) => [
      program,
      minutes.map(({ category, requests }) => [category, requests]),
    ])
  const onDesk = runningPlan(snapshot({ requests: [], desk: DESK }))
  expect(of(onDesk)).toEqual([
    [
      'Others',
      [
        ['Positions', 4],
        ['Balances', 4],
      ],
    ],
  ])
  expect(of(base)[0]?.[1]).toEqual([
    ['Positions', 9],
    ['Balances', 4],
  ])
  const recorded = recordedPlan(onDesk, [], { fromMs: atMs, lengthMs: HOUR_MS, minutes: 60 })
  expect(recorded.plan.programs.map(({ name }) => name)).toEqual(['Headroom'])
})
