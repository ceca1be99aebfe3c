import type { Page } from '@playwright/test'
import { exampleProgram } from '../../main/hosts/terminal/example-snapshot.ts'
import { snapshot } from '../../renderer/fixtures.ts'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { BUILT_WINDOW } from '../../renderer/harness/build-window.ts'
import { startFakeHost } from '../../renderer/harness/fake-host.ts'
import { expect, test } from './window-fixtures.ts'

const WIDTHS = [2560, 1920, 1600, 1440, 1360, 1280, 1200, 1100, 1024, 960, 900, 700, 500, 400, 320] as const

/** Parts of the header whose text is cut, and those beyond its right side. */
const cut = (page: Page) =>
  page.getByRole('banner').evaluate((header) =>
    [header, ...header.querySelectorAll<HTMLElement>('*')]
      .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== 'inline')
      .filter(
        (one) =>
          one.scrollWidth > one.clientWidth + 1 ||
          one.getBoundingClientRect().right > header.getBoundingClientRect().right,
      )
      .map((one) => one.textContent),
  )

test('the header cuts no word at any width; it has one row, or two if narrow', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const host = await open(snapshot())
  host.show({
    ...snapshot({
      revision: 2,
      profile: { id: 'main', name: 'Built-in simulator', environment: 'simulator' },
      probes: { ...snapshot().probes, perMinute: 119, usedFraction: 0.0332, budgetFraction: 0.05 },
    }),
    programs: ['executor', 'risk', 'scanner', 'dashboard', 'backtest'].map((name) => exampleProgram(name)),
  })
  const ownUse = page.getByTestId('own-use')
  await expect(ownUse).toHaveText(/119 checks\/min, 3\.3 % of quotas$/, { useInnerText: true })
  await expect(page.getByRole('button', { name: 'Programs 5' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Search Ctrl K$/ }).locator('kbd')).toBeVisible()
  // The name of the simulator's key contains its environment. Every other key has its environment next to its
  // name.
  await expect(page.getByTestId('profile')).toHaveText(/^Built-in simulator\s*$/)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    expect(await cut(page), `${width} wide`).toEqual([])
    const { height } = (await page.getByRole('banner').boundingBox()) ?? { height: Number.NaN }
    expect(height, `${width} wide`).toBeLessThanOrEqual(width >= 960 ? 45 : 92)
    await expect(ownUse, `${width} wide`).toBeVisible({ visible: width > 320 })
    if (width > 320)
      await expect(ownUse).toHaveText(/checks(?:\/min, |: )3\.3 %(?: of quotas)?$/, { useInnerText: true })
  }
})

test('a key’s environment is next to its name', async ({ page, open }) => {
  await open(snapshot())
  await expect(page.getByTestId('profile')).toHaveText('Main key LIVE')
})

test('a key with addresses of its own is called custom, as in the terminal', async ({ page, open }) => {
  await open(snapshot({ profile: { id: 'main', name: 'Mine', environment: 'custom' } }))
  await expect(page.getByTestId('profile')).toHaveText('Mine CUSTOM')
})

test('own use over its cap has the colour of a warning', async ({ page, open }) => {
  const host = await open(snapshot())
  const used = page.getByTestId('own-use-share')
  const colour = () => used.evaluate((one) => getComputedStyle(one).color)
  const calm = await colour()
  const probes = { ...snapshot().probes, usedFraction: 0.097, budgetFraction: 0.05 }
  host.show(snapshot({ revision: 2, probes }))
  await expect(used).toHaveText('9.7 % of quotas, over cap 5 %: slowing')
  expect(await colour()).not.toBe(calm)
  const about = page.getByTestId('own-use')
  await expect(about).toHaveAttribute('title', /Over the cap: checks slow down\. No action needed\.$/)
  // A share that rounds to the cap does not count as over the cap.
  host.show(snapshot({ revision: 3, probes: { ...probes, usedFraction: 0.0504 } }))
  await expect(used).toHaveText('5.0 % of quotas')
  expect(await colour()).toBe(calm)
  // The cap is for the average, so one check more in the last period does not count as over it.
  const tightest = Math.min(...snapshot().requests.map(({ limit }) => limit))
  host.show(snapshot({ revision: 4, probes: { ...probes, usedFraction: 0.05 + 1 / tightest } }))
  await expect(used).toHaveText(/^\d\.\d % of quotas$/)
  expect(await colour()).toBe(calm)
  await expect(about).not.toHaveAttribute('title', /Over the cap/)
})

test('no checks are counted while none can be made', async ({ page, open }) => {
  const host = await open(snapshot())
  await expect(page.getByTestId('own-use')).toContainText('checks/min')
  host.show({ ...BAD_DAYS['sign-in host unreachable, access expired']!, revision: 2 })
  // The requests of the last minute still count, but they are not shown as use by checks.
  await expect(page.getByTestId('own-use')).toHaveText(/checks paused$/)
  await page.setViewportSize({ width: 1024, height: 700 })
  await expect(page.getByTestId('own-use')).toHaveText('checks paused', { useInnerText: true })
})

test('a share over its cap adds no third row; paused, nothing slows down', async ({ page, open }) => {
  await page.setViewportSize({ width: 400, height: 800 })
  const probes = { ...snapshot().probes, usedFraction: 0.097, budgetFraction: 0.05 }
  const host = await open(snapshot({ probes }))
  await expect(page.getByTestId('own-use-share')).toContainText('9.7 % of quotas, over cap')
  const { height } = (await page.getByRole('banner').boundingBox()) ?? { height: Number.NaN }
  expect(height).toBeLessThanOrEqual(92)
  host.show({ ...BAD_DAYS['sign-in host unreachable, access expired']!, probes, revision: 2 })
  await expect(page.getByTestId('own-use')).toHaveText('checks paused', { useInnerText: true })
})

test('the first frame shows that it connects, not that there is no key', async ({ page }) => {
  const host = await startFakeHost(BUILT_WINDOW, snapshot())
  // Answers wait until the end of the test.
  await page.route(
    (url) => url.pathname.startsWith('/api/'),
    () => {},
  )
  await page.goto(host.link())
  await expect(page.getByRole('main')).toHaveText('Connecting to Headroom…')
  await expect(page.getByTestId('profile')).toHaveText('Connecting…')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await host.close()
})
