/**
 * Pictures of the built window in every state, to compare with the design.
 *
 * `node test/renderer/harness/shots.ts OUT_FOLDER [STATE…]`
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { snapshot } from '../fixtures.ts'
import { buildWindow } from './build-window.ts'
import { type FakeHost, startFakeHost } from './fake-host.ts'
import { layoutFaults } from './layout-faults.ts'
import { STATES } from './states.ts'

const [folder = 'shots', ...wanted] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const dist = await buildWindow()
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})

/** The actions in the window before its picture is taken. */
type Act = (page: Page, host: FakeHost) => Promise<void>

const ACTS: Readonly<Record<string, Act>> = {
  'dialog-stream': async (page) => {
    await page.getByRole('button', { name: 'Open stream…' }).click()
    await page.getByLabel('Kind').selectOption('tickbars')
    await page.getByRole('button', { name: 'Open stream', exact: true }).click()
  },
  'dialog-revoke': (page) => page.getByRole('button', { name: 'Revoke tokens…' }).click(),
  'dialog-connect': async (page) => {
    await page.getByTestId('profile').click()
    await page.getByRole('menuitem', { name: 'Connect a key…' }).click()
    await page.getByText('CUSTOM', { exact: true }).click()
    await page.getByRole('button', { name: 'Sign in with the browser' }).click()
  },
  menu: async (page, host) => {
    host.show(snapshot(), snapshot({ profile: { id: 'two', name: 'Second key', environment: 'sim' } }))
    await page.getByTestId('profile').click()
    await page.getByRole('menuitemradio', { name: 'Second key' }).waitFor()
  },
  details: async (page) => {
    await page.getByRole('button', { name: 'Quote Snapshot' }).click()
    await page.getByRole('button', { name: 'Details', exact: true }).click()
  },
  'range-7d': async (page) => {
    await page.getByRole('button', { name: '7 d' }).click()
    await page.locator('[data-history] .recharts-area path').first().waitFor()
  },
  'range-1h': async (page) => {
    await page.getByRole('button', { name: '1 h', exact: true }).click()
    await page.locator('[data-history] .recharts-area path').first().waitFor()
  },
  alerts: async (page) => {
    await page.getByTestId('alerts').click()
    await page.getByRole('dialog').waitFor()
  },
  report: async (page) => {
    await page.keyboard.press('r')
    await page.getByTestId('happenings').waitFor()
  },
  settings: async (page) => {
    await page.keyboard.press('s')
    await page.getByTestId('storage').waitFor()
  },
  'settings-wrong': async (page) => {
    await page.keyboard.press('s')
    await page.getByText('Rows with their own interval: 1').click()
    await page.getByLabel('Headroom’s share (per cent of each quota)').fill('none')
    await page.getByRole('group', { name: 'Seconds between checks' }).getByLabel('Balances').fill('none')
  },
  shortcuts: async (page) => {
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  },
  'more-menu': (page) => page.getByRole('button', { name: 'More', exact: true }).click(),
  paused: (page) => page.getByRole('button', { name: 'Pause' }).click(),
  glance: (page) => page.getByRole('button', { name: 'Glance' }).click(),
  contrast: async (page) => {
    for (let i = 0; i < 3; i += 1) await page.getByRole('button', { name: /^Theme/ }).click()
  },
  table: (page) => page.getByRole('button', { name: 'Table' }).click(),
  'other-row': (page) => page.getByRole('button', { name: 'Quote Snapshot' }).click(),
  'host-gone': async (page, host) => {
    host.sleep()
    await page.locator('[data-banner=host-gone]').waitFor()
  },
  'host-restarted': async (page, host) => {
    host.restart()
    await page.locator('[data-banner=host-restarted]').waitFor()
  },
  refused: async (page, host) => {
    host.answer('closeStream', { ok: false, code: 'gone', message: 'That stream is closed already.' })
    await page.getByRole('button', { name: 'Close Depth quotes · MSFT' }).click()
    await page.getByText('That stream is closed already.').waitFor()
  },
}

const SIZES = [
  [1440, 900],
  [1280, 800],
  [900, 800],
  [360, 800],
] as const

async function take(
  name: string,
  state: Snapshot,
  size: (typeof SIZES)[number],
  scheme: 'dark' | 'light',
  act?: Act,
) {
  const [width, height] = size
  const host = await startFakeHost(dist, state)
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') console.log(name, line.text())
  })
  page.on('pageerror', (error) => console.log(name, String(error)))
  await page.goto(host.link())
  await page.locator('[data-history] .recharts-surface, [data-history] p').first().waitFor()
  await act?.(page, host)
  for (const fault of await layoutFaults(page)) console.log(`${name} ${width} ${scheme}: ${fault}`)
  await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) })
  await context.close()
  await host.close()
}

const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

for (const [name, state] of Object.entries(STATES)) {
  if (!isWanted(name)) continue
  for (const size of SIZES) {
    await take(name, state, size, 'dark')
    await take(name, state, size, 'light')
  }
}
for (const [name, act] of Object.entries(ACTS)) {
  if (!isWanted(name)) continue
  for (const size of [SIZES[1], SIZES[3]]) {
    for (const scheme of ['dark', 'light'] as const) await take(name, snapshot(), size, scheme, act)
  }
}
await browser.close()
