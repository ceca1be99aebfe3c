import { CALM_REQUESTS, REQUESTS, snapshot } from '../../renderer/fixtures.ts'
import { rowDetailsOf } from '../../renderer/harness/memory-fixtures.ts'
import { asked, copied, expect, test } from './window-fixtures.ts'

test('a row’s details are those of the last response, and are refreshed', async ({ page, open }) => {
  const host = await open(snapshot())
  const text = await copied(page)
  await page.getByRole('button', { name: 'Quote Snapshot' }).click()
  await page.keyboard.press('d')
  const details = page.getByRole('region', { name: 'Quote Snapshot, details' })
  await expect(details.getByTestId('headers')).toContainText('x-ratelimit-remaining478')
  await expect(details).toContainText('Ignored: x-concurrency-limit: not a number')
  await expect(details).toContainText('no request id')
  await details.getByRole('button', { name: /^Copy request id/ }).click()
  expect(await text()).toBe('a9c14d07-55f2-4c1e-9d2b-70f0c4a3b1e2')
  host.answer('checkNow', { ok: false, code: 'too-soon', message: 'That can be checked again at 14:32:00.' })
  await details.getByRole('button', { name: 'Check now' }).click()
  await expect(details.getByRole('alert')).toHaveText('That can be checked again at 14:32:00.')
  expect(asked(host, 'checkNow')).toEqual([{ profile: 'main', category: 'Quote Snapshot' }])
  expect(rowDetailsOf('Barchart Stream').headers).toEqual({})
})

test('an alert can be dismissed, and an ended one disappears', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'Alerts: 2 open, 1 new' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Dismiss Positions runs out/ }).click()
  await expect.poll(() => asked(host, 'dismissAlert')).toEqual([{ id: 'main running-out Positions' }])
  host.push('alertsChanged', [])
  await expect(dialog).toContainText('No open problems.')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Alerts: none open' })).toBeFocused()
})

test('the opener of a dialog has the focus again when it closes', async ({ page, open }) => {
  await open(snapshot())
  const more = page.getByRole('button', { name: 'More', exact: true })
  await more.click()
  await page.getByRole('menuitem', { name: 'Keyboard…' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Revoke tokens…' })).toBeFocused()
})

test('a palette command leaves the focus on the page, not on a control', async ({ page, open }) => {
  await open(snapshot())
  const revoke = page.getByRole('button', { name: 'Revoke tokens…' })
  await revoke.focus()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command' }).fill('Show Balances')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-history]')).toHaveAttribute('data-history', 'Balances')
  await expect(page.getByRole('main')).toBeFocused()
  await revoke.focus()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Command' }).fill('Health of the key')
  await page.keyboard.press('Enter')
  // The title has the focus, for screen readers. It has no focus ring, because it can't be pressed.
  const title = page.getByRole('dialog').getByRole('heading').first()
  await expect(title).toBeFocused()
  expect(await title.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe('none')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('main')).toBeFocused()
})

test('a dialog whose opener is disabled leaves the focus on the page', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await page.getByRole('alertdialog').waitFor()
  host.show(snapshot({ revision: 2, refresh: { ...snapshot().refresh, state: 'none' } }))
  await expect(page.getByRole('button', { name: 'Revoke tokens…', includeHidden: true })).toBeDisabled()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('main')).toBeFocused()
})

test('a paused window says that its numbers are old; it resumes at the present', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('p')
  await expect(page.locator('[data-banner=paused]')).toContainText('Paused at 14:31')
  await expect(page.getByRole('status')).toHaveText('Paused.')
  const remaining = page.locator('tr[data-category="Positions"]').getByTestId('remaining')
  const stopped = await remaining.textContent()
  host.show(
    snapshot({
      revision: 2,
      requests: CALM_REQUESTS.map((row) =>
        row.category === 'Positions' ? { ...row, remaining: 300, low: 299, high: 301, level: 300 } : row,
      ),
    }),
  )
  await expect(page.locator('[data-banner=paused]')).toContainText(/\b([2-9]|\d\d) s old/)
  await expect(remaining).toHaveText(stopped ?? '')
  await page.locator('[data-banner=paused]').getByRole('button', { name: 'Resume' }).click()
  await expect(page.locator('[data-banner=paused]')).toHaveCount(0)
  await expect(page.getByTestId('verdict-headline')).toHaveText('No checked quota runs out within 10 min.')
  await expect.poll(async () => Number(await remaining.textContent())).toBeGreaterThan(200)
})

test('rows are navigated by keys, and keys are ignored while typing', async ({ page, open }) => {
  await open(snapshot())
  const history = page.locator('[data-history]')
  await page.keyboard.press('j')
  await expect(history).toHaveAttribute('data-history', 'Quote Snapshot')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('k')
  await expect(history).toHaveAttribute('data-history', 'Balances')
  await page.keyboard.press('o')
  await page.getByRole('dialog').getByLabel('Symbols').pressSequentially('pc?')
  await expect(page.getByRole('dialog').getByLabel('Symbols')).toHaveValue('pc?')
  await expect(page.locator('[data-banner=paused]')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByLabel('Single-key shortcuts are on').uncheck()
  await page.keyboard.press('Escape')
  await page.keyboard.press('p')
  await expect(page.locator('[data-banner=paused]')).toHaveCount(0)
})

test('the time a row is full again is a time of day or a countdown', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  // Removes the times of emptying, because a row that runs out shows no time at which it is full.
  const requests = REQUESTS.map(({ emptyAt: _, emptyFrom: __, ...lasting }) => lasting)
  await open(snapshot({ requests }))
  const cells = page.locator('tr[data-category="Positions"] td')
  await expect(cells.filter({ hasText: /^14:35:\d\d$/ })).toHaveCount(1)
  await page.getByRole('button', { name: 'Full at', exact: true }).click()
  await expect(cells.filter({ hasText: /^4 min \d+ s$/ })).toHaveCount(1)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Full in', exact: true })).toBeVisible()
})
