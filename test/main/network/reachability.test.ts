import { expect, test } from 'vitest'
import type { MonitorEvent } from '../../../app/contract/events.ts'
import { Reachability } from '../../../main/network/reachability.ts'
import { Timeline } from '../../../main/ports/timeline.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'

function setUp() {
  const clock = new VirtualClock()
  const events: MonitorEvent[] = []
  const reachability = new Reachability(new Timeline(clock), { next: () => 0.5 }, (event) =>
    events.push(event),
  )
  return { clock, events, reachability, kinds: () => events.map(({ kind }) => kind) }
}

test('reports once that a host is unreachable and once that it is back, whatever part notices', () => {
  const { reachability, events, kinds } = setUp()
  reachability.answered('api.test')
  for (let count = 0; count < 5; count += 1) reachability.failed('api.test', 'connection refused')
  reachability.answered('api.test')
  reachability.answered('api.test')
  expect(kinds()).toEqual(['service-unreachable', 'service-back'])
  expect(events[0]).toMatchObject({ host: 'api.test', why: 'connection refused' })
})

test('a host that did not respond is unreachable since the request was sent', async () => {
  const { clock, reachability } = setUp()
  const askedAtMs = clock.wallMs()
  await clock.advance(10_000)
  reachability.failed('auth.test', 'not responding', askedAtMs)
  expect(reachability.down('auth.test')).toMatchObject({ sinceMs: askedAtMs, why: 'not responding' })
  await clock.advance(10_000)
  reachability.failed('auth.test', 'timed out')
  expect(reachability.down('auth.test')).toMatchObject({ sinceMs: askedAtMs, why: 'timed out' })
})

test('own requests wait longer each time, up to half a minute', async () => {
  const { clock, reachability } = setUp()
  const waits: number[] = []
  for (let count = 0; count < 8; count += 1) {
    reachability.failed('api.test', 'connection refused')
    const from = clock.monotonicMs()
    while (!reachability.mayTry('api.test')) await clock.advance(50)
    waits.push(clock.monotonicMs() - from)
  }
  expect(waits).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500, 22_500])
})

test('hosts are distinguished', async () => {
  const { clock, reachability } = setUp()
  reachability.failed('auth.test', 'connection refused')
  const sinceMs = clock.wallMs()
  await clock.advance(1_000)
  reachability.failed('api.test', 'host name not found')
  expect(reachability.down('auth.test')).toMatchObject({ sinceMs, why: 'connection refused' })
  expect(reachability.down('api.test')).toMatchObject({ why: 'host name not found' })
  reachability.answered('auth.test')
  expect(reachability.down('auth.test')).toBeUndefined()
  expect(reachability.down('api.test')).toBeDefined()
  expect(reachability.mayTry('auth.test')).toBe(true)
})

test('a person who retries now does not wait', () => {
  const { reachability } = setUp()
  reachability.failed('api.test', 'connection refused')
  expect(reachability.mayTry('api.test')).toBe(false)
  reachability.tryNow()
  expect(reachability.mayTry('api.test')).toBe(true)
})
