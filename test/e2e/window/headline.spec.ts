import type { Page } from '@playwright/test'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { CALM_REQUESTS, NOW_MS, quota, slots, snapshot, stream } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { STATES } from '../../renderer/harness/states.ts'
import { quickIf } from '../../thorough.ts'
import { asked, expect, problemsOf, test } from './window-fixtures.ts'

const calm = (more: Partial<Snapshot> = {}) => snapshot({ requests: CALM_REQUESTS, ...more })
const { refresh } = snapshot()
const silent = ['a', 'b', 'c'].map((id) =>
  stream(id, 'Order Stream', id, { state: 'stale', lastFrameAt: NOW_MS - 27_000 }),
)

/** One problem of each severity that the headline once missed, and how it must begin. */
const TROUBLES: readonly (readonly [name: string, Partial<Snapshot>, severity: string, words: RegExp])[] = [
  [
    'a full group of slots',
    { slots: [slots('Option Chain Stream', 10, 9, 1)] },
    'warning',
    /^Option chains: all 10 slots in use \(9 yours, 1 others\)\.$/,
  ],
  [
    'an ended sign-in',
    { refresh: { ...refresh, state: 'sign-in-required', endsAt: NOW_MS - 60_000 } },
    'critical',
    /^Signed out\.$/,
  ],
  [
    'a revocation',
    { refresh: { ...refresh, state: 'revoked', revokedAt: NOW_MS - 5_000 } },
    'ok',
    /^Revoked at 14:31\.$/,
  ],
]

for (const [name, more, severity, words] of TROUBLES) {
  test(`the headline, the title and the icon show: ${name}`, async ({ page, open }) => {
    await open(calm(more))
    await expect(page.locator('[data-verdict]')).toHaveAttribute('data-severity', severity)
    await expect(page.getByTestId('verdict-headline')).toHaveText(words)
    await expect(page).not.toHaveTitle(/^ok/)
    await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', new RegExp(`icon-${severity}`))
    await expect(page.getByTestId('profile').locator('[data-severity]')).toHaveAttribute(
      'data-severity',
      severity,
    )
    await expect(page.getByTestId('more-findings')).toHaveCount(0)
  })
}

test('further findings are counted, and listed with what to do', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const requests = [
    ...CALM_REQUESTS.filter(({ category }) => category !== 'Positions' && category !== 'Balances'),
    quota('Positions', 320, 300, 0, { state: 'blocked', blockedUntil: NOW_MS + 40_000 }),
    quota('Balances', 320, 300, 40, { state: 'low' }),
  ]
  await open(
    calm({
      requests,
      streams: silent,
      slots: [slots('Option Chain Stream', 10, 9, 1), slots('MarketDepth Stream', 10, 9, 1)],
    }),
  )
  const headline = page.getByTestId('verdict-headline')
  await expect(headline).toHaveText('No stream is receiving data since 14:30.')
  await expect(page.getByTestId('verdict-detail')).toContainText('Treat last prices as stale.')
  const more = page.getByTestId('more-findings')
  await expect(more).toHaveText('+2 more')
  const health = page.getByRole('list', { name: 'Health of the key' })
  await expect(health.getByRole('listitem')).toHaveText([
    'Sign-in ok',
    'Service ok',
    'Streams 3 silent',
    'Slots 2 full',
    'Quotas 429',
    /^Quota data \d+ s old$/,
  ])
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(more).toHaveText('+4 more')
  await more.click()
  const dialog = page.getByRole('dialog', { name: 'Health of Main key' })
  await expect(dialog.locator('[data-finding]')).toHaveCount(5)
  await expect(dialog).toContainText('Stop direct Positions calls until then.')
  await expect(dialog).toContainText('Close a stream before you open another.')
  expect(await problemsOf(page, '[role=dialog]')).toEqual([])
  await expect.poll(() => layoutFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Show Positions' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.locator('[data-history]')).toHaveAttribute('data-history', 'Positions')
})

for (const width of [1024, 960])
  test(`the parts have no empty line above them if there are no chips, ${width} wide`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize({ width, height: 700 })
    await open(BAD_DAYS['all is well']!)
    const line = page.getByRole('list', { name: 'Health of the key' }).locator('..')
    expect((await line.boundingBox())?.height).toBeLessThan(40)
  })

for (const width of [1024, 960])
  test(`nothing moves when a second finding appears, ${width} wide`, async ({ page, open }) => {
    await page.setViewportSize({ width, height: 700 })
    const topOf = () =>
      page.getByRole('region', { name: 'Request quotas' }).evaluate((one) => one.getBoundingClientRect().top)
    const [blocked, low] = [
      quota('Positions', 320, 300, 0, { state: 'blocked', blockedUntil: NOW_MS + 40_000 }),
      quota('Balances', 320, 300, 40, { state: 'low' }),
    ]
    const calmRows = CALM_REQUESTS.filter(({ category }) => !/Positions|Balances/.test(category))
    const host = await open(calm())
    const top = await topOf()
    const verdict = page.getByRole('region', { name: 'Verdict' })
    for (const [at, rows] of [[blocked], [blocked, low]].entries()) {
      host.show(calm({ revision: at + 2, requests: [...rows, ...calmRows] }))
      await expect(verdict).toHaveAttribute('data-label', '429')
      await expect(verdict.locator('button[data-severity]')).toHaveCount(at)
      expect(await topOf()).toBe(top)
    }
  })

test('revoking is one click away next to the tokens, and not in red', async ({ page, open }) => {
  await open(calm())
  const revoke = page.getByRole('region', { name: 'Verdict' }).getByRole('button', { name: 'Revoke tokens…' })
  await expect(revoke).toBeVisible()
  const colour = (name: string) =>
    page.getByRole('button', { name, exact: true }).evaluate((one) => getComputedStyle(one).color)
  expect(await colour('Revoke tokens…')).toBe(await colour('Open stream…'))
  await page.setViewportSize({ width: 400, height: 800 })
  await expect(page.getByRole('button', { name: 'Revoke tokens…' })).toHaveCount(1)
})

test('the remedy is the headline’s only button; revoking is its region’s last', async ({ page, open }) => {
  await open(BAD_DAYS['sign-in host unreachable, access expired']!)
  const region = page.getByRole('region', { name: 'Verdict' })
  await expect(region.getByRole('button').first()).toHaveText('Try now')
  await expect(region.getByRole('button').last()).toHaveText('Revoke tokens…')
  const boxOf = (name: string) => region.getByRole('button', { name }).boundingBox()
  const [remedy, revoke] = [await boxOf('Try now'), await boxOf('Revoke tokens…')]
  expect(revoke!.y).toBeGreaterThan(remedy!.y + remedy!.height)
  expect(revoke!.height).toBeLessThan(remedy!.height)
  for (const width of [1100, 1180, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    // The charts adapt to the width only after the resize.
    await expect.poll(() => layoutFaults(page), { message: `${width} wide` }).toEqual([])
  }
})

test('a narrow window has headline and tightest row first, then the tokens', async ({ page, open }) => {
  await page.setViewportSize({ width: 400, height: 800 })
  await open(STATES['blocked']!)
  const bottomOf = (selector: string) =>
    page.locator(selector).evaluate((one) => one.getBoundingClientRect().bottom)
  expect(await bottomOf('header')).toBeLessThan(100)
  expect(await bottomOf('[data-testid=verdict-headline]')).toBeLessThan(200)
  // Each row is a card of three lines. The tightest quota is the fourth card.
  expect(await bottomOf('tr[data-worst=true]')).toBeLessThan(700)
  expect(await bottomOf('table')).toBeLessThan(await bottomOf('[aria-label="Tokens"]'))
})

for (const viewport of [
  { width: 1024, height: 700 },
  { width: 960, height: 600 },
  { width: 400, height: 800 },
])
  test(`the headline is whole at ${viewport.width} × ${viewport.height}`, async ({ page, open }) => {
    await page.setViewportSize(viewport)
    await open(BAD_DAYS['two roots at once']!)
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await expect(verdict.getByRole('button', { name: 'Reopen all' })).toBeVisible()
    await expect(verdict.locator('button[data-severity]')).toHaveText([/^429Positions/, /^fullOption Chain/])
    await expect(verdict.locator('[data-aspect]')).toHaveCount(6)
    await expect(verdict.locator('[data-token]')).toHaveCount(0)
    await expect.poll(() => layoutFaults(page)).toEqual([])
  })

const inSight = (page: Page, selector: string) =>
  page.locator(selector).evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })

for (const [name, viewport] of [
  ['1024×700', { width: 1024, height: 700 }],
  ['1440×900 at 150 %', { width: 960, height: 600 }],
  ['400×800', { width: 400, height: 800 }],
] as const) {
  test(`at ${name} every quota is reachable without losing the headline, and no column is cut${quickIf(name === '400×800')}`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize(viewport)
    await open(STATES['target']!)
    const rows = page.locator('tr[data-category]')
    for (const row of await rows.all()) {
      await row.scrollIntoViewIfNeeded()
      const category = await row.getAttribute('data-category')
      // If the headline covered the row, the element at the middle of the row would belong to the headline.
      const isOnTop = await row.evaluate((one) => {
        const { left, top, width, height } = one.getBoundingClientRect()
        return one.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      })
      expect(isOnTop, category ?? '').toBe(true)
      expect(await inSight(page, '[data-testid=verdict-headline]'), category ?? '').toBe(true)
    }
    await page.evaluate(() => scrollTo(0, 0))
    await expect.poll(() => layoutFaults(page)).toEqual([])
  })
}

test('the headline’s button performs its action, by keyboard too', async ({ page, open }) => {
  const waiting = stream('s9', 'Option Chain Stream', 'AAPL', { state: 'waiting', reasonCode: 'no-slot' })
  const own = stream('s4', 'Option Chain Stream', 'MSFT')
  const full = { slots: [slots('Option Chain Stream', 10, 1, 9)], streams: [own, waiting] }
  const host = await open(calm(full))
  const button = page.locator('[data-verdict] [data-remedy]')
  await expect(button).toHaveText('Replace MSFT')
  await expect(button).not.toBeFocused()
  await button.press('Enter')
  await expect
    .poll(() => asked(host, 'closeStream'))
    .toEqual([{ profile: snapshot().profile.id, stream: 's4', inSeconds: 5 }])

  host.push('snapshotChanged', calm({ streams: silent, revision: 2 }))
  await expect(button).toHaveText('Reopen all')
  await button.press('Space')
  await expect.poll(() => asked(host, 'restartStream')).toHaveLength(silent.length)
})

for (const width of [1440, 1400, 1280, 1024])
  test(`no token's label moves as its time gets shorter, ${width} wide${quickIf(width === 1024)}`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize({ width, height: 900 })
    const { access } = snapshot()
    const host = await open(calm())
    const left = [872_000, 609_000, 600_000, 130_000, 59_000, 9_000]
    const places: number[][] = []
    for (const [at, leftMs] of left.entries()) {
      host.show(calm({ revision: at + 2, access: { ...access, expiresAt: NOW_MS + leftMs } }))
      await expect(page.locator('[data-token=access] strong')).toHaveText(
        leftMs < 60_000 ? /^\d+\ss$/ : /^\d+\smin( \d+\ss)?$/,
      )
      places.push(
        await page
          .locator('[data-token] > div')
          .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left))),
      )
    }
    expect(new Set(places.map(String)).size).toBe(1)
  })

for (const width of [1440, 1920])
  test(`a chip is cut only if it has no room, ${width} wide${quickIf(width === 1440)}`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize({ width, height: 900 })
    const until = { state: 'running-out', verdict: 'runs-out', emptyAt: NOW_MS + 269_000 } as const
    await open(
      calm({
        requests: [
          ...CALM_REQUESTS.filter(({ category }) => !/Positions|Quote Snapshot/.test(category)),
          quota('Positions', 320, 300, 0, { state: 'blocked', blockedUntil: NOW_MS + 40_000 }),
          quota('Quote Snapshot', 500, 300, 40, until),
        ],
      }),
    )
    const chip = page.getByTitle(/^Quote Snapshot .*Opens the full list\.$/)
    const text = chip.locator('span').last()
    expect(await text.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0)
    expect(await layoutFaults(page)).toEqual([])
  })
