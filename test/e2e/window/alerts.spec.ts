import { keyFindings } from '../../../app/conditions/key-status.ts'
import { exampleAlert } from '../../main/hosts/terminal/example-snapshot.ts'
import { snapshot } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { ALERTS } from '../../renderer/harness/memory-fixtures.ts'
import { asked, expect, test } from './window-fixtures.ts'

test('the alerts, opened by a key, focus no button that could lose one', async ({ page, open }) => {
  const host = await open(snapshot())
  await expect(page.getByTestId('alerts')).toHaveText('Alerts 2')
  await page.keyboard.press('a')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('heading', { name: 'Alerts' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  await expect(dialog.locator('[data-alert]')).toHaveCount(2)
  await expect(dialog.getByRole('button', { name: 'Open 2', exact: true })).toBeVisible()
  expect(asked(host, 'dismissAlert')).toEqual([])
})

test('an alert links to its row, and closed ones show their length', async ({ page, open }) => {
  await open(snapshot())
  await page.getByTestId('alerts').click()
  await page.getByRole('button', { name: 'Closed' }).click()
  await expect(page.locator('[data-closed-alert]')).toContainText('lasted 2 min 0 s')
  await page.getByRole('button', { name: 'Open 2', exact: true }).click()
  await page
    .locator('[data-alert="main running-out Positions"]')
    .getByRole('button', { name: /^Show/ })
    .click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const row = page.locator('tr[data-category="Positions"]')
  await expect(row.getByRole('button', { name: 'Positions' }).first()).toBeFocused()
})

test('an alert of a missing permission leads to the first of its rows', async ({ page, open }) => {
  const state = BAD_DAYS['permission missing (403)']!
  const host = await open(state)
  const [alert] = ALERTS
  const forbidden = { ...alert!, id: '403', kind: 'permission-missing', subject: '' }
  host.answer('alerts', [forbidden])
  await page.reload()
  await page.getByTestId('alerts').click()
  await page.locator('[data-alert="403"]').getByRole('button', { name: /^Show/ }).click()
  const [first] = keyFindings(state, state.at)
  const row = page.locator(`tr[data-category="${first?.problem?.categories[0]}"]`)
  await expect(row.getByRole('button').first()).toBeFocused()
})

test('a snooze is sent to the host with its end, and shows how long it lasts', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByTestId('alerts').click()
  await page.getByRole('dialog').getByRole('button', { name: '15 min' }).click()
  await expect(page.getByText(/Snoozed until/)).toBeVisible()
  await expect.poll(() => asked(host, 'setAlertPreferences')).toEqual([{ snoozedUntil: expect.any(Number) }])
})

test('sounds are off until they are turned on, and quiet hours have times', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByTestId('alerts').click()
  await page.getByRole('button', { name: /Thresholds, sounds/ }).click()
  await expect(page.getByLabel('Sound for critical alerts', { exact: true })).not.toBeChecked()
  await page.getByLabel('Sound for critical alerts', { exact: true }).check()
  await page.getByLabel('Quiet hours', { exact: true }).check()
  await page.getByLabel('Quiet from').fill('21:30')
  const sent = () => asked(host, 'setAlertPreferences').at(-1)
  await expect.poll(sent).toEqual({ quietHours: { from: '21:30', to: '07:00' } })
})

test('alerts of another key name that key next to the shown one’s headline', async ({ page, open }) => {
  const host = await open(snapshot())
  const other = { ...snapshot().profile, id: 'b', name: 'Beta' }
  host.show(snapshot(), snapshot({ profile: other }))
  await expect(page.getByTestId('verdict-detail')).toBeVisible()
  await expect(page.getByTestId('others-alerts')).toHaveCount(0)
  const alert = exampleAlert({ id: 'b low A', profile: 'b', subject: 'A', title: 'A is low' })
  const seen = { ...alert, id: 'b low C', dismissed: true }
  host.push('alertsChanged', [alert, { ...alert, id: 'b low B', subject: 'B' }, seen])
  await expect(page.getByTestId('others-alerts')).toHaveText('Beta: 2 alerts.')
})
