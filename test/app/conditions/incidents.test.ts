import '../../renderer/utc.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { criticalSubjects, incidentLines, type LogStyle } from '../../../app/conditions/incidents.ts'
import { ConditionTracker } from '../../../app/conditions/tracker.ts'
import type { KeyReport, LoggedEvent, MonitorEvent } from '../../../app/contract/events.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'

const AT = Date.UTC(2026, 2, 13, 14, 31, 5)
let seq = 0
const logged = (event: MonitorEvent, secondsLater = 0): LoggedEvent => {
  seq += 1
  return { seq, at: AT + secondsLater * 1000, profile: 'a', ...event }
}
const others = (category: string, perSecond: number, later = 0) =>
  logged({ kind: 'elsewhere', category, perSecond }, later)
const texts = (events: readonly LoggedEvent[]) => incidentLines(events).map(({ text }) => text)

test('others on five quotas within one second share a line, the busiest first', () => {
  const events = [others('Accounts', 0.1), others('Positions', 1.5), others('Balances', 0.4)]
  expect(texts(events)).toEqual(['Others active on 3 quotas · Positions, Balances and Accounts'])
})

test('events a second apart, of another key or of another kind have their own lines', () => {
  const foreign = { ...others('Balances', 1), profile: 'b' }
  const back = logged({ kind: 'service-back', host: 'h' })
  const apart = [logged({ kind: 'revoked' }), logged({ kind: 'revoked' }, 1)]
  expect(incidentLines([...apart, others('Accounts', 1), foreign, back])).toHaveLength(5)
})

test('use by others is open until its end is reported, and then has a length', () => {
  const started = others('Positions', 1.5)
  expect(incidentLines([started])[0]).toMatchObject({ isOpen: true })
  const ended = logged({ kind: 'elsewhere-ended', category: 'Positions', perSecond: 1.2, since: AT }, 480)
  // The event that ends the use becomes a part of the same line.
  expect(incidentLines([started, ended])).toMatchObject([
    { isOpen: false, endedAt: AT + 480_000, events: [started], ends: [ended] },
  ])
  expect(texts([ended])).toEqual(['Others stopped using Positions · 1.2/s for 8 min 0 s'])
})

test('a silent stream is one line from start to end, and names streams that fell silent with it', () => {
  const stream = (name: string) => ({ stream: name, category: 'Order Stream', target: name })
  const silent = (name: string) => logged({ kind: 'stream-silent', ...stream(name), since: AT - 15_000 })
  const one = silent('SIM1')
  expect(texts([one])).toEqual(['Orders stream silent · SIM1 · last data at 14:30:50'])
  const resumed = logged({ kind: 'stream-resumed', ...stream('SIM1'), since: AT - 15_000 }, 20)
  expect(texts([resumed])).toEqual(['Orders stream: receiving data again · SIM1 · silent for 35 s'])
  expect(incidentLines([one, resumed])).toMatchObject([{ isOpen: false, endedAt: AT + 20_000 }])
  const closed = logged({ kind: 'stream-closed', ...stream('SIM1'), reason: 'closed by you' }, 9)
  expect(incidentLines([one, closed])).toMatchObject([{ isOpen: false, endedAt: AT + 9_000 }])
  expect(texts([closed])).toEqual(['Orders stream closed by you · SIM1'])
  // One of two silent streams receives data again. The line of the other stays open.
  const both = [silent('SIM1'), silent('SIM2')]
  expect(
    incidentLines([...both, resumed]).map(({ title, detail, isOpen }) => [title, detail, isOpen]),
  ).toEqual([
    ['Orders stream silent', 'SIM2 · last data at 14:30:50', true],
    ['Orders stream silent', 'SIM1 · last data at 14:30:50', false],
  ])
  // Silent streams are consequences of an outage of the API host, so they get no line of their own. An outage
  // of the sign-in host explains no silent stream.
  const away = (later: number, more = {}) =>
    logged({ kind: 'service-unreachable', host: 'api.test', serves: 'calls', ...more }, later)
  for (const later of [-20, 0, 60])
    expect(texts([...both, away(later)]), `${later} s later`).toEqual([
      'Service unreachable · api.test · retrying',
    ])
  expect(texts([...both, away(61)])).toHaveLength(2)
  expect(texts([...both, away(0, { serves: undefined })])).toHaveLength(2)
  const back = logged({ kind: 'service-back', host: 'api.test' }, -10)
  expect(texts([away(-20), back, ...both])[0]).toContain('2 streams silent')
  const many = Array.from({ length: 18 }, (_, index) => silent(`SIM${index}`))
  expect(texts(many)).toEqual(['18 streams silent · 18 Orders'])
})

test('a sign-in that was needed ends with the sign-in', () => {
  const required = logged({ kind: 'sign-in-required', reason: 'the sign-in has ended' })
  const done = logged({ kind: 'signed-in' }, 30)
  expect(incidentLines([required])).toMatchObject([{ isOpen: true }])
  expect(incidentLines([required, done])).toMatchObject([{ isOpen: false, endedAt: AT + 30_000 }])
})

test('a shared line is open until its last event has ended', () => {
  const both = [others('Positions', 1.5), others('Balances', 0.4)]
  const end = (category: string, later: number) =>
    logged({ kind: 'elsewhere-ended', category, perSecond: 1, since: AT }, later)
  expect(incidentLines([...both, end('Positions', 60)])[0]?.isOpen).toBe(true)
  expect(incidentLines([...both, end('Positions', 60), end('Balances', 90)]).at(-1)).toMatchObject({
    isOpen: false,
    endedAt: AT + 90_000,
  })
})

test('an unreachable service and a rejected key end when they respond again', () => {
  const down = logged({ kind: 'service-unreachable', host: 'h' })
  const up = logged({ kind: 'service-back', host: 'h' }, 42)
  expect(incidentLines([down, up]).at(-1)).toMatchObject({ isOpen: false, endedAt: AT + 42_000 })
  const refused = logged({ kind: 'requests-refused', category: 'Accounts', status: 401 })
  const answered = logged({ kind: 'requests-answered', category: 'Positions', status: 401, since: AT }, 9)
  expect(incidentLines([refused]).at(-1)?.isOpen).toBe(true)
  expect(incidentLines([refused, answered]).at(-1)).toMatchObject({ isOpen: false, endedAt: AT + 9_000 })
})

test('an ended line no longer shows advice or a retry time', () => {
  const down = logged({
    ...{ kind: 'service-unreachable', host: 'h', why: 'connection refused', retryAt: AT + 5_000 },
  })
  const up = logged({ kind: 'service-back', host: 'h' }, 42)
  expect(incidentLines([down]).at(-1)?.detail).toBe('h · connection refused · retrying')
  expect(incidentLines([down, up]).at(-1)).toMatchObject({ detail: 'h · connection refused', isOpen: false })
  const refused = logged({ kind: 'requests-refused', category: 'Accounts', status: 401, message: 'no' })
  const answered = logged({ kind: 'requests-answered', category: 'Accounts', status: 401, since: AT }, 9)
  expect(incidentLines([refused]).at(-1)?.detail).toMatch(/^“no” · Check the key’s host/)
  expect(incidentLines([refused, answered]).at(-1)?.detail).toBe('“no”')
})

test('a 429 shows no retry time while others use the whole refill', () => {
  const refused = logged({ kind: 'rate-limited', category: 'Positions', retryAt: AT + 240_000 })
  const said = (othersTakeAll: readonly string[]) =>
    incidentLines([refused], { othersTakeAll: new Set(othersTakeAll) })[0]?.detail
  expect(said(['Balances'])).toBe('safe to retry at 14:35:05')
  expect(said(['Positions'])).toBe('until others slow down')
})

test('an unsent refresh has no line next to its unreachable host, but has one before and after', () => {
  const notSent = (later: number) => logged({ kind: 'token-refresh-failed', outcome: 'not-sent' }, later)
  const down = logged({ kind: 'service-unreachable', host: 'h' }, 10)
  const up = logged({ kind: 'service-back', host: 'h' }, 60)
  const titles = (events: readonly LoggedEvent[]) => incidentLines(events).map(({ title }) => title)
  expect(titles([notSent(9), down])).toEqual(['Sign-in host unreachable'])
  expect(titles([down, notSent(40), up])).toEqual(['Sign-in host unreachable'])
  expect(titles([down, up, notSent(61)])).toHaveLength(2)
  expect(titles([down, logged({ kind: 'token-refresh-failed', outcome: 'refused' }, 40)])).toHaveLength(2)
})

test('a 401 has no line next to the end of its sign-in', () => {
  const rejected = logged({ kind: 'requests-refused', category: 'Positions', status: 401 })
  const failing = logged({ kind: 'requests-refused', category: 'Positions', status: 503 })
  const signedOut = logged({ kind: 'sign-in-required', reason: 'the service rejected it' }, 0.5)
  const kinds = (events: readonly LoggedEvent[]) =>
    incidentLines(events).map(({ events: [{ kind }] }) => kind)
  expect(kinds([rejected, signedOut])).toEqual(['sign-in-required'])
  expect(kinds([failing, signedOut])).toHaveLength(2)
  expect(kinds([rejected])).toEqual(['requests-refused'])
})

test('a 401 has no line next to the unreachable sign-in host, however late that is found', () => {
  const rejected = logged({ kind: 'requests-refused', category: 'Positions', status: 401 })
  const away = (later: number, of: object = {}) =>
    logged({ kind: 'service-unreachable', host: 'h', ...of }, later)
  const kinds = (events: readonly LoggedEvent[]) =>
    incidentLines(events).map(({ events: [{ kind }] }) => kind)
  expect(kinds([rejected, away(0.2)])).toEqual(['service-unreachable'])
  expect(kinds([rejected, away(30)])).toEqual(['service-unreachable'])
  expect(kinds([rejected, away(61)])).toHaveLength(2)
  expect(kinds([rejected, away(0.2, { serves: 'calls' })])).toHaveLength(2)
})

test('does not call responses without a number 429s', () => {
  const without = (category: string, status: number) => logged({ kind: 'requests-refused', category, status })
  const titles = (status: number) =>
    incidentLines([without('Accounts', status), without('Balances', status)]).map(({ title }) => title)
  expect(titles(200)).toEqual(['2 quotas without rate-limit headers'])
  expect(titles(403)).toEqual(['2 quotas rejected (403)'])
})

test('a failure of the service ends when its row is rejected for another reason, and that with its response', () => {
  const failing = logged({ kind: 'requests-refused', category: 'Accounts', status: 502 })
  const forbidden = logged({ kind: 'requests-refused', category: 'Accounts', status: 403 }, 20)
  const responds = (status: number, later: number) =>
    logged({ kind: 'requests-answered', category: 'Accounts', status, since: AT }, later)
  const changed = [failing, responds(502, 20), forbidden]
  expect(incidentLines(changed).map(({ isOpen }) => isOpen)).toEqual([true, false])
  const lines = incidentLines([...changed, responds(403, 60)])
  expect(lines.filter(({ isOpen }) => isOpen)).toEqual([])
  expect(lines[0]).toMatchObject({ endedAt: AT + 60_000 })
})

test('one rejected refresh is one line', () => {
  const failed = logged({ kind: 'token-refresh-failed', outcome: 'refused' })
  const required = logged({ kind: 'sign-in-required', reason: 'the sign-in has ended' })
  expect(incidentLines([failed, required])).toHaveLength(1)
  expect(incidentLines([failed])).toHaveLength(1)
})

test('eighteen streams that reconnect together are one line', () => {
  const events = Array.from({ length: 18 }, (_, index) =>
    logged({
      kind: 'stream-restarted',
      stream: `s${index}`,
      category: 'Order Stream',
      target: `SIM${index}`,
      reason: 'silent for 30 s',
    }),
  )
  expect(texts(events)).toEqual(['18 streams reconnected · silent for 30 s'])
})

test('each 429 of another category is a line, the newest first', () => {
  const refused = (category: string, later: number) =>
    logged({ kind: 'rate-limited', category, retryAt: AT + 60_000 }, later)
  expect(
    incidentLines([refused('Accounts', 0), refused('Positions', 0), refused('Positions', 0.4)]).map(
      ({ events }) => events.length,
    ),
  ).toEqual([2, 1])
})

test('ongoing use by others is one line whenever each began; ended use has its own line', () => {
  const events = [others('Accounts', 0.1), others('Positions', 1.5, 30), others('Balances', 0.4, 60)]
  const ended = logged({ kind: 'elsewhere-ended', category: 'Positions', perSecond: 1.2, since: AT }, 90)
  expect(incidentLines(events)).toMatchObject([
    { title: 'Others active on 3 quotas', detail: 'Positions, Balances and Accounts', at: AT, isOpen: true },
  ])
  expect(incidentLines([...events, ended])).toMatchObject([
    { title: 'Others active on 2 quotas', detail: 'Balances and Accounts', isOpen: true },
    {
      title: 'Others active on Positions',
      detail: '1.2/s on average',
      at: AT + 30_000,
      endedAt: AT + 90_000,
    },
  ])
})

test('a row that became critical makes its open line critical, but no ended line', () => {
  const short = logged({
    kind: 'quota-short',
    category: 'Positions',
    state: 'running-out',
    limit: 320,
    remaining: 9,
  })
  const critical = new Set(['Positions'])
  const ended = logged(
    { kind: 'quota-short-ended', category: 'Positions', state: 'running-out', since: AT },
    9,
  )
  expect(incidentLines([short])[0]).toMatchObject({ severity: 'warning' })
  expect(incidentLines([short], { critical })[0]).toMatchObject({ severity: 'critical' })
  expect(incidentLines([short, ended], { critical })[0]).toMatchObject({ severity: 'ok' })
})

test('an unreachable sign-in host is amber while access works, and red once it expired', () => {
  const open = (state: keyof typeof BAD_DAYS) => {
    const { signInHost } = BAD_DAYS[state]!
    const away = logged({ kind: 'service-unreachable', host: signInHost?.host ?? '' })
    const critical = new Set(criticalSubjects(BAD_DAYS[state]!, BAD_DAYS[state]!.at))
    return incidentLines([away], { critical })[0]?.severity
  }
  expect(open('sign-in host unreachable, access works')).toBe('warning')
  expect(open('sign-in host unreachable, access expired')).toBe('critical')
  expect(open('both hosts unreachable')).toBe('critical')
})

test('an expanded group shows each of its events', () => {
  const [line] = incidentLines([others('Accounts', 0.1), others('Positions', 1.5)])
  expect(line?.parts).toEqual([
    { at: AT, text: 'Others active on Positions' },
    { at: AT, text: 'Others active on Accounts' },
  ])
})

const refusal = (category: string, later = 0) =>
  logged(
    {
      kind: 'rate-limited',
      category,
      retryAt: AT + 60_000,
      before: { limit: 320, low: 1, high: 2, own: 3, othersLow: 144, othersHigh: 144 },
    },
    later,
  )

test('a 429 lasts until its row’s first other response, and shows the level at the time', () => {
  const refused = refusal('Positions')
  const over = (category: string) => logged({ kind: 'rate-limit-over', category, since: AT, refused: 3 }, 108)
  expect(incidentLines([refused, over('Balances')])[0]).toMatchObject({ isOpen: true, severity: 'critical' })
  const [line, ...rest] = incidentLines([refused, over('Positions')])
  expect(line).toMatchObject({
    isOpen: false,
    severity: 'ok',
    at: AT,
    endedAt: AT + 108_000,
    title: '429 on Positions ×3',
    detail: 'others 2.4/s',
  })
  expect(rest).toEqual([])
})

test('a 429 without a later response is open until its wait ends, and then has no length', () => {
  const lines = (nowMs: number) => incidentLines([refusal('Positions')], { nowMs })
  expect(lines(AT + 59_999)).toMatchObject([{ isOpen: true }])
  expect(lines(AT + 60_000)).toMatchObject([{ isOpen: false, severity: 'critical' }])
  expect(lines(AT + 60_000)[0]).not.toHaveProperty('endedAt')
})

test('a short quota is one line with its present state, from first to last', () => {
  const short = (state: 'low' | 'running-out' | 'empty', later: number) =>
    logged({ kind: 'quota-short', category: 'Positions', state, limit: 320, remaining: 9 }, later)
  const runsOut = short('running-out', 0)
  const empty = short('empty', 90)
  expect(incidentLines([runsOut, empty])).toMatchObject([
    { isOpen: true, title: 'Positions empty', severity: 'critical', at: AT, events: [runsOut, empty] },
  ])
  const ended = logged({ kind: 'quota-short-ended', category: 'Positions', state: 'empty', since: AT }, 120)
  expect(incidentLines([runsOut, empty, ended])).toMatchObject([
    { at: AT, endedAt: AT + 120_000, severity: 'ok', isOpen: false },
  ])
})

test('two quotas that run out in one second are one line', () => {
  const short = (category: string) =>
    logged({ kind: 'quota-short', category, state: 'running-out', limit: 320, remaining: 9 })
  expect(texts([short('Positions'), short('Balances')])).toEqual([
    '2 quotas running out · Positions and Balances',
  ])
})

test('shows the recorded length of a reconnection and a refresh, and none if not recorded', () => {
  const restarted = {
    kind: 'stream-restarted',
    stream: 's',
    category: 'Order Stream',
    target: 'SIM1',
  } as const
  const reason = 'server going away'
  const refreshed = { kind: 'token-refreshed', rotated: true, expiresAt: AT } as const
  const lengths = (events: readonly LoggedEvent[]) =>
    incidentLines(events).map(({ at, endedAt }) => (endedAt === undefined ? undefined : endedAt - at))
  expect(lengths([logged({ ...restarted, reason, since: AT - 1_000 })])).toEqual([1_000])
  expect(lengths([logged({ ...restarted, reason })])).toEqual([undefined])
  expect(lengths([logged({ ...refreshed, tookMs: 400 })])).toEqual([400])
  expect(lengths([logged(refreshed)])).toEqual([undefined])
  expect(lengths([logged({ kind: 'revoked' })])).toEqual([undefined])
})

test('the open lines come first, the worst of them on top', () => {
  const started = others('Accounts', 1)
  const down = logged({ kind: 'service-unreachable', host: 'h' }, 2)
  const events = [refusal('Positions', 1), started, logged({ kind: 'revoked' }, 9), down]
  expect(incidentLines(events).map(({ title }) => title)).toEqual([
    '429 on Positions',
    'Sign-in host unreachable',
    'Others active on Accounts',
    'Tokens revoked',
  ])
})

test('a condition whose end an earlier run did not see is not open now', () => {
  const lines = incidentLines([others('Accounts', 1), others('Balances', 1, 60)], { runSinceMs: AT + 60_000 })
  expect(lines.map(({ title, isOpen }) => [title, isOpen])).toEqual([
    ['Others active on Balances', true],
    ['Others active on Accounts', false],
  ])
})

test('no traffic is shown as open while all calls fail', () => {
  const down = logged({ kind: 'service-unreachable', host: 'h' }, 2)
  const full = logged({ kind: 'slots-exhausted', category: 'Order Stream' }, 1)
  const events = [refusal('Positions', 1), others('Accounts', 1), full, down]
  const open = (style: LogStyle) =>
    incidentLines(events, style).flatMap((line) => (line.isOpen ? line.title : []))
  expect(open({ isStopped: true })).toEqual(['Sign-in host unreachable'])
  expect(open({ isStopped: false })).toHaveLength(4)
})

test('loses no event and repeats no line, except a rejected refresh within its sign-in', () => {
  const event = fc.oneof(
    fc
      .record({ category: fc.constantFrom('A', 'B'), later: fc.nat(5) })
      .map(({ category, later }) => others(category, 1, later)),
    fc.nat(5).map((later) => logged({ kind: 'service-back', host: 'h' }, later)),
    fc.nat(5).map((later) => logged({ kind: 'revoked' }, later)),
    fc.nat(5).map((later) => logged({ kind: 'service-unreachable', host: 'h' }, later)),
  )
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const lines = incidentLines(events)
      const begun = lines.flatMap((line) => line.events.map((one) => one.seq))
      const ends = lines.flatMap((line) => line.ends.map((one) => one.seq))
      // Several lines may end with the same event, and that event may begin a line of its own. It counts once
      // here.
      const shown = [...begun, ...new Set(ends.filter((one) => !begun.includes(one)))]
      expect(new Set(begun).size).toBe(begun.length)
      expect(shown.toSorted((a, b) => a - b)).toEqual(events.map((one) => one.seq).toSorted((a, b) => a - b))
    }),
  )
})

test('paused history is one open amber line until it resumes; another storage problem has no end', () => {
  const tracker = new ConditionTracker()
  const told = (report: KeyReport, later: number) => {
    const event = tracker.eventOf(report, AT + later * 1000)
    return event === undefined ? [] : [logged(event, later)]
  }
  const paused = { kind: 'storage-problem', what: 'the disk is full', failure: 'full' } as const
  const events = [...told(paused, 0), ...told(paused, 1)]
  expect(incidentLines(events)).toMatchObject([
    { title: 'History paused', severity: 'warning', isOpen: true },
  ])
  expect(texts(events)).toEqual(['History paused · Disk full'])
  const ended = told({ kind: 'storage-ok' }, 90)
  expect(incidentLines([...events, ...ended])).toMatchObject([
    { severity: 'ok', isOpen: false, endedAt: AT + 90_000 },
  ])
  expect(texts(ended)).toEqual(['History resumed · paused for 1 min 30 s'])
  expect(told({ kind: 'storage-ok' }, 95)).toEqual([])
  const other = told({ kind: 'storage-problem', what: 'pinned streams are still saved' }, 100)
  expect(incidentLines(other)).toMatchObject([{ severity: 'critical', isOpen: false }])
})

test('an unsaved token is one open red line until it is saved, next to a paused history', () => {
  const tracker = new ConditionTracker()
  const told = (report: KeyReport, later: number) => {
    const event = tracker.eventOf(report, AT + later * 1000)
    return event === undefined ? [] : [logged(event, later)]
  }
  const unsaved = { unsaved: 'refresh-token' } as const
  const what = 'the new token is in memory only: the disk is full'
  const paused = told({ kind: 'storage-problem', what: 'w', failure: 'full' }, 0)
  const problem = told({ kind: 'storage-problem', what, ...unsaved }, 1)
  const open = [...paused, ...problem, ...told({ kind: 'storage-problem', what, ...unsaved }, 2)]
  expect(incidentLines(open)).toMatchObject([
    { title: 'Refresh token not saved', severity: 'critical', isOpen: true },
    { title: 'History paused', isOpen: true },
  ])
  const saved = told({ kind: 'storage-ok', ...unsaved }, 91)
  expect(texts(saved)).toEqual(['Refresh token saved · after 1 min 30 s in memory only'])
  expect(incidentLines([...open, ...saved])).toMatchObject([
    { title: 'History paused', isOpen: true },
    { title: 'Refresh token not saved', isOpen: false, endedAt: AT + 91_000 },
  ])
})
