import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Locator, Page } from '@playwright/test'
import { REDIRECT_PORTS } from '../../app/sign-in/failure.ts'
import type { SimulatorServer } from '../../main/simulator/server.ts'
import { THOROUGH_TAG } from '../thorough.ts'
import { test as base, expect } from './fixtures.ts'

/**
 * The whole sign-in, in a real browser: Headroom's window, the service's page in a tab of its own, and the
 * redirect to one of the four ports that a key allows.
 */
interface SignInFixtures {
  /** The key's secret as a person enters it. Empty for a PKCE key. */
  readonly secret: string
  /** The dialog that connects a key, filled in and not yet sent. */
  readonly dialog: Locator
  /** Opens the link in the window, as a person does if Headroom opened no browser. */
  readonly signInPage: () => Promise<Page>
  /** Signs in on the service's page, and returns that. */
  readonly approve: () => Promise<Page>
}

const test = base.extend<SignInFixtures>({
  secret: ['', { option: true }],
  dialog: async ({ page, headroom, simulator, secret }, use) => {
    await page.goto(headroom.url)
    await page.getByRole('button', { name: 'Connect a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('CUSTOM', { exact: true }).click()
    await dialog.getByLabel('Sign-in host').fill(simulator.origin)
    await dialog.getByLabel('Resource host').fill(simulator.origin)
    await dialog.getByLabel('API key').fill(simulator.service.options.clientId)
    if (secret !== '') await dialog.getByLabel('Secret').fill(secret)
    await use(dialog)
  },
  signInPage: async ({ page, context }, use) =>
    use(async () => {
      const opened = context.waitForEvent('page')
      await page.getByRole('link', { name: 'Open the sign-in page' }).click()
      const tab = await opened
      await tab.getByRole('heading', { name: 'Simulated sign-in' }).waitFor()
      return tab
    }),
  approve: async ({ signInPage }, use) =>
    use(async () => {
      const tab = await signInPage()
      await tab.getByRole('button', { name: 'Approve' }).click()
      return tab
    }),
})

const start = (page: Page) => page.getByRole('button', { name: 'Sign in with the browser' }).click()

/** The address of the sign-in page: the link of a dialog that waits for the browser. */
const signInAddress = async (dialog: Locator) => (await dialog.getByRole('link').getAttribute('href')) ?? ''

const redirectOf = (address: string) => new URL(address).searchParams.get('redirect_uri') ?? ''

const tokenPosts = ({ service }: SimulatorServer) =>
  service.ledger.entries().filter((request) => request.path === '/oauth/token').length

const liveNumbers = (page: Page) =>
  expect(page.locator('tr[data-category="Accounts"]')).not.toHaveAttribute('data-source', 'default')

for (const secret of ['', 'the-secret']) {
  test.describe(secret === '' ? 'a PKCE key' : 'a key with a secret', () => {
    test.use({ secret, simulatorOptions: secret === '' ? {} : { clientSecret: secret } })

    test('signs in through the browser, with the least scopes', async ({
      page,
      dialog,
      simulator,
      approve,
    }) => {
      await start(page)
      await expect(dialog).toContainText('Continue in your browser')
      const address = await signInAddress(dialog)
      const query = new URL(address).searchParams
      expect(query.get('scope')).toBe('openid offline_access MarketData ReadAccount')
      expect(query.get('code_challenge_method')).toBe('S256')
      if (secret !== '') expect(address).not.toContain(secret)

      const tab = await approve()
      await expect(tab.getByRole('heading')).toHaveText('Signed in')
      await expect(tab.locator('body')).toContainText('return to Headroom')
      await expect(dialog).toBeHidden()
      await expect(page.getByTestId('profile')).toContainText('Main key')
      await liveNumbers(page)

      // The same redirect again, as after a reload of the tab. The port is closed by now.
      const posts = tokenPosts(simulator)
      await tab.reload().catch(() => {})
      await expect(tab.getByRole('heading', { name: 'Signed in' })).toHaveCount(0)
      expect(tokenPosts(simulator)).toBe(posts)
    })
  })
}

test('declining in the browser is reported in plain words, and one can start over', async ({
  page,
  dialog,
  simulator,
  signInPage,
  approve,
}) => {
  await start(page)
  const tab = await signInPage()
  await tab.getByRole('button', { name: 'Decline' }).click()
  await expect(tab.getByRole('heading')).toHaveText('You declined in the browser')
  const notice = dialog.locator('[data-sign-in="declined"]')
  await expect(notice).toContainText('You declined in the browser')
  await expect(notice).toContainText('Nothing was saved.')
  expect(tokenPosts(simulator)).toBe(0)

  // The form still has what the person entered.
  await notice.getByRole('button', { name: 'Start over' }).click()
  await approve()
  await expect(dialog).toBeHidden()
  await liveNumbers(page)
})

test('a redirect with another state is rejected and the right one still counts', async ({
  page,
  context,
  dialog,
  simulator,
  approve,
}) => {
  await start(page)
  const redirect = redirectOf(await signInAddress(dialog))
  const stranger = await context.newPage()
  await stranger.goto(`${redirect}?code=stolen&state=guessed`)
  await expect(stranger.getByRole('heading')).toHaveText('This response belongs to another sign-in')
  await expect(dialog.getByRole('status')).toContainText('Ignored a response to another sign-in')
  expect(tokenPosts(simulator)).toBe(0)

  await approve()
  await expect(dialog).toBeHidden()
})

test('a sign-in host that is away is reported first, until it responds', async ({ page, dialog }) => {
  const host = createServer()
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  const { port } = host.address() as AddressInfo
  await new Promise((resolve) => host.close(resolve))
  await dialog.getByLabel('Sign-in host').fill(`http://127.0.0.1:${port}`)
  await start(page)
  await expect(dialog).toContainText('Waiting for the sign-in host')
  const notice = dialog.locator('[data-sign-in="host-away"]')
  await expect(notice).toContainText(`127.0.0.1:${port} is not responding: connection refused`)
  await expect(notice).toContainText('Check the network')

  const back = createHttpServer((_, response) => response.end()).listen(port, '127.0.0.1')
  await expect(notice).toHaveCount(0, { timeout: 20_000 })
  await expect(dialog).toContainText('Continue in your browser')
  await new Promise((resolve) => back.close(resolve))
})

test('with all four ports taken it names them, and what to do', async ({ page, dialog }) => {
  const servers = await occupyAll()
  try {
    await start(page)
    const notice = dialog.locator('[data-sign-in="ports-taken"]')
    await expect(notice).toContainText('Ports 31022, 8080, 3001 and 3000 are in use')
    await expect(notice).toContainText('Close the program on one of them, then retry.')
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog).toContainText('Continue in your browser')
})

test('cancelling frees the port and leaves the form unchanged', async ({ page, dialog }) => {
  await start(page)
  const redirect = redirectOf(await signInAddress(dialog))
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog.getByLabel('API key')).toHaveValue('sim-key')
  await expect
    .poll(() =>
      fetch(redirect).then(
        () => 'answered',
        () => 'nobody',
      ),
    )
    .toBe('nobody')
})

test('a key that has to sign in again stays in its place', async ({ page, dialog, approve }) => {
  await start(page)
  await approve()
  await liveNumbers(page)

  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  // With the keyboard only: Cancel has the focus, and one Tab leads to the button.
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Revoke all tokens' })).toBeFocused()
  await page.keyboard.press('Enter')
  const revoked = page.locator('[data-verdict][data-label="revoked"]')
  await expect(revoked).toContainText('The service confirmed the revocation.')

  await revoked.locator('[data-remedy=sign-in]').click()
  await expect(dialog).toContainText('Sign in again')
  await start(page)
  await approve()
  await expect(dialog).toBeHidden()
  await expect(revoked).toHaveCount(0)
  await expect(page.getByTestId('profile')).toContainText('Main key')
  await page.getByTestId('profile').click()
  // It is the same key, not a second one.
  await expect(page.getByRole('menuitemradio')).toHaveCount(0)
})

test('a sign-in on a key with an unconfirmed revocation asks first', { tag: THOROUGH_TAG }, async ({
  page,
  dialog,
  simulator,
  approve,
}) => {
  await start(page)
  await approve()
  await liveNumbers(page)
  simulator.service.faults.set('revoke-503', 1)
  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await page.getByRole('button', { name: 'Revoke all tokens' }).click()
  await expect(page.getByTestId('verdict-headline')).toContainText('Revocation not confirmed')

  await page.getByTestId('profile').click()
  await page.getByRole('menuitem', { name: 'Sign in again…' }).click()
  await start(page)
  const notice = dialog.locator('[data-sign-in="blocked"]')
  await expect(notice).toContainText('The revocation of this key isn’t confirmed')
  await expect(dialog.getByRole('link')).toHaveCount(0)
  await notice.getByRole('button', { name: 'Continue' }).click()
  await approve()
  await expect(dialog).toBeHidden()
  await expect(page.getByTestId('verdict-headline')).not.toContainText('Revocation not confirmed')
  await liveNumbers(page)
})

/** Occupies those of the four ports that are still free, on both addresses. */
async function occupyAll(): Promise<readonly Server[]> {
  const taken = await Promise.all(
    REDIRECT_PORTS.map(
      (port) =>
        new Promise<Server | undefined>((resolve) => {
          const server = createServer()
          server.once('error', () => resolve(undefined))
          server.listen(port, '127.0.0.1', () => resolve(server))
        }),
    ),
  )
  return taken.filter((server) => server !== undefined)
}

test('orders are allowed by a sign-in, found after a lost response, dismissed, and stopped by Shift+O', async ({
  page,
  dialog,
  simulator,
  approve,
}) => {
  await start(page)
  await approve()
  await liveNumbers(page)
  await page.getByRole('button', { name: /^Programs/ }).click()
  await page.getByRole('spinbutton', { name: 'Port' }).fill('0')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByTestId('orders-state')).toHaveCount(0)

  await page.keyboard.press('s')
  await page.getByRole('button', { name: 'Allow orders…' }).click()
  await expect(dialog).toContainText('This signs in again with the Trade scope.')
  await dialog.getByRole('button', { name: 'Allow orders' }).click()
  await expect(dialog).toContainText('Continue in your browser')
  expect(new URL(await signInAddress(dialog)).searchParams.get('scope')).toContain('Trade')
  await approve()
  await expect(dialog).toBeHidden()
  await expect(page.getByTestId('orders-state')).toHaveText('Orders are allowed, 0 today.')

  await page.getByRole('button', { name: '+ Add a program' }).click()
  const panel = page.getByRole('region', { name: 'Add a program' })
  await panel.getByLabel('Name').fill('executor')
  await panel.getByRole('checkbox', { name: 'May send orders' }).check()
  await panel.getByRole('button', { name: 'Add program' }).click()
  const key = await panel.getByTestId('program-key').innerText()
  const url = await page.getByTestId('gateway-state').locator('code').innerText()
  await panel.getByRole('button', { name: 'Done, I have the key' }).click()
  const order = {
    ...{ AccountID: 'SIM1001', Symbol: 'MSFT', Quantity: '1', OrderType: 'Market', TradeAction: 'BUY' },
    ...{ TimeInForce: { Duration: 'DAY' }, Route: 'Intelligent' },
  }
  const send = async () => {
    const answer = await fetch(`${url}/v3/orderexecution/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    return answer.status
  }
  const arrived = () => simulator.service.orders.ledger.arrivals().length
  expect([await send(), arrived()]).toEqual([200, 1])
  const journal = page.getByRole('region', { name: 'Journal of orders', exact: true })
  await expect(journal).toContainText('POST orders')
  await expect(journal).not.toContainText('MSFT')

  simulator.service.faults.set('order-lost-response', 1)
  expect([await send(), arrived()]).toEqual([502, 2])
  const unknown = page.locator('[data-order]')
  await expect(unknown).toContainText(/found, ID \d+/)
  await unknown.getByRole('button', { name: 'Dismiss' }).click()
  await expect(unknown).toHaveCount(0)

  await page.keyboard.press('s')
  await page.keyboard.press('Shift+O')
  await expect(dialog.getByTestId('orders-setting')).toHaveText('Orders are stopped: by you, 2 today.')
  expect([await send(), arrived()]).toEqual([503, 2])
})
