import { expect, test } from 'vitest'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { proves } from '../proof/proves.ts'
import { FAIR, OFFLINE } from './fault-profile.ts'
import { QUIET, type Story } from './story.ts'
import { World } from './world.ts'

const HOUR_MS = 3_600_000
const ROTATING: Story = {
  ...QUIET,
  service: { ...QUIET.service, keys: 'rotating', rotationOverlapSeconds: 30 },
}

const live = (streams: readonly StreamSummary[]) => streams.every(({ state }) => state === 'live')

test('a response lost inside the overlap costs no sign-in', async () => {
  const world = new World(3, ROTATING)
  world.connect()
  await world.live(60_000)
  world.service.faults.set('lost-refresh-response', 1)
  await world.live(30 * 60_000)
  expect(world.snapshot.refresh.state).toBe('valid')
  expect(world.told.filter(({ kind }) => kind === 'sign-in-required')).toEqual([])
  proves('T1', { level: 1, cases: 1 })
})

test('a response lost outside the overlap ends in one rejection and one honest message', async () => {
  const world = new World(4, { ...ROTATING, service: { ...ROTATING.service, rotationOverlapSeconds: 0 } })
  world.service.faults.set('lost-refresh-response', 1)
  world.connect()
  await world.live(HOUR_MS)
  const ends = world.told.filter(({ kind }) => kind === 'sign-in-required')
  expect(ends).toMatchObject([{ reason: 'sign in again: the response was lost' }])
  const refreshes = world.service.ledger.entries().filter(({ path }) => path === '/oauth/token')
  expect(refreshes.length).toBe(2)
  proves('T2', { level: 1, cases: 1 })
})

test.each([
  ['goaway-v2', 'server going away'],
  ['goaway-v3', 'server going away'],
  ['stream-reset', 'connection lost'],
  ['stream-error', 'InternalServerError'],
])('after %s every stream is open again', async (fault, reason) => {
  const world = new World(5, { ...QUIET, streams: QUIET.streams.slice(0, 2) })
  world.service.faults.set(fault, 2)
  world.connect()
  await world.live(60_000)
  const { streams } = world.snapshot
  expect(live(streams)).toBe(true)
  expect(streams.map(({ restarts }) => restarts)).toEqual([1, 1])
  expect(world.told.filter(({ kind }) => kind === 'stream-restarted')).toMatchObject([{ reason }, { reason }])
  proves(['S2', 'S3'], { level: 2, cases: 1 })
})

test('a silent stream is shown as stale after 15 s and is open again within 31 s and the backoff', async () => {
  const world = new World(6, QUIET)
  world.connect()
  await world.live(30_000)
  world.http.setFaultProfile(OFFLINE)
  world.http.setFaultProfile(FAIR)
  await world.live(17_000)
  expect(world.snapshot.streams.some(({ state }) => state === 'stale')).toBe(true)
  await world.live(20_000)
  expect(live(world.snapshot.streams)).toBe(true)
  await world.settle()
  proves('S2', { level: 1, cases: 1 })
})

test('three days of sleep cost one refresh, one restart per stream and no flood', async () => {
  const world = new World(7, { ...QUIET, service: { keys: 'default', streamRate: 0 } })
  world.connect()
  await world.live(10 * 60_000)
  const before = world.service.ledger.entries().length
  world.clock.sleep(3 * 24 * HOUR_MS)
  world.monitor.wake()
  await world.live(60_000)
  const after = world.service.ledger.entries().slice(before)
  expect(after.filter(({ path }) => path === '/oauth/token').length).toBe(1)
  expect(after.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(1)
  expect(after.length).toBeLessThan(40)
  expect(live(world.snapshot.streams)).toBe(true)
  proves('T9', { level: 1, cases: 1 })
})

test.each([-86_400_000, 86_400_000])(
  'a wall clock set %d ms off causes no flood and no sign-in',
  async (jump) => {
    const world = new World(8, QUIET)
    world.connect()
    await world.live(5 * 60_000)
    const before = world.service.ledger.entries().length
    world.jumpWall(jump)
    await world.live(5 * 60_000)
    const after = world.service.ledger.entries().slice(before)
    expect(after.filter(({ path }) => path === '/oauth/token').length).toBeLessThanOrEqual(1)
    expect(after.length).toBeLessThan(120)
    expect(world.snapshot.access.state).toBe('valid')
    expect(world.told.some(({ kind }) => kind === 'sign-in-required')).toBe(false)
    proves('T9', { level: 2, cases: 1 })
  },
)

test('revoking ends every stream at both ends and nothing sends requests any more', async () => {
  const world = new World(9, QUIET)
  world.connect()
  await world.live(60_000)
  const revoked = world.monitor.withProfile('key', (session) => session.revoke())
  await world.live(2_000)
  expect(await revoked).toEqual({ ok: true })
  expect(world.service.streams()).toEqual([])
  const before = world.service.ledger.entries().length
  await world.live(HOUR_MS)
  expect(world.service.ledger.entries().length).toBe(before)
  expect(world.snapshot.refresh.state).toBe('revoked')
  proves('R3', { level: 1, cases: 1 })
})

test('a revocation that gets 503 twice is shown as unconfirmed until the service responds 200', async () => {
  const world = new World(10, QUIET)
  world.connect()
  await world.live(60_000)
  world.service.faults.set('revoke-503', 2)
  const first = world.monitor.withProfile('key', (session) => session.revoke())
  await world.live(2_000)
  expect(await first).toMatchObject({ ok: false, code: 'revoke-unconfirmed' })
  expect(world.snapshot.refresh.state).toBe('revoke-unconfirmed')
  await world.live(120_000)
  expect(world.snapshot.refresh.state).toBe('revoked')
  proves('R1', { level: 1, cases: 1 })
})

test('a revocation during a refresh leaves no refresh token valid, whenever it happens', async () => {
  let offsets = 0
  for (let offsetMs = 0; offsetMs <= 400; offsetMs += 20, offsets += 1) {
    const service = { ...QUIET.service, rotationOverlapSeconds: 0 }
    const world = new World(offsetMs, { ...QUIET, service, streams: [], budgetFraction: 0 })
    world.connect()
    await world.clock.advance(offsetMs)
    const revoked = world.monitor.withProfile('key', (session) => session.revoke())
    await world.clock.advance(60_000)
    expect(await revoked, `${offsetMs} ms`).toEqual({ ok: true })
    const used = world.service.ledger.entries().length
    await world.clock.advance(HOUR_MS)
    expect(world.service.ledger.entries().length).toBe(used)
    expect(world.snapshot.refresh.state).toBe('revoked')
  }
  proves('R2', { level: 2, cases: offsets })
})

test('a late retry of a revocation never ends a newer sign-in on the key', async () => {
  const world = new World(11, QUIET)
  world.connect()
  await world.live(60_000)
  world.service.faults.set('revoke-503', true)
  const revoked = world.monitor.withProfile('key', (session) => session.revoke())
  await world.live(2_000)
  await revoked
  world.connectAgain('newer')
  world.service.faults.set('revoke-503', false)
  await world.live(10 * 60_000)
  expect(world.service.ledger.entries().filter(({ path }) => path === '/oauth/revoke').length).toBe(1)
  expect(world.monitor.snapshot('newer')?.refresh.state).toBe('valid')
  proves('R4', { level: 1, cases: 1 })
})
