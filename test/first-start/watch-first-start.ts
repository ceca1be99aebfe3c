import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { askRunning } from '../../main/control/ask-running.ts'
import { socketOf } from '../../main/control/data-folder-socket.ts'
import { HEALTH_PATH } from '../../main/network/loopback-servers.ts'
import { nodeClock } from '../../main/ports/node-clock.ts'
import { startProcess } from '../e2e/started-process.ts'
import { contradictions } from './contradictions.ts'
import { type Lateness, latenessOfPage, latenessOfProcess } from './lateness.ts'
import type { Contradiction, Look } from './look.ts'
import { readAlerts, readGlance, readShown } from './shown.ts'
import { readTruth } from './truth.ts'

/** For the windows of a busy machine to open. */
const PATIENCE_MS = 30_000

export interface Watched {
  readonly looks: number
  readonly contradictions: readonly Contradiction[]
}

export interface WatchOptions {
  readonly page: Page
  readonly seconds: number
  readonly everySeconds: number
  readonly found?: (contradiction: Contradiction) => void
}

/**
 * Starts Headroom as a first start does, on an empty data folder, and compares what the window says with what the
 * built-in simulator counts, every `everySeconds` for `seconds`.
 */
export async function watchFirstStart({
  page,
  seconds,
  everySeconds,
  found,
}: WatchOptions): Promise<Watched> {
  const secret = randomBytes(16).toString('hex')
  const data = mkdtempSync(join(tmpdir(), 'headroom-first-start-'))
  const flags = ['--host', 'browser', '--no-open', '--port', '0', '--data', data]
  const app = await startProcess(['start', ...flags], 'headroom ready: ', {
    HEADROOM_SIMULATOR_CONTROL: secret,
  })
  const url = app.ready[0] ?? ''
  const lateness: Lateness[] = [latenessOfProcess(new URL(HEALTH_PATH, url).href)]
  try {
    const origin = await simulatorOf(data)
    page.context().setDefaultTimeout(PATIENCE_MS)
    await page.goto(url)
    await page.locator('tr[data-category]').first().waitFor()
    const glance = await besides(page)
    await glance.getByRole('button', { name: 'Glance' }).click()
    const alerts = await besides(page)
    await alerts.getByTestId('alerts').click()
    for (const one of [page, glance, alerts]) lateness.push(await latenessOfPage(one))
    const looks: Look[] = []
    const all: Contradiction[] = []
    for (let second = 0; second < seconds; second += everySeconds) {
      await page.waitForTimeout(everySeconds * 1000)
      const before = await readTruth(origin, secret)
      const shown = await readShown(page)
      const more = { glance: await readGlance(glance), alerts: await readAlerts(alerts) }
      const after = await readTruth(origin, secret)
      const [appMs = 0, ...windowsMs] = await Promise.all(lateness.map((one) => one.takeMs()))
      looks.push({ before, shown, ...more, after, lateMs: appMs + Math.max(...windowsMs) })
      for (const contradiction of contradictions(looks)) {
        all.push(contradiction)
        found?.(contradiction)
      }
    }
    return { looks: looks.length, contradictions: all }
  } finally {
    for (const one of lateness) one.end()
    for (const one of page.context().pages()) {
      if (one === page) await one.goto('about:blank')
      else await one.close()
    }
    await app.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

/** A window that the first one opens: it takes over its session. */
async function besides(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => void window.open('/'))
  const more = await opened
  await more.locator('tr[data-category]').first().waitFor()
  return more
}

/** Where the built-in simulator listens: the running app says it to who owns its data folder. */
async function simulatorOf(dataFolder: string): Promise<string> {
  const asked = await askRunning(
    { do: 'status' },
    { clock: nodeClock, path: socketOf(dataFolder, process.env), userId: process.getuid?.() },
  )
  const answer = asked.kind === 'answered' ? asked.answer : undefined
  const snapshot = answer?.ok && 'snapshots' in answer ? answer.snapshots[0] : undefined
  if (snapshot === undefined) throw new Error(`the running app does not tell its service: ${asked.kind}`)
  return `http://${snapshot.service.host}`
}
