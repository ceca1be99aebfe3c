import { type Page, expect as quickly } from '@playwright/test'
import type { SimulatorServer } from '../../main/simulator/server.ts'

/** Longer than the default of five seconds in tests outside Playwright, because a busy machine is slow. */
const expect = quickly.configure({ timeout: 20_000 })

/** Connects a test's own simulator through the window, as a person connects a key. */
export async function connectKey(page: Page, simulator: SimulatorServer): Promise<void> {
  const { clientId, refreshToken } = simulator.service.options
  await page.getByRole('button', { name: 'Connect a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('CUSTOM', { exact: true }).click()
  await dialog.getByLabel('Sign-in host').fill(simulator.origin)
  await dialog.getByLabel('Resource host').fill(simulator.origin)
  await dialog.getByLabel('API key').fill(clientId)
  await dialog.getByRole('button', { name: 'Paste a refresh token instead' }).click()
  await dialog.getByLabel('Refresh token').fill(refreshToken)
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(dialog).toBeHidden()
  // A busy machine may still show the built-in simulator for a moment, whose rows have numbers too.
  await expect(page.getByTestId('profile')).not.toContainText('Built-in simulator')
  await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
}

/** Opens a positions stream through the window. */
export async function openPositionsStream(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open stream…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Kind').selectOption('positions')
  await dialog.getByLabel(/account/i).fill('SIM1001')
  await dialog.getByRole('button', { name: 'Open stream', exact: true }).click()
  await expect(dialog).toBeHidden()
}
