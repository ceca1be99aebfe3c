import type { Page } from '@playwright/test'
import { chromiumArgs } from '../../browser/chromium.ts'
import { ApiClient } from '../../canary/api-client.ts'
import { test as base, expect } from '../fixtures.ts'
import { appState } from './app-state.ts'
import { HostileServer } from './hostile-server.ts'
import type { Target, Way } from './ways.ts'

export { expect }

interface Fixtures {
  readonly admitted: ApiClient
  /** The state that the app reported before the test did anything. */
  readonly before: Awaited<ReturnType<typeof appState>>
  readonly hostile: HostileServer
  /** A page of the hostile server, in the browser in which our own window is open. */
  readonly theirs: HostilePage
}

export const test = base.extend<Fixtures>({
  /** A connected window that is controlled by the test. The app's own reports to it are the truth. */
  admitted: async ({ page, headroom }, use) => {
    await page.goto(headroom.url)
    await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
    const client = await ApiClient.open(await headroom.waitForReady(2))
    await headroom.waitForReady(3)
    await use(client)
    client.close()
  },
  before: async ({ admitted }, use) => use(await appState(admitted)),
  // The name resolves to this machine, as after a DNS rebinding by its owner.
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: [...chromiumArgs(), '--host-resolver-rules=MAP evil.test 127.0.0.1'] }),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern
  hostile: async ({}, use) => {
    const server = await HostileServer.start()
    await use(server)
    await server.stop()
  },
  theirs: async ({ page, hostile }, use) => use(await hostilePage(page, hostile.page())),
})

export interface HostilePage {
  readonly page: Page
  /** The app's responses to this page so far. */
  answered(): readonly { readonly path: string; readonly status: number }[]
}

/** A page of the hostile server next to ours, in the same browser. */
export async function hostilePage(own: Page, url: string): Promise<HostilePage> {
  const page = await own.context().newPage()
  const { port } = new URL(url)
  const sent = new Map<string, URL>()
  const statuses = new Map<string, number>()
  // The browser hides a blocked response from the page, but shows all of it to the developer tools.
  const tools = await page.context().newCDPSession(page)
  tools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    sent.set(requestId, new URL(request.url))
  })
  tools.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
    statuses.set(requestId, statusCode)
  })
  await page.goto(url)
  await tools.send('Network.enable')
  return {
    page,
    answered: () =>
      [...statuses].flatMap(([requestId, status]) => {
        const to = sent.get(requestId)
        return to === undefined || to.port === port ? [] : [{ path: to.pathname, status }]
      }),
  }
}

/** More than half of the attempts reached the app, and it refused each of them. */
export function expectRefused({ answered }: HostilePage, tries: number): void {
  expect(answered().filter(({ status }) => status < 400)).toEqual([])
  expect(answered().length).toBeGreaterThan(tries / 2)
}

/** Runs all attempts. Returns those that were neither refused nor unseen, such as a page that hangs. */
export async function through(page: Page, tries: readonly { readonly way: Way; readonly target: Target }[]) {
  const outcomes = await Promise.all(
    tries.map(async ({ way: { name, run, detail }, target }) => {
      const got = await page.evaluate(run, [target, detail] as const)
      return `${name} of ${new URL(target.url).pathname}: ${got}`
    }),
  )
  expect(outcomes).toHaveLength(tries.length)
  return outcomes.filter((line) => !/: (?:refused|unseen)$/.test(line))
}
