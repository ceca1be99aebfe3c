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

test('the first useful paint comes within two seconds of the ready line, from at most 250 kB of script', async ({
  page,
  headroom,
}) => {
  const scripts: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(gzippedSize(response))
  })
  const started = performance.now()
  await page.goto(headroom.url)
  await page.locator('tr[data-category="Accounts"]').waitFor()
  const paintedMs = performance.now() - started
  await page.locator('.recharts-surface').first().waitFor()
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
  console.log(
    `first useful paint ${Math.round(paintedMs)} ms, script ${Math.round(bytes / 1000)} kB gzipped in all`,
  )
  expect(paintedMs).toBeLessThan(2000)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(250_000)
})

async function gzippedSize(response: { body(): Promise<Buffer> }): Promise<number> {
  const { gzipSync } = await import('node:zlib')
  return gzipSync(await response.body()).length
}
