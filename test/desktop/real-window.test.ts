import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { HANDS_PROGRAM } from '../electron/get-electron.ts'
import { pressKeys } from '../electron/hands.ts'

/**
 * Behaviour of a window that only Electron's own runtime can prove. The double would only repeat what it was
 * written to do.
 */
const obstacle = obstacleToHost()
/** Maximum time from the click on the dialog to the end of the app. A quiet machine needs 0.1 s. */
const END_LIMIT_MS = 10_000
const name = `a window on Electron's runtime${obstacle === undefined ? '' : ` (not run: ${obstacle})`}`

describe.skipIf(obstacle !== undefined)(name, { timeout: 90_000 }, () => {
  let host: ElectronHost
  let page: Page

  beforeAll(async () => {
    host = await ElectronHost.ofCheckout()
    page = await host.start(host.newFolder()).page()
  }, 90_000)
  afterAll(() => host?.close())

  it('reloads itself after a failed paint', async () => {
    await page.evaluate('void (window.isOld = true)')
    await page.evaluate('void location.reload()')
    await page.waitForFunction('window.isOld === undefined', undefined, { timeout: 20_000 })
    expect(await page.evaluate('window.headroom.hello()')).toMatchObject({ host: 'desktop' })
  })

  it('ends the app if no tray can show its icon, as its own state has it', async () => {
    const alone = host.start(host.newFolder())
    const window = await alone.page()
    await window.waitForLoadState()
    void window.close().catch(() => {})
    expect(await alone.ended).toEqual({ code: 0, signal: null })
  })

  it.runIf(process.platform === 'linux')(
    'belongs to the app by its class, which its menu entry names',
    () => {
      const { name: display = '' } = host.display
      const args = ['search', '--onlyvisible', '--class', '^Headroom$']
      const found = execFileSync(HANDS_PROGRAM, args, {
        encoding: 'utf8',
        env: { ...process.env, DISPLAY: display },
      })
      expect(found).toMatch(/^\d+$/m)
    },
  )

  it('explains why the app cannot start if there is no terminal, and ends when it is read', async () => {
    const alone = await ElectronHost.ofCheckout()
    try {
      const inTheWay = join(alone.newFolder(), 'a-file')
      writeFileSync(inTheWay, '', { mode: 0o644 })
      const failing = alone.start(inTheWay)
      // The dialog is the only window of this display.
      const press = () =>
        pressKeys(alone.display, 'Return').then(
          () => 'pressed',
          () => 'no dialog yet',
        )
      await expect.poll(press, { timeout: 30_000, interval: 500 }).toBe('pressed')
      // Nothing else may wake the app after the click. An earlier version continued for half a minute.
      const late = new Promise((resolve) => setTimeout(resolve, END_LIMIT_MS, 'still there'))
      expect(await Promise.race([failing.ended, late])).toEqual({ code: 1, signal: null })
      expect(failing.said).toContain('a file is in the way')
    } finally {
      await alone.close()
    }
  })
})
