import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { longestTasksMs, muchAtOnce } from '../desktop/much-at-once.ts'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { findElectron } from '../electron/electron-runtime.ts'
import { reachableRuntime } from '../electron/reachable-runtime.ts'
import { asScript } from '../electron/shims/as-script.ts'
import { benchFlags, median, round, tell } from './result.ts'
import { LIVE_ROW } from './window-run.ts'

/**
 * The longest task of the desktop app's main process while a person uses it heavily: `node
 * test/bench/desktop-tasks.ts [--runs 3] [--seconds 10] [--json]`.
 *
 * An idle Electron runs at the same time. Its longest task shows how long the machine and the runtime alone
 * take. Exit 1 if the aim is missed.
 */
const { runs, seconds } = benchFlags({ runs: 3, seconds: 10 })
/** Maximum length of a task, in milliseconds. A person notices longer tasks, because the window freezes. */
const AIM_MS = 50
const LOOK_MS = 100

const found = findElectron()
const obstacle = obstacleToHost()
if (found === undefined || obstacle !== undefined) throw new Error(`not run: ${obstacle}`)
const idleFolder = await idleApp()
const host = await ElectronHost.ofCheckout({ isObserved: true })
const idleHost = await ElectronHost.ofPackage(reachableRuntime(found).executable, [
  join(idleFolder, 'main.js'),
])
const longestMs: number[] = []
const idleMs: number[] = []
try {
  for (let run = 0; run < runs; run += 1) await measure()
} finally {
  await host.close()
  await idleHost.close()
  rmSync(idleFolder, { recursive: true, force: true })
}
const ours = round(Math.max(...longestMs))
const floor = round(Math.max(...idleMs))
tell({
  what: 'The longest task of the main process, while a key is connected, a stream opened and every page visited',
  unit: 'ms of the processor',
  better: 'less',
  ours,
  peers: { 'an Electron that does nothing': floor },
  details: { 'the longest of the middle run, ms': round(median(longestMs)), runs },
  aims: [
    {
      what: `no task of more than ${AIM_MS} ms: an Electron that does nothing takes ${floor} ms here, the floor of any app on it`,
      isMet: ours <= AIM_MS,
    },
  ],
  how: `The built app on Electron ${found.version} under Xvfb, without a graphics processor, and the same Electron without an app. The most processor time between two turns of each main process, from the connecting of a key until ${seconds} s have passed; ${runs} runs, each on an empty data folder. The service is in the bench's own process.`,
})

async function measure(): Promise<void> {
  const simulator = await startSimulatorServer({})
  const started = host.start(host.newFolder())
  const idle = idleHost.start(idleHost.newFolder())
  const told = () => [started, idle].map(({ said }) => longestTasksMs(said))
  const telling = async (counts: readonly number[]) => {
    while (told().some((tasks, index) => tasks.length < (counts[index] ?? 0))) await wait(LOOK_MS)
  }
  try {
    const page = await started.page()
    await page.locator(LIVE_ROW).first().waitFor()
    await telling([1, 1])
    const from = told().map((tasks) => tasks.length)
    for (const ask of muchAtOnce(page, simulator)) await ask()
    // A task that is still running is reported only in the next second.
    const now = told().map((tasks) => tasks.length)
    await telling(now.map((count, index) => Math.max(count + 1, (from[index] ?? 0) + seconds)))
    const [ours, floor] = told().map((tasks, index) => Math.max(...tasks.slice(from[index])))
    longestMs.push(ours ?? Number.NaN)
    idleMs.push(floor ?? Number.NaN)
  } finally {
    await started.stop()
    await idle.stop()
    await simulator.close()
  }
}

/** A folder that every user may read. Its app only reports its own longest tasks. */
async function idleApp(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-idle-'))
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "main": "main.js" }\n')
  writeFileSync(join(folder, 'main.js'), await asScript('observer'))
  return folder
}
