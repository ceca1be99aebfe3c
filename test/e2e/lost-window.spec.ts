import type { Page } from '@playwright/test'
import { provesInBrowser } from '../proof/proves-in-browser.ts'
import { THOROUGH_TAG } from '../thorough.ts'
import { connectKey, openPositionsStream } from './connect-key.ts'
import { expect, type Headroom, test } from './fixtures.ts'

/** A window that stops working must not affect anything else (W6). */

// An access token is refreshed about every ten seconds, so that work without the window soon becomes visible.
test.use({ simulatorOptions: { accessLifetimeSeconds: 20 } })

const liveStreams = (page: Page) => page.locator('[data-stream][data-state="live"]')
const revision = async (page: Page, headroom: Headroom) => (await snapshotOf(page, headroom)).at

/** The main process's current state. Requested as a window requests it. */
async function snapshotOf(page: Page, { origin }: Headroom): Promise<{ at: number; refreshes: number }> {
  return page.evaluate(async (host) => {
    const bearer = Object.values(sessionStorage)[0]
    const answer = await fetch(`${host}/api/command/snapshots`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: 'null',
    })
    const { value } = (await answer.json()) as {
      value: { at: number; refresh: { refreshesToday: number } }[]
    }
    const [snapshot] = value
    return { at: snapshot?.at ?? 0, refreshes: snapshot?.refresh.refreshesToday ?? 0 }
  }, origin)
}

test('while the window is frozen tokens and streams continue, and it returns with the latest', {
  tag: THOROUGH_TAG,
}, async ({ page, headroom, simulator }) => {
  await page.goto(headroom.url)
  await connectKey(page, simulator)
  await openPositionsStream(page)
  await expect(liveStreams(page)).toHaveCount(1)
  const [stream] = simulator.service.streams()
  const refreshes = () =>
    simulator.service.ledger.entries().filter(({ path, status }) => path === '/oauth/token' && status === 200)
      .length

  const frozen = await page.context().newCDPSession(page)
  await frozen.send('Page.setWebLifecycleState', { state: 'frozen' })
  const before = refreshes()
  await expect.poll(refreshes, { timeout: 30_000 }).toBeGreaterThan(before)
  expect(simulator.service.streams().map(({ id }) => id)).toEqual([stream?.id])

  await frozen.send('Page.setWebLifecycleState', { state: 'active' })
  const known = refreshes()
  await expect(page.getByRole('list', { name: 'Events' }).getByText('Access token renewed')).toHaveCount(
    known,
  )
  await expect(liveStreams(page)).toHaveCount(1)
  expect((await snapshotOf(page, headroom)).refreshes).toBeGreaterThanOrEqual(known)
  provesInBrowser('W6', 1)
})

test('a crashed window costs no stream and no token, and the next one has the latest', async ({
  page,
  context,
  headroom,
  simulator,
  problems,
}) => {
  problems.allow(/crash/i)
  await page.goto(headroom.url)
  await connectKey(page, simulator)
  await openPositionsStream(page)
  await expect(liveStreams(page)).toHaveCount(1)
  const [stream] = simulator.service.streams()
  const seenAt = await revision(page, headroom)

  const crashed = page.waitForEvent('crash')
  await Promise.all([crashed, page.goto('chrome://crash').catch(() => {})])
  const next = await context.newPage()
  await next.goto(await headroom.waitForReady(2))
  await expect(liveStreams(next)).toHaveCount(1)
  expect(await revision(next, headroom)).toBeGreaterThan(seenAt)
  expect(simulator.service.streams().map(({ id }) => id)).toEqual([stream?.id])
  provesInBrowser('W6', 1)
})
