import type { Page } from '@playwright/test'
import { OTHERS_ARE } from '../../../app/conditions/messages/rows.ts'
import { NOW_MS, quota, REQUESTS, snapshot } from '../../renderer/fixtures.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { STATES } from '../../renderer/harness/states.ts'
import { quickIf } from '../../thorough.ts'
import { expect, overflow, test } from './window-fixtures.ts'

const row = (category: string) => `tr[data-category="${category}"]`
const shown = (page: Page) =>
  page
    .locator('tr[data-category]')
    .evaluateAll((rows) => rows.map((one) => one.getAttribute('data-category')))
const REST = ['Accounts', 'Order Details', 'Balances', 'Positions', 'Quote Snapshot']
const SEEN = [...REST, 'Option Expirations', 'Option Strikes', 'Quote Change Stream', 'MarketDepth Stream']

test('no column moves when its content gets wider', async ({ page, open }) => {
  const host = await open(snapshot())
  const edges = () =>
    page
      .locator(`${row('Positions')} > *`)
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().left))
  const before = await edges()
  const wide = REQUESTS.map((one) => ({
    ...one,
    source: 'modelled' as const,
    observedAt: NOW_MS - 200_000,
    low: 10,
    high: one.limit,
    state: 'running-out' as const,
    emptyFrom: NOW_MS + 230_000,
    emptyTo: NOW_MS + 530_000,
    use: { total: 12, own: 11.2, elsewhere: 12, elsewhereLow: 10.1, elsewhereHigh: 99.5 },
    safe: { everySeconds: 112.4, burst: 0 },
  }))
  host.show(snapshot({ revision: 2, requests: wide }))
  await expect(page.locator(row('Positions')).getByTestId('remaining')).toHaveText('~10–320')
  expect(await edges()).toEqual(before)
})

for (const viewport of [
  { width: 1920, height: 1080 },
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
]) {
  test(`every row is in sight next to a chart of 180 pixels at ${viewport.width} × ${viewport.height}, and no note overlaps a name${quickIf(viewport.width === 1280)}`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize(viewport)
    // Without the time of emptying, the note of a row that runs out has its maximum length.
    const {
      emptyAt: _,
      emptyFrom: _from,
      emptyTo: _to,
      ...positions
    } = REQUESTS.find(({ category }) => category === 'Positions')!
    await open(
      snapshot({ requests: REQUESTS.map((one) => (one.category === 'Positions' ? positions : one)) }),
    )
    const state = page.locator(row('Positions')).getByTestId('state')
    await expect(state).toHaveText('running outwithin 10 min')
    const gap = await state.evaluate((cell) => {
      const note = cell.querySelector('span > span')?.getBoundingClientRect().right ?? Number.NaN
      return (cell.nextElementSibling?.getBoundingClientRect().left ?? Number.NaN) - note
    })
    expect(gap).toBeGreaterThanOrEqual(4)
    const hidden = await page.locator('tr[data-category]').evaluateAll((rows) =>
      rows.flatMap((one) => {
        const box = one.closest('section')!.getBoundingClientRect()
        return one.getBoundingClientRect().bottom <= box.bottom ? [] : [one.getAttribute('data-category')]
      }),
    )
    expect(hidden).toEqual([])
    const chart = page.getByRole('img', { name: /^Positions, last 15 minutes/ })
    await expect.poll(async () => (await chart.boundingBox())?.height).toBeGreaterThanOrEqual(180)
  })
}

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 1024, height: 700 },
]) {
  test(`nothing moves between pushes at ${viewport.width} × ${viewport.height}${quickIf(viewport.width === 1280)}`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize(viewport)
    const host = await open(snapshot())
    await page.getByRole('img', { name: /^Positions, last 15 minutes/ }).waitFor()
    const places = () =>
      page
        .locator('header, [data-verdict], main section, tr[data-category]')
        .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))
    const before = await places()
    await page.evaluate(() => {
      const moved: string[] = []
      Object.assign(globalThis, { moved })
      new PerformanceObserver((list) => {
        for (const one of list.getEntries()) {
          const { sources } = one as PerformanceEntry & {
            sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[]
          }
          // A longer word that is right-aligned begins further left. That is no shift, because nothing else
          // moves, so only vertical movement counts.
          for (const { node, previousRect, currentRect } of sources)
            if (Math.abs(previousRect.y - currentRect.y) >= 1) moved.push(node?.textContent ?? 'gone')
        }
      }).observe({ type: 'layout-shift' })
    })
    // Other numbers with as many digits, and then other states of the row in the headline.
    for (const [revision, state] of [
      [2, 'running-out'],
      [3, 'running-out'],
      [4, 'low'],
      [5, 'empty'],
    ] as const) {
      const requests = REQUESTS.map((one) => {
        const level = Math.max(0, one.level - revision)
        const changed = { ...one, level, low: level, high: level, remaining: Math.floor(level) }
        return one.category === 'Positions' ? { ...changed, state } : changed
      })
      host.show(snapshot({ revision, requests }))
      const word = state === 'running-out' ? 'running out' : state
      await expect(page.locator(row('Positions')).getByTestId('state')).toContainText(word)
      if (state !== 'running-out') continue
      expect(await page.evaluate(() => Reflect.get(globalThis, 'moved'))).toEqual([])
    }
    expect(await places()).toEqual(before)
  })
}

for (const { width, height, of } of [
  { width: 960, height: 600, of: '1440 × 900 at 150 %' },
  { width: 1024, height: 700, of: '1024 × 700' },
  { width: 760, height: 800, of: '760 × 800' },
])
  test(`others and the safe pace have columns at ${of}${quickIf(width === 1024)}`, async ({ page, open }) => {
    await page.setViewportSize({ width, height })
    await open(snapshot())
    for (const name of ['Others /s', 'Burst now, then pace']) {
      await expect(page.getByRole('columnheader', { name })).toBeVisible()
    }
    await expect(page.locator(row('Positions')).getByTestId('allowance')).toHaveText('36 now, then none')
    await expect.poll(() => layoutFaults(page)).toEqual([])
    expect((await overflow(page))[0]).toBe(0)
  })

test('the table says what is known of the others, and that their use is an estimate', async ({
  page,
  open,
}) => {
  await open(snapshot())
  const table = page.getByRole('region', { name: 'Request quotas' })
  await expect(table).toContainText(OTHERS_ARE)
  const title = `${OTHERS_ARE} Estimated from headers.`
  await expect(table.getByRole('columnheader', { name: 'Others /s' })).toHaveAttribute('title', title)
})

test('a quota of a stream has another name than the quota of its requests', async ({ page, open }) => {
  const stream = quota('Positions Stream', 251, 300, 250)
  await open(snapshot({ requests: [...REQUESTS, stream] }))
  await expect(page.locator(row('Positions')).getByRole('rowheader')).toHaveText('Positions')
  await expect(page.locator(row('Positions Stream')).getByRole('rowheader')).toHaveText('Positions Stream')
  expect(await layoutFaults(page)).toEqual([])
})

test('in a narrow window the mark of a state and its word share a line', async ({ page, open }) => {
  await page.setViewportSize({ width: 400, height: 800 })
  await open(snapshot())
  const states = await page.locator('tr[data-category] [data-testid=state]').evaluateAll((cells) =>
    cells.map((cell) => {
      const [mark, word] = [cell.querySelector('i'), cell.querySelector('b')]
      const [above, beside] = [mark?.getBoundingClientRect(), word?.getBoundingClientRect()]
      return {
        word: word?.textContent,
        isBeside:
          above !== undefined &&
          beside !== undefined &&
          above.bottom > beside.top &&
          above.top < beside.bottom,
        isCut: cell.scrollWidth > cell.clientWidth,
      }
    }),
  )
  expect(states.map(({ word }) => word)).toContain('running out')
  expect(states.filter(({ isBeside, isCut }) => !isBeside || isCut)).toEqual([])
})

test('in a wide window bars are near their numbers, and heads are one row high', async ({ page, open }) => {
  await page.setViewportSize({ width: 1920, height: 1080 })
  await open(snapshot())
  const bar = (await page.locator(row('Positions')).getByRole('meter').boundingBox())!
  expect(bar.width).toBeLessThanOrEqual(220)
  expect(bar.width).toBeGreaterThan(150)
  const heads = await page.getByRole('columnheader', { name: 'Category' }).boundingBox()
  expect(heads?.height).toBeLessThanOrEqual(26)
})

test('rows are grouped, and rows without data are folded under a line that opens', async ({ page, open }) => {
  await open(snapshot())
  expect(await shown(page)).toEqual(SEEN)
  const options = page.locator('tbody[data-group=options]')
  await expect(options.getByRole('rowheader').first()).toContainText('Options 1 min window')
  await options.getByRole('button', { name: '2 more, not checked', expanded: false }).click()
  await expect(page.locator(row('Option Spread Types'))).toBeVisible()
  await options.getByRole('button', { name: '2 more, not checked', expanded: true }).click()
  expect(await shown(page)).toEqual(SEEN)
})

test('every category is named in full, and no cell exceeds its column', async ({ page, open }) => {
  await open(STATES['refused']!)
  await expect(page.locator(row('Option Spread Types'))).toBeVisible()
  const wide = (selector: string) =>
    page
      .locator(`tr[data-category] ${selector}`)
      .evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      )
  for (const viewport of [
    { width: 1920, height: 1080 },
    { width: 1440, height: 900 },
    { width: 1280, height: 800 },
    { width: 1024, height: 700 },
    { width: 960, height: 600 },
  ]) {
    await page.setViewportSize(viewport)
    expect(await wide('th button > span'), `${viewport.width}`).toEqual([])
    expect(await wide('> *'), `${viewport.width}`).toEqual([])
  }
})

test('the row in most trouble stays in sight wherever the table is scrolled', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 740 })
  const last = 'MarketDepth Stream'
  const requests = REQUESTS.map((one) =>
    one.category === last ? quota(last, 30, 60, 0, { state: 'empty', low: 0, high: 0 }) : one,
  )
  await open(snapshot({ requests }))
  const folded = page.getByRole('button', { name: /not checked/, expanded: false })
  while ((await folded.count()) > 0) await folded.first().click()
  const worst = page.locator(row(last))
  await expect(worst).toHaveAttribute('data-worst', 'true')
  const scrolled = (to: number) =>
    worst.evaluate((one, share) => {
      let box = one.parentElement
      while (box !== null && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement
      if (box === null || box === document.scrollingElement) return 'the table does not scroll'
      box.scrollTop = share * box.scrollHeight
      const { left, top, width, height } = one.querySelector('th')!.getBoundingClientRect()
      const { top: from, bottom: until } = box.getBoundingClientRect()
      const isOnTop = one.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      return top >= from && top + height <= until + 1 && isOnTop
        ? 'in sight'
        : `${top} in ${from} to ${until}`
    }, to)
  for (const share of [0, 0.5, 1]) expect(await scrolled(share), `${share}`).toBe('in sight')
})

test('the mark on a bar is at the row’s threshold, which the heading names', async ({ page, open }) => {
  const markAt = (category: string) =>
    page
      .locator(row(category))
      .getByRole('meter')
      .evaluate((bar) => {
        const { left, width } = bar.getBoundingClientRect()
        return ((bar.querySelector('u')?.getBoundingClientRect().left ?? Number.NaN) - left) / width
      })
  const host = await open(snapshot())
  await expect(page.getByText('mark = low below 20 %')).toBeVisible()
  expect(await markAt('Positions')).toBeCloseTo(0.2, 1)
  const requests = REQUESTS.map((one) => (one.category === 'Positions' ? { ...one, threshold: 0.5 } : one))
  host.show(snapshot({ revision: 2, requests }))
  await expect.poll(() => markAt('Positions')).toBeGreaterThan(0.45)
  expect(await markAt('Balances')).toBeCloseTo(0.2, 1)
  await expect(page.getByText("mark = low below the row's threshold")).toBeVisible()
})

test('each row has a small chart of the last minutes', async ({ page, open }) => {
  await open(snapshot())
  const line = page.locator(row('Positions')).getByTestId('trend').locator('path').last()
  await expect(line).toHaveAttribute('d', /^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+){8,}$/)
})

test('order, hidden and pinned rows are set by keyboard and mouse, and stored', async ({ page, open }) => {
  await open(snapshot())
  await page.locator(row('Balances')).getByTestId('age').click()
  await page.keyboard.press('Shift+K')
  expect((await shown(page)).slice(0, 3)).toEqual(['Accounts', 'Balances', 'Order Details'])
  await page.getByRole('button', { name: 'Move Balances down' }).click()
  expect(await shown(page)).toEqual(SEEN)
  await page.locator(row('Quote Snapshot')).dragTo(page.locator(row('Accounts')))
  expect((await shown(page)).slice(0, 2)).toEqual(['Quote Snapshot', 'Accounts'])

  await page.keyboard.press('h')
  await expect(page.locator(row('Balances'))).toHaveCount(0)
  await expect(page.locator('[data-history]')).toHaveAttribute('data-history', 'Positions')
  await page.getByRole('button', { name: 'Option Strikes', exact: true }).click()
  await page.keyboard.press('*')
  const arranged = ['Option Strikes', 'Quote Snapshot', 'Accounts', 'Order Details', 'Positions']
  expect((await shown(page)).slice(0, 5)).toEqual(arranged)

  await page.reload()
  await page.locator(row('Accounts')).waitFor()
  expect((await shown(page)).slice(0, 5)).toEqual(arranged)
  await page.getByRole('button', { name: 'Hidden rows 1' }).click()
  await page.getByRole('menuitem', { name: 'Show Balances' }).click()
  await expect(page.locator(row('Balances'))).toBeVisible()
})

test('the chosen row stays until a person chooses another, or follows the worst', async ({ page, open }) => {
  const host = await open(snapshot())
  const chart = page.locator('[data-history]')
  await expect(chart).toHaveAttribute('data-history', 'Positions')
  const worse = snapshot({ revision: 2, verdict: { kind: 'near-limit', category: 'Option Expirations' } })
  host.show(worse)
  const requests = [quota('Accounts', 320, 300, 7), ...REQUESTS.slice(1)]
  host.show({ ...worse, revision: 3, requests })
  await expect(page.locator(row('Accounts')).getByTestId('remaining')).toHaveText('7')
  await expect(chart).toHaveAttribute('data-history', 'Positions')
  await page.keyboard.press('w')
  await expect(chart).toHaveAttribute('data-history', 'Option Expirations')
  host.show(snapshot({ revision: 4, verdict: { kind: 'near-limit', category: 'Balances' } }))
  await expect(chart).toHaveAttribute('data-history', 'Balances')
  await page.locator(row('Accounts')).getByTestId('age').click()
  await expect(chart).toHaveAttribute('data-history', 'Accounts')
  await expect(page.getByRole('checkbox', { name: 'Follow worst' })).not.toBeChecked()
})

test('keys that can’t be opened have no rows, and the table reports that', async ({ page, open }) => {
  await open(snapshot({ requests: [], slots: [], streams: [], keystore: 'record-corrupt' }))
  await expect(page.getByRole('table', { name: 'Request quotas' })).toContainText('No quotas yet.')
})
