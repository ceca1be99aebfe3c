import '../../renderer/utc.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LoggedEvent, MonitorEvent } from '../../../app/contract/events.ts'
import { incidentLines } from '../../../app/status/incident-log.ts'

const AT = Date.UTC(2026, 2, 13, 14, 31, 5)
let seq = 0
const logged = (event: MonitorEvent, secondsLater = 0): LoggedEvent => {
  seq += 1
  return { seq, at: AT + secondsLater * 1000, profile: 'a', ...event }
}
const others = (category: string, perSecond: number, later = 0) =>
  logged({ kind: 'elsewhere', category, perSecond }, later)
const texts = (events: readonly LoggedEvent[]) => incidentLines(events).map(({ text }) => text)

test('others on five quotas in one second are one line, the busiest first', () => {
  const events = [others('Accounts', 0.1), others('Positions', 1.5), others('Balances', 0.4)]
  expect(texts(events)).toEqual([
    'Others are active on 3 quotas: Positions 1.5/s, Balances 0.4/s, Accounts 0.1/s',
  ])
})

test('what is a second apart, of another key or of another kind is a line of its own', () => {
  const foreign = { ...others('Balances', 1), profile: 'b' }
  const back = logged({ kind: 'service-back', host: 'h' })
  expect(incidentLines([others('Accounts', 1), others('Positions', 1, 1), foreign, back])).toHaveLength(4)
})

test('use by others has an end once it was told, with its length, and is open until then', () => {
  const started = others('Positions', 1.5)
  expect(incidentLines([started])[0]).toMatchObject({ isOpen: true })
  const ended = logged({ kind: 'elsewhere-ended', category: 'Positions', perSecond: 1.2, since: AT }, 480)
  // Its end is part of its line.
  expect(incidentLines([started, ended])).toMatchObject([
    { isOpen: false, endedAt: AT + 480_000, events: [started], ends: [ended] },
  ])
  expect(texts([ended])).toEqual(['Others stopped using Positions (1.2/s for 8 min 0 s)'])
})

test('a silent stream is one line from its start to its end, and others that fell silent with it are named', () => {
  const stream = (name: string) => ({ stream: name, category: 'Order Stream', target: name })
  const silent = (name: string) => logged({ kind: 'stream-silent', ...stream(name), since: AT - 15_000 })
  const one = silent('SIM1')
  expect(texts([one])).toEqual(['Orders · SIM1 silent · last data at 14:30:50'])
  const resumed = logged({ kind: 'stream-resumed', ...stream('SIM1'), since: AT - 15_000 }, 20)
  expect(texts([resumed])).toEqual(['Orders · SIM1 brings data again · silent for 35 s'])
  expect(incidentLines([one, resumed])).toMatchObject([{ isOpen: false, endedAt: AT + 20_000 }])
  const closed = logged({ kind: 'stream-closed', ...stream('SIM1'), reason: 'closed by you' }, 9)
  expect(incidentLines([one, closed])).toMatchObject([{ isOpen: false, endedAt: AT + 9_000 }])
  expect(texts([closed])).toEqual(['Orders · SIM1 closed by you'])
  // Of two silent streams one is heard again: the line lasts, and the news is a line.
  const both = [silent('SIM1'), silent('SIM2')]
  expect(incidentLines([...both, resumed])).toMatchObject([{ ends: [] }, { isOpen: true, events: both }])
  const many = Array.from({ length: 18 }, (_, index) => silent(`SIM${index}`))
  expect(texts(many)).toEqual(['18 streams silent: Orders · SIM0, Orders · SIM1 and 16 more'])
})

test('a sign-in that was needed ends with the sign-in', () => {
  const required = logged({ kind: 'sign-in-required', reason: 'the sign-in has ended' })
  const done = logged({ kind: 'signed-in' }, 30)
  expect(incidentLines([required])).toMatchObject([{ isOpen: true }])
  expect(incidentLines([required, done])).toMatchObject([{ isOpen: false, endedAt: AT + 30_000 }])
})

test('a line of several is open until the last of them has ended', () => {
  const both = [others('Positions', 1.5), others('Balances', 0.4)]
  const end = (category: string, later: number) =>
    logged({ kind: 'elsewhere-ended', category, perSecond: 1, since: AT }, later)
  expect(incidentLines([...both, end('Positions', 60)]).at(-1)?.isOpen).toBe(true)
  expect(incidentLines([...both, end('Positions', 60), end('Balances', 90)]).at(-1)).toMatchObject({
    isOpen: false,
    endedAt: AT + 90_000,
  })
})

test('an unreachable service and a refused key end when they answer again', () => {
  const down = logged({ kind: 'service-unreachable', host: 'h' })
  const up = logged({ kind: 'service-back', host: 'h' }, 42)
  expect(incidentLines([down, up]).at(-1)).toMatchObject({ isOpen: false, endedAt: AT + 42_000 })
  const refused = logged({ kind: 'requests-refused', category: 'Accounts', status: 401 })
  const answered = logged({ kind: 'requests-answered', category: 'Positions', status: 401, since: AT }, 9)
  expect(incidentLines([refused]).at(-1)?.isOpen).toBe(true)
  expect(incidentLines([refused, answered]).at(-1)).toMatchObject({ isOpen: false, endedAt: AT + 9_000 })
})

test('a refusal ends when its row answers again, with whatever status it was refused last', () => {
  const failing = logged({ kind: 'requests-refused', category: 'Accounts', status: 502 })
  const forbidden = logged({ kind: 'requests-refused', category: 'Accounts', status: 403 }, 20)
  const answered = logged(
    { kind: 'requests-answered', category: 'Accounts', status: 403, since: AT + 20_000 },
    60,
  )
  expect(incidentLines([failing, forbidden]).map(({ isOpen }) => isOpen)).toEqual([true, true])
  const lines = incidentLines([failing, forbidden, answered])
  expect(lines.filter(({ isOpen }) => isOpen)).toEqual([])
  expect(lines.at(-1)).toMatchObject({ endedAt: AT + 60_000 })
})

test('one refused refresh is one line', () => {
  const failed = logged({ kind: 'token-refresh-failed', outcome: 'refused' })
  const required = logged({ kind: 'sign-in-required', reason: 'the sign-in has ended' })
  expect(incidentLines([failed, required])).toHaveLength(1)
  expect(incidentLines([failed])).toHaveLength(1)
})

test('eighteen streams that restart together are one line', () => {
  const events = Array.from({ length: 18 }, (_, index) =>
    logged({
      kind: 'stream-restarted',
      stream: `s${index}`,
      category: 'Order Stream',
      target: `SIM${index}`,
      reason: 'silent for 30 s',
    }),
  )
  expect(texts(events)).toEqual(['18 streams restarted · silent for 30 s'])
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

test('no event is lost or a line twice, but a refused refresh in its sign-in', () => {
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
      // One end may be that of several lines, and stays a line where another end of the same second is none.
      const shown = [...begun, ...new Set(ends.filter((one) => !begun.includes(one)))]
      expect(new Set(begun).size).toBe(begun.length)
      expect(shown.toSorted((a, b) => a - b)).toEqual(events.map((one) => one.seq).toSorted((a, b) => a - b))
    }),
  )
})
