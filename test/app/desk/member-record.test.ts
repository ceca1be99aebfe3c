import { expect, test } from 'vitest'
import { MemberRecord } from '../../../app/desk/member-record.ts'
import { RowHeaders } from '../../../app/desk/row-headers.ts'
import { MeteredLedger } from '../../../app/quota/metered-ledger.ts'
import { CURRENT_REQUEST_QUOTAS } from '../../../app/service/categories.ts'

const LIMIT = 320
/** How long this machine has been in the desk. */
const SINCE_MS = 50_000

function setUp() {
  const now = 1_000_000
  const ledger = new MeteredLedger(CURRENT_REQUEST_QUOTAS, now)
  const headers = new RowHeaders()
  const record = new MemberRecord('b', {
    ledger,
    headers,
    now: () => now,
    sinceMs: now - SINCE_MS,
    answered: (_, ticket, { rate, waitMs }) =>
      ledger.answered(ticket, rate, now, waitMs !== undefined).category,
    checked: () => {},
    slots: () => {},
  })
  const row = () => ledger.view(now).find(({ category }) => category === 'Accounts')
  const at = () => ({ fromMs: now - 1, toMs: now })
  const totals = (
    counted: number,
    underWay: readonly number[] = [],
    { sentAt = at(), runAge = 60_000, before = 0 } = {},
  ) =>
    record.totals(
      {
        counted: { Accounts: counted },
        run: { age: runAge, counted: { Accounts: before } },
        streams: {},
        underWay: [...underWay],
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
  return { record, ledger, headers, row, totals, sent, answered, nowMs: now }
}

test('the first totals of a run that is older than this machine’s are where counting begins', () => {
  const { totals, row } = setUp()
  totals(1_000)
  expect(row()?.used).toBeUndefined()
  totals(1_003)
  expect(row()?.used).toEqual({ own: 0, desk: 3, elsewhere: 0 })
})

test('the first totals of a run that is younger than this machine’s are all that it did since it began', () => {
  const { totals, answered, row } = setUp()
  answered(1, 319)
  totals(29, [], { runAge: SINCE_MS - 1, before: 20 })
  expect(row()?.used).toEqual({ own: 0, desk: 9, elsewhere: 0 })
  totals(30, [], { before: 20 })
  expect(row()?.used?.desk).toBe(10)
  const older = setUp()
  older.totals(29, [], { runAge: SINCE_MS, before: 20 })
  expect(older.row()?.used).toBeUndefined()
})

test('totals that were held up on their way still belong to a run that is younger', () => {
  const { totals, row, nowMs } = setUp()
  totals(29, [], { runAge: 1_000, sentAt: { fromMs: nowMs - 40_000, toMs: nowMs } })
  expect(row()?.used?.desk).toBe(29)
  // They may have been sent long ago, and refilled since.
  expect(row()?.high).toBe(LIMIT)
})

test('a request whose observations arrive is not charged again by the totals', () => {
  const { totals, sent, answered, row } = setUp()
  totals(10)
  sent(1)
  answered(1, 319)
  totals(11)
  expect(row()?.used).toEqual({ own: 0, desk: 1, elsewhere: 0 })
})

test('a request whose end was missed counts if the totals say so, and not otherwise', () => {
  const { totals, sent, row } = setUp()
  totals(0)
  sent(1)
  sent(2)
  expect(row()?.low).toBe(LIMIT - 2)
  totals(1, [])
  expect(row()?.used).toEqual({ own: 0, desk: 1, elsewhere: 0 })
  expect(row()?.low).toBe(LIMIT - 1)
})

test('the counted requests of a member grow before its next totals, and with those that it had under way', () => {
  const { record, totals, sent, answered } = setUp()
  expect(record.counted).toBeUndefined()
  totals(10)
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
    const { record, totals, sent, answered, row } = setUp()
    totals(5)
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

test('a request under way stays under way', () => {
  const { totals, sent, answered, row } = setUp()
  totals(0)
  sent(1)
  totals(0, [1])
  expect(row()?.low).toBe(LIMIT - 1)
  answered(1)
  expect(row()?.used).toEqual({ own: 0, desk: 1, elsewhere: 0 })
})

test('an answer without its request is charged as one that was just sent', () => {
  const { totals, answered, row, headers } = setUp()
  totals(0)
  answered(7, 319)
  expect(row()).toMatchObject({ seen: 319, used: { own: 0, desk: 1, elsewhere: 0 } })
  expect(headers.of('Accounts')).toMatchObject({ from: 'b', since: 0 })
})

test('requests that headers took for others’ are not, once the totals show whose they were', () => {
  const { totals, ledger, row } = setUp()
  totals(0)
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
  const { totals, sent, record, row } = setUp()
  totals(5)
  sent(1)
  record.ended()
  expect(row()).toMatchObject({ low: LIMIT - 1, high: LIMIT })
  totals(6)
  expect(row()?.used).toMatchObject({ desk: 1 })
})

test('what was missed since totals that were held up may have been refilled since', () => {
  const { totals, row, nowMs } = setUp()
  totals(0, [], { sentAt: { fromMs: nowMs - 20_000, toMs: nowMs - 19_000 } })
  totals(3)
  expect(row()?.high).toBe(LIMIT)
  totals(6)
  expect(row()?.high).toBe(LIMIT - 3)
})
