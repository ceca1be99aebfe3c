import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuMs } from '../electron/process-cost.ts'
import { benchFlags, quantile, round, tell } from './result.ts'
import { endProcesses, PROGRAM_KEY, started, startedGateway } from './started-processes.ts'

/**
 * What the gateway adds to a request: `node test/bench/gateway-cost.ts [--pairs 1500] [--requests 20000]
 * [--json]`.
 *
 * The service, the gateway and a plain proxy are separate processes. Each request is sent directly, through
 * the proxy and through the gateway, one after the other. The order rotates, so that other work of the
 * machine affects all three alike. Exit 1 if an aim is missed.
 */
const { pairs, requests } = benchFlags({ pairs: 1500, requests: 20_000 })
const AIMS = { p50Ms: 0.25, p99Ms: 1, perSecond: 3_000 } as const
const GAP_MS = 20
const CONNECTIONS = 32
const WARM_UP = 2_000
const PATH = '/v3/brokerage/accounts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

try {
  const service = await started([here('gateway-upstream.ts'), 'service'], /^(\d+)$/m)
  const origin = `http://127.0.0.1:${service.said}`
  const pass = await started([here('gateway-upstream.ts'), 'pass', origin], /^(\d+)$/m)
  const gateway = await startedGateway(origin)
  const ways = {
    direct: { url: origin, pid: service.pid },
    pass: { url: `http://127.0.0.1:${pass.said}`, pid: pass.pid },
    gateway: { url: gateway.said, pid: gateway.pid },
  }
  type Way = keyof typeof ways
  const names = Object.keys(ways) as Way[]
  for (const name of names) await many(ways[name].url, WARM_UP)

  const tookMs: Record<Way, number[]> = { direct: [], pass: [], gateway: [] }
  for (let pair = 0; pair < pairs; pair += 1) {
    await pause(GAP_MS)
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(pair + i) % names.length] ?? 'direct'
      tookMs[name].push(await once(ways[name].url, pair))
    }
  }
  const added = (name: Way, part: number) =>
    round(quantile(tookMs[name], part) - quantile(tookMs.direct, part))

  const perCore: Record<string, number> = {}
  const perSecond: Record<string, number> = {}
  for (const name of names) {
    const { url, pid } = ways[name]
    const [beganMs, before] = [performance.now(), cpuMs([{ pid }])]
    await many(url, requests)
    perSecond[name] = round((requests / (performance.now() - beganMs)) * 1000)
    perCore[name] = round((requests / (cpuMs([{ pid }]) - before)) * 1000)
  }

  const [p50, p99, core] = [added('gateway', 0.5), added('gateway', 0.99), perCore['gateway'] ?? 0]
  /** Explains a missed aim by the result of a plain proxy, which is the minimum for any gateway on Node. */
  const floor = (isMet: boolean, plain: string): string =>
    isMet ? '' : `: a plain Node proxy ${plain} here, the floor of any gateway on Node’s HTTP`
  const [floorP50, floorP99] = [added('pass', 0.5), added('pass', 0.99)]
  const is = { p50: p50 <= AIMS.p50Ms, p99: p99 <= AIMS.p99Ms, core: core >= AIMS.perSecond }
  tell({
    what: 'What the gateway adds to a request, median',
    unit: 'ms',
    better: 'less',
    ours: p50,
    peers: { 'a plain Node proxy': floorP50 },
    details: {
      'added, p99, ms': p99,
      'added by the plain proxy, p99, ms': floorP99,
      'a direct request, p50, ms': round(quantile(tookMs.direct, 0.5)),
      'a direct request, p99, ms': round(quantile(tookMs.direct, 0.99)),
      'requests a second of one core': core,
      'requests a second of one core, the plain proxy': perCore['pass'] ?? 0,
      [`requests a second, ${CONNECTIONS} connections`]: perSecond['gateway'] ?? 0,
      [`requests a second, ${CONNECTIONS} connections, the plain proxy`]: perSecond['pass'] ?? 0,
    },
    aims: [
      {
        what: `p50 at most ${AIMS.p50Ms} ms more${floor(is.p50, `adds ${floorP50} ms`)}`,
        isMet: is.p50,
      },
      {
        what: `p99 at most ${AIMS.p99Ms} ms more${floor(is.p99, `adds ${floorP99} ms`)}`,
        isMet: is.p99,
      },
      {
        what: `at least ${AIMS.perSecond} requests a second of one core${floor(is.core, `passes ${perCore['pass'] ?? 0}`)}`,
        isMet: is.core,
      },
    ],
    how: `${pairs} times one request each directly, through the plain proxy and through the gateway, in turning order, ${GAP_MS} ms apart; then ${requests} requests over ${CONNECTIONS} connections each way, and what their process took of a core. Client, service, proxy and gateway share the machine's cores. A share of p99 is the machine's: the plain proxy meets it too.`,
  })
} finally {
  agent.destroy()
  endProcesses()
}

/** One request; resolves to how long its whole answer took, in milliseconds. */
function once(url: string, number: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const beganMs = performance.now()
    const headers = { authorization: `Bearer ${PROGRAM_KEY}` }
    const asked = request(`${url}${PATH}?${number}`, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`))
      answer.resume()
      answer.on('end', () => resolve(performance.now() - beganMs))
    })
    asked.on('error', reject)
    asked.end()
  })
}

async function many(url: string, count: number): Promise<void> {
  let next = 0
  const one = async () => {
    while (next < count) {
      next += 1
      await once(url, next)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
}
