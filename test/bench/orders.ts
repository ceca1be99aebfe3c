import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { round, tell } from './result.ts'
import { endProcesses, started } from './started-processes.ts'

/**
 * What the gateway adds to an order: `node test/bench/orders.ts [--orders 400] [--json]`.
 *
 * Each order is sent directly, through a plain proxy and through the gateway, and a page flushed to the
 * disk of the journal, in turning order. Exit 1 where the aim is missed.
 */
const { values } = parseArgs({
  options: { orders: { type: 'string', default: '400' }, json: { type: 'boolean', default: false } },
})
const orders = Number(values.orders)
const AIM_MS = 1
const GAP_MS = 20
const WARM_UP = 50
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
  for (let i = 0; i < WARM_UP; i += 1) for (const name of names) await ways[name]()
  const tookMs: Record<Way, number[]> = { direct: [], pass: [], gateway: [], flush: [] }
  for (let n = 0; n < orders; n += 1) {
    await pause(GAP_MS)
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(n + i) % names.length] ?? 'direct'
      tookMs[name].push(await ways[name]())
    }
  }
  const p = (name: Way, part: number) => quantile(tookMs[name], part)
  const over = round(p('gateway', 0.5) - p('pass', 0.5) - p('flush', 0.5))
  const isMet = over <= AIM_MS
  tell(
    {
      what: 'What the gateway adds to an order beyond a plain proxy and one flush, median',
      unit: 'ms',
      better: 'less',
      ours: over,
      peers: {},
      details: {
        'an order through the gateway, p50, ms': round(p('gateway', 0.5)),
        'an order through the gateway, p99, ms': round(p('gateway', 0.99)),
        'an order through a plain Node proxy, p50, ms': round(p('pass', 0.5)),
        'an order through a plain Node proxy, p99, ms': round(p('pass', 0.99)),
        'an order without either, p50, ms': round(p('direct', 0.5)),
        'a page flushed to the same disk, p50, ms': round(p('flush', 0.5)),
        'a page flushed to the same disk, p99, ms': round(p('flush', 0.99)),
      },
      aims: [{ what: `p50 at most ${AIM_MS} ms more than a plain proxy and one flush`, isMet }],
      how: `${orders} orders each way, in turning order, ${GAP_MS} ms apart. Client, service, proxy and gateway share the machine's cores and its disk.`,
    },
    values.json,
  )
} finally {
  agent.destroy()
  endProcesses()
  closeSync(pages)
  rmSync(folder, { recursive: true, force: true })
}

/** One order; resolves to how long its whole answer took, in milliseconds. */
function order(url: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const beganMs = performance.now()
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': String(BODY.length),
    }
    const asked = request(`${url}${PATH}`, { method: 'POST', agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`))
      answer.resume()
      answer.on('end', () => resolve(performance.now() - beganMs))
    })
    asked.on('error', reject)
    asked.end(BODY)
  })
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}
