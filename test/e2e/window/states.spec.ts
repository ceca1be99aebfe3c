import type { Page } from '@playwright/test'
import { BAD_DAYS } from '../../renderer/harness/bad-days.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { STATES } from '../../renderer/harness/states.ts'
import { quickIf, THOROUGH_TAG } from '../../thorough.ts'
import { expect, overflow, problemsOf, test } from './window-fixtures.ts'

/** The theme that most people use. The other themes, the views and the dialogs are in the thorough part. */
test.use({ colorScheme: 'dark' })

const THOROUGH = { tag: THOROUGH_TAG }
/** States that the quick part also tests: calm, red, without the service, and without a sign-in. */
const QUICK = ['target', 'blocked', 'unreachable', 'sign-in']

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 900, height: 800 },
  { width: 360, height: 800 },
] as const

for (const [name, state] of Object.entries(STATES)) {
  test(`the state "${name}" fits every window${quickIf(QUICK.includes(name))}`, async ({
    page,
    open,
    complaints,
  }) => {
    await open(state)
    for (const viewport of SIZES) {
      await page.setViewportSize(viewport)
      await expect.poll(() => layoutFaults(page), `${viewport.width} wide`).toEqual([])
      if (viewport.width >= 1280) await expect.poll(() => overflow(page)).toEqual([0, 0])
    }
    expect(complaints).toEqual([])
  })

  test(`the state "${name}" is readable for everybody${quickIf(QUICK.includes(name))}`, async ({
    page,
    open,
  }) => {
    await open(state)
    expect(await problemsOf(page)).toEqual([])
  })

  test(
    `the state "${name}" is readable for everybody in the other themes`,
    THOROUGH,
    async ({ page, open, complaints }) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await open(state)
      expect(await problemsOf(page), 'light').toEqual([])
      await page.evaluate(() => localStorage.setItem('headroom.theme', 'contrast'))
      await page.reload()
      await page.getByTestId('verdict-headline').waitFor()
      expect(await problemsOf(page), 'contrast').toEqual([])
      expect(complaints).toEqual([])
    },
  )
}

for (const [name, state] of Object.entries(BAD_DAYS)) {
  test(`the bad day "${name}" fits every window, its remedy too`, THOROUGH, async ({ page, open }) => {
    await open(state)
    for (const viewport of [...SIZES, { width: 1024, height: 700 }, { width: 400, height: 800 }]) {
      await page.setViewportSize(viewport)
      await expect.poll(() => layoutFaults(page), `${viewport.width} wide`).toEqual([])
    }
  })
}

for (const width of [2560, 1100, 900, 700, 480, 360]) {
  test(`nothing is cut off at the side of a window ${width} pixels wide${quickIf(width === 360 || width === 1100)}`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize({ width, height: 800 })
    await open(STATES['target']!)
    await expect.poll(async () => (await overflow(page))[0]).toBe(0)
    await expect.poll(() => layoutFaults(page)).toEqual([])
    const inTable = await page
      .locator('tr[data-category="Positions"]')
      .evaluate((row) => row.getBoundingClientRect().right <= innerWidth)
    expect(inTable).toBe(true)
    // Each visible column has its heading, even if some columns are hidden. Rows that are shown as cards have
    // no headings.
    const cells = (rows: string) => page.locator(`${rows} > :visible`).count()
    const shown = await cells('tr[data-category="Positions"]')
    expect(await cells('table thead tr')).toBe(width < 700 ? 0 : shown)
    expect(shown).toBeGreaterThanOrEqual(6)
  })
}

/** Views that are not always visible: name, key that opens it, and an element that shows that it is open. */
const VIEWS: readonly (readonly [name: string, key: string, shown: string])[] = [
  ['alerts', 'a', '[role=dialog] [data-alert]'],
  ['report', 'r', '[role=dialog] table'],
  ['settings', 's', '[role=dialog]:has([data-testid=storage]) [data-testid=probe-use]'],
  ['shortcuts', '?', '[role=dialog] kbd'],
  ['open a stream', 'o', '[role=dialog] form'],
  ['details', 'd', '[data-testid=headers]'],
  ['table', 't', '[data-history] table'],
  ['a week', '4', '[data-history] .recharts-area path'],
  ['paused', 'p', '[data-banner=paused]'],
  ['glance', 'g', '[data-testid=glance-word]'],
]

for (const [name, key, shown] of VIEWS) {
  test(
    `"${name}" is a key away, fits every window and is readable for everybody`,
    THOROUGH,
    async ({ page, open, complaints }) => {
      await open(STATES['target']!)
      await page.keyboard.press(key)
      await page.locator(shown).first().waitFor()
      await fits(page)
      expect(await problemsOf(page)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  test(`"${name}" is readable for everybody in the other themes`, THOROUGH, async ({ page, open }) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await open(STATES['target']!)
    await page.keyboard.press(key)
    await page.locator(shown).first().waitFor()
    await readsInOtherThemes(page, 'html')
  })
}

const DIALOG = '[role=dialog], [role=alertdialog]'

/**
 * Dialogs that ask before something irreversible, and dialogs with a form. Each shows as many of its texts as
 * possible.
 */
const DIALOGS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  revoke: async (page) => {
    await page.getByRole('button', { name: 'Revoke tokens…' }).click()
    await page.locator(DIALOG).waitFor()
  },
  'connect, with what is wrong': async (page) => {
    await page.getByTestId('profile').click()
    await page.getByRole('menuitem', { name: 'Connect a key…' }).click()
    await page.getByText('CUSTOM', { exact: true }).click()
    await page.getByRole('button', { name: 'Sign in with the browser' }).click()
    await page.getByText('Enter the API key.').waitFor()
  },
  'settings, with what is wrong': async (page) => {
    await page.keyboard.press('s')
    await page.getByText('Rows with their own interval: 1').click()
    await page.getByLabel('Headroom’s share (per cent of each quota)').fill('none')
    const intervals = page.getByRole('group', { name: 'Seconds between checks' })
    for (const row of ['Balances', 'Option Spread Types']) await intervals.getByLabel(row).fill('none')
  },
}

for (const [name, show] of Object.entries(DIALOGS)) {
  test(
    `the dialog "${name}" fits every window and is readable for everybody`,
    THOROUGH,
    async ({ page, open, complaints }) => {
      await open(STATES['target']!)
      await show(page)
      await fits(page)
      // The rest of the window can't be reached behind the dialog, and has its own test.
      expect(await problemsOf(page, DIALOG)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  test(
    `the dialog "${name}" is readable for everybody in the other themes`,
    THOROUGH,
    async ({ page, open }) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await open(STATES['target']!)
      await show(page)
      await readsInOtherThemes(page, DIALOG)
    },
  )
}

async function fits(page: Page): Promise<void> {
  for (const viewport of SIZES) {
    await page.setViewportSize(viewport)
    await expect.poll(() => layoutFaults(page), `${viewport.width} wide`).toEqual([])
  }
  await page.setViewportSize(SIZES[1])
}

async function readsInOtherThemes(page: Page, part: string): Promise<void> {
  expect(await problemsOf(page, part), 'light').toEqual([])
  if ((await page.locator(DIALOG).count()) === 0) return
  // Sets the theme as the settings do. A reload would set it too, but it would close the dialog.
  await page.locator('html').evaluate((root) => {
    root.dataset['theme'] = 'contrast'
  })
  expect(await problemsOf(page, DIALOG), 'contrast').toEqual([])
}
