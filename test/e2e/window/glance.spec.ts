import { MAX_EVENTS } from '../../../renderer/state/mirror-state.ts'
import { CALM_REQUESTS, NOW_MS, quota, slots, snapshot } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { STATES } from '../../renderer/harness/states.ts'
import { quickIf } from '../../thorough.ts'
import { asked, expect, problemsOf, test } from './window-fixtures.ts'

const worst = snapshot({
  requests: [
    quota('Option Expirations', 90, 60, 0, { state: 'blocked', blockedUntil: NOW_MS + 120_000, rejected: 7 }),
    quota('Option Strikes', 90, 60, 0, { state: 'empty', level: 0 }),
    quota('Positions', 320, 300, 61, {
      state: 'running-out',
      emptyFrom: NOW_MS + 214_000,
      emptyTo: NOW_MS + 290_000,
    }),
    quota('Quote Snapshot', 500, 300, 85, { state: 'low' }),
  ],
  slots: [slots('Option Chain Stream', 10, 9, 1)],
})

test('one key is readable at three metres: its number is a sixth of the height', async ({ page, open }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await open(worst)
  await page.getByRole('button', { name: 'Glance' }).click()
  await expect(page.locator('table:visible')).toHaveCount(0)
  await expect(page.getByTestId('glance-word')).toHaveText('429')
  const number = page.getByTestId('glance-number')
  await expect(number).toHaveText(/^1:\d\d$/)
  // Letters must be 7.5 mm high to be read from 3 m. That is 28 pixels at 96 pixels per inch; the number is
  // far higher.
  const height = await number.evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize))
  expect(height).toBeGreaterThan(800 / 6)
  const word = await page.getByTestId('glance-word').evaluate((one) => getComputedStyle(one).fontSize)
  expect(Number.parseFloat(word)).toBeGreaterThan(60)
  await expect(page.getByRole('list', { name: 'Also' }).getByRole('listitem')).toHaveText([
    /empty\s*Option Strikes\s*0/,
    /running out\s*Positions\s*14:34–14:35/,
    /full\s*Option Chain Stream\s*10\/10/,
  ])
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 900, height: 520 },
    { width: 400, height: 800 },
  ]) {
    await page.setViewportSize(viewport)
    await expect.poll(() => layoutFaults(page), `${viewport.width}`).toEqual([])
  }
  expect(await problemsOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.locator('tr[data-category="Positions"]')).toBeVisible()
})

test('in a low window it is one line', async ({ page, open }) => {
  await page.setViewportSize({ width: 420, height: 120 })
  await open(worst)
  await page.keyboard.press('g')
  await expect(page.getByTestId('strip')).toContainText('Option Expirations')
  await expect(page.getByTestId('strip-more')).toHaveText('+4')
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByTestId('verdict-headline')).toBeAttached()
})

test('line and page have the headline’s remedy, and pressing it does it', async ({ page, open }) => {
  const away = BAD_DAYS['sign-in host unreachable, access expired']!
  const host = await open(away)
  const button = page.getByRole('button', { name: 'Try now' })
  await page.keyboard.press('g')
  await expect(page.getByTestId('glance').getByRole('button', { name: 'Try now' })).toBeVisible()
  expect(await layoutFaults(page)).toEqual([])
  await page.setViewportSize({ width: 420, height: 60 })
  await expect(page.getByTestId('strip')).toContainText('Sign-in host unreachable')
  await button.click()
  await expect.poll(() => asked(host, 'tryNow')).toHaveLength(1)
  await expect.poll(() => layoutFaults(page)).toEqual([])
  // While the line is about another key, there is no button, because it would act on the wrong key.
  const other = { ...away.profile, id: 'other', name: 'Other' }
  host.show(snapshot({ revision: 9, requests: CALM_REQUESTS }), { ...away, profile: other, revision: 9 })
  await expect(button).toHaveCount(0)
  await expect(page.getByTestId('strip')).toContainText('Sign-in host unreachable')
})

for (const viewport of [
  { width: 360, height: 60 },
  { width: 800, height: 60 },
])
  for (const colorScheme of ['dark', 'light'] as const)
    test(`in ${viewport.width} × ${viewport.height}, ${colorScheme}, its line has words from side to side${quickIf(viewport.width === 360 && colorScheme === 'dark')}`, async ({
      page,
      open,
    }) => {
      await page.emulateMedia({ colorScheme })
      await open(worst)
      await page.keyboard.press('g')
      await page.setViewportSize(viewport)
      const strip = page.getByTestId('strip')
      await expect(strip.getByRole('heading')).toHaveText('Option Expirations')
      const words = await strip.locator('h1, span:last-of-type, b').evaluateAll((all) =>
        all.map((one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect()
          return {
            isInside: left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight,
            isCut: one.scrollWidth > one.clientWidth,
            isInMiddle: Math.abs(top + bottom - innerHeight) < 6,
          }
        }),
      )
      expect(words).toEqual(Array(3).fill({ isInside: true, isCut: false, isInMiddle: true }))
      await expect(strip.locator('span').last()).toHaveText(/^429 \d/)
      expect(await layoutFaults(page)).toEqual([])
      expect(await problemsOf(page)).toEqual([])
    })

test('several keys are a table, worst first; each opens by click or key', async ({ page, open }) => {
  const calm = snapshot({
    profile: { id: 'paper', name: 'Paper', environment: 'sim' },
    requests: CALM_REQUESTS,
  })
  const host = await open(calm)
  host.show(calm, worst)
  const refused = { kind: 'rate-limited', profile: 'main', category: 'Positions', retryAt: NOW_MS }
  const before = Array.from({ length: 7 }, (_, index) => ({
    ...refused,
    seq: index,
    at: NOW_MS - index * 60_000,
  }))
  // One 429 is from this run. The last one is from yesterday.
  host.answer('pastEvents', [...before, { ...refused, seq: 8, at: NOW_MS - 86_400_000 }])
  await page.keyboard.press('0')
  const rows = page.locator('tr[data-key]')
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toHaveText(
    /Main key.*429.*Option Expirations.*none.*14:33:05.*8.*0 of 3.*Sat 09:12/s,
  )
  await expect(rows.nth(1)).toHaveAttribute('aria-current', 'true')
  expect(await problemsOf(page)).toEqual([])
  await page.keyboard.press('Alt+1')
  await expect(page.getByTestId('profile')).toContainText('Main key')
  await page.keyboard.press('g')
  await rows.getByRole('button', { name: /Paper/ }).click()
  await expect(page.getByTestId('profile')).toContainText('Paper')
})

test('a busy day of events leaves the 429s of today as counted', async ({ page, open }) => {
  const host = await open(worst)
  const calm = snapshot({ profile: { id: 'paper', name: 'Paper', environment: 'sim' } })
  host.show(worst, calm)
  host.answer('pastEvents', [])
  await page.keyboard.press('0')
  const count = page.locator('tr[data-key=main] td').nth(4)
  await expect(count).toHaveText('1')
  const refused = { kind: 'rate-limited', profile: 'main', category: 'Positions', retryAt: NOW_MS } as const
  host.answer('pastEvents', [{ ...refused, seq: 100, at: NOW_MS - 1 }])
  for (let seq = 101; seq <= 101 + MAX_EVENTS; seq += 1)
    host.push('eventHappened', { kind: 'signed-in', profile: 'paper', seq, at: NOW_MS })
  await expect(count).toHaveText('1')
  await expect.poll(() => asked(host, 'pastEvents').length).toBeGreaterThan(2)
  await expect(count).toHaveText('1')
})

for (const { width, height, colorScheme } of [
  { width: 1440, height: 900, colorScheme: 'dark' },
  { width: 1024, height: 700, colorScheme: 'light' },
  { width: 400, height: 800, colorScheme: 'dark' },
] as const)
  test(`the table of keys has its numbers in columns, and none of a signed-out key, ${width} wide${quickIf(width === 400)}`, async ({
    page,
    open,
  }) => {
    await page.emulateMedia({ colorScheme })
    const host = await open(snapshot({ requests: CALM_REQUESTS }))
    const out = {
      ...STATES['sign-in']!,
      profile: { id: 'desk', name: 'Desk key', environment: 'live' },
    } as const
    host.show(worst, { ...out, requests: CALM_REQUESTS })
    await page.keyboard.press('0')
    await page.setViewportSize({ width, height })
    const cells = (key: string) => page.locator(`tr[data-key=${key}] td`)
    await expect(cells('desk')).toHaveText(['Signed out', 'checks paused', '–', '–', '0', '0 of 3', 'now'])
    await expect(cells('main').nth(2)).toHaveText('none')
    await expect(cells('main').nth(3)).toHaveText('14:33:05')
    const aligned = await page
      .locator('tr[data-key=main] td')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).textAlign))
    expect(aligned).toEqual(['left', 'left', 'right', 'right', 'right', 'right', 'right'])
    // There is a gap between the texts in the head of the table.
    const [hint, count] = await Promise.all(
      ['worst first', '2 keys'].map((text) => page.getByText(text).boundingBox()),
    )
    expect(count!.x - hint!.x - hint!.width).toBeGreaterThanOrEqual(8)
    expect(await layoutFaults(page)).toEqual([])
    expect(await problemsOf(page, 'section[aria-labelledby=keys-title]')).toEqual([])
  })

test('times are in the exchange’s zone everywhere, once that is chosen', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(worst)
  await expect(page.getByTestId('verdict-headline')).toContainText('14:33:05')
  await page.keyboard.press('s')
  await page.getByLabel('Times of day').selectOption('exchange')
  await page.keyboard.press('Escape')
  await expect(page.getByTestId('clock')).toHaveText(/^10:31:\d\d ET$/)
  await expect(page.getByTestId('verdict-headline')).toContainText('10:33:05')
  await expect(page.getByRole('list', { name: 'Events' })).toContainText('10:30:23')
  await expect(page.getByRole('list', { name: 'Events' })).not.toContainText('14:30:23')
  await page.reload()
  await expect(page.getByTestId('clock')).toHaveText(/ET$/)
})

test('a command is found by typing, and run', async ({ page, open }) => {
  await open(worst)
  await page.getByRole('button', { name: 'Search' }).click()
  const dialog = page.getByRole('dialog', { name: 'Search commands' })
  await expect(dialog.getByRole('combobox')).toBeFocused()
  expect(await problemsOf(page, '[role=dialog]')).toEqual([])
  await dialog.getByRole('combobox').fill('nothing like this')
  await expect(dialog).toContainText('Nothing matches.')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Search' })).toBeFocused()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('show quote')
  await expect(dialog.getByRole('option', { selected: true })).toHaveText('Show Quote Snapshot')
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page.locator('[data-history]')).toHaveAttribute('data-history', 'Quote Snapshot')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('revoke')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alertdialog')).toBeVisible()
})
