import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { ONLY_KEY, Programs } from '../../../main/gateway/programs.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { monitoredOrders } from '../../../main/orders/monitored-orders.ts'
import { DEFAULT_PROBES, type Profile } from '../../../main/ports/profile.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { EXAMPLE_KEY } from '../example-key.ts'
import { ScriptedHttp } from '../scripted-http.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const KEY: Profile = { ...EXAMPLE_KEY, environment: 'sim', probes: DEFAULT_PROBES, orders: 'on' }

/** A run of Headroom on a data folder, with these keys connected. */
function startedOn(dataFolder: string, keys: readonly Profile[], isGone = (_: string) => false) {
  const clock = new VirtualClock()
  const notes: string[] = []
  const log = { note: (what: string) => void notes.push(what) }
  const monitor = new Monitor({ clock, http: new ScriptedHttp(), random: { next: () => 0.5 }, log })
  const ports = { dataFolder, clock, randomBytes, problem: () => {} }
  const programs = new Programs({ ...ports, keyMark: (id) => monitor.keyMark(id) })
  for (const key of keys) monitor.connect(key)
  const orders = monitoredOrders({ ...ports, monitor, programs, isGone, keysFor: () => [], log })
  onTestFinished(() => {
    orders.stop()
    monitor.stop()
  })
  const verdict = () => {
    const [bot] = programs.list()
    return bot && orders.judge('POST', '/v3/orderexecution/orders', { ...bot, profile: 'key-1' })
  }
  return { monitor, programs, verdict, notes }
}

const BOT = { name: 'bot', class: 'normal', weight: 1, maxOrders: 30 } as const
const ADMITTED = { kind: 'admitted' }
const REFUSED = { kind: 'refused', problem: { status: 403 } }
const OTHER_KEY = { ...KEY, clientId: 'client-2', baseUrl: 'https://other.test' }
const WITHDRAWN = 'programs of a former key can no longer send orders'

test('a different key under the id of a disconnected one gets no orders of its programs', () => {
  const { monitor, programs, verdict, notes } = startedOn(temporaryFolder(), [KEY])
  programs.add({ ...BOT, profile: 'key-1' })
  expect(verdict()).toMatchObject(ADMITTED)
  monitor.disconnect('key-1')
  // The permission is withdrawn before another key is connected, so not even the same key gets it back.
  expect(programs.list()[0]?.maxOrders).toBeUndefined()
  monitor.connect(OTHER_KEY)
  expect(verdict()).toMatchObject(REFUSED)
  expect(notes).toContain(WITHDRAWN)
  proves('O2', { level: 2, cases: 1 })
})

test.each(['key-1', ONLY_KEY])(
  'a key replaced while no Headroom ran leaves no orders: program of “%s”',
  (profile) => {
    const dataFolder = temporaryFolder()
    startedOn(dataFolder, [KEY]).programs.add({ ...BOT, profile })
    // A program that names no key is bound to the connected key at the next start.
    expect(startedOn(dataFolder, [KEY]).verdict()).toMatchObject(ADMITTED)
    const { verdict, notes } = startedOn(dataFolder, [OTHER_KEY])
    expect(verdict()).toMatchObject(REFUSED)
    expect(notes).toContain(WITHDRAWN)
    expect(startedOn(dataFolder, [KEY]).verdict()).toMatchObject(REFUSED)
    proves('O2', { level: 2, cases: 1 })
  },
)

test('a key forgotten while no Headroom ran leaves no orders, and one whose store is locked does', () => {
  const dataFolder = temporaryFolder()
  startedOn(dataFolder, [KEY]).programs.add({ ...BOT, profile: 'key-1' })
  startedOn(dataFolder, [])
  expect(startedOn(dataFolder, [KEY]).verdict()).toMatchObject(ADMITTED)
  startedOn(dataFolder, [{ ...OTHER_KEY, id: 'key-2' }], (id) => id === 'key-1')
  expect(startedOn(dataFolder, [KEY]).verdict()).toMatchObject(REFUSED)
})
