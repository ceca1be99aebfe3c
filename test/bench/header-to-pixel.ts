import { expect, type Page } from '@playwright/test'
import { startSimulatorServer } from '../../main/simulator/server.ts'
import { connectKey } from '../e2e/connect-key.ts'
import { desktopRun } from './desktop-run.ts'
import { benchFlags, median, tell } from './result.ts'
import { launchChromium, startWithWindow } from './window-run.ts'

/**
 * From a header on the network to the number on the screen: `node test/bench/header-to-pixel.ts [--headers
 * 30] [--host electron] [--json]`.
 *
 * The real process runs between a simulator in this process and a real Chromium. Others use five requests
 * before each check, so that only the new header can explain the number that appears. Exit 1 if the aim is
 * missed.
 */
const { headers, host } = benchFlags({ headers: 30, host: 'browser' })
const CATEGORY = 'Accounts'
const TAKEN_ELSEWHERE = 5
/**
 * After this pause, the next change is sent at once. Otherwise the publisher waits 250 ms between two
 * changes.
 */
const QUIET_MS = 700
const SETTLE_MS = 5_000
const AIM_MS = 150

const simulator = await startSimulatorServer({
  // So slow that no request refills during the bench, and large enough that the budget pays for all its
  // checks.
  limits: { [CATEGORY]: { limit: 9_000, periodSeconds: 604_800 } },
})
const { service } = simulator
/**
 * When each Remaining was sent, by its value. Numbers that closely follow another are left out, because the
 * publisher delays them.
 */
const sentAtMs = new Map<number, number>()
let answeredAtMs = 0
const handle = service.handle.bind(service)
service.handle = (request) => {
  const reply = handle(request)
  if (request.path === '/v3/brokerage/accounts') {
    const remaining = service.quotas.reading(CATEGORY, service.nowMs())?.remaining
    const isQuiet = Date.now() - answeredAtMs > QUIET_MS / 2
    if (remaining !== undefined && isQuiet && !sentAtMs.has(remaining)) sentAtMs.set(remaining, Date.now())
  }
  answeredAtMs = Date.now()
  return reply
}

const { page, shownBy, close } = await (host === 'electron' ? inElectron() : inBrowser())
let lateMs: readonly number[]
try {
  await connectKey(page, simulator)
  // A key that was just connected has all its rows looked at first.
  await page.waitForTimeout(SETTLE_MS)
  await watch(page)
  for (let header = 0; header < headers; header += 1) {
    for (let taken = 0; taken < TAKEN_ELSEWHERE; taken += 1) service.quotas.spend(CATEGORY, service.nowMs())
    expect(await checkNow(page)).toMatchObject({ ok: true })
    await page.waitForTimeout(QUIET_MS)
  }
  const drawn = await page.evaluate(() => (window as unknown as { drawn: [string, number][] }).drawn)
  lateMs = drawn.flatMap(([words, atMs]) => {
    const sent = sentAtMs.get(Number(words.replaceAll(/\D/g, '')))
    return sent === undefined ? [] : [atMs - sent]
  })
} finally {
  await close()
  await simulator.close()
}

const sorted = lateMs.toSorted((a, b) => a - b)
const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
tell({
  what: 'From a header on the wire to its number on the screen',
  unit: 'ms (95th percentile)',
  better: 'less',
  ours: p95,
  details: {
    'median, ms': median(lateMs),
    'slowest, ms': sorted.at(-1) ?? Number.NaN,
    headers: sorted.length,
  },
  aims: [
    { what: `at most ${AIM_MS} ms`, isMet: p95 <= AIM_MS },
    { what: 'two of three headers after quiet', isMet: sorted.length >= (2 / 3) * headers },
  ],
  how: `A real process between a simulator and ${shownBy}: from the moment the simulator answers to the frame after the row shows that answer's Remaining; each after at least ${QUIET_MS / 2} ms without another answer.`,
})

interface Shown {
  readonly page: Page
  readonly shownBy: string
  close(): Promise<void>
}

async function inBrowser(): Promise<Shown> {
  const browser = await launchChromium()
  const { page, url, end } = await startWithWindow(browser)
  await page.goto(url)
  const close = async () => {
    await end()
    await browser.close()
  }
  return { page, shownBy: 'a real Chromium', close }
}

async function inElectron(): Promise<Shown> {
  const { host, runtime, close } = await desktopRun()
  const page = await host.start(host.newFolder()).page()
  return { page, shownBy: `the window of the packaged app on ${runtime}`, close }
}

/** Sends the command of the row's button. */
async function checkNow(page: Page): Promise<unknown> {
  return page.evaluate(async (category) => {
    interface Commands {
      snapshots(): Promise<{ profile: { id: string } }[]>
      checkNow(row: object): Promise<unknown>
    }
    const { headroom } = window as unknown as { headroom?: Commands }
    if (headroom !== undefined) {
      const [snapshot] = await headroom.snapshots()
      return headroom.checkNow({ profile: snapshot?.profile.id, category })
    }
    const bearer = Object.values(sessionStorage)[0]
    const ask = async (name: string, arg: unknown) => {
      const answer = await fetch(`/api/command/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify(arg),
      })
      return ((await answer.json()) as { value: unknown }).value
    }
    const snapshots = (await ask('snapshots', null)) as { profile: { id: string } }[]
    return ask('checkNow', { profile: snapshots[0]?.profile.id, category })
  }, CATEGORY)
}

/** Records when each text of the row's number was on the screen. */
async function watch(page: Page): Promise<void> {
  await page.evaluate((category) => {
    const drawn: [string, number][] = []
    Object.assign(window, { drawn })
    const cell = document.querySelector(`tr[data-category="${category}"] [data-testid=remaining]`)
    if (cell === null) throw new Error('the row is not there')
    new MutationObserver(() => {
      const words = cell.textContent ?? ''
      requestAnimationFrame(() => drawn.push([words, Date.now()]))
    }).observe(cell, { characterData: true, childList: true, subtree: true })
  }, CATEGORY)
}
