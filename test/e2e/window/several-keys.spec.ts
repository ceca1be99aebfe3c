import { snapshot } from '../../renderer/fixtures.ts'
import { asked, expect, test } from './window-fixtures.ts'

const second = snapshot({ profile: { id: 'two', name: 'Second key', environment: 'sim' } })

test('the details of a row are never those of another key', async ({ page, open }) => {
  const host = await open(snapshot())
  host.show(snapshot(), second)
  // Both keys show the same row, because it is the tightest of both.
  await page.keyboard.press('d')
  const details = page.getByRole('region', { name: 'Positions, details' })
  host.answer('checkNow', { ok: false, code: 'too-soon', message: 'That can be checked again at 14:32:00.' })
  await details.getByRole('button', { name: 'Check now' }).click()
  await expect(details.getByRole('alert')).toHaveText('That can be checked again at 14:32:00.')
  await expect(details.getByTestId('headers')).toBeVisible()
  host.answer('rowDetails', { ok: false, code: 'unknown-category', message: 'Unknown category.' })
  await page.getByTestId('profile').click()
  await page.getByRole('menuitemradio', { name: /Second key/ }).click()
  await expect.poll(() => asked(host, 'rowDetails').at(-1)).toMatchObject({ profile: 'two' })
  await expect(details).toBeVisible()
  await expect(details.getByTestId('headers')).toHaveCount(0)
  await expect(details.getByRole('alert')).toHaveText('')
})

test('a question about a key closes when that key is gone', async ({ page, open }) => {
  const host = await open(snapshot())
  host.show(snapshot(), second)
  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('Main key')
  host.push('profileRemoved', { profile: 'main' })
  await expect(page.getByTestId('profile')).toContainText('Second key')
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  expect(asked(host, 'revoke')).toEqual([])
})

test('the question whether to close all streams does not pass to another key', async ({ page, open }) => {
  const host = await open(snapshot())
  host.show(snapshot(), second)
  await page.getByRole('button', { name: 'Close all…' }).click()
  await page.getByTestId('profile').click()
  await page.getByRole('menuitemradio', { name: /Second key/ }).click()
  await expect(page.getByRole('button', { name: 'Close all…' })).toBeVisible()
})
