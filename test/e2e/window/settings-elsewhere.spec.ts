import type { Page } from '@playwright/test'
import type { KeySettings } from '../../../app/contract/settings.ts'
import { snapshot } from '../../renderer/fixtures.ts'
import type { FakeHost } from '../../renderer/harness/fake-host.ts'
import { KEY_SETTINGS } from '../../renderer/harness/memory-fixtures.ts'
import { expect, problemsOf, test } from './window-fixtures.ts'

const AT = 1000

/**
 * Changes the settings as the main process does: it returns the new settings from now on, and a snapshot
 * shows that they are newer.
 */
function changeElsewhere(host: FakeHost, changes: Partial<KeySettings>, settingsAt = AT + 1): void {
  const settings = { ...KEY_SETTINGS.settings, ...changes }
  host.answer('keySettings', { ...KEY_SETTINGS, settings, settingsAt })
  host.show(snapshot({ revision: settingsAt, settingsAt }))
}

async function openSettings(page: Page, open: (shown: ReturnType<typeof snapshot>) => Promise<FakeHost>) {
  const host = await open(snapshot({ settingsAt: AT }))
  host.answer('keySettings', { ...KEY_SETTINGS, settingsAt: AT })
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Symbol for checks')).toHaveValue('MSFT')
  return { host, dialog }
}

test('settings changed in another window are followed, and each field shows it', async ({ page, open }) => {
  const { host, dialog } = await openSettings(page, open)
  await expect(dialog.getByText('Changed in another window')).toHaveCount(0)
  changeElsewhere(host, { symbol: 'AAPL', probesEnabled: false, everySeconds: { Accounts: 60 } })
  await expect(dialog.getByLabel('Symbol for checks')).toHaveValue('AAPL')
  await expect(dialog.getByLabel('Symbol for checks')).toHaveAccessibleDescription(
    'Changed in another window.',
  )
  await expect(dialog.getByLabel('Check this key')).not.toBeChecked()
  await expect(dialog.getByLabel('Check this key')).toHaveAccessibleDescription('Changed in another window.')
  await dialog.getByText('Rows with their own interval: 1').click()
  const intervals = dialog.getByRole('group', { name: 'Seconds between checks' })
  await expect(intervals.getByLabel('Accounts')).toHaveValue('60')
  await expect(intervals.getByLabel('Positions')).toHaveValue('')
  await expect(intervals.getByText('Changed in another window')).toHaveCount(2)
  await expect(
    dialog.getByLabel('Headroom’s share (per cent of each quota)'),
  ).not.toHaveAccessibleDescription(/another window/)
  expect(await problemsOf(page, '[role="dialog"]')).toEqual([])
})

test('typed text stays next to the current value, until the field is left', async ({ page, open }) => {
  const { host, dialog } = await openSettings(page, open)
  const symbol = dialog.getByLabel('Symbol for checks')
  await symbol.fill('TSLA')
  changeElsewhere(host, { symbol: 'AAPL', budgetFraction: 0.1 })
  await expect(dialog.getByLabel('Headroom’s share (per cent of each quota)')).toHaveValue('10')
  await expect(symbol).toHaveValue('TSLA')
  await expect(symbol).toHaveAccessibleDescription(
    'Changed in another window, to AAPL. Your edit applies when you leave the field.',
  )
  const settings = { ...KEY_SETTINGS.settings, symbol: 'TSLA', budgetFraction: 0.1 }
  host.answer('setKeySettings', { ...KEY_SETTINGS, settings, settingsAt: AT + 2 })
  await symbol.press('Enter')
  await expect(symbol).not.toHaveAccessibleDescription(/another window/)
  await expect(symbol).toHaveValue('TSLA')
  await expect(dialog.getByLabel('Headroom’s share (per cent of each quota)')).toHaveAccessibleDescription(
    /another window/,
  )
})

test('a change made here is not reported as another’s, nor fetched again', async ({ page, open }) => {
  const { host, dialog } = await openSettings(page, open)
  const asked = () => host.asked.filter(({ name }) => name === 'keySettings').length
  const before = asked()
  const symbol = dialog.getByLabel('Symbol for checks')
  const settings = { ...KEY_SETTINGS.settings, symbol: 'TSLA' }
  host.answer('setKeySettings', { ...KEY_SETTINGS, settings, settingsAt: AT + 1 })
  await symbol.fill('TSLA')
  await symbol.press('Enter')
  const { profile } = snapshot()
  host.show(snapshot({ revision: 2, settingsAt: AT + 1, profile: { ...profile, name: 'Told of it' } }))
  await expect(page.getByText('Told of it').first()).toBeVisible()
  changeElsewhere(host, { symbol: 'TSLA', budgetFraction: 0.1 }, AT + 2)
  await expect(dialog.getByLabel('Headroom’s share (per cent of each quota)')).toHaveValue('10')
  await expect(symbol).not.toHaveAccessibleDescription(/another window/)
  expect(asked() - before).toBe(1)
})

test('thresholds changed in another window are followed, and each field shows it', async ({ page, open }) => {
  const { host, dialog } = await openSettings(page, open)
  const thresholds = dialog.getByRole('group', { name: 'Alert below' })
  const all = thresholds.getByLabel('All rows')
  const accounts = thresholds.getByLabel('Accounts')
  await expect(all).toHaveValue('20')
  await expect(accounts).toHaveAttribute('placeholder', '20')
  const changedTo = (below: number, command: string) => {
    host.answer(command, { below, perCategory: { Positions: 0.3 } })
    return snapshot().requests.map((row) => ({ ...row, threshold: below }))
  }
  host.show(snapshot({ revision: 2, requests: changedTo(0.15, 'alertThresholds') }))
  await expect(all).toHaveValue('15')
  await expect(all).toHaveAccessibleDescription('Changed in another window.')
  await expect(accounts).toHaveAttribute('placeholder', '15')
  await expect(thresholds.getByText('Changed in another window')).toHaveCount(1)
  changedTo(0.4, 'setAlertThreshold')
  await all.fill('40')
  await all.press('Enter')
  await expect(thresholds.getByText('Changed in another window')).toHaveCount(0)
  await expect(all).toHaveValue('40')
})
