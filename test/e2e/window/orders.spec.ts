import { readFile } from 'node:fs/promises'
import type { OrdersSummary, UnknownOrder } from '../../../app/contract/orders.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { NOW_MS } from '../../renderer/fixtures.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { BUSY } from './plan-fixtures.ts'
import { asked, test as base, expect, overflow, problemsOf } from './window-fixtures.ts'

const test = base.extend({ viewport: { width: 1440, height: 900 } })

const SERVING = { state: 'serving', url: 'http://127.0.0.1:4791', since: NOW_MS - 3_600_000 } as const
const TRADING: Snapshot = {
  ...BUSY,
  gateway: SERVING,
  access: { ...BUSY.access, scopes: ['openid', 'MarketData', 'ReadAccount', 'Trade'] },
}

const having = (orders: OrdersSummary, more: Partial<Snapshot> = {}): Snapshot => ({
  ...TRADING,
  ...more,
  orders,
})
const ON: OrdersSummary = { state: 'on', today: 7, unknown: [] }
const UNKNOWN: UnknownOrder = {
  id: '17',
  program: 'executor',
  at: NOW_MS - 4000,
  kind: 'order',
  accountEnding: '782',
  state: 'looking',
}
const ENTRY = {
  ...{ id: '16', atMs: NOW_MS - 60_000, program: 'executor', method: 'POST', kind: 'order' },
  ...{ accountEnding: '782', status: 200, orderIds: ['884201337'], latencyMs: 48.2 },
  ...{ outcome: 'answered', isDismissed: false },
} as const
const ENTRIES = [
  ENTRY,
  {
    ...ENTRY,
    ...{ id: '17', atMs: NOW_MS - 4000, status: undefined, orderIds: [], latencyMs: undefined },
    outcome: 'looking',
  },
]

const programsOf = (page: import('@playwright/test').Page) =>
  page.getByRole('button', { name: 'Programs', exact: false }).first()

test('while orders are off, only one line of the settings mentions them', async ({ page, open }) => {
  const host = await open(having({ state: 'off', today: 0, unknown: [] }))
  await programsOf(page).click()
  await page.getByTestId('programs').waitFor()
  await expect(page.getByTestId('orders-state')).toHaveCount(0)
  await expect(page.getByText(/Journal of orders|Stop orders|Allow orders/)).toHaveCount(0)
  await page.getByRole('button', { name: '+ Add a program' }).click()
  await expect(page.getByRole('checkbox', { name: 'May send orders' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+O')
  await page.keyboard.press('s')
  await expect(page.getByTestId('orders-setting')).toHaveText('Orders are off.')
  expect(asked(host, 'stopOrders')).toEqual([])
})

test('a LIVE key gets orders by its last four characters, then a sign-in', async ({ page, open }) => {
  const host = await open(having({ state: 'off', today: 0, unknown: [] }))
  host.answer('allowOrders', {
    ok: true,
    signIn: { signIn: 's1', url: 'https://signin.tradestation.com/x', opened: true, endsAt: NOW_MS },
  })
  await page.keyboard.press('s')
  await page.getByRole('button', { name: 'Allow orders…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Orders of a LIVE key reach real accounts.')
  const allow = dialog.getByRole('button', { name: 'Allow orders' })
  await allow.click()
  expect(asked(host, 'allowOrders')).toEqual([])
  await dialog.getByRole('textbox').fill('zQ7x')
  await allow.click()
  expect(asked(host, 'allowOrders')).toEqual([{ profile: TRADING.profile.id, ending: 'zQ7x' }])
  await expect(dialog).toContainText('Continue in your browser')
  host.push('signInChanged', { state: 'done', signIn: 's1', profile: TRADING.profile.id })
  await expect(dialog).toHaveCount(0)
})

test('the dialog reports a declined sign-in; a SIM key needs no characters', async ({ page, open }) => {
  const profile = { ...TRADING.profile, environment: 'sim' as const }
  const service = { ...TRADING.service, host: 'sim-api.tradestation.com' }
  const host = await open(
    having({ state: 'stopped', why: 'by you', today: 0, unknown: [] }, { profile, service }),
  )
  host.answer('allowOrders', {
    ok: true,
    signIn: { signIn: 's1', url: 'https://signin.tradestation.com/x', opened: true, endsAt: NOW_MS },
  })
  await page.locator('[data-remedy=allow-orders]').first().click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('textbox')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Allow orders' }).click()
  const message = 'You declined in the browser. Nothing was saved.'
  host.push('signInChanged', { state: 'failed', signIn: 's1', code: 'declined', message })
  await expect(dialog.getByRole('alert')).toContainText('You declined in the browser')
  expect(asked(host, 'allowOrders')).toEqual([{ profile: profile.id }])
})

test('Shift+O stops orders except in a field, even with shortcuts off', async ({ page, open }) => {
  const host = await open(having(ON))
  const stops = () => asked(host, 'stopOrders').length
  host.answer('stopOrders', { ok: true })
  await page.keyboard.press('Shift+O')
  await expect.poll(stops).toBe(1)
  await page.keyboard.press('s')
  const shortcuts = page.getByLabel('Single-key shortcuts')
  await shortcuts.uncheck()
  await page.keyboard.press('Shift+O')
  await expect.poll(stops).toBe(2)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+O')
  await expect.poll(stops).toBe(3)
  await page.keyboard.press('g')
  await page.keyboard.press('Control+K')
  const palette = page.getByRole('dialog').locator('input')
  await palette.fill('')
  await page.keyboard.press('Shift+O')
  await expect(palette).toHaveValue('O')
  expect(stops()).toBe(3)
})

test('the page has the red button, what it leaves, and the journal', async ({ page, open, complaints }) => {
  const [trader, ...readers] = BUSY.programs ?? []
  if (trader === undefined) throw new Error('no program')
  const programs = [{ ...trader, maxOrders: 30, ordersLastMinute: 4 }, ...readers]
  const host = await open(having(ON, { programs }))
  host.answer('orderJournal', { ok: true, entries: ENTRIES })
  host.answer('history', { points: [], rejectedAt: [] })
  host.answer('stopOrders', { ok: true })
  await programsOf(page).click()
  await expect(page.getByTestId('orders-state')).toHaveText('Orders are allowed, 7 today.')
  const strip = page.getByRole('region', { name: 'Orders', exact: true })
  await expect(strip).toContainText('Stopping keeps the Trade scope')
  const journal = page.getByRole('region', { name: 'Journal of orders', exact: true })
  await expect(journal.getByRole('row').nth(1)).toContainText('outcome unknown, looking it up')
  await expect(journal.getByRole('row').nth(2)).toContainText('POST orders…782')
  await expect(journal.getByRole('row').nth(2)).toContainText('20088420133748 ms')
  const rows = page.getByRole('region', { name: 'Programs', exact: true }).getByRole('row')
  await expect(rows.filter({ hasText: trader.name })).toContainText('4 of 30 /min')
  await expect(rows.filter({ hasText: readers[0]?.name ?? '' })).toContainText('read-only')
  const download = page.waitForEvent('download')
  await journal.getByRole('button', { name: 'Export' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^headroom-orders-\d{4}-\d\d-\d\d\.csv$/)
  const [head, first, second] = (await readFile(await file.path(), 'utf8')).split('\r\n')
  expect(head).toMatch(/^id,time,program,method,kind,/)
  expect([first?.slice(0, 3), second?.slice(0, 3)]).toEqual(['16,', '17,'])
  await strip.getByRole('button', { name: 'Stop orders' }).click()
  expect(asked(host, 'stopOrders')).toEqual([{}])
  host.show(having({ ...ON, state: 'stopped', why: 'by you' }, { revision: 2 }))
  await expect(page.getByTestId('orders-state')).toHaveText('Orders are stopped: by you, 7 today.')
  await expect(strip.getByRole('button', { name: 'Allow orders…' })).toBeVisible()
  for (const width of [1440, 1000, 400]) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(() => layoutFaults(page), `${width} wide`).toEqual([])
    await expect.poll(async () => (await overflow(page))[0]).toBe(0)
  }
  expect(await problemsOf(page)).toEqual([])
  expect(complaints).toEqual([])
})

test('an unknown outcome is the headline, and is dismissed there or on the page', async ({ page, open }) => {
  const host = await open(having({ ...ON, unknown: [UNKNOWN] }))
  host.answer('dismissOrder', { ok: true })
  host.answer('orderJournal', { ok: true, entries: ENTRIES })
  const headline = page.getByTestId('verdict-headline')
  await expect(headline).toContainText('1 order’s outcome is unknown.')
  await page.locator('[data-remedy=dismiss-orders]').first().click()
  await expect.poll(() => asked(host, 'dismissOrder')).toEqual([{ id: '17' }])
  host.show(
    having({ ...ON, unknown: [{ ...UNKNOWN, state: 'found', orderId: '884201337' }] }, { revision: 2 }),
  )
  await expect(headline).toContainText('An order was found, ID 884201337.')
  await programsOf(page).click()
  const one = page.locator('[data-order="17"]')
  await expect(one).toContainText('found, ID 884201337')
  await one.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => asked(host, 'dismissOrder')).toEqual([{ id: '17' }, { id: '17' }])
  host.show(having(ON, { revision: 3 }))
  await expect(one).toHaveCount(0)
})

test('a program is granted orders by a tick, with its own limit', async ({ page, open }) => {
  const host = await open(having(ON))
  host.answer('addProgram', { ok: true, key: 'x'.repeat(43) })
  host.answer('orderJournal', { ok: true, entries: [] })
  await programsOf(page).click()
  const add = async (name: string) => {
    await page.getByRole('button', { name: '+ Add a program' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
  }
  await add('reader')
  await page.getByRole('button', { name: 'Add program' }).click()
  await page.getByRole('button', { name: 'Done, I have the key' }).click()
  await add('trader')
  await page.getByRole('checkbox', { name: 'May send orders' }).check()
  await page.getByLabel('up to').fill('12')
  await page.getByRole('button', { name: 'Add program' }).click()
  await expect.poll(() => asked(host, 'addProgram').length).toBe(2)
  const [reader, trader] = asked(host, 'addProgram')
  expect(reader).not.toHaveProperty('maxOrders')
  expect(trader).toMatchObject({ name: 'trader', maxOrders: 12 })
})
