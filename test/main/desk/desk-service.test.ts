import { expect, onTestFinished, test } from 'vitest'
import { deskRun } from '../../../main/desk/desk-service.ts'
import { deskNames } from '../../../main/desk/envelope.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { EXAMPLE_KEY } from '../example-key.ts'
import { renewal, ScriptedHttp } from '../scripted-http.ts'
import { exampleMembership } from './example-desk.ts'
import { FakeEngines } from './fake-engines.ts'

function setUp() {
  const clock = new VirtualClock()
  const random = new VirtualRandom(1)
  const http = new ScriptedHttp()
  http.reply = () => renewal('access')
  const monitor = new Monitor({ clock, random, http, log: { note: () => {} } })
  onTestFinished(() => monitor.stop())
  monitor.connect(EXAMPLE_KEY)
  const session = monitor.withProfile(EXAMPLE_KEY.id, (found) => found)
  if ('ok' in session) throw new Error(session.message)
  const membership = exampleMembership({ name: 'TOWER' })
  const engines = new FakeEngines()
  const person = { lookedAtMs: () => undefined, snooze: { read: () => ({}), adopt: () => {} } }
  const run = () => {
    const engine = engines.start({ ...membership, names: deskNames(membership.secret) })
    return deskRun(
      { session, membership, engine, isFromStart: true, copied: () => {} },
      { clock, random, person },
    )
  }
  return { clock, engines, run, session, shown: () => monitor.snapshot(EXAMPLE_KEY.id)?.desk }
}

test('a desk is part of its key’s snapshots from its start to its end', async () => {
  const { clock, engines, run: created, shown } = setUp()
  const run = created()
  expect(shown()).toBeUndefined()
  run.start()
  await clock.advance(1_000)
  expect(shown()).toMatchObject({ state: 'joined', members: [{ name: 'TOWER', self: true }] })
  run.refuse('rotated')
  expect(shown()).toMatchObject({ state: 'refused', refusal: { code: 'rotated' } })
  await run.leave()
  expect(shown()).toBeUndefined()
  expect(engines.connected).toEqual([])
})

test('a desk that starts anew while its former run ends stays part of them', async () => {
  const { engines, run, shown } = setUp()
  const [former, next] = [run(), run()]
  former.start()
  const closed = former.close()
  next.start()
  await closed
  expect(shown()).toMatchObject({ state: 'joined' })
  expect(engines.connected).toHaveLength(1)
})

test('a person who chooses to retry now connects the desk at once', () => {
  const { engines, run, session } = setUp()
  session.tryNow()
  run().start()
  session.tryNow()
  expect(engines.connected.map(({ tried }) => tried)).toEqual([1])
})
