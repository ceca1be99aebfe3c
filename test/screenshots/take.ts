/**
 * Takes pictures of the running app for the README: `npm run screenshots -- [--seconds N]`.
 *
 * Everything in them is real: the app is started as people start it, with the built-in simulator.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { chromiumArgs, findChromium } from '../browser/chromium.ts'
import { startProcess } from '../e2e/started-process.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '90' } } })
const seconds = Number(values.seconds)
const readme = fileURLToPath(new URL('dashboard.png', import.meta.url))
const folder = fileURLToPath(new URL('../../test-results/screenshots', import.meta.url))
mkdirSync(folder, { recursive: true })

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('no Chromium here: npm test gets one')
const dataFolder = mkdtempSync(join(tmpdir(), 'headroom-screenshots-'))
const flags = ['--host', 'browser', '--no-open', '--port', '0', '--data', dataFolder]
const app = await startProcess(['start', ...flags], 'headroom ready: ')
const browser = await chromium.launch({ executablePath, args: chromiumArgs() })
const sizes = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 1024, height: 700 },
]
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' })
  await page.goto(app.ready[0] ?? '')
  await page.locator('tr[data-category="Accounts"]').waitFor()
  process.stdout.write(`letting it run for ${seconds} s …\n`)
  await page.waitForTimeout(seconds * 1000)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const viewport of sizes) {
      await page.setViewportSize(viewport)
      const file = join(folder, `dashboard-${viewport.width}-${colorScheme}.png`)
      await page.screenshot({ path: file })
      if (colorScheme === 'dark' && viewport.width === 1440) await page.screenshot({ path: readme })
      process.stdout.write(`${file}\n`)
    }
  }
} finally {
  await browser.close()
  await app.stop()
  rmSync(dataFolder, { recursive: true, force: true })
}
