import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { RecordedUses } from '../../../app/contract/history.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { readPlan } from '../../../app/plan/plan-file.ts'
import { provesInBrowser } from '../../proof/proves-in-browser.ts'
import { slots } from '../../renderer/fixtures.ts'
import type { FakeHost } from '../../renderer/harness/fake-host.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { dragRate } from '../../renderer/harness/plan-changes.ts'
import { quickIf } from '../../thorough.ts'
import { BUSY, recordedDay } from './plan-fixtures.ts'
import { asked, test as base, copied, expect, overflow, problemsOf } from './window-fixtures.ts'

const headline = (page: Page) => page.getByTestId('plan-headline')
const summary = (page: Page) => page.getByTestId('plan-day-summary')

interface PlanFixtures {
  /** Opens the page Plan on a key that shows `of` (five busy programs), with what was recorded of it. */
  readonly openPlan: (of?: Snapshot, recorded?: RecordedUses) => Promise<FakeHost>
}

const test = base.extend<PlanFixtures>({
  viewport: { width: 1440, height: 900 },
  openPlan: async ({ page, open }, use) => {
    await use(async (of = BUSY, recorded) => {
      const host = await open(of)
      if (recorded !== undefined) host.answer('recordedUses', recorded)
      await page.keyboard.press('P')
      return host
    })
  },
})

test('it opens by menu, palette and key, and changes are there again', async ({ page, open }) => {
  await open(BUSY)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Plan…' }).click()
  await expect(headline(page)).toHaveText('Fits. No program waits.')
  await page.getByRole('button', { name: '+ Program' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByTestId('verdict-headline')).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('plan')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Name of the program')).toHaveValue('program 1')
  await page.getByRole('button', { name: 'Start from now' }).click()
  await expect(page.getByLabel('Name of the program')).toHaveCount(0)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('P')
  await expect(headline(page)).toBeVisible()
})

test('it starts from what runs: programs, own requests, streams, others', async ({ page, openPlan }) => {
  await openPlan()
  const programs = page.locator('[data-program]')
  await expect(programs.locator('th')).toContainText([
    'executor',
    'risk',
    'scanner',
    'dashboard',
    'backtest',
    'Headroom',
    'Others',
  ])
  await expect(page.getByLabel('Requests per second of scanner, Quote Snapshot')).toHaveValue('0.75')
  await expect(page.locator('[data-program=Headroom]')).toContainText('Depth quotes MSFT')
  const chip = await page.locator('[data-program=Headroom]').getByTitle('Depth quotes MSFT').boundingBox()
  expect(chip?.height).toBeLessThanOrEqual(26)
  await expect(page.locator('[data-program=Others]')).toContainText('estimate')
  await expect(page.getByTestId('plan-others')).toContainText(
    /about 2\.15\/s, 1\.9–2\.4\/s, in 7 categories; headers up to \d+ s old/,
  )
  await expect(page.locator('[data-program=Others] input')).toHaveCount(0)
  await expect(page.locator('[data-slots-of="MarketDepth Stream"]')).toContainText('4 used by others')
  provesInBrowser('L3', 7)
})

test('without the gateway it starts from observed use, and explains waits', async ({ page, openPlan }) => {
  const { gateway: _, programs: __, ...rest } = BUSY
  await openPlan(rest)
  await expect(page.locator('[data-program] th')).toContainText(['Headroom', 'Others'])
  await expect(page.getByTestId('plan')).toContainText('waiting requests would get 429')
  await expect(page.getByLabel('Requests per second of Headroom, Quote Snapshot')).toHaveValue('0.90')
  provesInBrowser('L3', 2)
})

test('a dragged rate is judged at once: what doesn’t fit, and what to reduce', async ({ page, openPlan }) => {
  await openPlan()
  const slider = page.getByRole('slider', { name: 'Rate of backtest, Option Expirations' })
  await slider.focus()
  for (let press = 0; press < 40; press += 1) await page.keyboard.press('ArrowRight')
  await expect(slider).toHaveValue('0.74')
  await expect(headline(page)).toHaveText('Does not fit. Option Expirations needs 1.54/s, refills 1.50/s.')
  await expect(page.getByTestId('plan-spoken')).toContainText('Does not fit.')
  await expect(page.locator('[data-demand="Option Expirations"]')).toHaveAttribute(
    'data-severity',
    'critical',
  )
  await expect(page.locator('[data-program=backtest]')).toContainText('was 0.34')
  expect(await problemsOf(page)).toEqual([])
  await page
    .getByRole('button', {
      name: 'Apply: Option Expirations: lower backtest to 0.70/s.',
    })
    .click()
  await expect(slider).toHaveValue('0.7')
  await expect(headline(page)).toContainText(/^(Fits|May not fit)/)
  // The current rate fits, whatever others do within their estimated range. A burst makes the program wait.
  await page.getByLabel('Requests per second of backtest, Option Expirations').fill('0,30')
  await page.getByLabel('Burst of backtest, Option Expirations').fill('72')
  await expect(headline(page)).toHaveText(/^Fits, with waits\. backtest waits up to \d+\ss\.$/)
})

test('an invalid number changes nothing, and is marked', async ({ page, openPlan }) => {
  await openPlan()
  const rate = page.getByLabel('Requests per second of risk, Positions')
  await rate.fill('much')
  await expect(rate).toHaveAttribute('aria-invalid', 'true')
  await expect(headline(page)).toHaveText('Fits. No program waits.')
  await page.getByLabel('Burst of risk, Positions').focus()
  await expect(rate).toHaveValue('0.10')
  await expect(rate).toHaveAttribute('aria-invalid', 'false')
})

test('a program and streams are added; streams beyond the slots don’t fit', async ({ page, openPlan }) => {
  await openPlan({ ...BUSY, slots: [slots('Option Chain Stream', 10, 0, 10)] })
  await page.getByRole('button', { name: '+ Program' }).click()
  await page.getByLabel('Name of the program').fill('notes')
  await page.getByLabel('Name of the program').press('Tab')
  await page.getByLabel('Add a category to notes').selectOption('Option Strikes')
  await expect(page.getByLabel('Burst of notes, Option Strikes')).toHaveValue('1')
  await page.getByRole('button', { name: 'Add a stream to notes' }).click()
  await page.getByLabel('Underlying').fill('MSFT,SPY')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Enter one symbol only.')).toBeVisible()
  await page.getByLabel('Underlying').fill('MSFT')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-program=notes]')).toContainText('Option chain MSFT')
  await expect(headline(page)).toHaveText(
    'Does not fit. Option chains: 1 stream for 10 slots, 10 used by others.',
  )
  await expect(page.getByRole('region', { name: 'Advice, list' })).toContainText('close 1 stream of 1')
  await page.getByRole('button', { name: 'Remove Option chain MSFT from notes' }).click()
  await expect(headline(page)).toContainText('Fits.')
  await page.getByRole('button', { name: 'Remove notes', exact: true }).click()
  await expect(page.locator('[data-program=notes]')).toHaveCount(0)
})

test('the recorded day is a picture and a table, with and without the change', async ({ page, openPlan }) => {
  const host = await openPlan(BUSY, recordedDay(4))
  await expect(page.getByText('4 h of the last 24 h are recorded; replayed')).toBeVisible()
  await page.getByLabel('Category of the chart').selectOption('Quote Snapshot')
  await expect(summary(page)).toHaveText(/^The lowest level is \d+ %; no request waits\.$/)
  await page.getByLabel('Requests per second of scanner, Quote Snapshot').fill('3')
  await expect(summary(page)).toHaveText(
    /^With the change the lowest level is [\d.]+ %, without it \d+ %; the longest wait is /,
  )
  await expect(page.getByRole('img', { name: /^Quote Snapshot: With the change/ })).toBeVisible()
  // The bars of the waits have the pattern of the program that waits.
  await expect(page.locator('[data-history]:visible')).toContainText(/longest wait.*scanner/)
  // The chart marks the lowest level and the regular session of the day.
  const picture = page.locator('[data-history]:visible .recharts-surface').first()
  await expect(picture.getByTestId('marked-point')).toHaveText(/^lowest [\d.]+ % at \d\d:\d\d$/)
  await expect(picture.getByText('open', { exact: true })).toHaveCount(1)
  await expect(picture.getByText('close', { exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Table' }).click()
  const table = page.getByRole('region', { name: 'Quote Snapshot, the day as a table' })
  await expect(table.getByRole('row')).toHaveCount(4 * 20 + 1)
  expect(await problemsOf(page)).toEqual([])
  expect(asked(host, 'recordedUses')).toEqual([
    { profile: 'main', fromMs: expect.any(Number), toMs: expect.any(Number) },
  ])
})

test('it starts from the last 24 hours too, with coverage and an estimate', async ({ page, openPlan }) => {
  const host = await openPlan()
  const recorded = page.getByRole('button', { name: 'Start from the last 24 h' })
  await recorded.click()
  await expect(page.getByText('Nothing was recorded in the last 24 hours.')).toBeVisible()
  host.answer('recordedUses', recordedDay(4))
  await recorded.click()
  await expect(page.getByText('as they were recorded')).toBeVisible()
  await expect(page.getByTestId('plan')).toContainText(
    'come from the recording: 4 h of the last 24 h are recorded.',
  )
  await expect(page.getByTestId('plan-others')).toContainText(
    /^about \d\.\d\d\/s, in 4 categories; from recorded minutes since /,
  )
  await expect(page.getByLabel('Requests per second of risk, Positions')).not.toHaveValue('0.10')
  await page.getByRole('button', { name: 'Start from now' }).click()
  await expect(page.getByLabel('Requests per second of risk, Positions')).toHaveValue('0.10')
})

test('from a single recorded minute it derives no day', async ({ page, openPlan }) => {
  const { rows } = recordedDay(1)
  const last = Object.entries(rows).map(([category, minutes]) => [category, minutes.slice(-1)] as const)
  await openPlan(BUSY, { rows: Object.fromEntries(last), programs: [] })
  await expect(
    page.getByText('1 minute of the last 24 h is recorded, too little to judge a day; replayed'),
  ).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Recorded with the change' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'A day with the change' })).toHaveCount(0)
  await expect(summary(page)).toHaveText(/^In 1 recorded minute the lowest level is /)
  await page.getByRole('button', { name: 'Start from the last 24 h' }).click()
  await expect(page.getByLabel('Verdict on the plan')).toContainText('1 min 0 s recorded')
  provesInBrowser('L3', 1)
})

test('a saved plan is opened or dropped; a wrong file changes nothing', async ({ page, openPlan }) => {
  await openPlan()
  const rate = page.getByLabel('Requests per second of backtest, Option Expirations')
  await rate.fill('0.9')
  await page.getByLabel('Weight of scanner').fill('7')
  await page.getByRole('button', { name: '+ Program' }).click()
  const text = headline(page)
  await expect(text).toContainText('Does not fit.')
  const told = await text.textContent()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as…' }).click()
  const saved = readFileSync(await (await downloading).path(), 'utf8')
  await page.getByRole('button', { name: 'Start from now' }).click()
  await expect(rate).toHaveValue('0.34')
  const choose = async (content: string) => {
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Open a plan…' }).focus()
    await page.keyboard.press('Enter')
    const file = { name: 'notes.json', mimeType: 'application/json', buffer: Buffer.from(content) }
    await (await choosing).setFiles(file)
  }
  await choose(saved.replace('"perSecond":0.9', '"perSecond":-1'))
  await expect(
    page.getByText(
      /notes\.json: programs\[\d\]\.requests\[0\]\.perSecond must be at least 0\. The plan is unchanged\./,
    ),
  ).toBeVisible()
  await expect(rate).toHaveValue('0.34')
  expect(await problemsOf(page)).toEqual([])
  await choose('{')
  await expect(page.getByText('notes.json: the file is not JSON. The plan is unchanged.')).toBeVisible()
  await choose(saved)
  await expect(rate).toHaveValue('0.90')
  await expect(page.getByLabel('Weight of scanner')).toHaveValue('7')
  await expect(page.getByLabel('Name of the program')).toHaveValue('program 1')
  await expect(text).toHaveText(told ?? '')
  await page.getByRole('button', { name: 'Start from now' }).click()
  const dropped = await page.evaluateHandle((content) => {
    const data = new DataTransfer()
    data.items.add(new File([content], 'dropped.json', { type: 'application/json' }))
    return data
  }, saved)
  await page.getByTestId('plan').dispatchEvent('drop', { dataTransfer: dropped })
  await expect(rate).toHaveValue('0.90')
  await expect(page.getByText('dropped.json: opened. Others’ use stays as observed now.')).toBeVisible()
  await expect(page.locator('[data-program=Others]')).toHaveCount(1)
  provesInBrowser('L3', 4)
})

test('quick changes each have their headline, with a recorded day', async ({ page, openPlan }) => {
  await openPlan(BUSY, recordedDay(4))
  await page.locator('[data-history] .recharts-surface').first().waitFor()
  const slider = 'Rate of backtest, Option Expirations'
  // The benches measure how long one change takes.
  const changes = await dragRate(page, { slider, count: 100, pauseMs: 0 })
  // The changes must not all show the same result.
  expect(new Set(changes.map((one) => one.headline)).size).toBeGreaterThan(30)
  provesInBrowser('L3', changes.length)
})

test('without a recording the day is made from the plan, and labelled so', async ({ page, openPlan }) => {
  await openPlan()
  await expect(page.getByText('nothing recorded yet; this day is simulated from')).toBeVisible()
  await expect(summary(page)).toContainText(/the lowest level is/i)
})

test('a day with too many requests is not replayed until the rates are lower', async ({ page, openPlan }) => {
  await openPlan()
  const picture = page.getByRole('img', { name: /^[\w ]+: .*lowest level/i })
  await expect(picture).toBeVisible()
  const rate = page.getByLabel('Requests per second of risk, Positions')
  await rate.fill('100')
  await expect(summary(page)).toHaveText('Too many requests to replay. Lower the rates first.')
  await expect(picture).toHaveCount(0)
  await rate.fill('0.10')
  await expect(summary(page)).toContainText(/the lowest level is/i)
  await expect(picture).toBeVisible()
})

test('the plan is copied as the file that the command reads', async ({ page, openPlan }) => {
  await openPlan()
  await page.getByLabel('Class of scanner').selectOption('background')
  const text = await copied(page)
  await page.getByRole('button', { name: 'Copy as JSON' }).click()
  const read = readPlan(await text())
  expect(read).toMatchObject({ kind: 'plan' })
  if (read.kind !== 'plan') return
  expect(read.plan.programs.find(({ name }) => name === 'scanner')).toEqual({
    name: 'scanner',
    class: 'background',
    weight: 2,
    requests: [
      { category: 'Quote Snapshot', perSecond: 0.75, burst: 8 },
      { category: 'Option Expirations', perSecond: 0.4, burst: 4 },
    ],
    streams: [],
  })
})

for (const size of [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
])
  for (const colorScheme of ['dark', 'light'] as const)
    test(`nothing is cut, hidden or too small to click, ${size.width} wide and ${colorScheme}${quickIf(size.width === 1024 && colorScheme === 'dark')}`, async ({
      page,
      openPlan,
    }) => {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme })
      await openPlan(BUSY, recordedDay(1))
      await expect(summary(page)).toContainText(/the lowest level is/i)
      await page.locator('[data-history] .recharts-surface').first().waitFor()
      expect((await overflow(page))[0]).toBe(0)
      await expect.poll(() => layoutFaults(page)).toEqual([])
      expect(await problemsOf(page)).toEqual([])
      const small = await page
        .locator('main button:visible, main select:visible, main input:visible')
        .evaluateAll((all) =>
          all.flatMap((one) => {
            const { width, height } = one.getBoundingClientRect()
            return width >= 24 && height >= 24
              ? []
              : [`${one.getAttribute('aria-label')} ${width} × ${height}`]
          }),
        )
      expect(small).toEqual([])
    })

for (const size of [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
  { width: 400, height: 800 },
])
  test(`two quotas over capacity have a complete headline and bars as long as their shares, ${size.width} wide${quickIf(size.width === 400)}`, async ({
    page,
    openPlan,
  }) => {
    await page.setViewportSize(size)
    const busier = BUSY.programs?.map((one) => ({
      ...one,
      use: one.use.map((use) => ({ ...use, perSecond: use.perSecond * 5 })),
    }))
    await openPlan({ ...BUSY, ...(busier !== undefined && { programs: busier }) })
    await expect(headline(page)).toHaveText(/^Does not fit\. \d quotas over capacity\.$/)
    const sentence = headline(page).locator('..')
    await expect(sentence).toContainText(/: lower [a-z]+ to \d\.\d\d\/s/)
    expect(await sentence.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(0)
    const bars = await page.locator('[data-demand] [role=meter]').evaluateAll((all) =>
      all.map((bar) => ({
        share: Number.parseFloat(bar.getAttribute('aria-valuetext') ?? '') / 100,
        width: [...bar.querySelectorAll('i')].reduce((sum, { offsetWidth }) => sum + offsetWidth, 0),
        room: (bar as HTMLElement).offsetWidth,
        mark: bar.querySelector('u')?.offsetLeft ?? Number.NaN,
      })),
    )
    for (const { share, width, room, mark } of bars) {
      expect(Math.abs(width - share * mark)).toBeLessThan(0.05 * room)
      expect(width).toBeLessThanOrEqual(room)
    }
  })
