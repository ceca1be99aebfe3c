import type { Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'

/** What a window does on Electron's own runtime that the double could only be taught. */
const obstacle = obstacleToHost()
const name = `a window on Electron's runtime${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

describe.skipIf(obstacle !== undefined)(name, { timeout: 90_000 }, () => {
  let host: ElectronHost
  let page: Page

  beforeAll(async () => {
    host = await ElectronHost.ofCheckout()
    page = await host.start(host.newFolder()).page()
  }, 90_000)
  afterAll(() => host?.close())

  it('that could not be drawn loads itself again', async () => {
    await page.evaluate('void (window.isOld = true)')
    await Promise.all([
      page.waitForEvent('load', { timeout: 20_000 }),
      page.evaluate('void setTimeout(() => location.reload(), 0)'),
    ])
    expect(await page.evaluate('window.isOld')).toBeUndefined()
    expect(await page.evaluate('window.headroom.hello()')).toMatchObject({ host: 'desktop' })
  })
})
