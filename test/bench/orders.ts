import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PROBED_CATEGORIES, probePath } from '../../app/service/categories.ts'
import { benchFlags, quantile, round, tell } from './result.ts'
import { endProcesses, type Started, started } from './started-processes.ts'

/**
 * Orders through the gateway: `node test/bench/orders.ts [--orders 400] [--json]`. Exit 1 if an aim is
 * missed.
 *
 * - What the gateway adds: each order is sent directly, through a plain proxy and through the gateway, in
 *   rotating order. The flush of one page to the journal's disk is timed too.
 * - How long an order waits, from its caller to the moment before the flush, while readers have used up
 *   every quota of reads and queue for more.
 * - How long `headroom orders stop` takes, from its start until orders are refused.
 */
const { orders } = benchFlags({ orders: 400 })
const AIM_MS = 1
const AIM_WAIT_MS = 5
const AIM_STOP_MS = 1_000
/** Requests that wait in each category of reads. */
const READERS = 20
const STOPS = 5
const HEADROOM = '../../main/hosts/terminal/headroom.ts'
const PROGRAM = 'a-key-of-orders-of-the-bench'
const ENVIRONMENT = {
  HEADROOM_PASSPHRASE: 'seven quiet otters borrow a lantern',
  HEADROOM_GATEWAY_KEYS: `bench:critical:1:orders=${PROGRAM}`,
}
const GAP_MS = 20
/** Orders of each way before those that count, as Node compiles the code of an order only by then. */
const WARM_UP = 500
/** Orders of a gateway that has just started, whose median the page names. */
const FIRST = 50
const PAGE = Buffer.alloc(4096)
const PATH = '/v3/orderexecution/orders'
const BODY = JSON.stringify({
  AccountID: 'SIM1001',
  Symbol: 'MSFT',
  Quantity: '10',
  OrderType: 'Market',
  TradeAction: 'BUY',
  TimeInForce: { Duration: 'DAY' },
})

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const agent = new Agent({ keepAlive: true })
const folder = mkdtempSync(join(tmpdir(), 'headroom-orders-bench-'))
const pages = openSync(join(folder, 'pages'), 'w')

try {
  const service = await started([here('gateway-upstream.ts'), 'service'], /^(\d+)$/m)
  const origin = `http://127.0.0.1:${service.said}`
  const pass = await started([here('gateway-upstream.ts'), 'pass', origin], /^(\d+)$/m)
  const gateway = await started([here('../main/orders/killed-gateway.ts'), folder, origin], /^(\{.*\})$/m)
  const { url, key } = JSON.parse(gateway.said)
  const ways = {
    direct: () => order(origin, key),
    pass: () => order(`http://127.0.0.1:${pass.said}`, key),
    gateway: () => order(url, key),
    flush: async () => {
      const beganMs = performance.now()
      writeSync(pages, PAGE)
      fsyncSync(pages)
      return performance.now() - beganMs
    },
  }
  type Way = keyof typeof ways
  const names = Object.keys(ways) as Way[]
  const firstMs: number[] = []
  for (let i = 0; i < WARM_UP; i += 1) {
    for (const name of names) {
      const ms = await ways[name]()
      if (name === 'gateway' && i < FIRST) firstMs.push(ms)
    }
  }
  const tookMs: Record<Way, number[]> = { direct: [], pass: [], gateway: [], flush: [] }
  for (let n = 0; n < orders; n += 1) {
    await pause(GAP_MS)
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(n + i) % names.length] ?? 'direct'
      tookMs[name].push(await ways[name]())
    }
  }
  const p = (name: Way, part: number) => quantile(tookMs[name], part)
  const waitsMs = await waitsWithReaders()
  const stopsMs = await stops(origin)
  const over = round(p('gateway', 0.5) - p('pass', 0.5) - p('flush', 0.5))
  const waitMs = quantile(waitsMs, 0.99)
  const stopMs = Math.max(...stopsMs)
  tell({
    what: 'What the gateway adds to an order beyond a plain proxy and one flush, median',
    unit: 'ms',
    better: 'less',
    ours: over,
    details: {
      'an order through the gateway, p50, ms': round(p('gateway', 0.5)),
      'an order through the gateway, p99, ms': round(p('gateway', 0.99)),
      [`the first ${FIRST} orders of a gateway, p50, ms`]: round(quantile(firstMs, 0.5)),
      'an order through a plain Node proxy, p50, ms': round(p('pass', 0.5)),
      'an order through a plain Node proxy, p99, ms': round(p('pass', 0.99)),
      'an order without either, p50, ms': round(p('direct', 0.5)),
      'a page flushed to the same disk, p50, ms': round(p('flush', 0.5)),
      'a page flushed to the same disk, p99, ms': round(p('flush', 0.99)),
      'the wait of an order with readers that use up every quota, p50, ms': round(quantile(waitsMs, 0.5)),
      'the wait of an order with readers that use up every quota, p99, ms': round(waitMs),
      'from “headroom orders stop” to refused orders, longest, ms': round(stopMs),
    },
    aims: [
      { what: `p50 at most ${AIM_MS} ms more than a plain proxy and one flush`, isMet: over <= AIM_MS },
      {
        what: `an order waits at most ${AIM_WAIT_MS} ms at p99 with readers`,
        isMet: waitMs <= AIM_WAIT_MS,
      },
      { what: `orders are refused within ${AIM_STOP_MS} ms of the command`, isMet: stopMs <= AIM_STOP_MS },
    ],
    how: `${orders} orders each way, in turning order, ${GAP_MS} ms apart, after ${WARM_UP} each without a pause; as many with ${READERS} waiting reads in each of ${PROBED_CATEGORIES.length} categories; ${STOPS} stops. Client, service, proxy and gateway share the machine's cores and its disk.`,
  })
} finally {
  agent.destroy()
  endProcesses()
  closeSync(pages)
  // Gateways that are still ending may write to the folder.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/** How long each order waits while readers queue, in milliseconds. Ends before the order's own flush. */
async function waitsWithReaders(): Promise<readonly number[]> {
  const scarce = await started([here('gateway-upstream.ts'), 'scarce'], /^(\d+)$/m)
  const script = here('../main/orders/killed-gateway.ts')
  const ownFolder = mkdtempSync(join(folder, 'with-readers-'))
  const origin = `http://127.0.0.1:${scarce.said}`
  const gateway = await started([script, ownFolder, origin, 'times'], /^(\{.*\})$/m)
  const { url, key, reader } = JSON.parse(gateway.said)
  let isOver = false
  const readOn = async (path: string) => {
    const headers = { authorization: `Bearer ${reader}`, prefer: 'wait=60' }
    while (!isOver)
      await fetch(`${url}${path}`, { headers }).then(
        (read) => read.arrayBuffer(),
        () => {},
      )
  }
  const paths = PROBED_CATEGORIES.flatMap(
    (category) => probePath(category, { account: 'SIM1001', symbol: 'MSFT' }) ?? [],
  )
  // Different queries: equal ones would share a response.
  for (const path of paths) for (let n = 0; n < READERS; n += 1) void readOn(`${path}?n=${n}`)
  for (let n = 0; n < FIRST; n += 1) await order(url, key)
  await pause(2_000)
  const sentMs: number[] = []
  for (let n = 0; n < orders; n += 1) {
    await pause(GAP_MS)
    sentMs.push(performance.timeOrigin + performance.now())
    await order(url, key)
  }
  isOver = true
  const leftMs = timesIn(gateway).slice(-orders)
  return sentMs.map((atMs, n) => (leftMs[n] ?? Number.NaN) - atMs)
}

function timesIn({ out }: Started): readonly number[] {
  return [...out().matchAll(/^[\d.]+$/gm)].map(([text]) => Number(text))
}

/** How long each stop of a real gateway takes, in milliseconds. */
async function stops(origin: string): Promise<readonly number[]> {
  const data = mkdtempSync(join(folder, 'stops-'))
  const service = ['--auth-url', origin, '--base-url', origin, '--client-id', 'bench']
  const args = ['gateway', '--port', '0', '--probe', 'none', '--data', data, ...service]
  const gateway = await started([here(HEADROOM), ...args], /^gateway ready: (\S+)$/m, ENVIRONMENT)
  const statusOf = (sent: Promise<unknown>) =>
    sent.then(
      () => 200,
      ({ status }) => status,
    )
  const tookMs: number[] = []
  for (let n = 0; n < STOPS; n += 1) {
    await once(headroom('orders', 'allow', '--yes', '--data', data), 'exit')
    // Waits until the access token has arrived.
    while ((await statusOf(order(gateway.said, PROGRAM, 'DELETE'))) !== 200) await pause(GAP_MS)
    const beganMs = performance.now()
    const stopped = once(headroom('orders', 'stop', '--data', data), 'exit')
    // Sends cancels, because no limit per minute refuses them.
    while ((await statusOf(order(gateway.said, PROGRAM, 'DELETE'))) !== 503) await pause(1)
    tookMs.push(performance.now() - beganMs)
    await stopped
  }
  return tookMs
}

function headroom(...args: readonly string[]) {
  const env = { ...process.env, ...ENVIRONMENT }
  return spawn(process.execPath, [here(HEADROOM), ...args], { stdio: 'ignore', env })
}

/** One order; resolves to how long its whole answer took, in milliseconds. */
function order(url: string, key: string, method: 'POST' | 'DELETE' = 'POST'): Promise<number> {
  return new Promise((resolve, reject) => {
    const beganMs = performance.now()
    const isPlaced = method === 'POST'
    const headers = {
      authorization: `Bearer ${key}`,
      ...(isPlaced && { 'content-type': 'application/json', 'content-length': String(BODY.length) }),
    }
    const path = isPlaced ? PATH : `${PATH}/1000000001`
    const asked = request(`${url}${path}`, { method, agent, headers }, (answer) => {
      const { statusCode: status } = answer
      if (status !== 200) reject(Object.assign(new Error(`${url} answered ${status}`), { status }))
      answer.resume()
      answer.on('end', () => resolve(performance.now() - beganMs))
    })
    asked.on('error', reject)
    asked.end(isPlaced ? BODY : undefined)
  })
}
