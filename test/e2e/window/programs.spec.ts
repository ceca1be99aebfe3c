import { snapshot } from '../../renderer/fixtures.ts'
import { asked, copied, expect, test } from './window-fixtures.ts'

const BOT = {
  id: 'program-1',
  name: 'My bot',
  class: 'critical',
  weight: 2,
  keyEnding: 'abcd',
  forwarded: 12,
  coalesced: 1,
  refused: 3,
  perSecond: 0.25,
  waiting: 2,
  longestWaitMs: 4300,
  streams: 1,
  use: [{ category: 'Accounts', forwarded: 12, perSecond: 0.25, waiting: 2 }],
} as const

test('the gateway is turned on, and a program is added with its key shown once', async ({ page, open }) => {
  const host = await open(snapshot())
  host.answer('gateway', { gateway: { state: 'off' }, programs: [] })
  host.answer('addProgram', { ok: true, key: 'KEY-of-the-new-program' })
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Programs…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByTestId('gateway-state')).toHaveText('The gateway is off.')
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect.poll(() => asked(host, 'setGateway')).toEqual([{ on: true, port: 4791 }])

  await dialog.getByLabel('Name').fill('a/b')
  await dialog.getByRole('button', { name: 'Add program' }).click()
  await expect(dialog.getByText(/letters, digits, spaces/)).toBeVisible()
  expect(asked(host, 'addProgram')).toEqual([])
  await dialog.getByLabel('Name').fill('My bot')
  await dialog.getByLabel('Class').selectOption('critical')
  await dialog.getByRole('button', { name: 'Add program' }).click()
  await expect(dialog.getByTestId('program-key')).toHaveText('KEY-of-the-new-program')
  expect(asked(host, 'addProgram')).toEqual([
    { name: 'My bot', class: 'critical', weight: 1, profile: 'main' },
  ])
  const text = await copied(page)
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  expect(await text()).toBe('KEY-of-the-new-program')
  await expect(dialog.getByText(/^requests\.get\(/)).toContainText('Bearer KEY-of-the-new-program')

  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Programs…' }).click()
  await expect(page.getByRole('dialog').getByTestId('gateway-state')).toBeVisible()
  await expect(page.getByText('KEY-of-the-new-program')).toHaveCount(0)
})

test('programs are shown with what they do now, and are cut off', async ({ page, open }) => {
  const host = await open({
    ...snapshot(),
    gateway: { state: 'serving', url: 'http://127.0.0.1:4791' },
    programs: [BOT],
  })
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Programs…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByTestId('gateway-state')).toContainText('http://127.0.0.1:4791')
  const row = dialog.getByRole('row', { name: /^My bot/ })
  for (const words of ['…abcd', 'critical', '0.25', '2, 4.3 s', 'waiting'])
    await expect(row).toContainText(words)
  host.answer('cutProgram', { ok: false, code: 'gateway', message: 'There is no program named My bot.' })
  await row.getByRole('button', { name: 'Cut off My bot' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('There is no program named My bot.')
  expect(asked(host, 'cutProgram')).toEqual([{ name: 'My bot' }])
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect.poll(() => asked(host, 'setGateway')).toEqual([{ on: false }])
})
