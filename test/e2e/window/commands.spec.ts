import type { Page } from '@playwright/test'
import { EVENTS, NOW_MS, REQUESTS, STREAMS, snapshot, stream } from '../../renderer/fixtures.ts'
import { rowDetailsOf } from '../../renderer/harness/memory-fixtures.ts'
import { expect, test } from './window-fixtures.ts'

const asked = (
  host: { readonly asked: readonly { readonly name: string; readonly arg: unknown }[] },
  name: string,
) => host.asked.filter((one) => one.name === name).map(({ arg }) => arg)

/** What the page puts on the clipboard, which a headless browser may not have. */
async function copied(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    const writeText = async (text: string) => {
      document.documentElement.dataset['copied'] = text
    }
    Object.defineProperty(navigator, 'clipboard', { value: { writeText } })
  })
  return () => page.evaluate(() => document.documentElement.dataset['copied'] ?? '')
}

test('an own stream is pinned, restarted and, once closed, opened again', async ({ page, open }) => {
  const host = await open(
    snapshot({
      streams: [
        stream('s1', 'Positions Stream', '123', { pinned: true }),
        stream('s2', 'Quote Change Stream', 'MSFT,NOPE', {
          restarts: 2,
          symbolErrors: [{ symbol: 'NOPE', error: 'FAILED, EX_INVALID_SYMBOL', at: NOW_MS }],
        }),
        stream('s3', 'MarketDepth Stream', 'MSFT', { state: 'closed', reason: 'closed here' }),
      ],
    }),
  )
  await page.getByRole('button', { name: 'Pin Positions · 123', pressed: true }).click()
  await page.getByRole('button', { name: 'Pin Quotes · MSFT,NOPE', pressed: false }).click()
  await page.getByRole('button', { name: 'Restart Quotes · MSFT,NOPE' }).click()
  await page.getByRole('button', { name: 'Open again Depth · MSFT' }).click()
  await expect(page.getByRole('button', { name: 'Close Depth · MSFT' })).toHaveCount(0)
  await expect
    .poll(() => asked(host, 'pinStream'))
    .toEqual([
      { profile: 'main', stream: 's1', pinned: false },
      { profile: 'main', stream: 's2', pinned: true },
    ])
  await expect
    .poll(() => asked(host, 'restartStream'))
    .toEqual([
      { profile: 'main', stream: 's2' },
      { profile: 'main', stream: 's3' },
    ])
  const quotes = page.locator('[data-stream=s2]')
  await expect(quotes).toContainText('↻2')
  await expect(quotes.getByTestId('unserved')).toHaveText('NOPE not served: FAILED, EX_INVALID_SYMBOL')
})

test('where every slot is taken, room is made only when a person says so', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('o')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Kind').selectOption('depth')
  await dialog.getByLabel('Symbol').fill('AAPL')
  const proposal = { stream: 's3', target: 'MSFT', openedAt: NOW_MS, framesPerSecond: 0 }
  host.answer('openStream', { ok: false, code: 'no-slot', message: 'All 10 slots are taken.', proposal })
  await dialog.getByRole('button', { name: 'Open stream', exact: true }).click()
  await expect(dialog.getByRole('alert')).toHaveText('All 10 slots are taken.')
  host.answer('openStream', { ok: true, stream: 's9' })
  await dialog.getByRole('button', { name: 'Close the oldest, open this' }).click()
  await expect(dialog).toBeHidden()
  const plain = { profile: 'main', kind: 'depth', target: 'AAPL' }
  expect(asked(host, 'openStream')).toEqual([plain, { ...plain, whenFull: 'close-oldest' }])
})

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
  await page.getByRole('button', { name: 'Copy the events shown' }).click()
  await expect(page.getByRole('alert')).toContainText('1 event copied.')
  expect(await text()).toContain('request a9c14d07-55f2-4c1e-9d2b-70f0c4a3b1e2')
  await filter.selectOption('Service, storage')
  await expect(list).toHaveText('None of this kind.')
})

test('what happened before this run is shown when it is asked for', async ({ page, open }) => {
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
  await expect(rows.last()).toContainText('Refresh tokens revoked')
  expect(asked(host, 'pastEvents')).toEqual([
    { profile: 'main', fromMs: oldest.at - 7 * 86_400_000, toMs: oldest.at - 1 },
  ])
  await expect(page.getByRole('button', { name: 'Earlier' })).toHaveCount(0)
})

test('a row’s details are the last answer’s own words, and are looked at now', async ({ page, open }) => {
  const host = await open(snapshot())
  const text = await copied(page)
  await page.getByRole('button', { name: 'Quote Snapshot' }).click()
  await page.keyboard.press('d')
  const details = page.getByRole('region', { name: 'Quote Snapshot, details' })
  await expect(details.getByTestId('headers')).toContainText('x-ratelimit-remaining478')
  await expect(details).toContainText('Not believed: x-concurrency-limit: not a whole number')
  await expect(details).toContainText('no request id')
  await details.getByRole('button', { name: /^Copy request id/ }).click()
  expect(await text()).toBe('a9c14d07-55f2-4c1e-9d2b-70f0c4a3b1e2')
  host.answer('checkNow', { ok: false, code: 'too-soon', message: 'That can be checked again at 14:32:00.' })
  await details.getByRole('button', { name: 'Check now' }).click()
  await expect(details.getByRole('alert')).toHaveText('That can be checked again at 14:32:00.')
  expect(asked(host, 'checkNow')).toEqual([{ profile: 'main', category: 'Quote Snapshot' }])
  expect(rowDetailsOf('Barchart Stream').headers).toEqual({})
})

test('the chart goes back as far as it is asked to', async ({ page, open }) => {
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

test('an alert is dismissed, and one that is over leaves', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'Alerts: 1 new one' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Dismiss Positions runs out in 114 s' }).click()
  await expect.poll(() => asked(host, 'dismissAlert')).toEqual([{ id: 'main runs-out Positions' }])
  host.push('alertsChanged', [])
  await expect(dialog).toContainText('Nothing is wrong now.')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Alerts: none new' })).toBeFocused()
})

test('what opened a dialog has the focus again when it closes', async ({ page, open }) => {
  await open(snapshot())
  const more = page.getByRole('button', { name: 'More' })
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

test('thresholds are set for all rows, for one, and back to the default', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  const thresholds = dialog.getByRole('group', { name: 'Alert below' })
  await thresholds.getByLabel('All rows').fill('25')
  await thresholds.getByLabel('Accounts').fill('0')
  await thresholds.getByLabel('Positions', { exact: true }).fill('')
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

test('probes are set for the key that is shown, and half a number never is', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Stored with this key.')
  await expect(dialog.getByTestId('probe-use')).toContainText('On average at most 12.6 requests a minute')
  const budget = dialog.getByLabel('Budget, per cent of each quota')
  await budget.fill('50')
  await expect(budget).toHaveAttribute('aria-invalid', 'true')
  await expect(budget).toHaveAccessibleDescription('Write a number from 0.1 to 20.')
  await budget.press('Enter')
  await expect(budget).toHaveValue('50')
  await budget.fill('10')
  await budget.press('Enter')
  await expect(dialog.getByTestId('probe-use')).toContainText('On average at most 60.2 requests a minute')
  await dialog.getByLabel('Symbol to ask about').fill('AAPL')
  await dialog.getByLabel('Refresh token rotates within, minutes').fill('45')
  await dialog.getByLabel('Try one request soon after a refusal').check()
  await dialog.getByText('Rows with an interval of their own: 1').click()
  const intervals = dialog.getByRole('group', { name: 'Seconds between probes' })
  // The second change is made while the first is on its way, and keeps it.
  const answers = Promise.withResolvers<void>()
  await page.route('**/setKeySettings', async (route) => {
    await answers.promise
    await route.continue()
  })
  await intervals.getByLabel('Accounts').fill('60')
  await intervals.getByLabel('Positions').fill('')
  await intervals.getByLabel('Balances').focus()
  answers.resolve()
  await expect(dialog.getByText('Rows with an interval of their own: 1')).toBeVisible()
  await dialog.getByLabel('Probe this key').uncheck()
  await expect(dialog.getByTestId('probe-use')).toContainText('Off: a row is as old as its last header')
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

test('a setting that main refuses goes back to what holds, and says why', async ({ page, open }) => {
  const host = await open(
    snapshot({ refresh: { state: 'valid', rotating: false, stored: 'memory', refreshesToday: 1 } }),
  )
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  const symbol = dialog.getByLabel('Symbol to ask about')
  await expect(symbol).toHaveValue('MSFT')
  await expect(dialog.getByLabel('Refresh token rotates within, minutes')).toHaveCount(0)
  const message = 'That could not be kept: the disk is full. Nothing was changed; try again.'
  host.answer('setKeySettings', { ok: false, code: 'not-kept', message })
  await symbol.fill('AAPL')
  await symbol.press('Enter')
  await expect(dialog.getByRole('alert')).toHaveText(message)
  await expect(symbol).toHaveValue('MSFT')
})

test('a report is of the time that was asked for, and is saved as a file', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Report…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('row', { name: /^Positions 120/ })).toContainText('7 m 0 s')
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

test('a paused window says that its numbers are old, and goes on where the service is', async ({
  page,
  open,
}) => {
  const host = await open(snapshot())
  await page.keyboard.press('p')
  await expect(page.locator('[data-banner=paused]')).toContainText('Paused at 14:31')
  await expect(page.getByRole('status')).toHaveText('Paused.')
  const remaining = page.locator('tr[data-category="Positions"]').getByTestId('remaining')
  const stopped = await remaining.textContent()
  host.show(
    snapshot({
      revision: 2,
      requests: REQUESTS.map((row) =>
        row.category === 'Positions' ? { ...row, remaining: 300, level: 300, seen: 300 } : row,
      ),
      verdict: { kind: 'lasts' },
    }),
  )
  await expect(page.locator('[data-banner=paused]')).toContainText('2 s old')
  await expect(remaining).toHaveText(stopped ?? '')
  await page.locator('[data-banner=paused]').getByRole('button', { name: 'Resume' }).click()
  await expect(page.locator('[data-banner=paused]')).toHaveCount(0)
  await expect(page.getByTestId('verdict-headline')).toHaveText('All quotas last.')
  await expect.poll(async () => Number(await remaining.textContent())).toBeGreaterThan(200)
})

test('the compact window is one line and the way back', async ({ page, open }) => {
  await open(snapshot())
  await page.getByRole('button', { name: 'Compact' }).click()
  await expect(page.getByTestId('strip')).toContainText('Positions')
  await expect(page.locator('table')).toHaveCount(0)
  await page.getByRole('button', { name: 'Expand' }).click()
  await expect(page.locator('tr[data-category="Positions"]')).toBeVisible()
})

test('rows are walked by keys, and keys stay out of typing', async ({ page, open }) => {
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

test('"full, if idle" is a time of day or a countdown', async ({ page, open }) => {
  await open(snapshot())
  const cells = page.locator('tr[data-category="Positions"] td')
  await expect(cells.filter({ hasText: /^14:35:\d\d$/ })).toHaveCount(1)
  await page.getByRole('button', { name: 'Full, if idle' }).click()
  await expect(cells.filter({ hasText: /^4 m \d+ s$/ })).toHaveCount(1)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Full in, if idle' })).toBeVisible()
})

test('strings from servers stay text in every dialog and panel', async ({ page, open, complaints }) => {
  const evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
  const host = await open(
    snapshot({
      streams: [
        ...STREAMS,
        stream('s4', 'Quote Change Stream', 'A', {
          symbolErrors: [{ symbol: evil, error: evil, at: NOW_MS }],
        }),
      ],
    }),
  )
  await expect(page.getByTestId('unserved')).toContainText(evil)
  host.answer('rowDetails', {
    ok: true,
    details: { refusals: [{ at: NOW_MS, requestId: evil }], headers: {}, oddities: [evil] },
  })
  await page.keyboard.press('d')
  await expect(page.locator('[data-history]')).toContainText(`Not believed: ${evil}`)
  host.push('alertsChanged', [
    {
      id: evil,
      profile: 'main',
      kind: 'blocked',
      severity: 'critical',
      subject: evil,
      since: NOW_MS,
      at: NOW_MS,
      title: evil,
      body: evil,
      dismissed: false,
    },
  ])
  await page.keyboard.press('a')
  await expect(page.getByRole('dialog')).toContainText(evil)
  await expect(page.locator('body img, #window script')).toHaveCount(0)
  await expect(page).toHaveTitle(/Positions/)
  expect(complaints).toEqual([])
})
