import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { startProcess } from './started-process.ts'

test('the page says so when the host goes, and is live again with the link of the next run', async ({
  page,
  headroom,
  problems,
}) => {
  problems.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|Failed to load resource|net::ERR/)
  await page.goto(headroom.url)
  await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
  const { port } = new URL(headroom.origin)

  await headroom.stop()
  await expect(page.locator('[data-banner="host-gone"]')).toContainText('Headroom is not answering')
  await expect(page.locator('tr[data-category="Accounts"]')).toBeVisible()

  const flags = ['--host', 'browser', '--no-open', '--port', port, '--data', headroom.dataFolder]
  const next = await startProcess(['start', ...flags], 'headroom ready: ')
  try {
    await expect(page.locator('[data-banner="host-restarted"]')).toContainText('Headroom was restarted', {
      timeout: 20_000,
    })
    await page.goto(next.ready[0] ?? '')
    await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
    await expect(page.locator('[data-banner="host-restarted"]')).toHaveCount(0)
  } finally {
    await next.stop()
  }
})

const PAINT_LIMIT_MS = 1_000
const VISITS = 3

test('the first useful paint comes within a second of the ready line, from at most 250 kB of script', async ({
  page,
  browser,
  headroom,
}) => {
  const scripts: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(gzippedSize(response))
  })
  const paintedMs = [await firstPaintMs(page, headroom.url)]
  await page.locator('.recharts-surface').first().waitFor()
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
  // What else the machine does may cost one visit its second, and not each: the next has an empty cache as well.
  while (paintedMs.length < VISITS && Math.min(...paintedMs) >= PAINT_LIMIT_MS) {
    const context = await browser.newContext()
    const url = await headroom.waitForReady(paintedMs.length + 1)
    paintedMs.push(await firstPaintMs(await context.newPage(), url))
    await context.close()
  }
  console.log(
    `first useful paint ${paintedMs.map(Math.round).join(', ')} ms, script ${Math.round(bytes / 1000)} kB gzipped in all`,
  )
  expect(Math.min(...paintedMs)).toBeLessThan(PAINT_LIMIT_MS)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(250_000)
})

async function firstPaintMs(page: Page, url: string): Promise<number> {
  const started = performance.now()
  await page.goto(url)
  await page.locator('tr[data-category="Accounts"]').waitFor()
  return performance.now() - started
}

async function gzippedSize(response: { body(): Promise<Buffer> }): Promise<number> {
  const { gzipSync } = await import('node:zlib')
  return gzipSync(await response.body()).length
}
