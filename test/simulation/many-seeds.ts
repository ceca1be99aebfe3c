import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { SeedLife } from './seed-life.ts'

export interface Totals {
  seeds: number
  virtualHours: number
  cpuSeconds: number
  looks: number
  invariantsChecked: number
  readonly events: Record<string, number>
  readonly faults: Record<string, number>
  readonly broken: SeedLife[]
}

export interface ManySeeds {
  readonly jobs: number
  /** The next seed; `undefined` if enough seeds were started. */
  readonly next: () => { readonly seed: number; readonly hours: number } | undefined
  readonly lived: (life: SeedLife, totals: Totals) => void
}

/** No life takes this long. A virtual hour that never ends is an endless loop. */
const LONGEST_LIFE_MS = 240_000
/** Most objects of a virtual second are garbage in the next. A large nursery collects them cheaply. */
const HEAP = ['--max-semi-space-size=64']
const WORKER = fileURLToPath(new URL('seed-worker.ts', import.meta.url))

/** Lives seeds in `jobs` processes at once. */
export async function liveMany({ jobs, next, lived }: ManySeeds): Promise<Totals> {
  const totals: Totals = {
    seeds: 0,
    virtualHours: 0,
    cpuSeconds: 0,
    looks: 0,
    invariantsChecked: 0,
    events: {},
    faults: {},
    broken: [],
  }
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      let worker = fork(WORKER, { execArgv: HEAP })
      for (let order = next(); order !== undefined; order = next()) {
        const life = await lifeOf(worker, order)
        if (worker.exitCode !== null || worker.killed) worker = fork(WORKER, { execArgv: HEAP })
        add(totals, life)
        lived(life, totals)
      }
      worker.disconnect()
    }),
  )
  return totals
}

function lifeOf(
  worker: ChildProcess,
  order: { readonly seed: number; readonly hours: number },
): Promise<SeedLife> {
  const nothing = { ...order, looks: 0, invariantsChecked: 0, events: {}, faults: {}, cpuSeconds: 0 }
  return new Promise((resolve) => {
    const end = (life: SeedLife) => {
      clearTimeout(deadline)
      worker.off('message', end)
      worker.off('exit', died)
      resolve(life)
    }
    const died = () => end({ ...nothing, broken: `the process died (seed ${order.seed})` })
    const deadline = setTimeout(() => {
      end({ ...nothing, broken: `time did not move on (seed ${order.seed})` })
      worker.kill('SIGKILL')
    }, LONGEST_LIFE_MS)
    worker.on('message', end)
    worker.on('exit', died)
    worker.send(order)
  })
}

function add(totals: Totals, life: SeedLife): void {
  totals.seeds += 1
  totals.cpuSeconds += life.cpuSeconds
  if (life.broken !== undefined) {
    totals.broken.push(life)
    return
  }
  totals.virtualHours += life.hours
  totals.looks += life.looks
  totals.invariantsChecked += life.invariantsChecked
  for (const kind of ['events', 'faults'] as const) {
    for (const [name, count] of Object.entries(life[kind])) {
      totals[kind][name] = (totals[kind][name] ?? 0) + count
    }
  }
}
