import { provesInBrowser } from '../proof/proves-in-browser.ts'
import { connectKey } from './connect-key.ts'
import { expect, test } from './fixtures.ts'

const ACCOUNTS = '/v3/brokerage/accounts'

test('a shown age is accurate, and when responses stop the number is not shown as live', async ({
  page,
  headroom,
  simulator,
  problems,
}) => {
  await page.clock.install()
  await page.goto(headroom.url)
  await connectKey(page, simulator)
  const row = page.locator('tr[data-category="Accounts"]')
  const age = row.getByTestId('age')
  await expect(row).not.toHaveAttribute('data-source', 'default')

  // From now on, no response has quota headers. So the displayed numbers can only get older.
  simulator.service.faults.set('resources-503', true)
  const { service } = simulator
  const answered = service.ledger.entries().filter(({ path, status }) => path === ACCOUNTS && status === 200)
  const seenAtMs = answered.at(-1)?.atMs ?? Number.NaN
  const realSeconds = () => Math.floor((service.nowMs() - seenAtMs) / 1000)
  let ages = 0
  const shownIsReal = async () => {
    const before = realSeconds()
    const shown = Number(/^(\d+) s$/.exec((await age.textContent()) ?? '')?.[1])
    expect(shown).toBeGreaterThanOrEqual(before - 1)
    expect(shown).toBeLessThanOrEqual(realSeconds() + 1)
    ages += 1
  }
  for (const text of [/^[2-9] s$/, /^[4-9] s$/, /^([6-9]|1\d) s$/]) {
    await expect(age).toHaveText(text)
    await shownIsReal()
  }
  await expect(row).toHaveAttribute('data-stale', 'false')

  // The window's clock moves two minutes ahead. Without a connection, the window can't notice that Headroom's
  // clock did not.
  problems.allow(/ERR_INTERNET_DISCONNECTED|ERR_INCOMPLETE_CHUNKED|Failed to load resource|net::ERR/)
  await page.context().setOffline(true)
  await page.clock.fastForward(125_000)
  await expect(row).toHaveAttribute('data-stale', 'true')
  await expect(row).toHaveAttribute('data-severity', 'unknown')
  await expect(row.getByTestId('allowance')).toHaveText(/^ last header \d\d:\d\d$/)
  await expect(age).toHaveText(/^2 min( ago)?$/)

  // After the next push, the window shows the real age, although its clock is two minutes ahead of
  // Headroom's.
  await page.context().setOffline(false)
  await page.reload()
  await expect(age).toHaveText(/^\d+ s$/)
  await shownIsReal()
  provesInBrowser('Q5', ages)
})
