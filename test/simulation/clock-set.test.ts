import { expect, test } from 'vitest'
import { QUIET } from './story.ts'
import { World } from './world.ts'

const HOUR_MS = 3_600_000

/** A key whose Accounts others have used up to a half, as headers have shown since. */
async function spent() {
  const service = { ...QUIET.service, traffic: { Accounts: 8 } }
  const world = new World(41, { ...QUIET, service, streams: [], budgetFraction: 0.02 })
  world.connect()
  await world.live(60_000)
  world.service.setTraffic({})
  await world.live(90_000)
  const row = () => world.snapshot.requests.find(({ category }) => category === 'Accounts')!
  return { world, row }
}

test('a wall clock set forward fills no bucket, and the next header accuses nobody', async () => {
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

test('after a sleep that was announced the model has let time pass', async () => {
  const { world, row } = await spent()
  world.monitor.sleep()
  world.clock.sleep(HOUR_MS)
  world.monitor.wake()
  expect(row().low).toBe(320)
  world.monitor.stop()
})
