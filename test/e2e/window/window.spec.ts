import { provesInBrowser } from '../../proof/proves-in-browser.ts'
import { CALM_REQUESTS, NOW_MS, quota, snapshot } from '../../renderer/fixtures.ts'
import { STATES } from '../../renderer/harness/states.ts'
import { expect, problemsOf, test } from './window-fixtures.ts'

const CALM = 'No checked quota runs out within 10 min.'
const row = (category: string) => `tr[data-category="${category}"]`

test('the numbers are those of the last push, while ages and countdowns run', async ({ page, open }) => {
  const requests = [
    quota('Accounts', 320, 300, 100, {
      slope: 10,
      source: 'modelled',
      state: 'blocked',
      blockedUntil: NOW_MS + 50_000,
      low: 80,
      high: 120,
    }),
  ]
  const host = await open(snapshot({ requests }))
  const accounts = page.locator(row('Accounts'))
  const age = accounts.getByTestId('age')
  const state = accounts.getByTestId('state')
  const [firstAge, firstState] = [await age.textContent(), await state.textContent()]
  expect(firstState).toMatch(/^429in \d+ s$/)
  await expect(age).not.toHaveText(firstAge ?? '')
  await expect(state).not.toHaveText(firstState ?? '')
  await expect(accounts.getByTestId('remaining')).toHaveText('80–120')
  host.show(snapshot({ revision: 2, requests: [quota('Accounts', 320, 300, 111)] }))
  await expect(accounts.getByTestId('remaining')).toHaveText('111')
  await expect(state).toHaveText('ok')
})

test('categories that share one quota are one row that names them all', async ({ page, open }) => {
  const countedBy = 'Accounts'
  const requests = [
    quota('Accounts', 320, 300, 100),
    quota('Balances', 320, 300, 320, { countedBy, source: 'default' }),
    quota('Positions', 320, 300, 320, { countedBy, source: 'default' }),
    quota('Quote Snapshot', 500, 300, 400),
  ]
  await open(snapshot({ requests }))
  await expect(page.locator('tr[data-category]')).toHaveCount(2)
  const shared = page.locator(row('Accounts')).getByTestId('shared')
  await expect(shared).toHaveText('+ Balances, Positions')
  const isWhole = await shared.evaluate((box) => box.scrollWidth <= box.clientWidth && box.clientHeight > 0)
  expect(isWhole).toBe(true)
  await expect(page.locator(row('Quote Snapshot')).getByTestId('shared')).toHaveCount(0)
  provesInBrowser('Q11', 1)
})

test('behind other pages the monitor is hidden and stays as it was', async ({ page, open }) => {
  const host = await open(snapshot())
  // Selects by the number, because the plan has rows of the same categories.
  const accounts = page.locator(row('Accounts')).filter({ has: page.getByTestId('remaining') })
  const drawn = await accounts.elementHandle()
  await page.getByRole('img', { name: /^Positions, last 15 minutes/ }).waitFor()
  for (const name of ['Programs', 'Plan', 'Glance']) {
    await page.getByRole('button', { name, exact: true }).click()
    await expect(accounts).toBeHidden()
    await expect(page.locator('#quotas:visible, [data-testid=glance]')).toHaveCount(1)
    await expect.poll(() => page.locator('#quotas').count()).toBeLessThanOrEqual(1)
    if (name === 'Glance') host.show(snapshot({ revision: 2, requests: [quota('Accounts', 320, 300, 111)] }))
    await page.keyboard.press('Escape')
    await expect(accounts).toBeVisible()
    expect(await accounts.evaluate((one, before) => one === before, drawn)).toBe(true)
  }
  await expect(accounts.getByTestId('remaining')).toHaveText('111')
})

test('an old header is never shown as live', async ({ page, open }) => {
  const seen = quota('Balances', 320, 300, 294, { observedAt: NOW_MS - 114_000 })
  await open(snapshot({ requests: [seen] }))
  const balances = page.locator(row('Balances'))
  await expect(balances).toHaveAttribute('data-stale', 'false')
  await expect(balances).toHaveAttribute('data-stale', 'true', { timeout: 20_000 })
  await expect(balances.getByTestId('remaining')).toHaveText('~294')
  await expect(balances.getByTestId('age')).toHaveText('2 min')
})

test('a row is chosen by click and by keyboard, and the chart shows it', async ({ page, open }) => {
  await open(snapshot())
  await expect(page.locator('[data-history]')).toHaveAttribute('data-history', 'Positions')
  await page.locator(row('Balances')).getByTestId('age').click()
  await expect(page.locator('[data-history]')).toHaveAttribute('data-history', 'Balances')
  await page.getByRole('button', { name: 'Quote Snapshot' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-history]')).toHaveAttribute('data-history', 'Quote Snapshot')
  await expect(
    page.getByRole('img', { name: /^Quote Snapshot, last 15 minutes.*1 rate-limited request/ }),
  ).toBeVisible()
  await expect(page.locator('[data-mark="429"]')).toHaveCount(1)
  await page.getByRole('button', { name: 'Table' }).click()
  await expect(page.getByRole('cell', { name: 'refused' })).toBeVisible()
})

test('the verdict is announced when it changes and not while it counts down', async ({ page, open }) => {
  const host = await open(snapshot())
  const spoken = page.getByRole('status')
  await expect(spoken).toHaveText('Positions running out.')
  const changes = await page.evaluateHandle(() => {
    const seen: string[] = []
    const region = document.querySelector('[role=status]')!
    new MutationObserver(() => seen.push(region.textContent)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    })
    return seen
  })
  const countdown = page.locator(row('Positions')).getByTestId('age')
  const first = await countdown.textContent()
  await expect(countdown).not.toHaveText(first ?? '')
  expect(await changes.jsonValue()).toEqual([])
  host.show(snapshot({ revision: 2, requests: CALM_REQUESTS }))
  const calm = 'No checked quota runs out within 10 min.'
  await expect(spoken).toHaveText(calm)
  expect(await changes.jsonValue()).toEqual([calm])
})

test('a tab in the background shows the state by its title and its icon', async ({ page, open }) => {
  const host = await open(snapshot())
  const icon = page.locator('link[rel=icon]')
  await expect(page).toHaveTitle('Positions running out · Headroom')
  await expect(icon).toHaveAttribute('href', /icon-critical/)
  host.show(snapshot({ revision: 2, requests: CALM_REQUESTS }))
  await expect(page).toHaveTitle('ok · Headroom')
  await expect(icon).toHaveAttribute('href', /icon-ok/)
  host.sleep()
  await expect(page).toHaveTitle('Headroom stopped responding')
  await expect(icon).toHaveAttribute('href', /icon-unknown/)
})

test('the form explains how the key is stored, whichever key is shown', async ({ page, open }) => {
  const host = await open(STATES['simulated']!)
  host.answer('hello', { version: '0.1.0', host: 'browser', keeps: 'memory' })
  await page.getByRole('button', { name: 'Connect a key' }).click()
  const colour = async (words: string) => {
    const note = page.getByRole('dialog').getByText(words)
    await expect(note).toBeVisible()
    return note.evaluate((one) => getComputedStyle(one).color)
  }
  const ofMemory = await colour('In memory only, until Headroom quits.')
  await page.keyboard.press('Escape')
  host.answer('hello', { version: '0.1.0', host: 'browser', keeps: 'sealed' })
  await page.getByRole('button', { name: 'Connect a key' }).click()
  // Keys that are lost when Headroom quits must not be shown in the colour of success.
  expect(await colour('Encrypted on this computer.')).not.toBe(ofMemory)
})

test('a key is connected without showing or storing its secrets', async ({ page, open }) => {
  const host = await open(STATES['simulated']!)
  await page.getByRole('button', { name: 'Connect a key' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Encrypted on this computer.')
  expect(await problemsOf(page, '[role=dialog]')).toEqual([])
  await dialog.getByRole('button', { name: 'Paste a refresh token instead' }).click()
  expect(await problemsOf(page, '[role=dialog]')).toEqual([])
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(dialog).toContainText('Enter the API key.')
  await dialog.getByLabel('API key').fill('key-1')
  await dialog.getByLabel('Secret').fill('canary-secret')
  await dialog.getByLabel('Refresh token').fill('  canary-token\n')
  host.answer('connect', { ok: false, code: 'refused', message: 'The service did not accept this token.' })
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(dialog).toContainText('The service did not accept this token.')
  expect(host.asked.filter(({ name }) => name === 'connect').map(({ arg }) => arg)).toEqual([
    {
      environment: 'live',
      clientId: 'key-1',
      clientSecret: 'canary-secret',
      refreshToken: 'canary-token',
    },
  ])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.content()).not.toContain('canary')
  expect(
    await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }])),
  ).not.toContain('canary')
  await page.getByRole('button', { name: 'Connect a key' }).click()
  await expect(page.getByLabel('API key')).toHaveValue('')
  await page.getByRole('button', { name: 'Paste a refresh token instead' }).click()
  await expect(page.getByLabel('Refresh token')).toHaveValue('')
})

test('each state of a sign-in is readable for everybody', async ({ page, open, complaints }) => {
  const host = await open(STATES['sign-in']!)
  await page.locator('[data-verdict] [data-remedy=sign-in]').click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Name, history and streams stay.')
  const message = 'Ports 31022, 8080, 3001 and 3000 are in use. Close the program on one of them, then retry.'
  host.answer('signInAgain', { ok: false, code: 'ports-taken', message })
  await dialog.getByRole('button', { name: 'Sign in with the browser' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Close the program on one of them')
  expect(await problemsOf(page, '[role=dialog]')).toEqual([])

  const url = 'https://signin.tradestation.com/authorize?state=s'
  host.answer('signInAgain', { ok: true, signIn: 'mine', url, opened: false, endsAt: NOW_MS })
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog.getByRole('link', { name: 'Open the sign-in page' })).toHaveAttribute('href', url)
  host.push('signInChanged', {
    state: 'waiting',
    signIn: 'mine',
    endsAt: NOW_MS,
    notice: 'An answer was ignored.',
  })
  await expect(dialog.getByRole('status')).toHaveText('An answer was ignored.')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await problemsOf(page, '[role=dialog]')).toEqual([])
  }
  host.push('signInChanged', { state: 'done', signIn: 'mine', profile: 'main' })
  await expect(dialog).toBeHidden()
  expect(complaints).toEqual([])
})

test('a wrong secret is corrected by the secret alone, or by a sign-in', async ({ page, open }) => {
  const refresh = { ...snapshot().refresh, state: 'sign-in-required', cause: 'misconfigured' } as const
  const host = await open(snapshot({ refresh }))
  await page.locator('[data-verdict] [data-remedy=correct-key]').click()
  const dialog = page.getByRole('dialog', { name: 'Correct the secret' })
  await expect(dialog.getByLabel('Refresh token')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Use this secret' }).click()
  await expect(dialog).toContainText('Enter the secret of this API key.')
  expect(await problemsOf(page, '[role=dialog]')).toEqual([])
  host.answer('correctSecret', { ok: false, code: 'not-accepted', message: 'Not this one either.' })
  await dialog.getByLabel('Secret').fill('a-secret')
  await dialog.getByRole('button', { name: 'Use this secret' }).click()
  await expect(dialog).toContainText('Not this one either.')
  host.answer('correctSecret', { ok: true, profile: 'main' })
  await dialog.getByLabel('Secret').press('Enter')
  await expect(dialog).toBeHidden()
  const asked = host.asked.filter(({ name }) => name === 'correctSecret').map(({ arg }) => arg)
  expect(asked).toEqual(Array(2).fill({ profile: 'main', clientSecret: 'a-secret' }))
  await page.locator('[data-verdict] [data-remedy=correct-key]').click()
  await dialog.getByRole('button', { name: 'Sign in with the browser instead' }).click()
  await expect(dialog.getByRole('button', { name: 'Paste a refresh token instead' })).toBeVisible()
})

test('the Enter key confirms nothing', async ({ page, open }) => {
  const host = await open(STATES['sign-in']!)
  await page.locator('[data-verdict] [data-remedy=sign-in]').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Paste a refresh token instead' }).click()
  await dialog.getByLabel('Refresh token').fill('a-token')
  host.answer('replaceToken', {
    ok: false,
    code: 'revoke-pending',
    message: 'Not confirmed. It would end it.',
  })
  const asked = () => host.asked.filter(({ name }) => name === 'replaceToken').map(({ arg }) => arg)
  await dialog.getByLabel('Refresh token').press('Enter')
  await expect(dialog.getByRole('button', { name: 'Continue' })).toBeVisible()
  await dialog.getByLabel('Refresh token').press('Enter')
  await expect.poll(() => asked().length).toBe(2)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect.poll(() => asked().length).toBe(3)
  const plain = { profile: 'main', refreshToken: 'a-token' }
  expect(asked()).toEqual([plain, plain, { ...plain, cancelRevoke: true }])
})

test('revoking is explained, and "revoked" shown only once confirmed', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('Every program with this key must sign in again, not only Headroom.')
  await expect(dialog).toContainText('3 open streams of this key close.')
  await expect(dialog).toContainText(/Access tokens already issued keep working, this one for 14 min \d+ s\./)
  await expect(dialog).toContainText('Open orders stay as they are.')
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  expect(await problemsOf(page, '[role=alertdialog]')).toEqual([])
  await expect(page.locator('#window > [inert]')).toHaveCount(1)
  host.answer('revoke', { ok: false, code: 'unconfirmed', message: 'The service answered 503.' })
  await dialog.getByRole('button', { name: 'Revoke all tokens' }).click()
  await expect(dialog).toContainText('The service answered 503.')
  host.show({ ...STATES['revoke-unconfirmed']!, revision: 2 })
  await expect(dialog).toBeHidden()
  await expect(page.getByTestId('verdict-headline')).toContainText('Assume the tokens still work.')
})

test('a stream is opened with its endpoint’s parameters', async ({ page, open }) => {
  const host = await open(snapshot())
  await page.getByRole('button', { name: 'Open stream…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Kind').selectOption('barcharts')
  await dialog.getByLabel('Symbol').fill('MSFT')
  await dialog.getByLabel('Interval').fill('5')
  await dialog.getByRole('button', { name: 'Open stream', exact: true }).click()
  await expect(dialog).toBeHidden()
  expect(host.asked.find(({ name }) => name === 'openStream')?.arg).toEqual({
    profile: 'main',
    kind: 'barcharts',
    target: 'MSFT',
    options: { interval: '5', unit: 'Minute' },
  })
  await page.getByRole('button', { name: 'Close Depth quotes · MSFT' }).click()
  await expect
    .poll(() => host.asked.find(({ name }) => name === 'closeStream')?.arg)
    .toEqual({
      profile: 'main',
      stream: 's3',
      inSeconds: 5,
    })
})

test('another key is chosen in the profile menu', async ({ page, open }) => {
  const host = await open(snapshot())
  host.show(
    snapshot(),
    snapshot({ profile: { id: 'two', name: 'Second key', environment: 'sim' }, requests: CALM_REQUESTS }),
  )
  await page.getByTestId('profile').click()
  await page.getByRole('menuitemradio', { name: 'Second key' }).click()
  await expect(page.getByTestId('verdict-headline')).toHaveText(CALM)
  await expect(page.getByRole('list', { name: 'Events' })).toHaveText('Nothing has happened yet.')
  host.push('profileRemoved', { profile: 'two' })
  await expect(page.getByTestId('profile')).toContainText('Main key')
})

test('an unreachable host dims the numbers; once it is back, all is live', async ({ page, open }) => {
  const host = await open(snapshot())
  host.sleep()
  await expect(page.locator('[data-banner=host-gone]')).toContainText(
    /^Headroom stopped responding at \d\d:\d\d:\d\d/,
  )
  await expect(page.locator('main')).toHaveCSS('opacity', '0.5')
  host.wake()
  await expect(page.locator('[data-banner=host-gone]')).toBeHidden()
  host.show(snapshot({ revision: 2, requests: CALM_REQUESTS }))
  await expect(page.getByTestId('verdict-headline')).toHaveText(CALM)
  await expect(page.locator('main')).toHaveCSS('opacity', '1')
})

test('"Try now" retries an unreachable host at once', async ({ page, open }) => {
  await page.clock.install()
  const host = await open(snapshot())
  host.sleep()
  await expect(page.locator('[data-banner=host-gone]')).toBeVisible()
  // The window's timers are paused, so only the button can cause a request.
  await page.clock.pauseAt(Date.now() + 30_000)
  const before = host.refused()
  await page.getByRole('button', { name: 'Try now' }).click()
  await expect.poll(() => host.refused()).toBeGreaterThan(before)
  host.wake()
  await page.clock.resume()
  await expect(page.locator('[data-banner=host-gone]')).toBeHidden()
})

test('a restarted host is not an unreachable one; its link works in this tab', async ({ page, open }) => {
  const host = await open(snapshot({ revision: 50 }))
  host.restart()
  await expect(page.locator('[data-banner=host-restarted]')).toContainText(
    'Headroom restarted. Open the new link from your terminal',
  )
  await expect(page.locator(row('Positions'))).toHaveCount(0)
  host.show(snapshot({ revision: 1 }))
  await page.goto(host.link())
  await expect(page.locator(row('Positions'))).toBeVisible()
  await expect(page.locator('[data-banner]')).toHaveCount(0)
  expect(new URL(page.url()).hash).toBe('')
})

test('while a page’s code can’t be loaded, the numbers stay; later it opens', async ({ page, open }) => {
  const host = await open(snapshot())
  const chunks = /assets\/(plan-page|settings-dialog)/
  await page.route(chunks, (route) => route.abort('connectionrefused'))
  const refused = page.waitForEvent('requestfailed', (request) => chunks.test(request.url()))
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await refused
  await expect(page.locator(row('Positions'))).toBeVisible()
  await page.keyboard.press('s')
  await expect(page.locator('[inert]')).not.toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.locator('[inert]')).toHaveCount(0)
  host.show(snapshot({ revision: 2, requests: CALM_REQUESTS }))
  await expect(page.getByTestId('verdict-headline')).toHaveText(CALM)

  await page.unroute(chunks)
  await page.getByRole('button', { name: 'Plan', exact: true }).click()
  await expect(page.getByTestId('plan-headline')).toBeVisible()
})

test('a dialog opens even if its code takes several seconds to load', async ({ page, open }) => {
  await open(snapshot())
  await page.clock.install()
  await page.route(/assets\/settings-dialog[^/]*js/, async (route) => {
    await page.clock.runFor(5_000)
    await route.continue()
  })
  await page.keyboard.press('s')
  await expect(page.getByTestId('storage')).toBeVisible()
})

test('a reload needs no new link', async ({ page, open }) => {
  await open(snapshot())
  await page.reload()
  await expect(page.locator(row('Positions'))).toBeVisible()
})

test('the theme follows the system until the person chooses one', async ({ page, open }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await open(snapshot())
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(await background()).toBe('rgb(244, 246, 249)')
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  expect(await background()).toBe('rgb(14, 17, 22)')
  await page.reload()
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  expect(await background()).toBe('rgb(14, 17, 22)')
})

test('an error shows main’s words until it is closed', async ({ page, open }) => {
  const host = await open(snapshot())
  host.answer('closeStream', { ok: false, code: 'gone', message: 'That stream is closed already.' })
  await page.getByRole('button', { name: 'Close Depth quotes · MSFT' }).click()
  await expect(page.getByRole('alert')).toContainText('That stream is closed already.')
  await page.getByRole('alert').getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('alert')).toBeEmpty()
})
