import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page, type Route } from '@playwright/test'
import type { Protocol, Session } from 'electron'
import { chromiumArgs, findChromium } from '../../browser/chromium.ts'

/**
 * Stands in for `app:`, which Chromium does not know. No server has this origin. The handler that the app
 * registered responds to each request, so that the headers, and with them the policy, are the app's own.
 */
export const PLAYED_ORIGIN = 'https://headroom.invalid'

export const toAppUrl = (url: string) => url.replace(`${PLAYED_ORIGIN}/`, 'app://headroom/')
export const toPlayedUrl = (url: string) => url.replace('app://headroom/', `${PLAYED_ORIGIN}/`)

type BeforeRequest = NonNullable<Parameters<Session['webRequest']['onBeforeRequest']>[0]>
type Handler = Parameters<Protocol['handle']>[1]

/** The handlers that the app registered on its session. */
export const registered: { beforeRequest?: BeforeRequest; handler?: Handler } = {}

const profileFolder = mkdtempSync(join(tmpdir(), 'headroom-double-'))
let context: Promise<BrowserContext> | undefined

/** Chromium is started once, when the first window needs it. */
export function browserContext(): Promise<BrowserContext> {
  context ??= startChromium()
  return context
}

function startChromium(): Promise<BrowserContext> {
  const executablePath = findChromium()
  return chromium.launchPersistentContext(profileFolder, {
    args: chromiumArgs(),
    viewport: { width: 1280, height: 800 },
    // Signals are for the app, which closes its browser at its own end.
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
    ...(executablePath !== undefined && { executablePath }),
  })
}

export async function closeBrowser(): Promise<void> {
  const started = await context?.catch(() => undefined)
  await started?.close()
  rmSync(profileFolder, { recursive: true, force: true, maxRetries: 5 })
}

/** Whether the app allows the window's page to navigate to `url`. */
export type MayNavigate = (url: string) => boolean

export async function playScheme(page: Page, mayNavigate: MayNavigate): Promise<void> {
  await page.route('**/*', async (route) => {
    const url = toAppUrl(route.request().url())
    if (route.request().isNavigationRequest() && !mayNavigate(url)) {
      await route.abort('aborted')
    } else if (await isCancelled(url)) {
      await route.abort('blockedbyclient')
    } else {
      await answer(route, url)
    }
  })
}

function isCancelled(url: string): Promise<boolean> {
  const { beforeRequest } = registered
  if (beforeRequest === undefined) return Promise.resolve(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const details = { url } satisfies Partial<Electron.OnBeforeRequestListenerDetails>
  beforeRequest(details as Electron.OnBeforeRequestListenerDetails, ({ cancel }) => resolve(cancel === true))
  return promise
}

async function answer(route: Route, url: string): Promise<void> {
  if (registered.handler === undefined || !url.startsWith('app:')) return route.abort('addressunreachable')
  const response = await registered.handler(new Request(url, { method: route.request().method() }))
  await route.fulfill({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  })
}
