import { setTimeout as pause } from 'node:timers/promises'
import { chanceFrom } from '../app/quota/chance.ts'
import { BUSY_LIMIT, BUSY_QUOTAS, busyDesk } from '../desk-machines/busy-desk.ts'
import { FAILURES, FailingDesk, type FailureName } from '../desk-machines/desk-failures.ts'
import { BUILT } from '../desk-machines/desk-machine.ts'
import type { DeskProof, DeskProofAsked } from './desk-proof.ts'

const TAKE_OVER_MS = 8_000
const FIRST_MS = 15_000
const TIMES = { away: 10_000, frozen: 30_000, cut: 15_000 }

/** Runs three machines for so long, while each minute a part of their desk fails. */
export async function failuresProof({ minutes, seed, nats, say }: DeskProofAsked): Promise<DeskProof> {
  const { desk, ledger, run } = await busyDesk(nats, { headroom: BUILT })
  try {
    const world = new FailingDesk(desk, seed, TIMES)
    await desk.start()
    const first = await world.settled()
    if (first.length > 0) throw new Error(`no queue came about: ${first.join(', ')}`)
    const startedMs = Date.now()
    const programs = run(seed)
    say(`three machines, ${minutes} minutes, a failure each minute`)
    await pause(FIRST_MS)
    const unsettled: string[] = []
    const ran = new Map<FailureName, number>()
    for (const name of order(seed, minutes)) {
      const fromMs = Date.now()
      const before = ledger.faults.length
      const declined = ledger.declined.length
      await FAILURES[name](world)
      const missing = await world.settled()
      unsettled.push(...missing.map((line) => `${name}: ${line}`))
      ran.set(name, (ran.get(name) ?? 0) + 1)
      const some = ledger.declined.slice(declined)
      const told = some.length === 0 ? [] : [`declined ${some.length}, first ${some[0]}, last ${some.at(-1)}`]
      say([name, ...missing, ...told, ...ledger.faults.slice(before)].join('\n  '))
      await pause(Math.max(0, 60_000 - (Date.now() - fromMs)))
    }
    await programs.stop()
    const seconds = (Date.now() - startedMs) / 1_000
    const takeOvers = [...world.takeOversMs].map(
      ([name, all]) => [name, Math.round(Math.max(...all))] as const,
    )
    const possible = BUSY_LIMIT.limit + (seconds * BUSY_LIMIT.limit) / BUSY_LIMIT.periodSeconds
    const used = BUSY_QUOTAS.map((category) => ((ledger.accepted.get(category) ?? 0) / possible) * 100)
    const longest = Math.max(0, ...takeOvers.map(([, ms]) => ms))
    return {
      figures: {
        failures: [...ran.values()].reduce((sum, one) => sum + one, 0),
        'requests that the service accepted': [...ledger.accepted.values()].reduce((a, b) => a + b, 0),
        'of what the quotas gave, %, the least used one': Number(Math.min(...used).toFixed(1)),
        'answers with 429 by the service': ledger.rejected.length,
        'requests accepted twice': ledger.twice.length,
        'requests without an answer': ledger.unanswered.length,
        'answers lost with a machine that was killed': ledger.lost,
        'requests that a gateway declined': ledger.declined.length,
        'answers to programs': [...ledger.statuses].map(([status, n]) => `${n} × ${status}`).join(', '),
        ...Object.fromEntries(takeOvers.map(([name, ms]) => [`take-over, longest, ms: ${name}`, ms])),
        ...Object.fromEntries(ledger.faults.slice(0, 20).map((line, at) => [`fault ${at + 1}`, line])),
        ...Object.fromEntries(unsettled.slice(0, 10).map((line, at) => [`not settled ${at + 1}`, line])),
      },
      aims: [
        { what: 'no 429 of the service', isMet: ledger.rejected.length === 0 },
        { what: 'no request accepted twice', isMet: ledger.twice.length === 0 },
        { what: 'every request answered', isMet: ledger.unanswered.length === 0 },
        { what: `another machine dispatches within ${TAKE_OVER_MS} ms`, isMet: longest <= TAKE_OVER_MS },
        { what: 'one queue again after each failure', isMet: unsettled.length === 0 },
      ],
    }
  } finally {
    await desk.end()
  }
}

/** All failures in a random order, again and again. */
function order(seed: number, count: number): readonly FailureName[] {
  const chance = chanceFrom(seed)
  const names: FailureName[] = []
  while (names.length < count) {
    const round = (Object.keys(FAILURES) as FailureName[]).map((name) => [chance(), name] as const)
    names.push(...round.sort(([a], [b]) => a - b).map(([, name]) => name))
  }
  return names.slice(0, count)
}
