import { expect, test } from 'vitest'
import { clockReadingOf, Lease, Wakefulness } from '../../../app/desk/lease.ts'

function machine() {
  const time = { wallMs: 1_000_000, monotonicMs: 5_000 }
  const clock = { wallMs: () => time.wallMs, monotonicMs: () => time.monotonicMs }
  /** The machine runs, and something happens every 200 ms. */
  const run = (ms: number, lease?: Lease) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 200) {
      pass(Math.min(200, leftMs))
      lease?.touch()
    }
  }
  const pass = (ms: number) => {
    time.wallMs += ms
    time.monotonicMs += ms
  }
  const sleep = (ms: number) => {
    time.wallMs += ms
  }
  return { clock, run, pass, sleep }
}

test('a holder may grant for four seconds from the sending of its last renewal', () => {
  const { clock, run } = machine()
  const lease = new Lease(clock, clock.monotonicMs())
  run(4_000, lease)
  expect(lease.mayGrant).toBe(true)
  run(1, lease)
  expect(lease.mayGrant).toBe(false)
})

test('a renewal counts from its sending, not from its answer', () => {
  const { clock, run } = machine()
  const lease = new Lease(clock, clock.monotonicMs())
  run(2_000, lease)
  const sent = clockReadingOf(clock)
  run(3_000, lease)
  lease.renewed(sent)
  expect(lease.ageMs).toBe(3_000)
  run(1_001, lease)
  expect(lease.mayGrant).toBe(false)
})

test('a holder whose machine slept does not grant before it has renewed the lease', () => {
  const { clock, run, sleep } = machine()
  const lease = new Lease(clock, clock.monotonicMs())
  sleep(1_000)
  expect(lease.mayGrant).toBe(true)
  sleep(1)
  expect(lease.mayGrant).toBe(false)
  lease.renewed(clockReadingOf(clock))
  run(100, lease)
  expect(lease.mayGrant).toBe(true)
})

test('a renewal that was under way while the machine slept does not count', () => {
  const { clock, sleep } = machine()
  const lease = new Lease(clock, clock.monotonicMs())
  const sent = clockReadingOf(clock)
  sleep(30_000)
  lease.renewed(sent)
  expect(lease.mayGrant).toBe(false)
})

test('a holder that was frozen for a second renews the lease before it grants', () => {
  const { clock, run, pass } = machine()
  const lease = new Lease(clock, clock.monotonicMs())
  run(200, lease)
  const sent = clockReadingOf(clock)
  pass(1_000)
  lease.touch()
  expect(lease.mayGrant).toBe(true)
  pass(1_001)
  lease.touch()
  expect(lease.mayGrant).toBe(false)
  lease.renewed(sent)
  expect(lease.mayGrant).toBe(false)
  lease.renewed(clockReadingOf(clock))
  expect(lease.mayGrant).toBe(true)
})

test('a machine is steady while its clocks agree, and again after a restart', () => {
  const { clock, sleep } = machine()
  const wakefulness = new Wakefulness(clock)
  sleep(-1_001)
  expect(wakefulness.isSteady).toBe(false)
  wakefulness.restart()
  expect(wakefulness.isSteady).toBe(true)
})
