import { randomBytes } from 'node:crypto'
import { Gateway } from '../../../main/gateway/gateway.ts'
import { Programs } from '../../../main/gateway/programs.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { type ForwardHttp, nodeForwardHttp } from '../../../main/network/forward-http.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'
import { sessionReads } from '../../../main/orders/order-list.ts'
import { Orders } from '../../../main/orders/orders.ts'
import { nodeClock, nodeRandom } from '../../../main/ports/node-clock.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import { simulatedKey } from '../example-key.ts'
import type { KillStep } from './kill-steps.ts'

/**
 * A gateway with orders that kills its own process at one step of the first order. Prints its address and the
 * key of its program. With `times` instead of a step, it prints for each order when the order could be sent,
 * in epoch ms.
 */
const [folder = '', origin = '', wanted = ''] = process.argv.slice(2)

const at = (step: KillStep) => {
  if (step === wanted) process.kill(process.pid, 'SIGKILL')
}

const real = nodeForwardHttp({})
let isOrderOpen = false
const forward: ForwardHttp = (request, listener) => {
  const { once } = request
  if (once === undefined) return real(request, listener)
  isOrderOpen = true
  const mayGo = () => {
    at('connected')
    if (wanted === 'times') console.log(performance.timeOrigin + performance.now())
    const may = once.mayGo()
    at('journalled')
    return may
  }
  return real(
    { ...request, once: { ...once, mayGo } },
    {
      answered: (answer) => {
        at('answered')
        listener.answered(answer)
      },
      failed: (how, why) => listener.failed(how, why),
    },
  )
}
const clock = {
  ...nodeClock,
  after: (ms: number, run: () => void) =>
    nodeClock.after(ms, () => {
      if (ms === 0 && isOrderOpen) at('passed on')
      run()
      if (ms === 0 && isOrderOpen) at('written')
    }),
}
const log = { note: () => {} }
const monitor = new Monitor({ clock, random: nodeRandom, http: nodeHttp({}), log, secrets: new Redactor() })
monitor.connect(simulatedKey(origin))
const orders = new Orders({
  switch: { state: () => 'on', maxPerMinute: () => 10_000 },
  profiles: () => ['key-1'],
  keyMark: (profile) => monitor.keyMark(profile),
  dataFolder: folder,
  hashKeys: () => [Buffer.from('key of the vault')],
  read: sessionReads(monitor),
  clock,
  log,
  randomBytes,
  listener: { changed: () => {}, event: () => {} },
  problem: () => {},
})
const gateway = new Gateway({
  monitor,
  programs: new Programs({ clock, randomBytes, problem: () => {} }),
  orders,
  forward,
  clock,
  log,
  secrets: new Redactor(),
  userId: process.getuid?.(),
})
await gateway.turnOn(0)
// An order does not wait for the access token. Without one, it gets 503.
await new Promise<void>((resolve) => {
  const changed = () => {
    if (monitor.snapshot('key-1')?.access.state !== 'valid') return
    unsubscribe()
    resolve()
  }
  const unsubscribe = monitor.subscribe({ changed, event: () => {}, removed: () => {} })
  changed()
})
const keyOf = (name: string) => {
  const added = gateway.add({ name, class: 'critical', weight: 1 })
  return added.ok ? added.key : ''
}
console.log(JSON.stringify({ url: gateway.summary.url, key: keyOf('bot'), reader: keyOf('reader') }))
