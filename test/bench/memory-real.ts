import { readFileSync } from 'node:fs'
import type { CDPSession } from '@playwright/test'
import { benchFlags, median, round, tell } from './result.ts'
import { LIVE_ROW, launchChromium, startWithWindow } from './window-run.ts'

/**
 * Memory of a real run: `node test/bench/memory-real.ts [--minutes 2] [--json]`.
 *
 * Runs the process that people start, with its built-in simulator and a page of a real Chromium. Measures its
 * resident memory as the system reports it. Exit 1 if an aim is missed.
 */
const { minutes } = benchFlags({ minutes: 2 })
const SAMPLE_MS = 2_000
const AIMS = { residentMb: 250, growthMb: 20, pageGrowthMb: 5 } as const

const browser = await launchChromium()
const resident: number[] = []
const page: number[] = []
try {
  const run = await startWithWindow(browser, ['--simulate'])
  await run.page.goto(run.url)
  await run.page.locator(LIVE_ROW).first().waitFor()
  const cdp = await run.page.context().newCDPSession(run.page)
  const samples = Math.max(6, Math.round((minutes * 60_000) / SAMPLE_MS))
  for (let sample = 0; sample < samples; sample += 1) {
    await run.page.waitForTimeout(SAMPLE_MS)
    resident.push(residentMb(run.started.pid))
    if (sample % 5 === 0 || sample === samples - 1) page.push(await pageHeapMb(cdp))
  }
  await run.end()
} finally {
  await browser.close()
}

// The first third is left out, because it belongs to the start.
const third = Math.floor(resident.length / 3)
const growth = round(median(resident.slice(2 * third)) - median(resident.slice(third, 2 * third)))
const pageGrowth = round((page.at(-1) ?? 0) - (page[Math.floor(page.length / 3)] ?? 0))
const ours = round(median(resident.slice(2 * third)))
tell({
  what: `Memory of the process after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`,
  unit: 'MB resident',
  better: 'less',
  ours,
  details: {
    'most at any time, MB': round(Math.max(...resident)),
    'last third over the one before, MB': growth,
    "the page's heap at the end, MB": round(page.at(-1) ?? Number.NaN),
    "the page's heap since the first third, MB": pageGrowth,
  },
  aims: [
    { what: `at most ${AIMS.residentMb} MB`, isMet: ours <= AIMS.residentMb },
    {
      what: `at most ${AIMS.growthMb} MB from the second third to the last`,
      isMet: growth <= AIMS.growthMb,
    },
    { what: `at most ${AIMS.pageGrowthMb} MB more in the page`, isMet: pageGrowth <= AIMS.pageGrowthMb },
  ],
  how: `A real run of ${minutes} min on the built-in simulator, which is in the same process, with its page open; sampled every ${SAMPLE_MS / 1000} s. The page's heap is after a forced collection.`,
})

function residentMb(pid: number): number {
  if (process.platform !== 'linux') throw new Error('how much a process holds is read from /proc, on Linux')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kilobytes) * 1024) / 1e6
}

async function pageHeapMb(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}
