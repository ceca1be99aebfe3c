import { expect, test, vi } from 'vitest'
import type { StreamRequest } from '../../../app/service/stream-kinds.ts'
import { proves } from '../../proof/proves.ts'
import { SkippingClock } from '../skipping-clock.ts'
import { hurriedService } from './hurried-service.ts'

const POSITIONS: StreamRequest = { kind: 'positions', target: 'SIM1001', options: {} }
const QUOTES: StreamRequest = { kind: 'quotes', target: 'MSFT,AAPL', options: {} }
const ORDERS: StreamRequest = { kind: 'orders', target: 'SIM1001', options: {} }
const BOUNDED = { timeout: 15_000, interval: 20 }

test('a stream stays live across ten access tokens, each of which expires at the service', async () => {
  const clock = new SkippingClock()
  const { simulator, summaries, count } = await hurriedService(
    { accessLifetimeSeconds: 15 },
    [POSITIONS, QUOTES],
    clock,
  )
  await vi.waitFor(() => expect(summaries().map(({ state }) => state)).toEqual(['live', 'live']), BOUNDED)
  const opened = simulator.service.streams().map(({ id }) => id)
  const before = count('token-refreshed')
  for (let second = 0; second < 300 && count('token-refreshed') < before + 10; second += 1) {
    const skippedAtMs = clock.wallMs()
    clock.skip(1_000)
    // All streams must receive a frame before more time is skipped, because sockets run in real time.
    const heard = () => summaries().every(({ lastFrameAt = 0 }) => lastFrameAt > skippedAtMs)
    await vi.waitFor(() => expect(heard()).toBe(true), { ...BOUNDED, interval: 1 })
  }
  expect(count('token-refreshed')).toBeGreaterThanOrEqual(before + 10)
  expect(simulator.service.streams().map(({ id }) => id)).toEqual(opened)
  expect(summaries().map(({ state, restarts }) => [state, restarts])).toEqual([
    ['live', 0],
    ['live', 0],
  ])
}, 40_000)

test('a reset socket is noticed at once and reopened within the backoff', async () => {
  const { simulator, events, summaries, count, clock } = await hurriedService({}, [POSITIONS])
  await vi.waitFor(() => expect(summaries()[0]?.state).toBe('live'), BOUNDED)
  const cutAtMs = clock.wallMs()
  simulator.service.cutStreams('reset', undefined)
  await vi.waitFor(() => expect(count('stream-restarted')).toBe(1), BOUNDED)
  const restarted = events.find(({ kind }) => kind === 'stream-restarted')
  expect(restarted).toMatchObject({ reason: 'connection lost' })
  expect((restarted?.heardAtMs ?? 0) - cutAtMs).toBeLessThan(30_000)
  expect(simulator.service.streams()).toHaveLength(1)
  proves('S2', { level: 3, cases: 1 })
}, 40_000)

test('a silent service behind a live socket is noticed within 30 s, and closed', async () => {
  const clock = new SkippingClock()
  const { simulator, monitor, summaries, count } = await hurriedService({ streamRate: 0 }, [POSITIONS], clock)
  await vi.waitFor(() => expect(summaries()[0]?.state).toBe('live'), BOUNDED)
  // Each state when it is entered, with the length of the silence at that time.
  const stale: number[] = []
  const silent: number[] = []
  let heardAt = 0
  monitor.subscribe({
    changed: () => {
      const { state, lastFrameAt, reasonCode } = summaries()[0] ?? {}
      heardAt = lastFrameAt ?? heardAt
      if (state === 'stale') stale.push(clock.wallMs() - heardAt)
      if (reasonCode === 'silent') silent.push(clock.wallMs() - heardAt)
    },
    event: () => {},
    removed: () => {},
  })
  simulator.faults.set('silent-stream', true)
  const [former] = simulator.service.streams()
  for (let second = 0; second < 60 && silent.length === 0; second += 1) clock.skip(1_000)
  // The silence is shown after 15 s, and within the promised 30 s.
  expect(stale[0]).toBeGreaterThanOrEqual(15_000)
  expect(stale[0]).toBeLessThan(30_000)
  // The stream is abandoned after 30 s, plus one second of the watchdog, plus the delay of a loaded machine.
  expect(silent[0]).toBeGreaterThanOrEqual(30_000)
  expect(silent[0]).toBeLessThan(60_000)
  simulator.faults.set('silent-stream', false)
  // Skips the maximum backoff of the first retry.
  clock.skip(500)
  await vi.waitFor(() => expect(count('stream-restarted')).toBeGreaterThanOrEqual(1), BOUNDED)
  expect(simulator.service.streams().map(({ id }) => id)).not.toContain(former?.id)
  expect(simulator.service.streams()).toHaveLength(1)
  proves('S2', { level: 3, cases: 1 })
}, 40_000)

test.each(['goaway-v2', 'goaway-v3'] as const)(
  '%s: the next connection is open before the old one closes',
  async (fault) => {
    const clock = new SkippingClock()
    const { simulator, monitor, summaries, count, events } = await hurriedService(
      { faults: [`${fault}:1`] },
      [POSITIONS],
      clock,
    )
    let standing = 0
    monitor.subscribe({
      changed: () => {},
      event: ({ kind }) => {
        if (kind === 'stream-restarted') standing = simulator.service.streams().length
      },
      removed: () => {},
    })
    await vi.waitFor(() => expect(summaries()[0]?.state).toBe('live'), BOUNDED)
    // The stream gets the GoAway 10 s after its opening, and ends 3 s later.
    clock.skip(10_000)
    await vi.waitFor(() => expect(count('stream-restarted')).toBe(1), BOUNDED)
    expect(events.find(({ kind }) => kind === 'stream-restarted')).toMatchObject({
      reason: 'server going away',
    })
    await vi.waitFor(() => expect(simulator.service.streams()).toHaveLength(1), BOUNDED)
    expect(summaries()[0]?.restarts).toBe(1)
    // When the restart was reported, the service still had both the old and the new stream.
    expect(standing).toBe(2)
    proves('S3', { level: 3, cases: 1 })
  },
  40_000,
)

test('closing a stream frees its slot at the service at once', async () => {
  const { simulator, monitor, profile, summaries } = await hurriedService({}, [POSITIONS, QUOTES])
  await vi.waitFor(() => expect(summaries().map(({ state }) => state)).toEqual(['live', 'live']), BOUNDED)
  monitor.withProfile(profile, ({ parts }) => parts.streams.close(summaries()[0]?.id ?? ''))
  await vi.waitFor(() => expect(simulator.service.slots.own('Positions Stream')).toBe(0), {
    timeout: 1_000,
    interval: 5,
  })
  expect(simulator.service.streams()).toHaveLength(1)
}, 40_000)

test('after a revocation every stream ends within 2 s and nothing uses the grant again', async () => {
  const { simulator, monitor, profile, summaries, clock } = await hurriedService(
    { accessLifetimeSeconds: 15 },
    [POSITIONS, QUOTES, ORDERS],
  )
  await vi.waitFor(() => expect(simulator.service.streams()).toHaveLength(3), BOUNDED)
  const from = performance.now()
  const revoked = monitor.withProfile(profile, (session) => session.revoke())
  // An opening asked for while the revocation is in flight must not slip through.
  monitor.withProfile(profile, ({ parts }) => parts.streams.open({ ...POSITIONS, target: 'SIM1002' }))
  expect(await revoked).toEqual({ ok: true })
  await vi.waitFor(() => expect(simulator.service.streams()).toHaveLength(0), { timeout: 2_000, interval: 5 })
  expect(performance.now() - from).toBeLessThan(2_000)
  const asked = simulator.service.ledger.entries().length
  // Twenty seconds of the service's time, in which refreshes and retries would have occurred.
  await new Promise((resolve) => clock.after(20_000, () => resolve(undefined)))
  expect(simulator.service.ledger.entries().slice(asked)).toEqual([])
  expect(summaries().filter(({ state }) => state === 'live')).toEqual([])
  proves('R3', { level: 3, cases: 3 })
}, 40_000)
