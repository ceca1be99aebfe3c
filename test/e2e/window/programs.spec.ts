import { snapshot } from '../../renderer/fixtures.ts'
import { asked, copied, expect, problemsOf, test } from './window-fixtures.ts'

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
  process: 'python3 scan.py (4123)',
  use: [{ category: 'Accounts', forwarded: 12, perSecond: 0.25, waiting: 2, longestWaitMs: 4300 }],
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
  // No column is cut, and nothing has to be scrolled to.
  const table = dialog.getByRole('region', { name: 'Programs' })
  expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  for (const words of ['…abcd', 'critical', '0.25', '2, 4.3 s', 'waiting'])
    await expect(row).toContainText(words)
  host.answer('cutProgram', { ok: false, code: 'gateway', message: 'There is no program named My bot.' })
  await row.getByRole('button', { name: 'Cut off My bot' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('There is no program named My bot.')
  expect(asked(host, 'cutProgram')).toEqual([{ name: 'My bot' }])
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect.poll(() => asked(host, 'setGateway')).toEqual([{ on: false }])
})

test('who waits for what, and for how long, is listed in order of turn', async ({ page, open }) => {
  const now = snapshot()
  const waits = (category: string, waiting: number, longestWaitMs: number, inMs: number) => ({
    ...{ category, waiting, longestWaitMs, nextTurnAt: now.at + inMs, forwarded: 0, perSecond: 0 },
  })
  await open({
    ...now,
    gateway: { state: 'serving', url: 'http://127.0.0.1:4791' },
    programs: [
      { ...BOT, use: [waits('Positions', 3, 45_000, 300_000)] },
      { ...BOT, id: 'program-2', name: 'notes', use: [waits('Accounts', 1, 4_000, 30_000)] },
    ],
  })
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Programs…' }).click()
  const list = page.getByRole('region', { name: 'Waiting now' })
  await expect(list.getByRole('heading')).toHaveText('Waiting now, 4 requests')
  await expect(list.getByRole('row').nth(1)).toContainText(/Accounts.*notes.*1.*4\.0 s.*in \d+ s/)
  await expect(list.getByRole('row').nth(2)).toContainText(/Positions.*My bot.*3.*45 s.*in \d min/)
  await expect(page.getByText('python3 scan.py (4123)')).toHaveCount(2)
  expect(await problemsOf(page, '[role="dialog"]')).toEqual([])
})

test('the details of a row show its use by program, stacked', async ({ page, open }) => {
  const host = await open({
    ...snapshot(),
    gateway: { state: 'serving', url: 'http://127.0.0.1:4791' },
    programs: [BOT],
  })
  host.answer('programHistory', {
    from: 0,
    resolutionMs: 60_000,
    programs: [
      { program: 'notes', requests: [0, 60, 0] },
      { program: 'My bot', requests: [30, 60, 120] },
    ],
  })
  await page.getByRole('button', { name: 'Details', exact: true }).click()
  const chart = page.getByRole('img', { name: 'Requests of programs: My bot 210, notes 60' })
  await expect(chart.locator('rect')).toHaveCount(4)
  await expect(page.getByText(/^Use per program, from the history/)).toContainText('at most 2.0/s')
  expect(await problemsOf(page, '[data-history]')).toEqual([])
})
