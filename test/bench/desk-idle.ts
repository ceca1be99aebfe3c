import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { FailingDesk } from '../desk-machines/desk-failures.ts'
import { StartedDesk } from '../desk-machines/started-desk.ts'
import { getNatsServer } from '../desk-server/get-nats-server.ts'
import { round, tell } from './result.ts'

/**
 * What a desk of three gateways costs while no program sends anything, compared with one without a desk:
 * `node test/bench/desk-idle.ts [--seconds 60] [--json]`. Exit 1 where an aim is missed. Linux only.
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, json: { type: 'boolean', default: false } },
})
const seconds = Number(values.seconds)
const AIM_CPU = 0.3
const AIM_BYTES = 3_000
const SETTLE_MS = 20_000
const TICKS = 100

/** CPU time of a process so far, in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

const nats = await getNatsServer((line) => console.error(line))
if (nats === undefined) throw new Error('there is no nats-server')
const traits = { nats, flags: ['--probe', 'none'] }
const desk = await StartedDesk.prepare({ ...traits, machines: { A: ['a'], B: ['b'], C: ['c'] } })
const lone = await StartedDesk.prepare({ ...traits, machines: { ALONE: ['alone'] } })
try {
  await desk.start()
  await Promise.all(lone.machines.map((machine) => machine.start()))
  const world = new FailingDesk(desk, 1, { away: 0, frozen: 0, cut: 0 })
  const missing = await world.settled()
  if (missing.length > 0) throw new Error(missing.join(', '))
  await pause(SETTLE_MS)
  const dispatcher = await world.dispatcher()
  const machines = [...desk.machines, ...lone.machines]
  const read = () =>
    machines.map((machine) => ({ cpu: cpuOf(machine.pid), bytes: desk.ways.get(machine)?.bytes ?? 0 }))
  const before = read()
  await pause(seconds * 1_000)
  const after = read()
  const of = (at: number) => ({
    cpu: (100 * ((after[at]?.cpu ?? 0) - (before[at]?.cpu ?? 0))) / seconds,
    bytes: ((after[at]?.bytes ?? 0) - (before[at]?.bytes ?? 0)) / seconds,
  })
  const all = desk.machines.map((_, at) => of(at))
  const without = of(machines.length - 1)
  const dispatches = of(desk.machines.indexOf(dispatcher))
  const added = all.map(({ cpu }) => cpu - without.cpu)
  const bytes = all.map((one) => one.bytes)
  tell(
    {
      what: 'What an idle desk adds to a gateway, of a core, at most',
      unit: '%',
      better: 'less',
      ours: round(Math.max(...added)),
      peers: {},
      details: {
        'a gateway without a desk, %': round(without.cpu),
        'the dispatcher, %': round(dispatches.cpu),
        'the members, %': all.map(({ cpu }) => round(cpu)).join(', '),
        'bytes a second to and from a machine': bytes.map((one) => Math.round(one)).join(', '),
        'those of the dispatcher': Math.round(dispatches.bytes),
      },
      aims: [
        { what: `at most ${AIM_CPU} % of a core`, isMet: Math.max(...added) <= AIM_CPU },
        { what: `at most ${AIM_BYTES} bytes a second`, isMet: Math.max(...bytes) <= AIM_BYTES },
      ],
      how: `Three gateways of one desk and one without, each without checks and requests, for ${seconds} s.`,
    },
    values.json,
  )
} finally {
  await desk.end()
  await lone.end()
}
