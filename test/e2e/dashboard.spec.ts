import { expect, test } from './fixtures.ts'
import { startProcess } from './started-process.ts'

test('the page reports that the host ended, and is live with the next link', async ({
  page,
  headroom,
  problems,
}) => {
  problems.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|Failed to load resource|net::ERR/)
  await page.goto(headroom.url)
  await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
  const { port } = new URL(headroom.origin)

  await headroom.stop()
  await expect(page.locator('[data-banner="host-gone"]')).toContainText('Headroom stopped responding at')
  await expect(page.locator('tr[data-category="Accounts"]')).toBeVisible()

  const flags = ['--host', 'browser', '--no-open', '--port', port, '--data', headroom.dataFolder]
  const next = await startProcess(['start', ...flags], 'headroom ready: ')
  try {
    await expect(page.locator('[data-banner="host-restarted"]')).toContainText('Headroom restarted', {
      timeout: 20_000,
    })
    await page.goto(next.ready[0] ?? '')
    await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
    await expect(page.locator('[data-banner="host-restarted"]')).toHaveCount(0)
  } finally {
    await next.stop()
  }
})
