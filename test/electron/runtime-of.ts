import type { Page } from '@playwright/test'

/** "Electron 45.4.1": what shows this page, as its own user agent tells it. */
export async function runtimeOf(page: Page): Promise<string> {
  const agent = await page.evaluate(() => navigator.userAgent)
  const [, version = 'of unknown version'] = /Electron\/(\S+)/.exec(agent) ?? []
  return `Electron ${version}`
}
