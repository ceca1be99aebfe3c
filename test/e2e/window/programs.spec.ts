import type { Page } from '@playwright/test'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { NOW_MS, snapshot } from '../../renderer/fixtures.ts'
import type { FakeHost } from '../../renderer/harness/fake-host.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { quickIf } from '../../thorough.ts'
import { BUSY } from './plan-fixtures.ts'
import { asked, test as base, copied, expect, overflow, problemsOf } from './window-fixtures.ts'

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

const URL = 'http://127.0.0.1:4791'
const SERVING = { state: 'serving', url: URL, since: NOW_MS - 3_600_000 } as const

interface ProgramsFixtures {
  /** Opens the page Programs on a key that shows `of`. */
  readonly openPrograms: (of: Snapshot, page: Page) => Promise<FakeHost>
}

const test = base.extend<ProgramsFixtures>({
  viewport: { width: 1440, height: 900 },
  openPrograms: async ({ open }, use) => {
    await use(async (of, page) => {
      const host = await open(of)
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Programs…' }).click()
      await page.getByTestId('programs').waitFor()
      return host
    })
  },
})

const waits = (category: string, waiting: number, inMs: number) => ({
  ...{ category, waiting, forwarded: 3, perSecond: 0, longestWaitMs: 4000 },
  ...{ nextTurnAt: NOW_MS + inMs, lastTurnAt: NOW_MS + inMs, nextCameAt: NOW_MS - 4000 },
  nextPatientUntil: NOW_MS + 56_000,
})

/** Five programs of which two wait, one of them behind a 429. */
const WAITING: Snapshot = {
  ...BUSY,
  gateway: SERVING,
  programs: (BUSY.programs ?? []).map((program) =>
    program.name === 'backtest'
      ? {
          ...{ ...program, waiting: 11, longestWaitMs: 4000, rejected: 1, refused: 4 },
          use: [waits('Option Expirations', 11, 48_000)],
        }
      : program.name === 'scanner'
        ? {
            ...{
              ...program,
              waiting: 1,
              longestWaitMs: 4000,
              rejected: 0,
              process: 'python3 scan.py (4123)',
            },
            use: [...program.use, waits('Option Strikes', 1, 30_000)],
          }
        : { ...program, rejected: 0 },
  ),
  requests: BUSY.requests.map((row) =>
    row.category === 'Option Expirations'
      ? { ...row, state: 'blocked', verdict: 'blocked', blockedUntil: NOW_MS + 47_000 }
      : row,
  ),
}

test('its tab and the palette open the page; Escape and Monitor close it', async ({ page, open }) => {
  await open(WAITING)
  const shown = page.getByTestId('programs')
  const back = page.getByTestId('verdict-headline')
  await page.getByRole('button', { name: /^Programs/ }).click()
  await expect(shown).toBeFocused()
  await expect(page.getByRole('button', { name: /^Programs/ })).toHaveAttribute('aria-current', 'page')
  await page.keyboard.press('Escape')
  await expect(back).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('programs behind')
  await page.keyboard.press('Enter')
  await expect(shown).toBeVisible()
  await page.getByRole('button', { name: 'Monitor' }).click()
  await expect(back).toBeVisible()
})

test('the gateway is turned on, and a program’s key is shown once', async ({ page, openPrograms }) => {
  const host = await openPrograms(snapshot(), page)
  host.answer('addProgram', { ok: true, key: 'KEY-of-the-new-program' })
  await expect(page.getByTestId('gateway-state')).toHaveText('The gateway is off.')
  await expect(page.getByRole('heading', { name: 'No program uses this key yet.' })).toBeVisible()
  await expect(page.getByLabel('Port')).toHaveValue('4791')
  host.answer('gateway', { gateway: { state: 'off' }, programs: [], nextPort: 5000 })
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect.poll(() => asked(host, 'setGateway')).toEqual([{ on: true, port: 4791 }])
  await expect(page.getByLabel('Port')).toHaveValue('5000')

  const key = page.getByText('KEY-of-the-new-program')
  const panel = page.getByRole('region', { name: 'Add a program' })
  const add = page.getByRole('button', { name: '+ Add a program' })
  await add.click()
  await expect(panel.getByLabel('Name')).toBeFocused()
  await panel.getByLabel('Name').fill('a/b')
  await panel.getByRole('button', { name: 'Add program' }).click()
  await expect(panel.getByText(/letters, digits, spaces/)).toBeVisible()
  expect(asked(host, 'addProgram')).toEqual([])
  await panel.getByLabel('Name').fill('My bot')
  await panel.getByRole('button', { name: 'More weight' }).click()
  await panel.getByText('critical', { exact: true }).click()
  await panel.getByRole('button', { name: 'Add program' }).click()
  await expect(panel.getByTestId('program-key')).toHaveText('KEY-of-the-new-program')
  await expect(panel.getByTestId('program-called')).toHaveText('No call yet: the gateway is off')
  expect(asked(host, 'addProgram')).toEqual([
    { name: 'My bot', class: 'critical', weight: 2, profile: 'main' },
  ])
  const text = await copied(page)
  await panel.getByRole('button', { name: 'Copy key' }).click()
  expect(await text()).toBe('KEY-of-the-new-program')
  await panel.getByRole('button', { name: 'Copy as export' }).click()
  expect(await text()).toBe('export HEADROOM_KEY=KEY-of-the-new-program')
  await panel.getByRole('button', { name: 'Copy the example for Python' }).click()
  expect(await text()).toContain('os.environ["HEADROOM_KEY"]')
  expect(await text()).not.toContain('KEY-of-the-new-program')
  await expect(key).toHaveCount(1)
  expect(await problemsOf(page)).toEqual([])

  await panel.getByRole('button', { name: 'Done, I have the key' }).click()
  await expect(key).toHaveCount(0)
  // The program's key is not shown again after another panel, or after another page and back.
  const shownOnce = async (leave: () => Promise<void>) => {
    await add.click()
    await panel.getByLabel('Name').fill('notes')
    await panel.getByRole('button', { name: 'Add program' }).click()
    await expect(key).toHaveCount(1)
    await leave()
    await expect(key).toHaveCount(0)
  }
  await shownOnce(() => panel.getByRole('button', { name: 'Close' }).click())
  await shownOnce(() => page.keyboard.press('Escape'))
  await expect(page.getByTestId('programs')).toBeVisible()
  await shownOnce(() => page.getByRole('button', { name: 'Monitor' }).click())
  await page.getByRole('button', { name: /^Programs/ }).click()
  await expect(page.getByTestId('programs')).toBeVisible()
  await expect(key).toHaveCount(0)
})

test('programs are shown with their current use, and can be cut off', async ({ page, openPrograms }) => {
  const host = await openPrograms({ ...snapshot(), gateway: SERVING, programs: [BOT] }, page)
  await expect(page.getByTestId('gateway-state')).toContainText(URL)
  const strip = page.getByRole('region', { name: 'Gateway' })
  for (const words of ['since 13:31', '0.25/s', '2 waiting', '3 declined', '1 saved', '6 % reserve'])
    await expect(strip).toContainText(words)
  // A process of an earlier version reports no 429s, so none are shown.
  await expect(strip).not.toContainText('got 429')
  const text = await copied(page)
  await strip.getByRole('button', { name: 'Copy the address' }).click()
  expect(await text()).toBe(URL)
  const row = page.getByRole('row', { name: /^My bot/ })
  // No column is cut, and nothing has to be scrolled to.
  const table = page.getByRole('region', { name: 'Programs, table' })
  expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  for (const words of ['…abcd', 'python3 scan.py (4123)', 'critical', '0.25', '2 waiting', 'longest 4.3 s'])
    await expect(row).toContainText(words)
  await expect(page.getByRole('row', { name: /^Headroom's checks/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /^Others/ })).toContainText(/estimate .*\/s, headers up to/)
  host.answer('cutProgram', { ok: false, code: 'gateway', message: 'There is no program named My bot.' })
  await row.getByRole('button', { name: 'Actions for My bot' }).click()
  await page.getByRole('menuitem', { name: 'Cut off My bot' }).click()
  await expect(page.getByTestId('programs').getByRole('alert')).toHaveText(
    'There is no program named My bot.',
  )
  expect(asked(host, 'cutProgram')).toEqual([{ name: 'My bot' }])
  await page.getByRole('button', { name: 'Turn off' }).click()
  await expect.poll(() => asked(host, 'setGateway')).toEqual([{ on: false }])
})

test('waits are listed in order of turn, with program, reason and time', async ({ page, openPrograms }) => {
  await openPrograms(WAITING, page)
  await expect(page.getByRole('region', { name: 'Gateway' })).toContainText('1 of 5,001')
  await expect(page.getByText('12 requests, in queue order')).toBeVisible()
  const list = page.getByRole('region', { name: 'Waiting now, list' })
  await expect(list.getByRole('heading')).toHaveText([
    /Option Strikes ok, others use 0\.2\/s/,
    /Option Expirations 429, until \d/,
  ])
  await expect(list.getByRole('listitem').nth(0)).toContainText(/scanner.*[12]\d s.*waits up to 1 min$/)
  await expect(list.getByRole('listitem').nth(1)).toContainText(/backtest.*11 requests.*[234]\d s/)
  expect(await problemsOf(page)).toEqual([])
})

test('use by program is stacked against the refill, by category', async ({ page, openPrograms }) => {
  const host = await openPrograms(WAITING, page)
  host.answer('programHistory', {
    ...{ from: NOW_MS - 180_000, resolutionMs: 60_000 },
    programs: [{ program: 'scanner', requests: [30, 60, 45] }],
    own: [36, 60, 45],
    elsewhere: [12, 0, 30],
  })
  host.answer('history', { points: [], rejectedAt: [NOW_MS - 120_000] })
  const chart = page.getByRole('region', { name: 'Use per program' })
  await expect(chart.getByLabel('Category of the chart')).toHaveValue('Option Expirations')
  await chart.getByLabel('Category of the chart').selectOption('Quote Snapshot')
  await expect(
    chart.getByRole('img', {
      name: 'Requests of Quote Snapshot: scanner 135, Headroom 6, Others 42; 1.67 refill per second; 429 at 14:29:05',
    }),
  ).toBeVisible()
  await expect(chart.getByText('refill 1.67/s')).toBeVisible()
  const legend = chart.getByRole('list', { name: 'Use now, per second' })
  await expect(legend.getByRole('listitem').filter({ hasText: 'scanner' })).toContainText('0.75')
})

for (const size of [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 1024, height: 700 },
  { width: 400, height: 800 },
])
  test(`nothing is cut, hidden or too small to click, ${size.width} wide${quickIf(size.width === 1024)}`, async ({
    page,
    openPrograms,
  }) => {
    await page.setViewportSize(size)
    const host = await openPrograms(WAITING, page)
    host.answer('addProgram', { ok: true, key: 'x'.repeat(43) })
    expect((await overflow(page))[0]).toBe(0)
    await expect.poll(() => layoutFaults(page)).toEqual([])
    expect(await problemsOf(page)).toEqual([])
    await page.getByRole('button', { name: '+ Add a program' }).click()
    await page.getByLabel('Name').fill('notes')
    await expect.poll(() => layoutFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Add program' }).click()
    await expect(page.getByTestId('program-key')).toBeInViewport()
    expect((await overflow(page))[0]).toBe(0)
    await expect.poll(() => layoutFaults(page)).toEqual([])
  })

for (const size of [
  { width: 1440, height: 900 },
  { width: 960, height: 600 },
  { width: 400, height: 800 },
])
  test(`a run of 429s has one label, times are at even steps, and the current minute is faint, ${size.width} wide${quickIf(size.width === 400)}`, async ({
    page,
    openPrograms,
  }) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    const host = await openPrograms(WAITING, page)
    const own = Array.from({ length: 15 }, (_, at) => (at < 14 ? 60 : 20))
    const history = { from: NOW_MS - 14.5 * 60_000, resolutionMs: 60_000, programs: [], own }
    host.answer('programHistory', { ...history, elsewhere: own.map(() => 0) })
    const rejectedAt = [9, 4, 3.5, 3, 2].map((minutes) => NOW_MS - minutes * 60_000)
    host.answer('history', { points: [], rejectedAt })
    const chart = page.getByRole('region', { name: 'Use per program' })
    await chart.getByLabel('Category of the chart').selectOption('Quote Snapshot')
    await page.setViewportSize(size)
    await expect(chart.getByText('429', { exact: true })).toHaveCount(1)
    await expect(chart.getByText('429 ×4')).toHaveCount(1)
    await expect.poll(() => layoutFaults(page)).toEqual([])
    const places = await chart.getByText(/^\d\d:\d\d$/).evaluateAll((all) =>
      all.map((one) => ({
        minute: Number(one.textContent?.slice(-2)),
        middle: one.getBoundingClientRect().left + one.getBoundingClientRect().width / 2,
      })),
    )
    expect(places.length).toBeGreaterThanOrEqual(3)
    const steps = places.slice(1).map(({ minute, middle }, at) => {
      const before = places[at]!
      return { minutes: (minute - before.minute + 60) % 60, pixels: Math.round(middle - before.middle) }
    })
    expect(new Set(steps.map(({ minutes }) => minutes)).size).toBe(1)
    const pixels = steps.map((one) => one.pixels)
    expect(Math.max(...pixels) - Math.min(...pixels)).toBeLessThanOrEqual(2)
    const opacities = await chart
      .getByRole('img')
      .locator('i[style*=height]')
      .evaluateAll((all) => all.map((one) => Number(getComputedStyle(one).opacity)))
    expect(opacities.slice(0, -1).every((one) => one === 1)).toBe(true)
    expect(opacities.at(-1)).toBeLessThan(0.6)
  })

test('a table that scrolls sideways has a mark at that side', async ({ page, openPrograms }) => {
  await openPrograms(WAITING, page)
  const table = page.getByRole('region', { name: 'Programs, table' })
  const more = () => table.evaluate((one) => one.parentElement?.dataset['more'])
  await expect.poll(more).toBe('')
  await page.setViewportSize({ width: 400, height: 800 })
  await expect.poll(more).toBe('right')
  const drawn = await table.evaluate((one) => getComputedStyle(one.parentElement!, '::after').content)
  expect(drawn).toContain('›')
  await table.evaluate((one) => one.scrollBy(100, 0))
  await expect.poll(more).toBe('left right')
  await table.evaluate((one) => one.scrollTo(one.scrollWidth, 0))
  await expect.poll(more).toBe('left')
})

for (const [name, looks] of [
  ['light', { colorScheme: 'light' }],
  ['forced', { forcedColors: 'active' }],
] as const)
  test(`it is accessible in ${name} colours, with a new key${quickIf(name === 'forced')}`, async ({
    page,
    openPrograms,
  }) => {
    await page.emulateMedia(looks)
    const host = await openPrograms(WAITING, page)
    host.answer('addProgram', { ok: true, key: 'x'.repeat(43) })
    await page.getByRole('button', { name: '+ Add a program' }).click()
    await page.getByLabel('Name').fill('notes')
    await page.getByRole('button', { name: 'Add program' }).click()
    await page.getByTestId('program-key').waitFor()
    expect(await problemsOf(page)).toEqual([])
  })

test('the details of a row show its use by program, stacked', async ({ page, open }) => {
  const host = await open({
    ...snapshot(),
    gateway: SERVING,
    programs: [BOT],
  })
  host.answer('programHistory', {
    from: 0,
    resolutionMs: 60_000,
    programs: [
      { program: 'notes', requests: [0, 60, 0] },
      { program: 'My bot', requests: [30, 60, 120] },
    ],
    own: [30, 120, 120],
    elsewhere: [0, 0, 0],
  })
  await page.getByRole('button', { name: 'Details', exact: true }).click()
  const chart = page.getByRole('img', { name: 'Requests of programs: My bot 210, notes 60' })
  await expect(chart.locator('rect')).toHaveCount(4)
  await expect(page.getByText(/^Use per program, from the history/)).toContainText('at most 2.0/s')
  expect(await problemsOf(page, '[data-history]')).toEqual([])
})
