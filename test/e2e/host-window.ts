import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { obstacleToDouble, StartedDesktop } from '../desktop/started-desktop.ts'
import { ElectronHost, obstacleToHost } from '../electron/electron-host.ts'
import { startProcess } from './started-process.ts'

/** What shows the window: a browser, Electron's double in a real Chromium, or Electron. */
export type Host = 'browser' | 'double' | 'electron'

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

  double: async (dataFolder) => {
    const desktop = new StartedDesktop(dataFolder)
    const { endpoint } = await desktop.report('chromium-started')
    await desktop.report('window-shown')
    const overWire = await chromium.connectOverCDP(endpoint)
    const page = overWire
      .contexts()
      .flatMap((context) => context.pages())
      .find((each) => each.url().startsWith('https://headroom.invalid/'))
    if (page === undefined) throw new Error('the double has no window')
    return {
      page,
      close: async () => {
        await overWire.close()
        await desktop.stop()
        const violations = desktop.reports.filter(({ kind }) => kind === 'violation')
        if (violations.length > 0) throw new Error(JSON.stringify(violations))
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

/** Why a host cannot run here; the browser can wherever these tests can. */
export function obstacleTo(host: Host): string | undefined {
  switch (host) {
    case 'browser':
      return undefined
    case 'double':
      return obstacleToDouble()
    case 'electron':
      return obstacleToHost()
  }
}
