import type { Page } from '@playwright/test'

/** The runtime that shows this page, from its user agent, such as "Electron 45.4.1". */
export async function runtimeOf(page: Page): Promise<string> {
  const agent = await page.evaluate(() => navigator.userAgent)
  const [, version = 'of unknown version'] = /Electron\/(\S+)/.exec(agent) ?? []
  return `Electron ${version}`
}
