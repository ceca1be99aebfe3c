import { expect, test } from './fixtures.ts'

test('the first useful paint takes at most 250 kB of script', async ({ page, headroom }) => {
  const scripts: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(gzippedSize(response))
  })
  await page.goto(headroom.url)
  await page.locator('tr[data-category="Accounts"]').waitFor()
  await page.locator('.recharts-surface').first().waitFor()
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(250_000)
})

async function gzippedSize(response: { body(): Promise<Buffer> }): Promise<number> {
  const { gzipSync } = await import('node:zlib')
  return gzipSync(await response.body()).length
}
