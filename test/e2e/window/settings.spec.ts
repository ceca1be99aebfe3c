import { snapshot } from '../../renderer/fixtures.ts'
import { asked, expect, test } from './window-fixtures.ts'

test('thresholds are set for all rows, for one, and back to the default', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  const thresholds = dialog.getByRole('group', { name: 'Alert below' })
  const all = thresholds.getByLabel('All rows')
  await all.fill('150')
  await all.press('Enter')
  await expect(all).toHaveValue('150')
  await expect(all).toHaveAccessibleDescription('Enter a number from 0 to 100.')
  await all.fill('25')
  await thresholds.getByLabel('Accounts').fill('0')
  await thresholds.getByLabel('Positions', { exact: true }).fill('')
  await thresholds.getByLabel('Positions', { exact: true }).press('Enter')
  await expect
    .poll(() => asked(host, 'setAlertThreshold'))
    .toEqual([
      { profile: 'main', below: 0.25 },
      { profile: 'main', category: 'Accounts', below: 0 },
      { profile: 'main', category: 'Positions' },
    ])
  await dialog.getByLabel('Keep every sample for').selectOption('7 days')
  await expect
    .poll(() => asked(host, 'setRetention'))
    .toEqual([{ rawMs: 7 * 86_400_000, rollupMs: 90 * 86_400_000 }])
  await dialog.getByLabel('Theme').selectOption('high contrast')
  await dialog.getByLabel('Rows', { exact: true }).selectOption('dense')
  const root = page.locator('html')
  await expect(root).toHaveAttribute('data-theme', 'contrast')
  await expect(root).toHaveAttribute('data-density', 'dense')
  await page.reload()
  await expect(root).toHaveAttribute('data-density', 'dense')
})

test('checks are set for the shown key, and a half-typed number never is', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Settings are stored with this key.')
  await expect(dialog.getByTestId('probe-use')).toContainText('At most 15.2 checks a minute on average')
  const budget = dialog.getByLabel('Headroom’s share (per cent of each quota)')
  await budget.fill('50')
  await expect(budget).toHaveAttribute('aria-invalid', 'true')
  await expect(budget).toHaveAccessibleDescription('Enter a number from 0.1 to 20.')
  await budget.press('Enter')
  await expect(budget).toHaveValue('50')
  await budget.fill('10')
  await budget.press('Enter')
  await expect(dialog.getByTestId('probe-use')).toContainText('At most 60.2 checks a minute on average')
  await dialog.getByLabel('Symbol for checks').fill('AAPL')
  await dialog.getByLabel('Refresh token rotates within (minutes)').fill('45')
  await dialog.getByLabel('After a 429, keep checking').check()
  await dialog.getByText('Rows with their own interval: 1').click()
  const intervals = dialog.getByRole('group', { name: 'Seconds between checks' })
  // The second change is made while the first is still being saved. It must not undo the first.
  const answers = Promise.withResolvers<void>()
  await page.route('**/setKeySettings', async (route) => {
    await answers.promise
    await route.continue()
  })
  await intervals.getByLabel('Accounts').fill('60')
  await intervals.getByLabel('Positions').fill('')
  await intervals.getByLabel('Balances').focus()
  answers.resolve()
  await expect(dialog.getByText('Rows with their own interval: 1')).toBeVisible()
  // The dialog uses the same words as the window: checks, and the name of the column to which the setting
  // applies.
  expect(await dialog.innerText()).not.toMatch(/probe|if idle/i)
  await expect(dialog.getByLabel('“Full at” is')).toHaveValue('clock')
  await expect(page.getByRole('columnheader', { name: 'Full at', includeHidden: true })).toHaveCount(1)
  await dialog.getByLabel('Check this key').uncheck()
  await expect(dialog.getByTestId('probe-use')).toContainText('Off. Only other requests and')
  expect(asked(host, 'setKeySettings')).toEqual(
    [
      { budgetFraction: 0.1 },
      { symbol: 'AAPL' },
      { rotationMinutes: 45 },
      { trialAfterStep: true },
      { everySeconds: { Positions: 15, Accounts: 60 } },
      { everySeconds: { Accounts: 60 } },
      { probesEnabled: false },
    ].map((change) => ({ profile: 'main', ...change })),
  )
})

test('a setting that main rejects returns to the current one, with the reason', async ({ page, open }) => {
  const host = await open(
    snapshot({ refresh: { state: 'valid', rotating: false, stored: 'memory', refreshesToday: 1 } }),
  )
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  const symbol = dialog.getByLabel('Symbol for checks')
  await expect(symbol).toHaveValue('MSFT')
  await expect(dialog.getByLabel('Refresh token rotates within (minutes)')).toHaveCount(0)
  const message = 'Saving failed: the disk is full. Nothing was changed. Try again.'
  host.answer('setKeySettings', { ok: false, code: 'not-kept', message })
  await symbol.fill('AAPL')
  await symbol.press('Enter')
  await expect(dialog.getByRole('alert')).toHaveText(message)
  await expect(symbol).toHaveValue('MSFT')
})
