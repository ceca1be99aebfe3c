import { expect, test } from 'vitest'
import { proves } from '../proof/proves.ts'
import { QUIET } from './story.ts'
import { World } from './world.ts'

const HOUR_MS = 3_600_000

/** A key with half of its Accounts quota used by others, as headers have shown. */
async function spent(seed = 41) {
  const service = { ...QUIET.service, traffic: { Accounts: 8 } }
  const world = new World(seed, { ...QUIET, service, streams: [], budgetFraction: 0.02 })
  world.connect()
  await world.live(60_000)
  world.service.setTraffic({})
  await world.live(90_000)
  const row = () => world.snapshot.requests.find(({ category }) => category === 'Accounts')!
  return { world, row }
}

test('a wall clock set forward fills no bucket, and the next header blames nobody', async () => {
  const { world, row } = await spent()
  const before = row()
  expect(before.high).toBeLessThan(260)
  const toldBefore = world.told.length
  world.jumpWall(HOUR_MS)
  await world.live(1_000)
  expect(row().low).toBeLessThanOrEqual(before.high + 3)
  await world.live(120_000)
  expect(
    world.told.slice(toldBefore).filter(({ kind }) => kind === 'elsewhere' || kind === 'rate-limited'),
  ).toEqual([])
  expect(row().source).not.toBe('default')
  world.monitor.stop()
})

test.each([41, 42, 43, 44, 45])('after an announced sleep the model has advanced, seed %i', async (seed) => {
  const { world, row } = await spent(seed)
  world.monitor.sleep()
  world.clock.sleep(HOUR_MS)
  world.monitor.wake()
  // Others may have used the quota in the meantime, so `low` is not checked. Most likely, it is nearly full.
  expect(row().remaining).toBeGreaterThan(0.9 * row().limit)
  world.monitor.stop()
})

const WRONG_MS = 400 * 24 * HOUR_MS

test('a wall clock 400 days ahead for 70 s leaves no damage: no sign-in, no flood, and correct times', async () => {
  const world = new World(43, QUIET)
  await world.takeDisk()
  world.connect()
  await world.live(10 * 60_000)
  world.jumpWall(WRONG_MS)
  await world.live(70_000)
  const ahead = world.snapshot
  expect(ahead.at - world.clock.worldMs()).toBeGreaterThan(WRONG_MS - 5_000)
  const toldBefore = world.told.length
  world.jumpWall(-WRONG_MS)
  await world.live(60_000)
  const { at, access, refresh, requests, streams, revision } = world.snapshot
  expect(Math.abs(at - world.clock.worldMs())).toBeLessThan(2_000)
  expect(revision).toBeGreaterThan(ahead.revision)
  expect(access.state).toBe('valid')
  expect(access.expiresAt! - at).toBeLessThanOrEqual(20 * 60_000)
  expect(refresh.state).toBe('valid')
  expect(requests.map(({ observedAt = 0 }) => observedAt).every((seenAt) => seenAt <= at)).toBe(true)
  expect(streams.map(({ state }) => state)).toEqual(QUIET.streams.map(() => 'live'))
  const told = world.told.slice(toldBefore)
  expect(told.filter(({ kind }) => kind === 'token-refreshed')).toHaveLength(1)
  expect(told.filter(({ kind }) => kind === 'sign-in-required')).toEqual([])
  await world.live(40 * 60_000)
  expect(world.snapshot.refresh.state).toBe('valid')
  world.stop()
  proves('T9', { level: 2, cases: 1 })
})

test('a token that the disk rejects while the clock is set back is not lost', async () => {
  const minute = (minutes: number) => minutes * 60_000
  const world = new World(44, {
    ...QUIET,
    events: [
      { atMs: minute(5), what: { kind: 'wall-jump', ms: WRONG_MS } },
      { atMs: minute(6), what: { kind: 'disk', health: 'full' } },
      { atMs: minute(7), what: { kind: 'expire-access' } },
      { atMs: minute(9), what: { kind: 'wall-jump', ms: -WRONG_MS } },
      { atMs: minute(15), what: { kind: 'disk', health: 'ok' } },
    ],
  })
  await world.takeDisk()
  world.connect()
  await world.live(minute(60))
  const { at, refresh, access } = world.snapshot
  expect(Math.abs(at - world.clock.worldMs())).toBeLessThan(2_000)
  expect({ refresh, access }).toMatchObject({ refresh: { state: 'valid' }, access: { state: 'valid' } })
  expect(world.told.some(({ kind }) => kind === 'storage-problem')).toBe(true)
  expect(world.told.filter(({ kind }) => kind === 'sign-in-required')).toEqual([])
  world.stop()
})

test('a clock that two programs set in turn, 400 days apart, costs no flood of refreshes', async () => {
  // Own checks are off. After the clock is set, a period may seem to be over and be checked again, which
  // other invariants count.
  const world = new World(46, { ...QUIET, budgetFraction: 0 })
  await world.takeDisk()
  world.connect()
  await world.live(5 * 60_000)
  const before = world.told.length
  for (let minute = 0; minute < 60; minute += 1) {
    world.jumpWall(WRONG_MS)
    await world.live(30_000)
    world.jumpWall(-WRONG_MS)
    await world.live(30_000)
  }
  const told = world.told.slice(before)
  // The hour has three regular refreshes. Each correction of the clock may cause one when it is made and one
  // when it is undone.
  expect(told.filter(({ kind }) => kind === 'token-refreshed').length).toBeLessThanOrEqual(3 + 2 * 7)
  expect(told.filter(({ kind }) => kind === 'sign-in-required')).toEqual([])
  await world.live(12 * 60_000)
  expect(Math.abs(world.snapshot.at - world.clock.worldMs())).toBeLessThan(2_000)
  expect(world.snapshot.refresh.state).toBe('valid')
  world.stop()
  proves('T9', { level: 2, cases: 60 })
})

test('a clock set back by a day twice is followed, and every invariant holds', async () => {
  const world = new World(45, QUIET)
  await world.takeDisk()
  world.connect()
  for (let times = 0; times < 2; times += 1) {
    await world.live(15 * 60_000)
    world.jumpWall(-24 * HOUR_MS)
  }
  await world.live(30 * 60_000)
  expect(world.clock.wallMs() - world.snapshot.at).toBeGreaterThan(-2_000)
  await world.settle()
  world.stop()
})
