import { expect, test } from 'vitest'
import { proves } from '../proof/proves.ts'
import { QUIET } from './story.ts'
import { World } from './world.ts'

const MINUTE_MS = 60_000

test('whenever a newer sign-in happens while a revocation waits, no retry ends it', async () => {
  let moments = 0
  for (let afterMs = 0; afterMs <= 10 * MINUTE_MS; afterMs += 20_000, moments += 1) {
    const world = new World(moments, { ...QUIET, streams: [], budgetFraction: 0 })
    world.connect()
    await world.clock.advance(MINUTE_MS)
    world.service.faults.set('revoke-503', true)
    const revoked = world.monitor.withProfile('key', (session) => session.revoke())
    await world.clock.advance(2_000)
    await revoked
    await world.clock.advance(afterMs)
    world.connectAgain('newer')
    world.service.faults.set('revoke-503', false)
    await world.clock.advance(30 * MINUTE_MS)
    expect(world.monitor.snapshot('newer')?.refresh.state, `${afterMs} ms later`).toBe('valid')
    world.monitor.stop()
  }
  proves('R4', { level: 2, cases: moments })
})
