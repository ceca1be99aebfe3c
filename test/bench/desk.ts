import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { BUILT, type DeskMachine, PROFILE } from '../desk-machines/desk-machine.ts'
import { DeskPrograms } from '../desk-machines/desk-programs.ts'
import { HeaderToRow } from '../desk-machines/header-to-row.ts'
import { StartedDesk } from '../desk-machines/started-desk.ts'
import { within } from '../desk-machines/within.ts'
import { getNatsServer } from '../desk-server/get-nats-server.ts'
import { benchFlags, median, quantile, round, tell } from './result.ts'

/**
 * What a desk of three machines costs, and how quick it is: `node test/bench/desk.ts [--headers 200]
 * [--rounds 4] [--seconds 30] [--json]`.
 *
 * Three built gateways and a NATS server, all on this machine. First one program polls, and each header is
 * followed to the rows of the two other machines. Then the machines idle, alternately with a desk and
 * without. Needs Linux. Exit 1 if an aim is missed.
 */
const { headers, rounds, seconds } = benchFlags({ headers: 200, rounds: 4, seconds: 30 })
const AIMS = { headerToRowMs: 150, idlePercent: 0.3, bytesPerSecond: 3_000 } as const
const JOINS_WITHIN_MS = 15_000
const SETTLE_MS = 5_000
const FOLLOWED = 'Option Expirations'
const POLLS = { poller: { paths: ['/v3/marketdata/options/expirations/MSFT'], everyMs: 300 } }

/** Use of the processor and of the network by one machine, in one round. */
interface Idle {
  readonly percent: number
  readonly bytesPerSecond: number
}

const nats = await getNatsServer((line) => console.error(line))
if (process.platform !== 'linux' || nats === undefined)
  throw new Error('not run: needs Linux and nats-server')
const desk = await StartedDesk.prepare({
  nats,
  machines: { A: ['poller'], B: [], C: [] },
  headroom: BUILT,
  service: { limits: { [FOLLOWED]: { limit: 6_000, periodSeconds: 300 } } },
  // Prints no snapshots, because their cost is not the desk's.
  flags: ['--probe', 'none', '--events'],
})
try {
  await desk.start()
  await joined()
  const tookMs = await followed()
  const idle = { with: [] as Idle[], without: [] as Idle[] }
  for (let round = 0; round < rounds; round += 1) {
    idle.with.push(busiest(await idling()))
    for (const machine of desk.machines) await machine.ask({ do: 'leave-desk', profile: PROFILE })
    idle.without.push(...(await idling()))
    await desk.join()
    await joined()
  }
  report(tookMs, idle)
} finally {
  await desk.end()
}

async function joined(): Promise<void> {
  const missing = await within(JOINS_WITHIN_MS, () => desk.notJoined())
  if (missing.length > 0) throw new Error(`no desk came about: ${missing.join(', ')}`)
}

/** Follows headers of the first machine to the others. Times in milliseconds. */
async function followed(): Promise<readonly number[]> {
  const [from, ...others] = desk.machines as [DeskMachine, ...DeskMachine[]]
  const ways = others.map((to) => new HeaderToRow(desk.key, { from, to, category: FOLLOWED }))
  const programs = new DeskPrograms(desk.machines, POLLS, 1)
  while (ways.some(({ tookMs }) => tookMs.length < headers)) await wait(100)
  for (const way of ways) way.end()
  await programs.stop()
  return ways.flatMap(({ tookMs }) => tookMs)
}

/** The use of each machine while idle. */
async function idling(): Promise<readonly Idle[]> {
  await wait(SETTLE_MS)
  const used = () =>
    desk.machines.map((machine) => ({
      cpu: processorMs(machine.pid),
      bytes: desk.wayOf(machine).bytes,
    }))
  const [before, fromMs] = [used(), performance.now()]
  await wait(seconds * 1_000)
  const tookMs = performance.now() - fromMs
  return used().map(({ cpu, bytes }, at) => ({
    percent: (100 * (cpu - (before[at]?.cpu ?? 0))) / tookMs,
    bytesPerSecond: ((bytes - (before[at]?.bytes ?? 0)) / tookMs) * 1_000,
  }))
}

/** The most that one of the machines uses, usually the dispatcher. */
function busiest(machines: readonly Idle[]): Idle {
  return {
    percent: Math.max(...machines.map((one) => one.percent)),
    bytesPerSecond: Math.max(...machines.map((one) => one.bytesPerSecond)),
  }
}

/**
 * The processor time of all threads of a process, in nanoseconds. Clock ticks would miss, or overcount, a
 * process that wakes briefly.
 */
function processorMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const ns = tasks.map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return ns.reduce((sum, one) => sum + one, 0) / 1e6
}

function report(
  tookMs: readonly number[],
  idle: Readonly<Record<'with' | 'without', readonly Idle[]>>,
): void {
  const percent = (all: readonly Idle[]) => median(all.map((one) => one.percent))
  const bytesPerSecond = Math.round(median(idle.with.map((one) => one.bytesPerSecond)))
  const idlePercent = round(percent(idle.with) - percent(idle.without))
  const p95 = round(quantile(tookMs, 0.95))
  tell({
    what: 'From a header on one machine of a desk to the row of another',
    unit: 'ms (95th percentile)',
    better: 'less',
    ours: p95,
    details: {
      'median, ms': round(quantile(tookMs, 0.5)),
      'slowest, ms': round(Math.max(...tookMs)),
      'headers followed': tookMs.length,
      'an idle desk of three, per cent of a core on the busiest machine': idlePercent,
      'the same process with a desk, per cent of a core': round(percent(idle.with)),
      'the same process without a desk, per cent of a core': round(percent(idle.without)),
      'bytes a second of the busiest idle machine, both directions': bytesPerSecond,
    },
    aims: [
      {
        what: `a header on another machine’s row within ${AIMS.headerToRowMs} ms, p95`,
        isMet: p95 <= AIMS.headerToRowMs,
      },
      {
        what: `an idle desk takes at most ${AIMS.idlePercent} % of a core`,
        isMet: idlePercent <= AIMS.idlePercent,
      },
      {
        what: `an idle desk takes at most ${AIMS.bytesPerSecond / 1_000} kB a second of a machine`,
        isMet: bytesPerSecond <= AIMS.bytesPerSecond,
      },
    ],
    how: `Three built gateways, a simulator and a NATS server on loopback. From the service’s answer, until the other machine’s row has its header, which is asked for all the time: ${headers} headers to each of two machines. Then ${rounds} times ${seconds} s with a desk and as long without one, in turn, while no program runs: the process of each gateway and what passes between it and NATS. With a desk, the busiest gateway counts. Medians.`,
  })
}
