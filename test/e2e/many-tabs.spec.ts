import { MAX_TABS } from '../../renderer/api/tab-place.ts'
import { expect, test } from './fixtures.ts'

test('five tabs leave a connection free; a sixth waits until one closes', async ({ context, headroom }) => {
  const open = async (tab: number) => {
    const page = await context.newPage()
    await page.goto(await headroom.waitForReady(tab))
    return page
  }
  const isConnected = '[data-link=live]'
  const first = await open(1)
  for (let tab = 2; tab <= MAX_TABS; tab += 1) await (await open(tab)).waitForSelector(isConnected)
  const sixth = await open(MAX_TABS + 1)
  await expect(sixth.getByRole('region', { name: 'Notice' })).toContainText(
    'Headroom is open in 5 tabs of this browser Close one.',
  )
  expect(await first.evaluate(async () => (await fetch('/healthz')).status)).toBe(200)
  await first.close()
  await sixth.waitForSelector(isConnected)
})
