import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { chromiumArgs } from '../browser/chromium.ts'
import { type StartedHost, startHost } from '../main/hosts/browser/started-host.ts'
import { provesInBrowser } from '../proof/proves-in-browser.ts'

/**
 * What a page on another port of this machine can do to the app in a real browser. For cookies and some other
 * rules of the browser, such a page belongs to the same site. So every attempt has a leaked code and a leaked
 * bearer.
 */
test.use({
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: [...chromiumArgs(), '--host-resolver-rules=MAP evil.test 127.0.0.1'] }),
})

let host: StartedHost
let elsewhere: Server
let elsewhereUrl: string

test.beforeEach(async ({ page }) => {
  host = await startHost()
  elsewhere = createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>elsewhere</title><body></body>')
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
  await page.goto(elsewhereUrl)
})

test.afterEach(async () => {
  await host.stop()
  elsewhere.closeAllConnections()
  await new Promise((resolve) => elsewhere.close(resolve))
})

const ours = (path: string) => `http://127.0.0.1:${host.port}${path}`

interface FetchInit {
  readonly method?: 'POST'
  readonly mode?: 'cors' | 'no-cors'
  readonly credentials?: 'include'
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** The result of a `fetch`: the type of its response, or 'threw'. */
const fetched = (page: Page, url: string, init: FetchInit) =>
  page.evaluate(
    ([target, options]) =>
      fetch(target, options).then(
        (response) => response.type,
        () => 'threw',
      ),
    [url, init] as const,
  )

function expectNothingHappened(): void {
  expect(host.windows.calls).toEqual([])
  expect(host.windows.sessions).toEqual([])
}

test('our page exchanges its code, sends commands and gets pushes, without a cookie', async ({ page }) => {
  await page.goto(ours(`/#code=${host.code()}`))
  const answer = await page.evaluate(async () => {
    const code = location.hash.slice('#code='.length)
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    const post = async (path: string, body: unknown) =>
      (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    const { bearer } = await post('/api/session', { code })
    Object.assign(headers, { authorization: `Bearer ${bearer}` })
    const pushes = await fetch('/api/pushes', { headers })
    return { value: await post('/api/command/hello', null), type: pushes.headers.get('content-type') }
  })
  expect(answer).toEqual({
    value: { value: { version: '0.0.0', host: 'browser' } },
    type: 'application/x-ndjson',
  })
  expect(await page.context().cookies()).toEqual([])
  expect(host.windows.sessions).toHaveLength(1)
})

test('our page can do nothing without its bearer, and no cookie replaces it', async ({ page }) => {
  const bearer = await host.bearer()
  await page.goto(ours('/'))
  const statuses = await page.evaluate(async (secret) => {
    const headers = { 'content-type': 'application/json' }
    const ask = async () => {
      const revoked = await fetch('/api/command/revoke', {
        method: 'POST',
        headers,
        body: '{"profile":"p1"}',
      })
      return [revoked.status, (await fetch('/api/pushes')).status]
    }
    const without = await ask()
    for (const name of ['bearer', 'session', 'authorization', 'token']) {
      // biome-ignore lint/suspicious/noDocumentCookie: as an attacker would
      document.cookie = `${name}=${secret}`
    }
    return [...without, ...(await ask())]
  }, bearer)
  expect(statuses).toEqual([401, 401, 401, 401])
  expectNothingHappened()
})

test('a page on another port can read nothing, with or without CORS', async ({ page }) => {
  for (const path of ['/', '/favicon.svg', '/assets/index-Ab12Cd34.js', '/api/pushes', '/api/session'])
    for (const mode of ['cors', 'no-cors'] as const)
      expect([path, mode, await fetched(page, ours(path), { mode, credentials: 'include' })]).toEqual([
        path,
        mode,
        // CORP turns even an opaque response into an error.
        'threw',
      ])
  expectNothingHappened()
  provesInBrowser('W4', 1)
})

test('a page on another port that knows the code cannot use it', async ({ page }) => {
  const body = JSON.stringify({ code: host.code() })
  const json = { 'content-type': 'application/json' }
  await fetched(page, ours('/api/session'), { method: 'POST', mode: 'cors', headers: json, body })
  await fetched(page, ours('/api/session'), { method: 'POST', mode: 'cors', body })
  await fetched(page, ours('/api/session'), { method: 'POST', mode: 'no-cors', body })
  await page.evaluate(([url, text]) => navigator.sendBeacon(url, text), [ours('/api/session'), body] as const)
  const refused = page.waitForResponse(ours('/api/session')).then((response) => response.status())
  await page.evaluate(
    ([url, text]) => {
      // A form whose one text/plain field reads as JSON.
      const form = document.createElement('form')
      form.method = 'POST'
      form.action = url
      form.enctype = 'text/plain'
      const field = document.createElement('input')
      field.name = text.replace(/}$/, ',"x":"')
      field.value = '"}'
      form.append(field)
      document.body.append(form)
      form.submit()
    },
    [ours('/api/session'), body] as const,
  )
  expect(await refused).toBe(403)
  // The code was not even used up.
  expect(host.ready).toHaveLength(1)
  expectNothingHappened()
  provesInBrowser('W4', 1)
})

test('a page on another port that knows a bearer can command nothing', async ({ page }) => {
  const bearer = await host.bearer()
  const body = JSON.stringify({ profile: 'p1' })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` }
  const url = ours('/api/command/revoke')
  expect(await fetched(page, url, { method: 'POST', mode: 'cors', headers, body })).toBe('threw')
  await fetched(page, url, { method: 'POST', mode: 'no-cors', headers, body })
  await fetched(page, url, { method: 'POST', mode: 'cors', body })
  expect(await fetched(page, ours('/api/pushes'), { headers: { authorization: `Bearer ${bearer}` } })).toBe(
    'threw',
  )
  expectNothingHappened()
  provesInBrowser('W4', 1)
})

test('a page on another port cannot frame it, control its window or load its parts', async ({ page }) => {
  const loaded = await page.evaluate(
    async ([frameUrl, scriptUrl, imageUrl]) => {
      const outcome = (element: HTMLElement & { src: string }, src: string) =>
        new Promise<string>((resolve) => {
          element.onload = () => resolve('loaded')
          element.onerror = () => resolve('error')
          element.src = src
          document.body.append(element)
        })
      const script = Object.assign(document.createElement('script'), { type: 'module' })
      await outcome(document.createElement('iframe'), frameUrl)
      const popup = window.open(frameUrl)
      return {
        script: await outcome(script, scriptUrl),
        classic: await outcome(document.createElement('script'), scriptUrl),
        image: await outcome(document.createElement('img'), imageUrl),
        popup: popup !== null,
      }
    },
    [ours('/'), ours('/assets/index-Ab12Cd34.js'), ours('/favicon.svg')] as const,
  )
  expect(loaded).toMatchObject({ script: 'error', classic: 'error', image: 'error' })
  expect(page.frames().map((frame) => frame.url())).not.toContain(ours('/'))
  // Because of COOP, the browser cuts the opener's handle as soon as our page responds.
  if (loaded.popup) await expect.poll(() => page.evaluate(() => window.length)).toBeLessThanOrEqual(1)
  expectNothingHappened()
  provesInBrowser('W4', 1)
})

test('a name rebound to this machine is rejected before anything is read', async ({ page }) => {
  const evil = `http://evil.test:${host.port}/`
  // A page of the attacker, on a name that now resolves to this machine, sends requests to our port.
  await page.goto(elsewhereUrl.replace('127.0.0.1', 'evil.test'))
  const body = JSON.stringify({ code: host.code() })
  for (const mode of ['cors', 'no-cors'] as const)
    expect(await fetched(page, `${evil}api/session`, { method: 'POST', mode, body })).toBe('threw')

  // The page navigates to our port under that name, as if the attacker's server had used the same port.
  const response = page.waitForResponse(evil)
  // Chromium shows an error page of its own for an answer without a body.
  await page.goto(evil).catch(() => {})
  expect((await response).status()).toBe(421)
  expect(host.ready).toHaveLength(1)
  expectNothingHappened()
  provesInBrowser('W4', 1)
})

test('a link from another port opens the page', async ({ page }) => {
  await page.evaluate((url) => {
    location.href = url
  }, ours('/'))
  await expect(page).toHaveTitle('Headroom')
})
