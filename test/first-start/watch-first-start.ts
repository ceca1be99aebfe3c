import type { Page } from '@playwright/test'
import { HEALTH_PATH } from '../../main/network/loopback-servers.ts'
import { contradictions } from './contradictions.ts'
import { type Lateness, latenessOfPage, latenessOfProcess } from './lateness.ts'
import type { Contradiction, Look } from './look.ts'
import { type Shares, sharesOf } from './shares.ts'
import { readAlerts, readGlance, readShown } from './shown.ts'
import { brokenKey, firstStart } from './stage.ts'
import { readTruth } from './truth.ts'

/** Maximum time for the windows to open on a busy machine. */
const CALLER_WAIT_MS = 30_000

export interface Watched {
  readonly looks: number
  readonly contradictions: readonly Contradiction[]
  readonly shares: Shares
}

export interface WatchOptions {
  readonly page: Page
  readonly seconds: number
  readonly everySeconds: number
  /** Whether something breaks every three minutes. The key then has the default settings. */
  readonly breaks?: boolean
  readonly found?: (contradiction: Contradiction) => void
}

/**
 * Compares the window with the simulator's counts, every `everySeconds` for `seconds`. With `breaks`, it
 * watches a key around which something breaks, otherwise a first start.
 */
export async function watchFirstStart({
  page,
  seconds,
  everySeconds,
  breaks = false,
  found,
}: WatchOptions): Promise<Watched> {
  const stage = await (breaks ? brokenKey() : firstStart())
  const { url, origin, secret, troubles } = stage
  const lateness: Lateness[] = [latenessOfProcess(new URL(HEALTH_PATH, url).href)]
  try {
    page.context().setDefaultTimeout(CALLER_WAIT_MS)
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
      await stage.advance(second * 1000)
      await page.waitForTimeout(everySeconds * 1000)
      const before = await readTruth(origin, secret)
      const shown = await readShown(page)
      const more = { glance: await readGlance(glance), alerts: await readAlerts(alerts) }
      const after = await readTruth(origin, secret)
      const [appMs = 0, ...windowsMs] = await Promise.all(lateness.map((one) => one.takeMs()))
      const lateMs = appMs + Math.max(...windowsMs)
      looks.push({ before, shown, ...more, after, troubles: [...troubles], lateMs })
      for (const contradiction of contradictions(looks)) {
        all.push(contradiction)
        found?.(contradiction)
      }
    }
    return { looks: looks.length, contradictions: all, shares: sharesOf(looks) }
  } finally {
    for (const one of lateness) one.end()
    for (const one of page.context().pages()) {
      if (one === page) await one.goto('about:blank')
      else await one.close()
    }
    await stage.close()
  }
}

/** A second window that the first one opens. It gets the session of the first one. */
async function besides(page: Page): Promise<Page> {
  const opened = page.waitForEvent('popup')
  await page.evaluate(() => void window.open('/'))
  const more = await opened
  await more.locator('tr[data-category]').first().waitFor()
  return more
}
