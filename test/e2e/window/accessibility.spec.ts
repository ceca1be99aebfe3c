import { NOW_MS, quota, slots, snapshot } from '../../renderer/fixtures.ts'
import { STATES } from '../../renderer/harness/states.ts'
import { expect, problemsOf, test } from './window-fixtures.ts'

test('in forced colours the legend, chosen row and range, and severities differ', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ forcedColors: 'active' })
  await open(
    snapshot({
      requests: [
        quota('Accounts', 320, 300, 300),
        quota('Positions', 320, 300, 0, { state: 'empty' }),
        quota('Balances', 320, 300, 50, { state: 'low' }),
        quota('Order Details', 320, 300, 50, { state: 'not-checked', low: 0, high: 300 }),
      ],
      slots: [slots('Option Chain Stream', 10, 9, 1)],
    }),
  )
  await page.locator('[data-history] .recharts-surface').first().waitFor()
  // In forced-colors mode, each swatch must keep its own color, and must have one to be visible.
  const swatches = page.locator('[data-history] [class*=legend] b')
  expect(await swatches.count()).toBeGreaterThan(2)
  for (const swatch of await swatches.all()) {
    const style = await swatch.evaluate((one) => {
      const { forcedColorAdjust, backgroundColor, backgroundImage } = getComputedStyle(one)
      return {
        forcedColorAdjust,
        painted: backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none',
      }
    })
    expect(style).toEqual({ forcedColorAdjust: 'none', painted: true })
  }
  const outlineOf = (selector: string) =>
    page.locator(selector).evaluate((one) => getComputedStyle(one).outlineStyle)
  expect(await outlineOf('tr[data-category="Positions"]')).toBe('solid')
  expect(await outlineOf('tr[data-category="Accounts"]')).toBe('none')
  expect(await outlineOf('[data-history] button[aria-pressed=true]')).toBe('solid')
  for (const part of ['[data-verdict]', 'tr[data-category]', '[data-aspect]']) {
    for (const mark of await page.locator(`${part} i[data-severity]`).all()) {
      expect(await mark.evaluate((one) => getComputedStyle(one).forcedColorAdjust)).toBe('none')
    }
  }
  expect(await problemsOf(page)).toEqual([])
})

test('no severity is shown by colour alone: each has its shape and a word', async ({ page, open }) => {
  const shapes = new Map<string, string>()
  for (const state of ['ok', 'low', 'empty', 'not-checked'] as const) {
    await open(snapshot({ requests: [quota('Positions', 320, 300, 50, { state, low: 45, high: 55 })] }))
    const mark = page.locator('tr[data-category="Positions"] i[data-severity]').first()
    shapes.set(state, await mark.innerHTML())
    const word = state === 'not-checked' ? 'not checked' : state
    await expect(page.locator('tr[data-category="Positions"]').getByTestId('state')).toContainText(word)
    await expect(page.locator('[data-verdict]')).toHaveAttribute('data-label', word)
    await expect(page.locator('[data-aspect=quotas]')).toContainText(word)
  }
  expect(new Set(shapes.values()).size).toBe(4)
})

test('nothing is animated, with or without the preference for reduced motion', async ({ page, open }) => {
  await open(snapshot())
  const moving = () =>
    page.evaluate(() => {
      const styled = [...document.querySelectorAll('*')].flatMap((one) => {
        const { animationName, transitionDuration } = getComputedStyle(one)
        const isStill = animationName === 'none' && /^(0s(, )?)+$/.test(transitionDuration)
        return isStill ? [] : [one.outerHTML.slice(0, 80)]
      })
      return [...styled, ...document.getAnimations().map((one) => one.id || 'an animation')]
    })
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    await page.emulateMedia({ reducedMotion })
    expect(await moving(), reducedMotion).toEqual([])
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await moving(), `${reducedMotion}, palette`).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Glance' }).click()
    await page.getByTestId('glance').waitFor()
    expect(await moving(), `${reducedMotion}, glance`).toEqual([])
    await page.keyboard.press('Escape')
  }
})

test('the keyboard skips the header', async ({ page, open }) => {
  await open(snapshot())
  // The skip links take up no space until they have the focus.
  expect(await page.getByRole('banner').evaluate((one) => one.getBoundingClientRect().top)).toBe(0)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Skip to the quotas' })).toBeFocused()
  expect(await problemsOf(page, 'nav')).toEqual([])
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await page.keyboard.press('Tab')
  const isInMain = await page.evaluate(() => document.activeElement?.closest('main') !== null)
  expect(isInMain).toBe(true)
  await page.getByRole('button', { name: 'Skip to the chart' }).focus()
  await page.keyboard.press('Enter')
  const isInChart = await page.evaluate(() => document.activeElement?.closest('[data-history]') !== null)
  expect(isInChart).toBe(true)
})

test('a dialog opened by a key changes nothing on the next key', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog').getByRole('heading').first()).toBeFocused()
  await page.keyboard.press('Space')
  await expect(page.getByLabel('Single-key shortcuts are on')).toBeChecked()
  await page.keyboard.press('Escape')
  await page.keyboard.press('s')
  await expect(page.getByRole('dialog').getByRole('heading').first()).toBeFocused()
  const theme = page.getByLabel('Theme', { exact: true })
  await page.keyboard.press('d')
  await page.keyboard.press('Space')
  await expect(theme).toHaveValue('system')
  await page.keyboard.press('Escape')
  await page.keyboard.press('a')
  await expect(page.getByRole('dialog').getByRole('heading').first()).toBeFocused()
  await page.keyboard.press('Enter')
  expect(host.asked.filter(({ name }) => name === 'dismissAlert')).toEqual([])
})

for (const size of [
  { width: 1440, height: 900 },
  { width: 400, height: 800 },
]) {
  test(`click targets are at least 24 pixels, ${size.width} wide`, async ({ page, open }) => {
    await page.setViewportSize(size)
    await open({
      ...STATES['blocked']!,
      slots: [slots('Option Chain Stream', 10, 9, 1)],
      service: { reachable: false, host: 'h', since: NOW_MS - 5000 },
    })
    const small = await page.locator('button:visible, select:visible, input:visible').evaluateAll((all) =>
      all.flatMap((one) => {
        // A click on the label counts too, so the label is part of the target.
        const { width, height } = (one.closest('label') ?? one).getBoundingClientRect()
        // Elements that are visible only to keyboard users are not clicked.
        const isHidden = getComputedStyle(one).clipPath !== 'none'
        const name = one.getAttribute('aria-label') ?? one.textContent
        return isHidden || (width >= 24 && height >= 24) ? [] : [`${name} ${width} × ${height}`]
      }),
    )
    expect(small).toEqual([])
  })
}
