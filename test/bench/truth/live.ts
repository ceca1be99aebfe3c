import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { originNow } from '../../proof/commit.ts'
import { machineWords, thisMachine } from '../machine.ts'
import { aimsOf, aimWord } from './aims.ts'
import type { Figures } from './figures.ts'
import type { MixOrder } from './live-mix.ts'
import { kindColumns, kindRow, truthPage } from './page.ts'

/**
 * Measures in real time: `npm run truth:live -- --seed N [--mixes 3] [--programs 2] [--minutes 20] [--out
 * FILE]`.
 *
 * Each key has a simulator, others over HTTP, and `headroom watch --json` at default settings as separate
 * processes. All keys run at once. Each quota of a mix has a kind of traffic drawn from the seed. Each quota
 * of a key of `--programs` has a poller, a dashboard, a scanner, sessions or a storm, each in a separate
 * process. Exit 1 if an aim is missed.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    mixes: { type: 'string', default: '3' },
    programs: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '20' },
    out: { type: 'string' },
  },
})
const WORKER = fileURLToPath(new URL('live-mix.ts', import.meta.url))
const LAUNCH = fileURLToPath(new URL('../../../main/launch.js', import.meta.url))
/** Distance between the first programs of two keys in the list of `timedKind`. */
const PROGRAMS_APART = 5
const seed = Number(values.seed)
if (!Number.isInteger(seed)) {
  process.stderr.write('--seed N says which mixes are drawn: a whole number that no run has used before\n')
  process.exitCode = 2
} else await main()

async function main(): Promise<void> {
  // Builds Headroom once if necessary. Otherwise all processes would try to build it at the same time.
  spawnSync(process.execPath, [LAUNCH, '--version'])
  const [mixes, programs, minutes] = [Number(values.mixes), Number(values.programs), Number(values.minutes)]
  const origin = originNow()
  const orders = Array.from(
    { length: mixes + programs },
    (_, key): MixOrder => ({
      ...{ seed: seed + key, minutes },
      ...(key >= mixes && { firstProgram: PROGRAMS_APART * (key - mixes) }),
    }),
  )
  const nameOf = (key: number) => (key < mixes ? `mix ${key + 1}` : `programs ${key - mixes + 1}`)
  const ended = await Promise.allSettled(orders.map((order) => lived(fork(WORKER), order)))
  const figures = ended.flatMap((end, key) => {
    if (end.status === 'fulfilled')
      return end.value.map((one) => ({ ...one, name: `${nameOf(key)}: ${one.name}` }))
    // The results of the other keys took as long to measure, so they are still printed.
    process.stderr.write(`${nameOf(key)}: ${String(end.reason)}\n`)
    process.exitCode = 1
    return []
  })
  if (figures.length === 0) return
  const aims = aimsOf(figures)
  for (const row of [kindColumns(), ...figures.map(kindRow)]) console.log(row.join(' | '))
  for (const aim of aims)
    console.log(`${aimWord(aim).toUpperCase()}: ${aim.figure} (${aim.aim}): ${aim.measured}`)
  const how = `In real time: ${mixes} mixes drawn from seed ${seed} and ${programs} keys with pollers, scanners, sessions and storms, a process each, ${minutes} minutes each; a simulator, others on its key over HTTP and \`headroom watch --json\` at default settings in processes of their own; one look a second at what was printed, against the simulator's count`
  if (values.out !== undefined) {
    const machine = machineWords(thisMachine())
    writeFileSync(values.out, truthPage({ aims, kinds: figures, how, origin, machine }))
  }
  if (aims.some(({ isMet }) => isMet === false)) process.exitCode = 1
}

function lived(worker: ChildProcess, order: MixOrder): Promise<readonly Figures[]> {
  return new Promise((resolve, reject) => {
    worker.on('message', (figures) => {
      worker.disconnect()
      resolve(figures as readonly Figures[])
    })
    worker.on('exit', (code) => code !== 0 && reject(new Error(`mix ${order.seed} ended with ${code}`)))
    worker.send(order)
  })
}
