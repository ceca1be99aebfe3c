import { setTimeout as pause } from 'node:timers/promises'
import { busyDesk } from '../desk-machines/busy-desk.ts'
import { FailingDesk } from '../desk-machines/desk-failures.ts'
import { getNatsServer } from '../desk-server/get-nats-server.ts'
import { benchFlags, round, tell } from './result.ts'

/**
 * How long it takes until another machine dispatches after the dispatcher was killed: `node
 * test/bench/desk-take-over.ts [--kills 5] [--json]`. There are three gateways, whose programs request more
 * than the quotas allow, and a NATS server. Exits with 1 if an aim is missed.
 */
const { kills } = benchFlags({ kills: 5 })
const AIM_MS = 8_000
const BETWEEN_MS = 10_000
const KILLED = 'killed'
const STOPPED = 'stopped'

const nats = await getNatsServer((line) => console.error(line))
if (nats === undefined) throw new Error('there is no nats-server')
const { desk, ledger, run } = await busyDesk(nats)
try {
  const world = new FailingDesk(desk, 1, { away: 0, frozen: 0, cut: 0 })
  await desk.start()
  const programs = run(1)
  for (let kill = 0; kill < kills; kill += 1) {
    for (const how of [KILLED, STOPPED] as const) {
      const missing = await world.settled()
      if (missing.length > 0) throw new Error(missing.join(', '))
      await pause(BETWEEN_MS)
      const former = await world.takenOver(how, (one) => (how === KILLED ? one.kill() : one.stop()))
      await former.start()
    }
  }
  await programs.stop()
  const longest = (how: string) => round(Math.max(...(world.takeOversMs.get(how) ?? [])))
  tell({
    what: 'From the kill of a desk’s dispatcher until another machine dispatches, longest',
    unit: 'ms',
    better: 'less',
    ours: longest(KILLED),
    details: {
      'each, ms': (world.takeOversMs.get(KILLED) ?? []).map(Math.round).join(', '),
      'after SIGTERM, from the end of the process, longest, ms': longest(STOPPED),
      'requests that the service accepted': [...ledger.accepted.values()].reduce((a, b) => a + b, 0),
      'answers with 429 by the service': ledger.rejected.length,
      'requests accepted twice': ledger.twice.length,
      'requests without an answer': ledger.unanswered.length,
    },
    aims: [
      { what: `at most ${AIM_MS} ms`, isMet: longest(KILLED) <= AIM_MS },
      { what: 'no 429, nothing twice, every request answered', isMet: ledger.faults.length === 0 },
    ],
    how: `${kills} kills with SIGKILL and as many ends with SIGTERM, of one of three gateways with a NATS server on loopback, while twelve programs use up three quotas.`,
  })
} finally {
  await desk.end()
}
