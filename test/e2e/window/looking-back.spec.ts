import { EVENTS, NOW_MS, snapshot } from '../../renderer/fixtures.ts'
import { asked, copied, expect, test } from './window-fixtures.ts'

test('events are filtered and copied with their whole request ids', async ({ page, open }) => {
  await open(snapshot())
  const text = await copied(page)
  const list = page.getByRole('list', { name: 'Events' })
  await expect(list.getByRole('listitem')).toHaveCount(EVENTS.length)
  await page.keyboard.press('f')
  const filter = page.getByRole('combobox', { name: 'Show events' })
  await expect(filter).toBeFocused()
  await filter.selectOption('Quotas')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Copy the events shown' }).click()
  await expect(page.getByRole('alert')).toContainText('1 event copied.')
  expect(await text()).toContain('request a9c14d07-55f2-4c1e-9d2b-70f0c4a3b1e2')
  await filter.selectOption('Service, storage')
  await expect(list).toHaveText('No events of this kind.')
})

test('events before this run are shown on request', async ({ page, open }) => {
  const host = await open(snapshot())
  const oldest = EVENTS[0]!
  host.answer('pastEvents', [
    { ...oldest, seq: 7, at: NOW_MS - 30 * 3_600_000, kind: 'revoked' },
    { ...oldest, seq: 8, at: NOW_MS - 29 * 3_600_000, kind: 'service-back', host: 'api.example.com' },
  ])
  await page.getByRole('button', { name: 'Earlier' }).click()
  const rows = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
  await expect(rows).toHaveCount(EVENTS.length + 2)
  await expect(rows.nth(EVENTS.length)).toContainText('Thu 09:31')
  await expect(rows.last()).toContainText('Tokens revoked')
  expect(asked(host, 'pastEvents')).toEqual([
    { profile: 'main', fromMs: oldest.at - 7 * 86_400_000, toMs: oldest.at - 1 },
  ])
  await expect(page.getByRole('button', { name: 'Earlier' })).toHaveCount(0)
})

test('the chart goes back as far as chosen', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'Quote Snapshot' }).click()
  for (const [name, words, hours] of [
    ['1 h', 'last hour', 1],
    ['24 h', 'last 24 hours', 24],
    ['7 d', 'last 7 days', 168],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click()
    await expect(
      page.getByRole('img', { name: new RegExp(`^Quote Snapshot, ${words}: between \\d+ and \\d+ of 500`) }),
    ).toBeVisible()
    await expect(page.locator('[data-mark="429"]')).toHaveCount(1)
    const last = asked(host, 'history').at(-1) as { fromMs: number; toMs: number; points: number }
    expect(last.toMs - last.fromMs).toBe(hours * 3_600_000)
    expect(last.points).toBe(300)
  }
  await page.getByRole('button', { name: 'Table' }).click()
  await expect(page.getByRole('cell', { name: /^Fri \d\d:\d\d$/ }).first()).toBeVisible()
})

test('a report covers the chosen time, and is saved as a file', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Report…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('row', { name: /^Positions 120/ })).toContainText('7 min 0 s')
  await dialog.getByText('Last 7 days').click()
  await expect
    .poll(() => {
      const { fromMs, toMs } = asked(host, 'report').at(-1) as { fromMs: number; toMs: number }
      return toMs - fromMs
    })
    .toBe(7 * 86_400_000)
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save as CSV' }).click()
  expect((await download).suggestedFilename()).toBe('headroom-report.csv')
  expect(asked(host, 'exportFile').at(-1)).toMatchObject({ profile: 'main', what: 'report-csv' })
})
