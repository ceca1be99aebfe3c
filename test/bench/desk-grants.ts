import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from '@nats-io/transport-node'
import { getNatsServer } from '../desk-server/get-nats-server.ts'
import { runNatsServer } from '../desk-server/nats-process.ts'
import { BenchMember } from './desk-member.ts'
import { benchFlags, quantile, round, tell } from './result.ts'
import { endProcesses, started } from './started-processes.ts'

/**
 * How long a member of a desk waits for a grant if its quota has room, compared with a bare request to the
 * same process through the same server:
 * `node test/bench/desk-grants.ts [--grants 2000] [--json]`. Exit 1 if an aim is missed.
 */
const { grants } = benchFlags({ grants: 2000 })
const WARM_UP = 3_000
const GAP_MS = 1
const AIM_P50 = 1.5
const AIM_P99_MS = 5

const program = await getNatsServer((line) => console.error(line))
if (program === undefined) throw new Error('there is no nats-server')
const folder = mkdtempSync(join(tmpdir(), 'headroom-grants-'))
const server = await runNatsServer(program, folder)
try {
  const secret = randomBytes(32).toString('base64url')
  const peer = fileURLToPath(new URL('desk-peer.ts', import.meta.url))
  await started([peer, server.url, secret], /^(dispatching)$/m)
  const member = await BenchMember.join({ url: server.url, secret, id: 'bb'.repeat(8) })
  if ((await member.isGranted()) !== 'aa'.repeat(8)) throw new Error('the other process does not dispatch')
  const nats = await connect({ servers: server.url })
  // About the size of a sealed ask, in bytes.
  const bytes = randomBytes(300)
  const ways = {
    bare: async () => {
      const fromMs = performance.now()
      await nats.request('bare', bytes, { timeout: 5_000 })
      return performance.now() - fromMs
    },
    grant: () => member.turn(),
  }
  const tookMs: Record<keyof typeof ways, number[]> = { bare: [], grant: [] }
  for (let n = -WARM_UP; n < grants; n += 1) {
    for (const way of n % 2 === 0 ? (['bare', 'grant'] as const) : (['grant', 'bare'] as const)) {
      const ms = await ways[way]()
      if (n >= 0) tookMs[way].push(ms)
      await pause(GAP_MS)
    }
  }
  await nats.close()
  const of = (way: keyof typeof ways, share: number) => quantile(tookMs[way], share)
  const ratio = of('grant', 0.5) / of('bare', 0.5)
  const moreMs = of('grant', 0.99) - of('bare', 0.99)
  tell({
    what: 'A turn from the dispatcher of a desk, p50',
    unit: 'ms',
    better: 'less',
    ours: round(of('grant', 0.5)),
    peers: { 'a bare NATS request': round(of('bare', 0.5)) },
    details: {
      'times a bare request, p50': round(ratio),
      'grant, p99, ms': round(of('grant', 0.99)),
      'bare request, p99, ms': round(of('bare', 0.99)),
      'more than a bare request, p99, ms': round(moreMs),
    },
    aims: [
      { what: `at most ${AIM_P50} times a bare request, p50`, isMet: ratio <= AIM_P50 },
      { what: `at most ${AIM_P99_MS} ms more, p99`, isMet: moreMs <= AIM_P99_MS },
    ],
    how: `${grants} grants and as many bare requests of 300 bytes, in turning order, ${GAP_MS} ms apart, between two processes through one NATS server on loopback. The quota always has room.`,
  })
} finally {
  endProcesses()
  await server.kill()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
