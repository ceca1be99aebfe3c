import type { Page } from '@playwright/test'
import type { SimulatorFlags } from '../../main/simulator/options.ts'
import { BadDay, type DayOptions } from './bad-day.ts'
import { test as base, expect } from './fixtures.ts'

export { expect }

interface Options {
  readonly dayOptions: Partial<SimulatorFlags>
  readonly keyOptions: DayOptions
}

/** For specs that break something around a saved key of a service. */
export const test = base.extend<Options & { readonly day: BadDay }>({
  dayOptions: [{}, { option: true }],
  keyOptions: [{}, { option: true }],
  day: async ({ dayOptions, keyOptions, problems }, use) => {
    const day = await BadDay.prepare(dayOptions, keyOptions)
    await use(day)
    problems.end()
    await day.close()
  },
})

/** Resolves when the first row has a number. */
export const ready = (page: Page) =>
  expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')

/** Starts the app and opens its window. Resolves when the first row has a number. */
export async function openReady(page: Page, day: BadDay): Promise<void> {
  await day.open(page)
  await ready(page)
}

/** Revokes all tokens in the window. */
export async function revokeAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await page.getByRole('button', { name: 'Revoke all tokens' }).click()
}
