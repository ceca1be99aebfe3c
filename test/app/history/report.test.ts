import { expect, test } from 'vitest'
import type { LoggedEvent } from '../../../app/contract/events.ts'
import type { Report } from '../../../app/contract/history.ts'
import { incidentOf } from '../../../app/history/incident.ts'
import { reportOf } from '../../../app/history/report.ts'
import { reportCsv, reportJson } from '../../../app/history/report-csv.ts'
import type { Rollup } from '../../../app/history/rollup.ts'
import { exampleSnapshot } from '../../main/hosts/terminal/example-snapshot.ts'

const FROM_MS = Date.UTC(2026, 0, 5, 14, 0)
const TO_MS = FROM_MS + 3_600_000

const rollup = (changes: Partial<Rollup>): Rollup => ({
  atMs: FROM_MS,
  low: 100,
  high: 300,
  lowFirst: true,
  limit: 320,
  source: 'header',
  own: 0,
  elsewhere: 0,
  rejected: 0,
  knownMs: 60_000,
  nearMs: 0,
  ...changes,
})

const at = { profile: 'key-1', at: FROM_MS + 1_200_000 }
const EVENTS: readonly LoggedEvent[] = [
  { ...at, seq: 1, kind: 'rate-limited', category: 'Accounts', retryAt: TO_MS, requestId: 'req-7' },
  { ...at, seq: 2, kind: 'slots-exhausted', category: 'Positions Stream', requestId: 'req-8' },
  { ...at, seq: 3, kind: 'slots-exhausted', category: 'Positions Stream' },
  {
    ...at,
    seq: 4,
    kind: 'stream-restarted',
    stream: 's1',
    category: 'Positions Stream',
    target: 'ACCOUNT-12345',
    reason: 'GoAway',
  },
  { ...at, seq: 5, kind: 'token-refreshed', rotated: true, expiresAt: TO_MS },
]

function report(category = 'Accounts'): Report {
  return reportOf({
    profile: 'key-1',
    fromMs: FROM_MS,
    toMs: TO_MS,
    requests: new Map([
      ['Balances', [rollup({ own: 1 })]],
      [
        category,
        [
          rollup({ own: 3, elsewhere: 40, low: 2, nearMs: 30_000 }),
          rollup({ elsewhere: 100, rejected: 2, limit: 250, nearMs: 60_000 }),
        ],
      ],
      ['Never seen', []],
    ]),
    slots: new Map([
      [
        'Positions Stream',
        [
          { atMs: FROM_MS, limit: 40, own: 2, elsewhere: 30, free: 8 },
          { atMs: FROM_MS + 1, limit: 40, own: 10, elsewhere: 29, free: 1 },
        ],
      ],
    ]),
    events: EVENTS,
  })
}

test('a report lists who used what, busiest first, and how long it was near the limit', () => {
  expect(report().requests).toEqual([
    {
      category: 'Accounts',
      limit: 250,
      own: 3,
      elsewhere: 140,
      rejected: 2,
      lowest: 2,
      nearMs: 90_000,
      knownMs: 120_000,
    },
    expect.objectContaining({ category: 'Balances', own: 1 }),
  ])
})

test('counts a 429 from its event if no sample has it', () => {
  const refused = { ...at, kind: 'rate-limited', category: 'Accounts', retryAt: TO_MS } as const
  const events = [1, 2].map((seq) => ({ ...refused, seq }))
  const of = (rejected: number) =>
    reportOf({
      ...{ profile: 'key-1', fromMs: FROM_MS, toMs: TO_MS, slots: new Map(), events },
      requests: new Map([['Accounts', [rollup({ rejected })]]]),
    }).requests[0]?.rejected
  expect(of(0)).toBe(2)
  expect(of(3)).toBe(3)
})

test('reports the maximum of used slots, and rejected streams', () => {
  expect(report().slots).toEqual([
    {
      category: 'Positions Stream',
      limit: 40,
      refused: 2,
      mostOwn: 10,
      mostElsewhere: 30,
      leastFree: 1,
    },
  ])
  expect(report().tokens.refreshed).toBe(1)
  expect(report().streams).toEqual({ opened: 0, restarted: 1, closed: 0 })
})

const KEY = { profile: 'key-1', environment: 'live' }

test('as JSON it contains its format, its key, and times in ISO 8601', () => {
  const told = reportJson(report(), KEY, '1.2.3')
  expect(told).toMatchObject({
    kind: 'headroom-report',
    formatVersion: 1,
    version: '1.2.3',
    ...KEY,
    from: '2026-01-05T14:00:00.000Z',
    to: '2026-01-05T15:00:00.000Z',
    requests: [{ category: 'Accounts', lowest: 2, nearLimitSeconds: 90, knownSeconds: 120 }, {}],
  })
  expect(JSON.stringify(told)).not.toMatch(/\d{12}/)
})

test('unknown values are empty, not zero', () => {
  const unknown = { ...report(), requests: report().requests.map((row) => ({ ...row, knownMs: 0 })) }
  expect(reportCsv(unknown, KEY).split('\r\n')[1]).toMatch(/,2,,90,0,0$/)
  expect(reportJson(unknown, KEY, '1')).toMatchObject({ requests: [{ lowest: null }, {}] })
})

test('the desk’s requests are a part of their own, and make a row busy', () => {
  const busy = reportOf({
    ...{ profile: 'key-1', fromMs: FROM_MS, toMs: TO_MS, slots: new Map(), events: [] },
    requests: new Map([
      ['Balances', [rollup({ own: 1, elsewhere: 2 })]],
      ['Positions', [rollup({})]],
    ]),
    machines: new Map([
      [
        'Positions',
        [
          { machine: 'LAPTOP', requests: 2 },
          { machine: 'SERVER', requests: 5 },
        ],
      ],
    ]),
  })
  expect(busy.requests).toMatchObject([{ category: 'Positions', own: 0, desk: 7, elsewhere: 0 }, {}])
  expect(busy.requests[0]?.machines?.map(({ machine }) => machine)).toEqual(['SERVER', 'LAPTOP'])
  expect(busy.requests[1]).not.toHaveProperty('desk')
  expect(busy.requests[1]).not.toHaveProperty('machines')
  expect(reportCsv(busy, KEY).split('\r\n')[1]).toMatch(/,Positions,320,0,0,.*,7$/)
})

test('as CSV it has one row per category, in seconds', () => {
  const [head, first, , slots, end] = reportCsv(report(), KEY).split('\r\n')
  expect(head).toContain('category,quota_limit,own_requests,other_requests,refused_429')
  expect(first).toBe(
    'key-1,live,2026-01-05T14:00:00.000Z,2026-01-05T15:00:00.000Z,requests,Accounts,250,3,140,2,2,90,120,0',
  )
  expect(slots).toContain('slots,Positions Stream,40,10,30,2,1')
  expect(end).toBe('')
})

test('a category named by a server becomes neither a formula nor a new row', () => {
  const csv = reportCsv(report('=HYPERLINK("http://x"),\n1'), KEY)
  expect(csv).toContain(`"'=HYPERLINK(""http://x""),\n1"`)
})

test.each([
  ['Accounts;=1+1', "Accounts;'=1+1"],
  ['a\t@SUM(1)', "a\t'@SUM(1)"],
  ['a"; -1', `a""; '-1`],
  ['a;b', 'a;b'],
  ['＝1', "'＝1"],
  ['x; ＠SUM', "x; '＠SUM"],
  ['\tx', "'\tx"],
])('no part of %j becomes a formula if a spreadsheet separates by semicolons or tabs', (category, cell) => {
  const csv = reportCsv(report(category), KEY)
  expect([`,${cell},`, `,"${cell}",`].some((text) => csv.includes(text))).toBe(true)
})

test('an incident has the request ids and the quotas, and names no account', () => {
  const snapshot = exampleSnapshot()
  const incident = incidentOf({ version: '1.2.3', snapshot, report: report(), events: EVENTS })
  expect(incident.requestIds).toEqual(['req-7', 'req-8'])
  expect(incident.happened[0]).toMatchObject({ what: 'rate-limited', requestId: 'req-7' })
  expect(incident.quotas[0]).toMatchObject({ elsewhere: 140, periodSeconds: 300, rejected: 2, lowest: 2 })
  const text = JSON.stringify(incident)
  expect(text).not.toContain('ACCOUNT-12345')
  expect(incident).toMatchObject({ kind: 'headroom-incident', formatVersion: 1, profile: 'simulator' })
})
