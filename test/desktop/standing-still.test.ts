import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { programPath } from '../electron/display.ts'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { HANDS_PROGRAM } from '../electron/get-electron.ts'
import { runtimeOf } from '../electron/runtime-of.ts'
import type { StartedElectron } from '../electron/started-electron.ts'
import { PATIENT } from '../patient.ts'
import { cannotProve, proves } from '../proof/proves.ts'
import { longestTasksMs, muchAtOnce } from './much-at-once.ts'

/** Maximum processor time of one task. A quiet machine needs about 20 ms, and the bench allows 50 ms. */
const MAX_TASK_MS = 1_000
/** Maximum time until a command is answered. A quiet machine needs 0.1 s. */
const ANSWER_LIMIT_MS = 5_000

const obstacle =
  obstacleToHost() ??
  (process.platform === 'linux' && programPath(HANDS_PROGRAM) === undefined ? 'no xdotool' : undefined)
const name = `the main process on Electron's runtime${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

if (obstacle !== undefined) {
  it('is not run, and the page of promises reports that', () => cannotProve('W9', 4, obstacle))
}

describe.skipIf(obstacle !== undefined)(name, { timeout: 120_000 }, () => {
  let host: ElectronHost
  let started: StartedElectron
  let page: Page
  let on: string
  let downloads: string

  beforeAll(async () => {
    host = await ElectronHost.ofCheckout({ isObserved: true })
  })
  afterAll(() => host?.close())

  // Each try has its own app, in its initial state.
  beforeEach(async () => {
    const dataFolder = host.newFolder()
    // Creates the folder that a person's account usually has, because the home folder of this test is new.
    const home = dirname(dataFolder)
    downloads = join(home, 'Downloads')
    rmSync(downloads, { recursive: true, force: true })
    mkdirSync(downloads)
    chmodSync(downloads, 0o777)
    writeFileSync(join(home, 'config', 'user-dirs.dirs'), 'XDG_DOWNLOAD_DIR="$HOME/Downloads"\n', {
      mode: 0o644,
    })
    started = host.start(dataFolder)
    page = await started.page()
    on = await runtimeOf(page)
    await page.locator('tr[data-category]:not([data-source="default"])').first().waitFor()
  }, 90_000)
  afterEach(() => started?.stop())

  /** `no answer` if the main process is blocked. */
  const hello = () =>
    Promise.race([
      page.evaluate('window.headroom.hello().then(({ host }) => host)'),
      new Promise((resolve) => setTimeout(resolve, ANSWER_LIMIT_MS, 'no answer')),
    ])

  it('responds in between, while keys are connected, streams open and a person navigates', async () => {
    const simulator = await startSimulatorServer({})
    try {
      const seen = () => longestTasksMs(started.said).length
      const until = (count: number) => expect.poll(seen, { timeout: 60_000 }).toBeGreaterThanOrEqual(count)
      await until(1)
      const from = seen()
      for (const ask of muchAtOnce(page, simulator)) {
        const [answer] = await Promise.all([hello(), ask()])
        expect(answer).toBe('desktop')
      }
      await until(seen() + 1)
      const tasksMs = longestTasksMs(started.said).slice(from)
      expect(Math.max(...tasksMs)).toBeLessThanOrEqual(MAX_TASK_MS)
      proves('W9', { level: 4, cases: tasksMs.length, on })
    } finally {
      await simulator.close()
    }
  })

  it('continues while a native save dialog is open, which has a title and a full path', async () => {
    started.signal('SIGUSR2')
    await expect.poll(() => /^save dialog: (.*)$/m.exec(started.said)?.[1], PATIENT).toBeDefined()
    const asked: unknown = JSON.parse(/^save dialog: (.*)$/m.exec(started.said)?.[1] ?? '')
    const report = expect.stringMatching(/headroom-report-\d{4}-\d\d-\d\d\.txt$/) as unknown
    expect(asked).toMatchObject({ title: 'Save a report without secrets', defaultPath: report })
    expect(dirname((asked as { defaultPath: string }).defaultPath)).toBe(downloads)
    expect(await hello()).toBe('desktop')
    if (process.platform === 'linux') {
      await expect.poll(() => windowsNamed('Save a report without secrets'), PATIENT).not.toEqual([])
      const [dialog = ''] = windowsNamed('Save a report without secrets')
      expect(await hello()).toBe('desktop')
      // The name is chosen already: Return saves.
      hand('windowfocus', '--sync', dialog)
      hand('key', 'Return')
      await expect.poll(() => readdirSync(downloads), PATIENT).toEqual([report])
      const [file = ''] = readdirSync(downloads)
      await expect.poll(() => readFileSync(join(downloads, file), 'utf8'), PATIENT).toContain('version ')
    }
    proves('W9', { level: 4, cases: 1, on })
  })

  function hand(...args: readonly string[]): string {
    const env = { ...process.env, DISPLAY: host.display.name ?? '' }
    return execFileSync(HANDS_PROGRAM, args, { encoding: 'utf8', env })
  }

  function windowsNamed(title: string): readonly string[] {
    try {
      return hand('search', '--onlyvisible', '--name', title)
        .split('\n')
        .filter((line) => line !== '')
    } catch {
      return [] // none is there, which it tells by its exit code
    }
  }
})
