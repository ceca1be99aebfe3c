import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { chromiumArgs, findChromium } from '../browser/chromium.ts'
import { type StartedProcess, startProcess } from '../e2e/started-process.ts'

/** The app as people start it, on a data folder of its own, with a page of a real browser. */
export interface WindowRun {
  readonly started: StartedProcess
  readonly url: string
  readonly page: Page
  end(): Promise<void>
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no Chromium on this machine')
  return chromium.launch({ executablePath, args: chromiumArgs() })
}

export async function startWithWindow(browser: Browser, flags: readonly string[] = []): Promise<WindowRun> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'headroom-bench-'))
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const started = await startProcess(
    ['start', '--host', 'browser', '--no-open', '--port', '0', '--data', dataFolder, ...flags],
    'headroom ready: ',
  )
  return {
    started,
    url: started.ready[0] ?? '',
    page,
    end: async () => {
      await page.close()
      await started.stop()
      rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}

/** A row whose number is from a header, not from the table of documented defaults. */
export const LIVE_ROW = 'tr[data-category]:not([data-source="default"])'
