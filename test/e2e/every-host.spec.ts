import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { SimulatorServer } from '../../main/simulator/server.ts'
import { getNatsServer } from '../desk-server/get-nats-server.ts'
import { runNatsServer } from '../desk-server/nats-process.ts'
import { accessTokenOf } from '../main/simulator/refreshed.ts'
import { LONG_TAG } from '../thorough.ts'
import { connectKey, openPositionsStream } from './connect-key.ts'
import { test as base, expect } from './fixtures.ts'
import { type Host, obstacleTo, openHostWindow } from './host-window.ts'
import { startSecondMachine } from './second-machine.ts'

/** Another program on the same key: it signs in and spends, as a trader's own tools do. */
class OtherProgram {
  readonly #origin: string
  readonly #token: string

  private constructor(origin: string, token: string) {
    this.#origin = origin
    this.#token = token
  }

  /** For a service whose keys keep their refresh token, so that Headroom and this program can both use it. */
  static async signIn({ origin, service }: SimulatorServer): Promise<OtherProgram> {
    return new OtherProgram(origin, await accessTokenOf(origin, service.options))
  }

  /** `count` requests, one after the other; returns the last status. */
  async spend(path: string, count: number): Promise<number> {
    let status = 0
    for (let made = 0; made < count; made += 1) {
      const answer = await fetch(`${this.#origin}${path}`, {
        headers: { authorization: `Bearer ${this.#token}` },
      })
      await answer.arrayBuffer()
      status = answer.status
    }
    return status
  }
}

/**
 * For specs that apply to every host of the window. playwright.config.ts runs them once for each host that is
 * installed here.
 */
const test = base.extend<{ readonly host: Host; readonly window: Page }>({
  host: ['browser', { option: true }],

  window: async ({ host, browser, problems }, use) => {
    const obstacle = obstacleTo(host)
    test.skip(obstacle !== undefined, `not run: ${obstacle}`)
    const { page, close } = await openHostWindow(host, browser)
    page.on('pageerror', (error) => problems.note(`page error: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error') problems.note(`console error: ${message.text()}`)
    })
    await use(page)
    problems.end()
    await close()
  },
})

const ORIGIN = /http:\/\/127\.0\.0\.1:\d+/

const remaining = (page: Page, category: string) =>
  page.locator(`tr[data-category="${category}"]`).getByTestId('remaining')

test('numbers fall as requests are made, and the use is shown as others’', { tag: LONG_TAG }, async ({
  window: page,
  simulator,
}) => {
  await connectKey(page, simulator)
  const positions = page.locator('tr[data-category="Positions"]')
  await expect(positions).not.toHaveAttribute('data-source', 'default')
  const left = async () => Number(/\d+$/.exec((await remaining(page, 'Positions').textContent()) ?? '')?.[0])
  // Reads the upper end of the number. On a slow machine, the header is so old that a range is shown.
  expect(await left()).toBeGreaterThan(300)

  const other = await OtherProgram.signIn(simulator)
  expect(await other.spend('/v3/brokerage/accounts/SIM1001/positions', 120)).toBe(200)

  await expect.poll(left, { timeout: 20_000 }).toBeLessThan(230)
  await expect(page.getByRole('list', { name: 'Events' })).toContainText(
    /Others active on (?:\d+ quotas.*)?Positions/,
  )
})

test.describe('with fixed windows', () => {
  // In a fixed window nothing refills before its end, so Headroom's check gets the 429.
  test.use({ simulatorOptions: { window: 'fixed' } })

  test('a 429 shows as an event and pauses its own row only', async ({ window: page, simulator }) => {
    const other = await OtherProgram.signIn(simulator)
    expect(await other.spend('/v3/marketdata/options/expirations/MSFT', 91)).toBe(429)
    await connectKey(page, simulator)

    const events = page.getByRole('list', { name: 'Events' })
    await expect(events).toContainText(/429 on Option Expirations\s*safe to retry at/)
    const state = (category: string) => page.locator(`tr[data-category="${category}"]`).getByTestId('state')
    await expect(state('Option Expirations')).toContainText('429')
    await expect(state('Option Strikes')).not.toContainText('429')
  })
})

test('"revoked" is shown only after the 200', async ({ window: page, simulator }) => {
  simulator.service.faults.set('revoke-503', 1)
  await connectKey(page, simulator)
  const revokes = () =>
    simulator.service.ledger.entries().filter((request) => request.path === '/oauth/revoke').length

  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await page.getByRole('button', { name: 'Revoke all tokens' }).click()
  await expect(page.getByTestId('verdict-headline')).toContainText('Revocation not confirmed')
  expect(revokes()).toBe(1)
  await expect(page.locator('[data-verdict][data-label="revoked"]')).toHaveCount(0)

  await page.locator('[data-verdict] [data-remedy=try-now]').click()
  await expect(page.getByTestId('verdict-headline')).toContainText('Revoked at')
  expect(revokes()).toBe(2)
})

test('an opened stream uses a slot, and frees it when closed', async ({ window: page, simulator }) => {
  await connectKey(page, simulator)
  const slots = page.locator('[data-slots="Positions Stream"]')
  await expect(slots).toContainText('not observed')

  await openPositionsStream(page)
  await expect(slots).toContainText('39 free')
  expect(simulator.service.streams()).toHaveLength(1)

  await page.getByRole('button', { name: /^Close .*SIM1001/ }).click()
  // As long as the close can be undone, the stream stays open and its slot counts as used.
  await expect(page.getByRole('button', { name: /^Undo closing .*SIM1001/ })).toBeVisible()
  await expect(slots).toContainText('39 free')
  await expect(slots).toContainText('40 free', { timeout: 30_000 })
  await expect.poll(() => simulator.service.streams().length).toBe(0)
})

test('check settings reach the service, and are still set when reopened', {
  tag: LONG_TAG,
}, async ({ window: page, simulator }) => {
  await connectKey(page, simulator)
  const asked = (path: string) =>
    simulator.service.ledger.entries().filter((request) => request.path === path).length
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Settings are in memory until Headroom quits')
  await expect(dialog.getByTestId('probe-use')).toContainText('At most 12.5 checks a minute on average')
  await dialog.getByLabel('Symbol for checks').fill('AAPL')
  await dialog.getByText('Rows with their own interval: none').click()
  const interval = dialog
    .getByRole('group', { name: 'Seconds between checks' })
    .getByLabel('Quote Snapshot', { exact: true })
  await interval.fill('1')
  await interval.press('Enter')
  await expect.poll(() => asked('/v3/marketdata/quotes/AAPL')).toBeGreaterThan(1)

  await dialog.getByLabel('Check this key').uncheck()
  await expect(dialog.getByTestId('probe-use')).toContainText('Off.')
  // Only the desktop app updates itself. The app under test is a local build, and its text says so.
  const { host } = (await page.evaluate('window.headroom?.hello() ?? { host: "browser" }')) as {
    host: string
  }
  await expect(dialog.getByTestId('updates')).toHaveText(
    host === 'desktop' ? ['This Headroom was built on this computer, so it gets no updates.'] : [],
  )
  await page.keyboard.press('Escape')
  await expect(page.getByTestId('own-use')).toContainText('checks off')
  await page.keyboard.press('s')
  await expect(dialog.getByLabel('Check this key')).not.toBeChecked()
  await expect(dialog.getByLabel('Symbol for checks')).toHaveValue('AAPL')
  await expect(dialog).toContainText('Rows with their own interval: 1')
})

test('a program behind the gateway is answered, counted and planned', async ({ window: page, simulator }) => {
  await connectKey(page, simulator)
  await openFromMenu(page, 'Programs…')
  const shown = page.getByTestId('programs')
  await shown.getByLabel('Port').fill('0')
  await shown.getByRole('button', { name: 'Turn on' }).click()
  const state = shown.getByTestId('gateway-state').filter({ hasText: ORIGIN })
  const [gateway] = ORIGIN.exec((await state.textContent()) ?? '') ?? []
  await shown.getByRole('button', { name: '+ Add a program' }).click()
  await shown.getByLabel('Name').fill('scanner')
  await shown.getByRole('button', { name: 'Add program' }).click()
  const key = (await shown.getByTestId('program-key').textContent()) ?? ''

  const ask = (bearer: string) =>
    fetch(`${gateway}/v3/brokerage/accounts/SIM1001/balances`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
  for (let request = 0; request < 6; request += 1) expect((await ask(key)).status).toBe(200)
  expect((await ask(`${key.slice(0, -4)}AAAA`)).status).toBe(401)
  await expect(shown.getByTestId('program-called')).toHaveText(/Last call at \d/)
  await shown.getByRole('button', { name: 'Done, I have the key' }).click()
  await expect(shown.getByTestId('program-key')).toHaveCount(0)
  await expect(shown.getByRole('row', { name: /^scanner/ })).toHaveAttribute('title', 'Balances 6')

  await openFromMenu(page, 'Plan…')
  await expect(page.getByTestId('plan-headline')).toContainText(/fit/i)
  await expect(page.locator('[data-program=scanner]')).toContainText('Balances')
})

test('requests of a machine that joins the desk are counted as the desk’s', { tag: LONG_TAG }, async ({
  window: page,
  simulator,
}) => {
  const program = await getNatsServer((line) => console.error(line))
  test.skip(program === undefined, 'not run: there is no nats-server')
  const folder = mkdtempSync(join(tmpdir(), 'headroom-nats-'))
  const nats = await runNatsServer(program ?? '', folder)
  const second = await startSecondMachine(simulator)
  try {
    await connectKey(page, simulator)
    await page.keyboard.press('s')
    await page.getByRole('button', { name: 'Create a desk…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('NATS server').fill(nats.url)
    await dialog.getByLabel('Name of this machine').fill('TOWER')
    await dialog.getByRole('button', { name: 'Create a desk' }).click()
    const invitation = (await dialog.getByTestId('invitation').textContent()) ?? ''
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect(await second.join(invitation, 'NOTEBOOK')).toEqual([0, expect.stringContaining('joined the desk')])

    for (let request = 0; request < 30; request += 1)
      expect(await second.ask('/v3/brokerage/accounts/SIM1001/balances')).toBe(200)
    const balances = page.locator('tr[data-category=Balances]')
    await expect(balances.getByTestId('desk-use')).toHaveText(/[1-9]/)
    await openFromMenu(page, 'Programs…')
    const desk = page.getByRole('region', { name: 'Desk', exact: true })
    await expect(desk.getByTestId('desk-machines')).toHaveText('2 machines, one queue')
    await expect(desk.locator('[data-machine=NOTEBOOK]')).toContainText('scanner')

    await second.stop()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('list', { name: 'Events' })).toContainText('NOTEBOOK left the desk')
  } finally {
    await second.stop()
    await nats.kill()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

async function openFromMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
