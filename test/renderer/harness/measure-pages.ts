/**
 * Time to switch between the window's pages with a week of history, and the tasks of the first render: `node
 * test/renderer/harness/measure-pages.ts [--rounds 20] [--runs 5] [--json]`. Exits with 1 if an aim is
 * missed.
 */
import type { Page } from '@playwright/test'
import { benchFlags, median, round, tell } from '../../bench/result.ts'
import { launchChromium } from '../../bench/window-run.ts'
import { snapshot } from '../fixtures.ts'
import { buildWindow } from './build-window.ts'
import { startFakeHost } from './fake-host.ts'
import { mainThreadTasksMs } from './traced-tasks.ts'

const { rounds, runs } = benchFlags({ rounds: 20, runs: 5 })
/** Milliseconds. */
const AIMS = { switch: 100, firstTask: 100 } as const
const PAGES = ['Programs', 'Plan', 'Glance', 'Monitor'] as const

const dist = await buildWindow()
const browser = await launchChromium()
const firstTasks: number[] = []
for (let run = 0; run < runs; run += 1) firstTasks.push(await longestFirstTask())
const { all, byPage, ofCore } = await switches(rounds)
await browser.close()
const p95 = percentile95(all)
const firstTask = round(median(firstTasks))
tell({
  what: 'Switching between pages',
  unit: 'ms to the next paint, 95th percentile',
  better: 'less',
  ours: round(p95),
  details: {
    ...Object.fromEntries(
      Object.entries(byPage).map(([page, ms]) => [`to ${page}, ms`, round(percentile95(ms))]),
    ),
    'of a core, ms': round(percentile95(ofCore)),
    'longest task of the first render, ms of a core (median)': firstTask,
    'of the slowest run, ms': round(Math.max(...firstTasks)),
  },
  aims: [
    { what: `at most ${AIMS.switch} ms`, isMet: p95 <= AIMS.switch },
    { what: `no task of the first render over ${AIMS.firstTask} ms`, isMet: firstTask <= AIMS.firstTask },
  ],
  how: `13 rows, 3 streams and a week of history in a real Chromium; ${rounds} rounds through the four pages, from the click to the frame after; the first render ${runs} times, each in a new context.`,
})

async function opened(): Promise<{
  readonly page: Page
  readonly close: () => Promise<void>
  readonly link: string
}> {
  const host = await startFakeHost(dist, snapshot())
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  return {
    page,
    link: host.link(),
    close: async () => {
      await context.close()
      await host.close()
    },
  }
}

async function longestFirstTask(): Promise<number> {
  const { page, link, close } = await opened()
  await browser.startTracing(page, {
    categories: ['disabled-by-default-devtools.timeline', 'devtools.timeline'],
  })
  await page.goto(link)
  await page.locator('[data-history] .recharts-area path').first().waitFor()
  await page.waitForTimeout(1000)
  const tasks = mainThreadTasksMs(await browser.stopTracing(), 'core')
  await close()
  return tasks.at(-1) ?? Number.NaN
}

async function switches(rounds: number) {
  const { page, link, close } = await opened()
  await page.goto(link)
  await page.getByRole('button', { name: '7 d' }).click()
  await page.locator('[data-history] .recharts-area path').first().waitFor()
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const coreMs = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  const ofCore: number[] = []
  const byPage: Record<string, number[]> = Object.fromEntries(PAGES.map((name) => [name, []]))
  for (let count = 0; count <= rounds; count += 1) {
    for (const name of PAGES) {
      const before = await coreMs()
      const ms = await switched(page, name)
      const took = (await coreMs()) - before
      // The first opening of a page is left out, because its code is loaded then.
      if (count > 0) {
        byPage[name]?.push(ms)
        ofCore.push(took)
      }
      await page.waitForTimeout(150)
    }
  }
  await close()
  return { all: Object.values(byPage).flat(), byPage, ofCore }
}

/** Clicks the page's button, or leaves Glance, and waits for the frame that paints it. */
function switched(page: Page, name: string): Promise<number> {
  return page.evaluate(async (wanted) => {
    const button = [...document.querySelectorAll<HTMLElement>('nav[aria-label=Pages] button')].find(
      (one) => one.textContent?.trim().startsWith(wanted) && one.getClientRects().length > 0,
    )
    const start = performance.now()
    if (button) button.click()
    else document.dispatchEvent(new KeyboardEvent('keydown', { key: 'g', bubbles: true }))
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    return performance.now() - start
  }, name)
}

function percentile95(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.ceil(all.length * 0.95) - 1] ?? Number.NaN
}
