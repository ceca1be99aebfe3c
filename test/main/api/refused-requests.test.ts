import { expect, test } from 'vitest'
import type { MonitorEvent } from '../../../app/contract/events.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { observe } from '../../../app/service/headers.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { SimulatedService } from '../../../main/simulator/simulated-service.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualHttp } from '../../simulation/virtual-http.ts'
import { CREDENTIALS, KEY } from '../../simulation/virtual-key.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { quotaHeaders } from '../quota-headers.ts'
import { startedTap } from './started-tap.ts'

const ACCOUNTS = '/v3/brokerage/accounts'

/** A whole key in virtual time. Its service responds to every request with the fault. */
async function living(fault: string) {
  const clock = new VirtualClock()
  const random = new VirtualRandom(7)
  const service = new SimulatedService(CREDENTIALS, {
    nowMs: () => clock.worldMs(),
    random: () => random.next(),
  })
  service.faults.set(fault, Number.POSITIVE_INFINITY)
  const events: MonitorEvent[] = []
  const http = new VirtualHttp(service, clock, random.fork())
  const monitor = new Monitor({ clock, random: random.fork(), http, log: { note: () => {} } })
  monitor.subscribe({ changed: () => {}, removed: () => {}, event: (event) => void events.push(event) })
  monitor.connect({ ...KEY, id: 'a', probes: { budgetFraction: 0.02, everySeconds: {} }, streams: [] })
  await clock.advance(20_000)
  const seen = (): Snapshot => monitor.snapshot('a') as Snapshot
  const kinds = () => events.map(({ kind }) => kind)
  const row = (category: string) => seen().requests.find((one) => one.category === category)
  return { clock, service, monitor, seen, events, kinds, row }
}

test.each([
  ['resources-401', 401, 'The token is not accepted.'],
  ['resources-403', 403, 'The scope does not allow it.'],
  ['resources-503', 503, 'Try again later.'],
  ['resources-garbage', 200, undefined],
])(
  '%s is shown on the row with status, message and start, and in one event',
  async (fault, status, message) => {
    const { row, events, seen, monitor } = await living(fault)
    expect(row('Accounts')?.problem).toEqual({
      status,
      since: expect.any(Number),
      ...(message !== undefined && { message }),
    })
    const told = events.flatMap((event) => (event.kind === 'requests-refused' ? event.category : []))
    // A problem of the whole key or service is reported once.
    const rows = seen().requests.filter(({ problem }) => problem !== undefined)
    expect(told).toHaveLength(status === 401 || status === 503 ? 1 : rows.length)
    expect(seen().service.reachable).toBe(true)
    monitor.stop()
    proves('Q5', { level: 2, cases: 1 })
  },
)

test('a rejected key is one event, and its acceptance another', async () => {
  const { clock, service, monitor, kinds, row } = await living('resources-401')
  await clock.advance(10 * 60_000)
  expect(kinds().filter((kind) => kind === 'requests-refused')).toHaveLength(1)
  service.faults.set('resources-401', false)
  await clock.advance(11 * 60_000)
  expect(row('Accounts')?.problem).toBeUndefined()
  expect(kinds().filter((kind) => kind === 'requests-answered')).toHaveLength(1)
  monitor.stop()
})

test('a 401 on a newly issued token is retried once the token is older, not after ten minutes', async () => {
  const { clock, service, monitor, row } = await living('resources-401')
  const { since } = row('Accounts')?.problem ?? {}
  service.faults.set('resources-401', false)
  await clock.advance(31_000)
  expect(row('Accounts')?.problem).toBeUndefined()
  expect((row('Accounts')?.observedAt ?? 0) - (since ?? 0)).toBeLessThan(60_000)
  monitor.stop()
})

test('a service that rejects every token is checked ever more rarely, without a loop of renewals', async () => {
  const { clock, monitor, seen, kinds } = await living('resources-401')
  await clock.advance(60 * 60_000)
  const refreshed = kinds().filter((kind) => kind === 'token-refreshed').length
  expect(refreshed).toBeGreaterThan(2)
  expect(refreshed).toBeLessThan(24)
  expect(seen().probes.perMinute).toBeLessThan(12)
  monitor.stop()
  proves('T9', { level: 2, cases: 1 })
})

test('the message of a rejection is one short line without a secret', () => {
  const secrets = new Redactor()
  secrets.hide('a-token-that-was-sent')
  const { tap } = startedTap(secrets)
  const said = `Bad token a-token-that-was-sent\n\u001b[2J${'x'.repeat(500)}`
  tap.answered(tap.sent('GET', ACCOUNTS), observe(401, {}), JSON.stringify({ Message: said }))
  const message = tap.problemOf('Accounts', true)?.message ?? ''
  expect(message).toMatch(/^Bad token \S+ \[2Jx+$/)
  expect(message).not.toContain('a-token-that')
  expect(message.length).toBeLessThanOrEqual(200)
  proves('T11', { level: 1, cases: 1 })
})

test.each([['[]'], ['null'], ['{"Message":7}'], ['<html>'], ['']])(
  'a body without a readable text leaves no message: %j',
  (body) => {
    const { tap } = startedTap()
    tap.answered(tap.sent('GET', ACCOUNTS), observe(500, {}), body)
    expect(tap.problemOf('Accounts', true)).toEqual({ status: 500, since: expect.any(Number) })
  },
)

test('a network’s sign-in page is shown on the row as such', () => {
  const { tap, events } = startedTap()
  tap.notTheService(tap.sent('GET', ACCOUNTS), 200, 'answered by something else')
  expect(tap.problemOf('Accounts', true)).toMatchObject({
    status: 200,
    message: 'answered by something else',
  })
  tap.answered(tap.sent('GET', ACCOUNTS), observe(200, quotaHeaders(300, 19)), '')
  expect(tap.problemOf('Accounts', true)).toBeUndefined()
  // There are no events of the row, because `Reachability` reports the start and the end of this problem.
  expect(events).toEqual([])
})

test('a stream that opens without quota headers is not a problem of its row', () => {
  const { tap } = startedTap()
  tap.answered(tap.sent('GET', '/v3/marketdata/stream/quotes/MSFT'), observe(200, {}), '')
  expect(tap.problemOf('Quote Change Stream', true)).toBeUndefined()
})

test('a rejection with quota headers is not a problem', () => {
  const { tap } = startedTap()
  tap.answered(tap.sent('GET', ACCOUNTS), observe(401, quotaHeaders(300, 19)), '')
  expect(tap.problemOf('Accounts', true)).toBeUndefined()
})
