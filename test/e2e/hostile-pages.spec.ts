import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { provesInBrowser } from '../proof/proves-in-browser.ts'
import { appState, COMMANDS } from './hostile/app-state.ts'
import { expect, expectRefused, test, through } from './hostile/fixtures.ts'
import { WAYS_TO_GET, WAYS_TO_POST } from './hostile/ways.ts'

/**
 * PROMISES W4: pages of other programs, in the same browser as our window, with a leaked code and a leaked
 * bearer. They read nothing and change nothing.
 */
const built = fileURLToPath(new URL('../../dist/window/assets', import.meta.url))
const assetOf = (end: string) => `/assets/${readdirSync(built).find((name) => name.endsWith(end))}`

const PARTS = () => [
  '/',
  assetOf('.js'),
  assetOf('.css'),
  '/api/session',
  '/api/pushes',
  '/api/command/snapshots',
  '/%61pi/pushes',
]

test('a page on another port can read nothing of the app, by any means', async ({
  headroom,
  admitted,
  before,
  theirs,
}) => {
  const tries = WAYS_TO_GET.flatMap((way) =>
    PARTS().map((path) => ({
      way,
      target: {
        url: `${headroom.origin}${path}?bearer=${admitted.bearer}`,
        bearer: admitted.bearer,
        body: '',
      },
    })),
  )
  expect(await through(theirs.page, tries)).toEqual([])
  expectRefused(theirs, tries.length)
  expect(await appState(admitted)).toEqual(before)
  expect(headroom.ready).toHaveLength(3)
  provesInBrowser('W4', tries.length)
})

test('no request of such a page has an effect, even with a leaked bearer', async ({
  headroom,
  admitted,
  before,
  hostile,
  theirs,
}) => {
  const tries = WAYS_TO_POST.flatMap((way) =>
    Object.entries(COMMANDS).map(([name, argument]) => ({
      way,
      target: {
        url: `${headroom.origin}/api/command/${name}`,
        bearer: admitted.bearer,
        body: JSON.stringify(argument),
      },
    })),
  )
  expect(await through(theirs.page, tries)).toEqual([])
  // The browser sends the report of a policy violation as a POST with a content type that needs no preflight.
  hostile.reportTo = `${headroom.origin}/api/command/revoke`
  await theirs.page.goto(hostile.page('127.0.0.1', '/reporting'))
  await theirs.page.evaluate(
    () =>
      new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', resolve)
        Object.assign(document.body.appendChild(document.createElement('img')), { src: '/any.png' })
      }),
  )
  expectRefused(theirs, tries.length)
  expect(await appState(admitted)).toEqual(before)
  // The same command from our own page works. So the refused commands were valid.
  expect(await admitted.ask('setRetention', COMMANDS['setRetention'])).toMatchObject({ ok: true })
  expect(await appState(admitted)).not.toEqual(before)
  provesInBrowser('W4', tries.length + 1)
})

test('a code is worthless to such a page, and to anyone once it was used', async ({
  page,
  headroom,
  admitted,
  theirs,
  problems,
}) => {
  problems.allow(/status of (?:401|429)/)
  const codeOf = (url: string | undefined) => new URL(url ?? '').hash.slice('#code='.length)
  const fresh = codeOf(headroom.ready[2])
  const session = `${headroom.origin}/api/session`
  const tries = WAYS_TO_POST.map((way) => ({
    way,
    target: { url: session, bearer: admitted.bearer, body: JSON.stringify({ code: fresh }) },
  }))
  expect(await through(theirs.page, tries)).toEqual([])
  expect(theirs.answered().filter(({ status }) => status < 400)).toEqual([])
  // The code was not even used up.
  expect(headroom.ready).toHaveLength(3)

  const offer = (code: string) =>
    page.evaluate(
      async (offered) =>
        (
          await fetch('/api/session', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ code: offered }),
          })
        ).status,
      code,
    )
  const wrong = [codeOf(headroom.ready[0]), codeOf(headroom.ready[1]), `${fresh}x`, fresh.slice(1), '', '*']
  for (const code of wrong) expect([code.length, await offer(code)]).toEqual([code.length, 401])
  const statuses = new Set<number>()
  for (let guess = 0; guess < 30; guess += 1) statuses.add(await offer(`guess-${guess}`))
  expect([...statuses]).toEqual([401, 429])
  // Wrong guesses do not block the owner of the right code, and do not use up that code.
  expect(await offer(fresh)).toBe(200)
  await headroom.waitForReady(4)
  expect([401, 429]).toContain(await offer(fresh))
  expect(headroom.ready).toHaveLength(4)
  provesInBrowser('W4', tries.length + wrong.length + 32)
})

test('a page that opens ours has no handle to it, and ours none to that page', async ({
  headroom,
  admitted,
  before,
  theirs,
}) => {
  const opened = theirs.page.waitForEvent('popup')
  await theirs.page.evaluate((url) => {
    Object.assign(globalThis, { held: globalThis.open(url, 'ours') })
  }, `${headroom.origin}/`)
  const ours = await opened
  await expect(ours).toHaveTitle('Headroom')
  expect(await ours.evaluate(() => [globalThis.opener, window.name, crossOriginIsolated])).toEqual([
    null,
    '',
    true,
  ])
  // The attacker's handle to our window is cut off. It can't count our frames, send messages, or navigate the
  // window.
  const held = await theirs.page.evaluate(() => {
    const handle = Reflect.get(globalThis, 'held') as Window
    handle.postMessage({ revoke: 'simulator' }, '*')
    handle.location.href = 'about:blank'
    return handle.closed
  })
  expect(held).toBe(true)
  expect(ours.url()).toBe(`${headroom.origin}/`)
  // Opening the window did not sign it in. The bearer is in the tab that used the code.
  expect(await ours.evaluate(() => sessionStorage.length)).toBe(0)
  expect(await appState(admitted)).toEqual(before)
  provesInBrowser('W4', 1)
})
