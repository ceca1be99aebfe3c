import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, _electron as electron, type Page } from '@playwright/test'
import { installedRuntime } from '../../main/desktop/electron-runtime.ts'
import { obstacleToDouble, StartedDesktop } from '../desktop/started-desktop.ts'
import { startProcess } from './started-process.ts'

const ELECTRON_MAIN = fileURLToPath(new URL('../../dist/desktop/main.js', import.meta.url))

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

  electron: async (dataFolder) => {
    const app = await electron.launch({
      executablePath: installedRuntime() ?? '',
      args: [ELECTRON_MAIN, '--data', dataFolder],
    })
    return { page: await app.firstWindow(), close: () => app.close() }
  },
}

/** The hosts that can run here; the browser can wherever these tests can. */
export function hostsHere(): readonly Host[] {
  const hosts: Host[] = ['browser']
  if (obstacleToDouble() === undefined) hosts.push('double')
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  const hasDisplay = process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY)
  if (installedRuntime() !== undefined && hasDisplay && process.getuid?.() !== 0) hosts.push('electron')
  return hosts
}
