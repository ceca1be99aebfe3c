import { NOW_MS, snapshot } from '../../renderer/fixtures.ts'
import { expect, problemsOf, test } from './window-fixtures.ts'

test('the chart’s cursor reads time, source and users, by pointer and keys', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(snapshot())
  const chart = page.getByRole('img', { name: /^Positions, last 15 minutes/ })
  await chart.waitFor()
  const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  expect(box.height).toBeGreaterThanOrEqual(180)
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.4)
  const reading = page.getByTestId('reading')
  await expect(reading).toContainText(/^14:2\d:\d\d (header|estimate)/)
  await expect(reading).toContainText(/Left\d+ of 320Own0\.4\/sOthers(0\.9|1\.0|1\.1)\/s/)
  await page.mouse.move(box.x - 40, box.y - 40)
  await expect(reading).toHaveCount(0)

  await chart.focus()
  await page.keyboard.press('ArrowRight')
  await expect(reading).toBeVisible()
  const first = await reading.textContent()
  await page.keyboard.press('ArrowRight')
  await expect(reading).not.toHaveText(first ?? '')
  // The arrow keys in the chart do not select another row.
  await expect(page.locator('[data-history]')).toHaveAttribute('data-history', 'Positions')
  expect(await problemsOf(page, '[data-history]')).toEqual([])
})

test('the chart marks events, and shows since when it records', async ({ page, open }) => {
  await open(snapshot())
  await page.getByRole('button', { name: 'Quote Snapshot', exact: true }).click()
  for (const mark of ['429', 'token', 'GoAway']) {
    await expect(page.locator(`[data-mark="${mark}"]`)).toHaveCount(1)
  }
  await expect(page.getByTestId('recording-since')).toContainText('Recording since 09:31 ·')
})

test('the chart names its curves, the empty time, lowest level and session', async ({ page, open }) => {
  const host = await open(snapshot())
  const chart = page.locator('[data-history]')
  for (const words of ['refill 1.07/s', 'low below 64 (20 %)', 'now']) {
    await expect(chart.locator('svg text').getByText(words, { exact: true })).toHaveCount(1)
  }
  for (const words of ['own use', 'others', 'forecast']) {
    await expect(chart.getByText(words, { exact: true })).toBeVisible()
  }
  await expect(chart.getByText(/^empty \d\d:\d\d–\d\d:\d\d$/)).toBeVisible()
  await expect(chart.getByText(/regular session/)).toHaveCount(0)
  const at = Date.UTC(2026, 2, 13, 14, 31, 5)
  const points = [300, 40, 300].map((remaining, hour) => ({
    at: at - (20 - hour) * 3_600_000,
    remaining,
    source: 'header',
  }))
  host.answer('history', { points, rejectedAt: [], since: at - 86_400_000 })
  await page.getByRole('button', { name: 'Accounts', exact: true }).click()
  await page.getByRole('button', { name: '24 h', exact: true }).click()
  await expect(chart.getByTestId('marked-point')).toHaveText(/^lowest 40 at 19:\d\d$/)
  for (const mark of ['open', 'close']) await expect(page.locator(`[data-mark="${mark}"]`)).toHaveCount(1)
  await expect(chart.getByText('regular session 09:30–16:00 ET')).toBeVisible()
})

test('the chart shows when the row will be empty as soon as the row does', async ({ page, open }) => {
  const host = await open(snapshot())
  await expect(page.locator('[data-history]').getByText(/^empty \d\d:\d\d–\d\d:\d\d$/)).toBeVisible()
  // The chart's lines follow in steps of two seconds. A few frames after the row has changed, both agree.
  const seen = page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done))
    const row = () => document.querySelector('tr[data-category="Positions"] [data-testid="state"]')
    while (row()?.textContent?.includes('14:35–14:38') !== true) await frame()
    for (let frames = 0; frames < 5; frames += 1) await frame()
    const texts = [...document.querySelectorAll('[data-history] svg text')].map((one) => one.textContent)
    return texts.filter((text) => text?.startsWith('empty '))
  })
  const shown = snapshot()
  const later = { emptyFrom: NOW_MS + 280_000, emptyTo: NOW_MS + 450_000 }
  const requests = shown.requests.map((one) => ({
    ...one,
    asOf: host.nowMs(),
    ...(one.category === 'Positions' && later),
  }))
  host.show({ ...shown, requests })
  expect(await seen).toEqual(['empty 14:35–14:38'])
})

test('a chart covers its range, and names the times without data', async ({ page, open }) => {
  const host = await open(snapshot())
  const at = Date.UTC(2026, 2, 13, 14, 31, 5)
  const seconds = Array.from({ length: 31 }, (_, index) => 300 - 10 * index)
  const points = seconds
    .filter((before) => before > 240 || before < 100)
    .map((before) => ({ at: at - before * 1000, remaining: before, source: 'header' }))
  host.answer('history', { points, rejectedAt: [], since: at - 300_000 })
  const chart = page.locator('[data-history]')
  await expect(chart.getByRole('img', { name: /^Positions, last 15 minutes/ })).toBeVisible()
  await expect(chart.getByTestId('span-label')).toHaveText(['no data before 14:26', 'not checked'], {
    timeout: 20_000,
  })
  await expect(chart.locator('[class*="legend"]').getByText('not checked')).toBeVisible()
  await expect(page.getByTestId('recording-since')).toContainText('Recording since 14:26')
  expect(await problemsOf(page, '[data-history]')).toEqual([])
})

test('m maximises the chart, and restores it', async ({ page, open }) => {
  await open(snapshot())
  const chart = page.getByRole('img', { name: /^Positions/ })
  await expect(chart).toBeVisible()
  const before = await chart.boundingBox()
  await page.keyboard.press('m')
  await expect(page.locator('tr[data-category]')).toHaveCount(0)
  await expect(page.getByTestId('verdict-headline')).toBeVisible()
  const whole = await chart.boundingBox()
  expect(whole?.height).toBeGreaterThan(1.8 * (before?.height ?? Number.POSITIVE_INFINITY))
  expect(whole?.width).toBeGreaterThan(before?.width ?? Number.POSITIVE_INFINITY)
  expect(await problemsOf(page, '[data-history]')).toEqual([])
  await page.getByRole('button', { name: 'Maximise' }).click()
  await expect(page.locator('tr[data-category="Positions"]')).toBeVisible()
})
