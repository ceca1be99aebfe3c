import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSimulator } from '../../main/simulator/server.ts'
import { connectKey, openPositionsStream } from '../e2e/connect-key.ts'
import { programPath } from '../electron/display.ts'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { HANDS_PROGRAM } from '../electron/get-electron.ts'
import { runtimeOf } from '../electron/runtime-of.ts'
import type { StartedElectron } from '../electron/started-electron.ts'
import { cannotProve, proves } from '../proof/proves.ts'

/** Longer than this and a person sees the window stand still. */
const MAX_TASK_MS = 50
/** Of a command while nothing else is asked for, on a machine that other programs keep busy as well. */
const ANSWER_LIMIT_MS = 5_000
const OBSERVED_SECONDS = 10

const obstacle =
  obstacleToHost() ??
  (process.platform === 'linux' && programPath(HANDS_PROGRAM) === undefined ? 'no xdotool' : undefined)
const name = `the main process on Electron's runtime${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

if (obstacle !== undefined) {
  it('is not run, and the page of promises says so', () => cannotProve('W9', 4, obstacle))
}

describe.skipIf(obstacle !== undefined)(name, { timeout: 120_000 }, () => {
  let host: ElectronHost
  let started: StartedElectron
  let page: Page
  let on: string
  let downloads: string

  beforeAll(async () => {
    host = await ElectronHost.ofCheckout({ isObserved: true })
    const dataFolder = host.newFolder()
    // As a person's account has it; this one's home is new.
    const home = dirname(dataFolder)
    downloads = join(home, 'Downloads')
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
  afterAll(() => host?.close())

  /** `no answer` where main stands still. */
  const hello = () =>
    Promise.race([
      page.evaluate('window.headroom.hello().then(({ host }) => host)'),
      new Promise((resolve) => setTimeout(resolve, ANSWER_LIMIT_MS, 'no answer')),
    ])

  // Held against a clock: where other programs take the processor away meanwhile, it is tried again.
  it('takes no more than 50 ms at once, while keys come, streams open and a person looks around', {
    retry: 2,
  }, async () => {
    const simulator = await startSimulator({})
    try {
      const seen = () => longestTasksMs(started.said).length
      await expect.poll(seen, { timeout: 10_000 }).toBeGreaterThan(0)
      const from = seen()
      await connectKey(page, simulator)
      await openPositionsStream(page)
      for (const view of ['1 h', '24 h', '7 d', 'Table', 'Details', '15 min'])
        await page.getByRole('button', { name: view, exact: true }).click()
      await page.evaluate(LOOK_AT_ALL)
      await expect.poll(seen, { timeout: 60_000 }).toBeGreaterThanOrEqual(from + OBSERVED_SECONDS)
      const tasksMs = longestTasksMs(started.said).slice(from)
      expect(Math.max(...tasksMs)).toBeLessThanOrEqual(MAX_TASK_MS)
      proves('W9', { level: 4, cases: tasksMs.length, on })
    } finally {
      await simulator.close()
    }
  })

  it('goes on while a native save dialog is open, which has a title and a whole path', async () => {
    started.signal('SIGUSR2')
    await expect.poll(() => /^save dialog: (.*)$/m.exec(started.said)?.[1]).toBeDefined()
    const asked: unknown = JSON.parse(/^save dialog: (.*)$/m.exec(started.said)?.[1] ?? '')
    const report = expect.stringMatching(/headroom-report-\d{4}-\d\d-\d\d\.txt$/) as unknown
    expect(asked).toMatchObject({ title: 'Save a report without secrets', defaultPath: report })
    expect(dirname((asked as { defaultPath: string }).defaultPath)).toBe(downloads)
    expect(await hello()).toBe('desktop')
    if (process.platform === 'linux') {
      await expect.poll(() => windowsNamed('Save a report without secrets')).not.toEqual([])
      const [dialog = ''] = windowsNamed('Save a report without secrets')
      expect(await hello()).toBe('desktop')
      // The name is chosen already: Return saves.
      hand('windowfocus', '--sync', dialog)
      hand('key', 'Return')
      await expect.poll(() => readdirSync(downloads), { timeout: 20_000 }).toEqual([report])
      const [file = ''] = readdirSync(downloads)
      await expect.poll(() => readFileSync(join(downloads, file), 'utf8')).toContain('version ')
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

/** One a second, oldest first: see `shims/observer.ts`. */
const longestTasksMs = (said: string): readonly number[] =>
  [...said.matchAll(/^longest task, ms: (\S+)$/gm)].map(([, ms]) => Number(ms))

/** What asks main for most at once: a week of a row, a report, all events. */
const LOOK_AT_ALL = `(async () => {
  const { headroom } = window
  const [snapshot] = await headroom.snapshots()
  const { at, profile, requests } = snapshot
  const fromMs = at - 7 * 24 * 3_600_000
  for (const { category } of requests)
    await headroom.history({ profile: profile.id, category, fromMs, toMs: at, points: 300 })
  await headroom.report({ profile: profile.id, fromMs, toMs: at })
  await headroom.events({ after: 0 })
  await headroom.keySettings({ profile: profile.id })
})()`
