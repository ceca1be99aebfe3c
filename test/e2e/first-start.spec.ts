import { expect, test } from './fixtures.ts'

test('a first start shows live data of the built-in simulator, with nothing refused by the policy', async ({
  page,
  headroom,
}) => {
  await page.goto(headroom.url)
  await expect(page.getByText('Positions', { exact: true }).first()).toBeVisible()
  await expect(page.getByText(/simulator/i).first()).toBeVisible()
})

test('a used code is replaced by a fresh one on the terminal, and does not open a second window', async ({
  page,
  headroom,
}) => {
  await page.goto(headroom.url)
  const fresh = await headroom.waitForReady(2)
  expect(new URL(fresh).origin).toBe(headroom.origin)
  expect(fresh).not.toBe(headroom.url)
})
