import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { startProcess } from './started-process.ts'

/** The program that displays the window. */
export type Host = 'browser' | 'electron'

/** The app with its window open, on a data folder of its own. */
export interface HostWindow {
  readonly page: Page
  close(): Promise<void>
}

export function openHostWindow(host: Host, browser: Browser): Promise<HostWindow> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'headroom-e2e-'))
  const removed = (opened: HostWindow): HostWindow => ({
    page: opened.page,
    close: async () => {
      await opened.close()
      rmSync(dataFolder, { recursive: true, force: true })
    },
  })
  return HOSTS[host](dataFolder, browser).then(removed)
}

const HOSTS: Readonly<Record<Host, (dataFolder: string, browser: Browser) => Promise<HostWindow>>> = {
  browser: async (dataFolder, browser) => {
    const flags = ['--host', 'browser', '--no-open', '--port', '0', '--data', dataFolder]
    const started = await startProcess(['start', ...flags], 'headroom ready: ')
    const page = await browser.newPage()
    await page.goto(started.ready[0] ?? '')
    return {
      page,
      close: async () => {
        await page.close()
        await started.stop()
      },
    }
  },

  electron: async () => {
    const host = await ElectronHost.ofCheckout()
    try {
      return { page: await host.start(host.newFolder()).page(), close: () => host.close() }
    } catch (error) {
      await host.close()
      throw error
    }
  },
}

/** Why a host can't run here. The browser can always run where these tests run. */
export function obstacleTo(host: Host): string | undefined {
  return host === 'electron' ? obstacleToHost() : undefined
}
