import { performance } from 'node:perf_hooks'
import { heapMb } from '../collect-garbage.ts'
import { QUIET } from '../simulation/story.ts'
import { World } from '../simulation/world.ts'
import { benchFlags, round, tell } from './result.ts'

/**
 * How much memory a day of monitoring leaves behind: `node test/bench/memory-virtual.ts [--hours 24]
 * [--json]`.
 *
 * The whole monitor runs with three streams and its checks, together with the service's rules and the
 * network, in one process under virtual time. So growth may come from any of them. Exit 1 if the aim is
 * missed.
 */
const { hours } = benchFlags({ hours: 24 })
const HOUR_MS = 3_600_000
const AIM_MB = 12

const world = new World(1, QUIET)
world.connect()
await world.live(HOUR_MS)
const before = await heapMb()
const fromMs = performance.now()
await world.live((hours - 1) * HOUR_MS)
const seconds = (performance.now() - fromMs) / 1000
const after = await heapMb()
const requests = world.service.ledger.entries().length
world.monitor.stop()
const growth = round(after - before)
tell({
  what: `Heap after ${hours} virtual hours, beyond that after the first`,
  unit: 'MB',
  better: 'less',
  ours: growth,
  details: {
    'heap after one hour, MB': round(before),
    [`heap after ${hours} hours, MB`]: round(after),
    'requests that the service remembers': requests,
    'virtual hours a second': round((hours - 1) / seconds),
  },
  aims: [{ what: `at most ${AIM_MB} MB`, isMet: growth <= AIM_MB }],
  how: `The whole monitor with three streams, its probes and the service's rules in one process under virtual time; after a forced collection. What the rules remember of each request is in it.`,
})
