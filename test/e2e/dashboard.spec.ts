import type { Page } from '@playwright/test'
import type { SimulatorServer } from '../../main/simulator/server.ts'
import { expect, type Headroom, test } from './fixtures.ts'
import { OtherProgram } from './other-program.ts'
import { startProcess } from './started-process.ts'

/** Connects the test's own simulator through the window, as a person connects a key. */
async function connectKey(page: Page, headroom: Headroom, simulator: SimulatorServer): Promise<void> {
  await page.goto(headroom.url)
  await page.getByRole('button', { name: 'Connect a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Other', { exact: true }).click()
  await dialog.getByLabel('Sign-in host').fill(simulator.origin)
  await dialog.getByLabel('Resource host').fill(simulator.origin)
  await dialog.getByLabel('API key').fill(simulator.service.options.clientId)
  await dialog.getByRole('button', { name: 'Paste a refresh token instead' }).click()
  await dialog.getByLabel('Refresh token').fill(simulator.service.options.refreshToken)
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
}

const remaining = (page: Page, category: string) =>
  page.locator(`tr[data-category="${category}"]`).getByTestId('remaining')

test('numbers fall as requests are made, and the use is told as elsewhere', async ({
  page,
  headroom,
  simulator,
}) => {
  await connectKey(page, headroom, simulator)
  const positions = page.locator('tr[data-category="Positions"]')
  await expect(positions).not.toHaveAttribute('data-source', 'default')
  expect(Number(await remaining(page, 'Positions').textContent())).toBeGreaterThan(315)

  const other = await OtherProgram.signIn(simulator)
  expect(await other.spend('/v3/brokerage/accounts/SIM1001/positions', 120)).toBe(200)

  await expect
    .poll(async () => Number((await remaining(page, 'Positions').textContent())?.replace('~', '')), {
      timeout: 20_000,
    })
    .toBeLessThan(230)
  await expect(page.getByRole('list', { name: 'Events' })).toContainText('Positions · other programs make')
})

test.describe('under fixed windows', () => {
  // Nothing comes back before the window ends, so that the refusal is there when Headroom asks.
  test.use({ simulatorOptions: { window: 'fixed' } })

  test('a 429 shows as an event and holds its own row only', async ({ page, headroom, simulator }) => {
    const other = await OtherProgram.signIn(simulator)
    expect(await other.spend('/v3/marketdata/options/expirations/MSFT', 91)).toBe(429)
    await connectKey(page, headroom, simulator)

    const events = page.getByRole('list', { name: 'Events' })
    await expect(events).toContainText('Option Expirations 429 · rate quota · held until')
    const verdict = (category: string) =>
      page.locator(`tr[data-category="${category}"]`).getByTestId('verdict')
    await expect(verdict('Option Expirations')).toContainText('held to')
    await expect(verdict('Option Strikes')).not.toContainText('held')
  })
})

test('"revoked" is shown only after the 200', async ({ page, headroom, simulator }) => {
  simulator.service.faults.set('revoke-503', 1)
  await connectKey(page, headroom, simulator)
  const revokes = () =>
    simulator.service.ledger.entries().filter((request) => request.path === '/oauth/revoke').length

  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await page.getByRole('button', { name: 'Revoke all tokens' }).click()
  await expect(page.locator('[data-banner="revoke-unconfirmed"]')).toContainText('Revocation not confirmed')
  expect(revokes()).toBe(1)
  await expect(page.locator('[data-banner="revoked"]')).toHaveCount(0)

  await page.locator('[data-banner="revoke-unconfirmed"]').getByRole('button', { name: 'Try now' }).click()
  await expect(page.locator('[data-banner="revoked"]')).toContainText('Confirmed by the service')
  expect(revokes()).toBe(2)
})

test('a stream opened in the window takes a slot and gives it back when closed', async ({
  page,
  headroom,
  simulator,
}) => {
  await connectKey(page, headroom, simulator)
  const slots = page.locator('[data-slots="Positions Stream"]')
  await expect(slots).toContainText('40 of 40 free')

  await page.getByRole('button', { name: 'Open stream…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Kind').selectOption('positions')
  await dialog.getByLabel(/account/i).fill('SIM1001')
  await dialog.getByRole('button', { name: 'Open stream', exact: true }).click()
  await expect(slots).toContainText('39 of 40 free')
  expect(simulator.service.streams()).toHaveLength(1)

  await page.getByRole('button', { name: /^Close .*SIM1001/ }).click()
  await expect(slots).toContainText('40 of 40 free')
  await expect.poll(() => simulator.service.streams().length).toBe(0)
})

test('the page says so when the host goes, and is live again with the link of the next run', async ({
  page,
  headroom,
  problems,
}) => {
  problems.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|Failed to load resource|net::ERR/)
  await page.goto(headroom.url)
  await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
  const { port } = new URL(headroom.origin)

  await headroom.stop()
  await expect(page.locator('[data-banner="host-gone"]')).toContainText('Headroom is not answering')
  await expect(page.locator('tr[data-category="Accounts"]')).toBeVisible()

  const flags = ['--host', 'browser', '--no-open', '--port', port, '--data', headroom.dataFolder]
  const next = await startProcess(['start', ...flags], 'headroom ready: ')
  try {
    await expect(page.locator('[data-banner="host-restarted"]')).toContainText('Headroom was restarted', {
      timeout: 20_000,
    })
    await page.goto(next.ready[0] ?? '')
    await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
    await expect(page.locator('[data-banner="host-restarted"]')).toHaveCount(0)
  } finally {
    await next.stop()
  }
})

test('the first useful paint comes within a second of the ready line, from at most 250 kB of script', async ({
  page,
  headroom,
}) => {
  const scripts: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(gzippedSize(response))
  })
  const started = performance.now()
  await page.goto(headroom.url)
  await page.locator('tr[data-category="Accounts"]').waitFor()
  const paintedMs = performance.now() - started
  await page.locator('.recharts-surface').first().waitFor()
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
  console.log(
    `first useful paint ${Math.round(paintedMs)} ms, script ${Math.round(bytes / 1000)} kB gzipped in all`,
  )
  expect(paintedMs).toBeLessThan(1000)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(250_000)
})

async function gzippedSize(response: { body(): Promise<Buffer> }): Promise<number> {
  const { gzipSync } = await import('node:zlib')
  return gzipSync(await response.body()).length
}
