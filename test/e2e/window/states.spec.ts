import { STATES } from '../../renderer/harness/states.ts'
import { expect, overflow, problemsOf, test } from './window-fixtures.ts'

for (const [name, state] of Object.entries(STATES)) {
  test(`the state "${name}" fits a laptop's screen and can be read by everybody`, async ({
    page,
    open,
    complaints,
  }) => {
    await open(state)
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 1280, height: 800 },
    ]) {
      await page.setViewportSize(viewport)
      expect(await overflow(page)).toEqual([0, 0])
    }
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await problemsOf(page)).toEqual([])
    }
    expect(complaints).toEqual([])
  })
}

for (const width of [1100, 900, 700, 480]) {
  test(`nothing is cut off at the side of a window ${width} pixels wide`, async ({ page, open }) => {
    await page.setViewportSize({ width, height: 800 })
    await open(STATES['target']!)
    expect((await overflow(page))[0]).toBe(0)
    const inTable = await page
      .locator('tr[data-category="Positions"]')
      .evaluate((row) => row.getBoundingClientRect().right <= innerWidth)
    expect(inTable).toBe(true)
  })
}
