import { performance } from 'node:perf_hooks'
import type { Plan } from '../../app/plan/plan.ts'
import { seededChance } from '../../app/plan/planned-day.ts'
import { replay } from '../../app/plan/replay.ts'
import { runningPlan } from '../../app/plan/running.ts'
import { whatIfArrivals } from '../../app/plan/what-if.ts'
import { BUSY, recordedDay } from '../e2e/window/plan-fixtures.ts'
import { buildWindow } from '../renderer/harness/build-window.ts'
import { startFakeHost } from '../renderer/harness/fake-host.ts'
import { dragRate, taskMsOf, taskTimeOf } from '../renderer/harness/plan-changes.ts'
import { benchFlags, median, round, tell } from './result.ts'
import { launchChromium } from './window-run.ts'

/**
 * The planner: `node test/bench/plan.ts [--of change|day] [--changes 200] [--days 5] [--json]`. A change of a
 * rate to its painted verdict, in a real Chromium; or a day of 459,186 arrivals through the gateway's
 * scheduler. Exit 1 where the aim is missed.
 */
const { of, ...flags } = benchFlags({ of: 'change', changes: 200, days: 5 })
const CHANGE_MS = 50
const CHANGE_PROCESSOR_MS = 30
const DAY_MS = 2000
const MINUTE_MS = 60_000
/** Factor that makes the plan use nearly all requests that the limits refill in a day. */
const LOAD = 1.13

await (of === 'day' ? days() : changes())

async function changes(): Promise<void> {
  const host = await startFakeHost(await buildWindow(), BUSY)
  host.answer('recordedUses', recordedDay())
  const browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(host.link())
  await page.getByTestId('verdict-headline').waitFor()
  await page.keyboard.press('P')
  await page.locator('[data-history] .recharts-surface').first().waitFor()
  const slider = 'Rate of backtest, Option Expirations'
  await dragRate(page, { slider, count: 20, pauseMs: 0 })
  const cdp = await taskTimeOf(page)
  const before = await taskMsOf(cdp)
  const seen = await dragRate(page, { slider, count: flags.changes, pauseMs: 40 })
  const after = await taskMsOf(cdp)
  await browser.close()
  await host.close()
  const sorted = seen.map(({ paintedMs }) => paintedMs).sort((a, b) => a - b)
  const processorMs = round((after.task - before.task) / seen.length)
  const p95 = round(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN)
  tell({
    what: 'From a change of a plan to its painted verdict',
    unit: 'ms (95th percentile)',
    better: 'less',
    ours: p95,
    details: {
      'median, ms': round(median(sorted)),
      'slowest, ms': round(sorted.at(-1) ?? Number.NaN),
      'of the processor, ms a change': processorMs,
      changes: seen.length,
    },
    aims: [
      { what: `at most ${CHANGE_MS} ms`, isMet: p95 <= CHANGE_MS },
      {
        what: `at most ${CHANGE_PROCESSOR_MS} ms of the processor a change`,
        isMet: processorMs <= CHANGE_PROCESSOR_MS,
      },
    ],
    how: 'A rate dragged in the page Plan of a real Chromium, seven programs and a recorded day in the picture: from the event to the frame after the one that shows the verdict.',
  })
}

function days(): void {
  const { plan } = runningPlan(BUSY)
  const busy: Plan = {
    ...plan,
    programs: plan.programs.map((program) => ({
      ...program,
      requests: program.requests.map((one) => ({ ...one, perSecond: one.perSecond * LOAD })),
    })),
  }
  const recorded = busy.programs.map(({ name, requests }) => ({
    program: name,
    minutes: Array.from({ length: 1440 }, (_, minute) =>
      requests.map(({ category, perSecond }) => ({
        category,
        atMs: minute * MINUTE_MS,
        requests: perSecond * 60 * (0.6 + 0.8 * Math.abs(Math.sin(minute / 97))),
      })),
    ).flat(),
  }))
  let count = 0
  const cpuMs = Array.from({ length: flags.days }, () => {
    const from = process.threadCpuUsage()
    const day = { base: busy, recorded, fromMs: 0, lengthMs: 86_400_000, chance: seededChance() }
    const arrivals = whatIfArrivals(busy, day) ?? []
    replay(busy, arrivals, { maxWaitMs: 300_000, stretchMs: 180_000 })
    count = arrivals.length
    const { user, system } = process.threadCpuUsage(from)
    return (user + system) / 1000
  })
  const ours = round(median(cpuMs))
  tell({
    what: 'A recorded day replayed through the gateway’s scheduler',
    unit: 'ms of the processor',
    better: 'less',
    ours,
    details: {
      arrivals: count,
      'slowest, ms': round(Math.max(...cpuMs)),
      'since the start, s': round(performance.now() / 1000),
    },
    aims: [{ what: `at most ${DAY_MS} ms`, isMet: ours <= DAY_MS }],
    how: 'Seven programs near the refill of their quotas, 24 hours by the minute, as the page Plan and --from-history --replay replay them.',
  })
}
