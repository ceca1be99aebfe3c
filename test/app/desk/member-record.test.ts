import { expect, test } from 'vitest'
import { MemberRecord } from '../../../app/desk/member-record.ts'
import { RowHeaders } from '../../../app/desk/row-headers.ts'
import { MeteredLedger } from '../../../app/quota/metered-ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'

const LIMIT = 320
/** How long this machine has been in the desk. */
const SINCE_MS = 40_000
/** How long ago this machine's former run, or the start of its app, was. */
const APP_MS = 50_000

function setUp() {
  const now = 1_000_000
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, now)
  ledger.leftDesk(now - APP_MS)
  const headers = new RowHeaders()
  const record = new MemberRecord('b', {
    ledger,
    headers,
    now: () => now,
    sinceMs: now - SINCE_MS,
    answered: (ticket, { rate, waitMs }) => ledger.answered(ticket, rate, now, waitMs !== undefined).category,
    checked: () => {},
    slots: () => {},
  })
  const row = () => ledger.view(now).find(({ category }) => category === 'Accounts')
  const at = () => ({ fromMs: now - 1, toMs: now })
  const totals = (counted: number, underWay: readonly number[] = [], { sentAt = at() } = {}) =>
    record.totals({ counted: { Accounts: counted }, streams: {}, underWay: [...underWay] }, sentAt)
  /** `recent`: ages of requests in `counted`, in milliseconds. */
  const pictured = (
    counted: number,
    { sentAt = at(), runAge = 60_000, before = 0, recent = [] as number[] } = {},
  ) =>
    record.pictured(
      {
        counted: { Accounts: counted },
        run: { age: runAge, counted: { Accounts: before } },
        recent: { Accounts: recent },
        ...{ streams: {}, underWay: [] },
      },
      sentAt,
    )
  const sent = (id: number) => record.observed([{ kind: 'sent', id, endpoint: 'Accounts', age: 0 }], at())
  const answered = (id: number, remaining?: number) =>
    record.observed(
      [
        {
          kind: 'answered',
          ...{ id, endpoint: 'Accounts', sentAge: 10, age: 0, row: 'Accounts' },
          ...(remaining !== undefined && {
            rate: { limit: LIMIT, periodSeconds: 300, remaining, resetSeconds: 1 },
          }),
        },
      ],
      at(),
    )
  return { record, ledger, headers, row, totals, pictured, sent, answered, nowMs: now }
}

test('of a run that is older than this machine’s, the first picture is where counting begins', () => {
  const { totals, pictured, row } = setUp()
  totals(990)
  pictured(1_000)
  expect(row()?.used).toBeUndefined()
  totals(1_003)
  expect(row()?.used).toEqual({ own: 0, desk: 3, elsewhere: 0 })
})

test('all requests of a run that is younger than this machine’s are charged, however late it is known', () => {
  const { totals, pictured, answered, row } = setUp()
  answered(1, 319)
  pictured(29, { runAge: SINCE_MS - 1, before: 20 })
  expect(row()?.used).toEqual({ own: 0, desk: 9, elsewhere: 0 })
  totals(30)
  pictured(31, { before: 20 })
  expect(row()?.used?.desk).toBe(11)
  const older = setUp()
  older.pictured(29, { runAge: SINCE_MS + 2, before: 20 })
  expect(older.row()?.used).toBeUndefined()
})

test('a picture that was held up on its way still belongs to a run that is younger', () => {
  const { pictured, row, nowMs } = setUp()
  pictured(29, { runAge: 1_000, sentAt: { fromMs: nowMs - 30_000, toMs: nowMs } })
  expect(row()?.used?.desk).toBe(29)
  // The requests may have been sent long ago, and refilled since.
  expect(row()?.high).toBe(LIMIT)
})

test('requests from before this machine knew of the run are charged, but for those of a former run', () => {
  const recent = [APP_MS + 2, APP_MS - 2, SINCE_MS, 500, 10]
  const older = setUp()
  older.answered(1, 319)
  older.pictured(1_000, { recent })
  // The one of 10 ms ago was observed.
  expect(older.row()?.used).toEqual({ own: 0, desk: 4, elsewhere: 0 })
  older.totals(1_001)
  expect(older.row()?.used?.desk).toBe(5)
  const younger = setUp()
  younger.pictured(25, { runAge: 1_000, before: 20, recent })
  expect(younger.row()?.used).toEqual({ own: 0, desk: 7, elsewhere: 0 })
})

test('another member tells what a silent run did while this machine was cut off', () => {
  const { record, pictured, sent, totals, row, nowMs } = setUp()
  const told = (counted: number) =>
    record.learned(
      { counted: { Accounts: counted }, run: { age: 10_000, counted: {} } },
      { fromMs: nowMs, toMs: nowMs },
    )
  pictured(10, { runAge: 10_000 })
  sent(1)
  record.ended()
  expect(row()?.used?.desk).toBe(11)
  expect(record.passedOn()).toMatchObject({ counted: { Accounts: 10 }, run: { counted: { Accounts: 0 } } })
  told(13)
  told(12)
  expect(row()?.used?.desk).toBe(13)
  // It responds again after all.
  totals(14, [1])
  expect(row()?.used?.desk).toBe(14)
})

test('a silent run that only another member knows is charged from its beginning', () => {
  const run = (age: number) => {
    const { record, row, nowMs } = setUp()
    const known = { counted: { Accounts: 7 }, run: { age, counted: { Accounts: 2 } } }
    record.learned(known, { fromMs: nowMs, toMs: nowMs })
    return row()?.used?.desk
  }
  expect(run(SINCE_MS - 1)).toBe(5)
  expect(run(SINCE_MS + 1)).toBeUndefined()
})

test('a request whose observations arrive is not charged again by the totals', () => {
  const { pictured, totals, sent, answered, row } = setUp()
  pictured(10)
  sent(1)
  answered(1, 319)
  totals(11)
  expect(row()?.used).toEqual({ own: 0, desk: 1, elsewhere: 0 })
})

test('a request whose end was missed counts only if the totals include it', () => {
  const { pictured, totals, sent, row } = setUp()
  pictured(0)
  sent(1)
  sent(2)
  expect(row()?.low).toBe(LIMIT - 2)
  totals(1, [])
  expect(row()?.used).toEqual({ own: 0, desk: 1, elsewhere: 0 })
  expect(row()?.low).toBe(LIMIT - 1)
})

test('the counted requests of a member grow before its next totals, and with those that it had under way', () => {
  const { record, pictured, sent, answered } = setUp()
  expect(record.counted).toBeUndefined()
  pictured(10)
  sent(1)
  sent(2)
  expect(record.counted).toEqual({ Accounts: 10 })
  answered(1, 319)
  expect(record.counted).toEqual({ Accounts: 11 })
  record.ended()
  expect(record.counted).toEqual({ Accounts: 12 })
})

test.each([true, false])(
  'a request that counted as lost is not counted again when the member responds after all; totals first: %s',
  (isTotalsFirst) => {
    const { record, pictured, totals, sent, answered, row } = setUp()
    pictured(5)
    for (const id of [1, 2, 3]) sent(id)
    record.ended()
    expect(row()?.used).toEqual({ own: 0, desk: 3, elsewhere: 0 })
    // These totals no longer list request 3: it was answered before the member stopped, but that message was
    // lost.
    if (isTotalsFirst) totals(6, [1, 2])
    answered(1, 319)
    record.observed([{ kind: 'not-sent', id: 2 }], { fromMs: 0, toMs: 0 })
    expect(row()?.used).toEqual({ own: 0, desk: 2, elsewhere: 0 })
    totals(7)
    expect(row()?.used).toEqual({ own: 0, desk: 2, elsewhere: 0 })
    totals(9)
    expect(row()?.used).toEqual({ own: 0, desk: 4, elsewhere: 0 })
  },
)

test('a request that counted as lost is taken back if it did not count', () => {
  const { record, pictured, totals, sent, row } = setUp()
  pictured(5)
  sent(1)
  sent(2)
  record.ended()
  expect(row()?.used?.desk).toBe(2)
  totals(6)
  expect(row()?.used?.desk).toBe(1)
  expect(record.counted).toEqual({ Accounts: 6 })
})

test('a request under way stays under way', () => {
  const { pictured, totals, sent, answered, row } = setUp()
  pictured(0)
  sent(1)
  totals(0, [1])
  expect(row()?.low).toBe(LIMIT - 1)
  answered(1)
  expect(row()?.used).toEqual({ own: 0, desk: 1, elsewhere: 0 })
})

test('an answer without its request is charged as one that was just sent', () => {
  const { pictured, answered, row, headers } = setUp()
  pictured(0)
  answered(7, 319)
  expect(row()).toMatchObject({ seen: 319, used: { own: 0, desk: 1, elsewhere: 0 } })
  expect(headers.of('Accounts')).toMatchObject({ from: 'b', since: 0 })
})

test('requests counted as others’ are the member’s again once its totals show them', () => {
  const { pictured, totals, ledger, row } = setUp()
  pictured(0)
  const own = (remaining: number) => {
    const ticket = ledger.sent('Accounts', 1_000_000)
    ledger.answered(
      ticket,
      { limit: LIMIT, periodSeconds: 300, remaining, resetSeconds: LIMIT - remaining },
      1_000_000,
      false,
    )
  }
  own(319)
  own(315)
  expect(row()?.used).toMatchObject({ own: 2, elsewhere: 3 })
  totals(3)
  expect(row()?.used).toEqual({ own: 2, desk: 3, elsewhere: 0 })
})

test('what a lost member had under way may have counted', () => {
  const { pictured, totals, sent, record, row } = setUp()
  pictured(5)
  sent(1)
  record.ended()
  expect(row()).toMatchObject({ low: LIMIT - 1, high: LIMIT })
  totals(6)
  expect(row()?.used).toMatchObject({ desk: 1 })
})

test('requests missed since delayed totals may have been refilled in the meantime', () => {
  const { pictured, totals, row, nowMs } = setUp()
  pictured(0, { sentAt: { fromMs: nowMs - 20_000, toMs: nowMs - 19_000 } })
  totals(3)
  expect(row()?.high).toBe(LIMIT)
  totals(6)
  expect(row()?.high).toBe(LIMIT - 3)
})
