import { AxeBuilder } from '@axe-core/playwright'
import { test as base, expect, type Page } from '@playwright/test'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { BUILT_WINDOW } from '../../renderer/harness/build-window.ts'
import { type FakeHost, startFakeHost } from '../../renderer/harness/fake-host.ts'

export { expect }

export interface WindowFixtures {
  /** Opens the built window on a scripted host that shows `snapshot`. */
  readonly open: (snapshot: Snapshot) => Promise<FakeHost>
  /** Errors that the page logged, such as refused styles and scripts, and uncaught exceptions. */
  readonly complaints: string[]
}

export const test = base.extend<WindowFixtures>({
  timezoneId: 'UTC',
  complaints: async ({ page }, use) => {
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (line) => {
      if (line.type() === 'error') complaints.push(line.text())
    })
    await use(complaints)
  },
  open: async ({ page, complaints }, use) => {
    const hosts: FakeHost[] = []
    await use(async (snapshot) => {
      const host = await startFakeHost(BUILT_WINDOW, snapshot)
      hosts.push(host)
      await page.goto(host.link())
      await page.getByTestId('verdict-headline').waitFor()
      expect(complaints).toEqual([])
      return host
    })
    for (const host of hosts) await host.close()
  },
})

/** The arguments of the window's calls of that name, oldest first. */
export const asked = ({ asked }: Pick<FakeHost, 'asked'>, name: string): readonly unknown[] =>
  asked.filter((one) => one.name === name).map(({ arg }) => arg)

/**
 * Replaces the clipboard, which a headless browser may not have. Returns a function that returns the copied
 * text.
 */
export async function copied(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    const writeText = async (text: string) => {
      document.documentElement.dataset['copied'] = text
    }
    Object.defineProperty(navigator, 'clipboard', { value: { writeText } })
  })
  return () => page.evaluate(() => document.documentElement.dataset['copied'] ?? '')
}

/** By how many pixels the page exceeds the screen, horizontally and vertically. */
export function overflow(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement
    return [scrollWidth - clientWidth, scrollHeight - clientHeight]
  })
}

/** Each accessibility problem in `part` with the elements that have it. */
export async function problemsOf(page: Page, part = 'html'): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page })
    .include(part)
    // All violations are reported either way. Reporting the elements that passed would double the time.
    .options({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })
    // Legacy mode is for pages without frames. Otherwise axe opens a second page to combine the results of
    // frames.
    .setLegacyMode(true)
    .analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`))
}
