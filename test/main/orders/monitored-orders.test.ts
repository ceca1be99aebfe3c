import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Programs } from '../../../main/gateway/programs.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { monitoredOrders } from '../../../main/orders/monitored-orders.ts'
import { DEFAULT_PROBES, type Profile } from '../../../main/ports/profile.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { ScriptedHttp } from '../scripted-http.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'

const KEY: Profile = {
  id: 'key-1',
  name: 'Mine',
  environment: 'sim',
  authUrl: 'https://signin.test',
  baseUrl: 'https://api.test',
  clientId: 'client-1',
  refreshToken: 'token-1',
  probes: DEFAULT_PROBES,
  streams: [],
  orders: 'on',
}

test('another key with the id of a disconnected one gets none of its programs’ orders', () => {
  const clock = new VirtualClock()
  const notes: string[] = []
  const log = { note: (what: string) => void notes.push(what) }
  const monitor = new Monitor({ clock, http: new ScriptedHttp(), random: { next: () => 0.5 }, log })
  const dataFolder = temporaryFolder()
  const ports = { dataFolder, clock, randomBytes, problem: () => {} }
  const programs = new Programs(ports)
  monitor.connect(KEY)
  const orders = monitoredOrders({ ...ports, monitor, programs, keysFor: () => [], log })
  onTestFinished(() => {
    orders.stop()
    monitor.stop()
  })
  programs.add({ name: 'bot', class: 'normal', weight: 1, profile: 'key-1', maxOrders: 30 })
  const verdict = () => {
    const [bot] = programs.list()
    return bot && orders.judge('POST', '/v3/orderexecution/orders', bot)
  }
  expect(verdict()).toMatchObject({ kind: 'admitted' })
  monitor.disconnect('key-1')
  monitor.connect({ ...KEY, clientId: 'client-2', baseUrl: 'https://other.test' })
  expect(verdict()).toMatchObject({ kind: 'refused', problem: { status: 403 } })
  expect(notes).toContain('orders of a disconnected key’s programs were withdrawn')
  proves('O2', { level: 2, cases: 1 })
})
