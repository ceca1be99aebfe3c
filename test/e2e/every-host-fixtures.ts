import type { Page } from '@playwright/test'
import { test as base, expect } from './fixtures.ts'
import { type Host, obstacleTo, openHostWindow } from './host-window.ts'

export { expect }

/**
 * For specs that apply to every host of the window. playwright.config.ts runs them once for each host that is
 * installed here.
 */
export const test = base.extend<{ readonly host: Host; readonly window: Page }>({
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
