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
  /** What the app said of itself before the test did anything to it. */
  readonly before: Awaited<ReturnType<typeof appState>>
  readonly hostile: HostileServer
  /** A page of the hostile server, in the browser in which our own window is open. */
  readonly theirs: HostilePage
}

export const test = base.extend<Fixtures>({
  /** An admitted window, as a program: what the app says of itself is true. */
  admitted: async ({ page, headroom }, use) => {
    await page.goto(headroom.url)
    await expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')
    const client = await ApiClient.open(await headroom.waitForReady(2))
    await headroom.waitForReady(3)
    await use(client)
    client.close()
  },
  before: async ({ admitted }, use) => use(await appState(admitted)),
  // A name that leads to this machine, as one does that its owner rebound.
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
  /** What the app answered it with so far. */
  answered(): readonly { readonly path: string; readonly status: number }[]
}

/** A page of the hostile server next to ours, in the same browser. */
export async function hostilePage(own: Page, url: string): Promise<HostilePage> {
  const page = await own.context().newPage()
  const { port } = new URL(url)
  const sent = new Map<string, URL>()
  const statuses = new Map<string, number>()
  // The browser tells pages nothing of an answer that it keeps from them, and its own tools all of it.
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

/** Most of that many tries got through to the app, and it refused each. */
export function expectRefused({ answered }: HostilePage, tries: number): void {
  expect(answered().filter(({ status }) => status < 400)).toEqual([])
  expect(answered().length).toBeGreaterThan(tries / 2)
}

/** Each attempt that did not end as it must; a page that hangs is one too. */
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
