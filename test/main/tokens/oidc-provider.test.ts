import { Provider } from 'oidc-provider'
import { expect, onTestFinished, test } from 'vitest'
import type { KeyReport } from '../../../app/contract/events.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'
import type { Http } from '../../../main/ports/ports.ts'
import { VaultProfileStore } from '../../../main/sign-in/profile-store.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { startLoopbackServer } from '../loopback-server.ts'
import { temporaryFolder } from '../storage/temporary-folder.ts'
import { profile, tokensOf, vaultOf } from '../vault/fixtures.ts'
import { openVault } from '../vault/opened-vault.ts'
import { keeperOf } from './keeper-of.ts'

const CLIENT = { clientId: 'headroom', clientSecret: 'a secret of some length' }
const SCOPE = 'openid offline_access'

/** A third-party authorization server with rotation and detection of reused tokens. */
async function startProvider() {
  const { http, origin } = await startLoopbackServer()
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['https://headroom.test/callback'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    rotateRefreshToken: true,
    scopes: ['openid', 'offline_access'],
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    ttl: { AccessToken: 1200, IdToken: 1200, Grant: 86_400, RefreshToken: 86_400 },
    routes: { token: '/oauth/token', revocation: '/oauth/revoke' },
    cookies: { keys: ['for these tests only'] },
  })
  http.on('request', provider.callback())
  const grant = new provider.Grant({ accountId: 'person', clientId: CLIENT.clientId })
  grant.addOIDCScope(SCOPE)
  const properties = {
    accountId: 'person',
    client: await provider.Client.find(CLIENT.clientId),
    grantId: await grant.save(),
    gty: 'authorization_code',
    scope: SCOPE,
  }
  return { origin, provider, refreshToken: await new provider.RefreshToken(properties).save() }
}

async function signedIn(server: Awaited<ReturnType<typeof startProvider>>, http: Http = nodeHttp({})) {
  const folder = temporaryFolder()
  const handle = await openVault(folder)
  onTestFinished(() => handle.close())
  const storage = new VaultProfileStore(handle, { startsOver: false, changed: () => {} })
  const { origin, refreshToken } = server
  const key = profile({ ...CLIENT, authUrl: origin, baseUrl: origin, refreshToken })
  const clock = new VirtualClock()
  const events: KeyReport[] = []
  const keeper = keeperOf(
    storage.signIn(key, clock.wallMs()),
    {
      http,
      clock,
      event: (event) => events.push(event),
    },
    key,
  )
  onTestFinished(() => keeper.stop())
  const stored = () => {
    const reading = tokensOf(handle)
    return reading.kind === 'found' ? reading.stored : undefined
  }
  return { keeper, events, stored, vault: vaultOf(handle) }
}

test('an independent server rotates, and each new token is stored before the next request', async () => {
  const server = await startProvider()
  const { keeper, stored, events } = await signedIn(server)
  const seen = [server.refreshToken]
  for (let turn = 1; turn <= 5; turn += 1) {
    await keeper.refresh()
    const token = stored()?.token
    expect(token?.generation).toBe(turn + 1)
    expect(seen).not.toContain(token?.refreshToken)
    seen.push(token?.refreshToken ?? '')
  }
  expect((await keeper.access()).kind).toBe('token')
  expect(keeper.refreshSummary()).toMatchObject({ state: 'valid', rotating: true, stored: 'sealed' })
  expect(events).toHaveLength(5)
  expect(events).toContainEqual(expect.objectContaining({ kind: 'token-refreshed', rotated: true }))
  // For the server, all tokens except the newest are used up.
  const states = await Promise.all(seen.map((token) => server.provider.RefreshToken.find(token)))
  expect(states.map((state) => state?.consumed === undefined)).toEqual([...Array(5).fill(false), true])
})

test('if reuse ends the family, a lost response ends in one honest message', async () => {
  const server = await startProvider()
  const network = nodeHttp({})
  let lost = 0
  const http: Http = {
    open: network.open,
    reach: network.reach,
    send: async (request) => {
      const outcome = await network.send(request)
      lost += 1
      return lost === 1 ? { kind: 'unknown', why: 'connection lost' } : outcome
    },
  }
  const { keeper, events, stored } = await signedIn(server, http)
  await keeper.refresh()
  expect(lost).toBe(2)
  expect(events.filter(({ kind }) => kind === 'sign-in-required')).toEqual([
    { kind: 'sign-in-required', reason: 'sign in again: the response was lost' },
  ])
  expect(stored()?.token.refreshToken).toBe(server.refreshToken)
})

test('a client secret that it rejects is named as such, and ends no session in the store', async () => {
  const server = await startProvider()
  const wrong = { ...server, refreshToken: server.refreshToken }
  const network = nodeHttp({})
  const http: Http = {
    open: network.open,
    reach: network.reach,
    send: (request) =>
      network.send({ ...request, ...(request.body && { body: request.body.replace('secret', 'sacred') }) }),
  }
  const { keeper, stored } = await signedIn(wrong, http)
  await keeper.refresh()
  expect(keeper.refreshSummary()).toMatchObject({
    state: 'sign-in-required',
    reason: 'the service rejected this API key or secret',
  })
  expect(stored()?.standing.kind).toBe('unconfirmed')
})

test('a revocation that it does not understand stays unconfirmed, whatever was tried', async () => {
  const server = await startProvider()
  const { keeper, events } = await signedIn(server)
  await keeper.refresh()
  // RFC 7009 requires a form. This app sends JSON, as its service does (service 4.2).
  expect((await keeper.revoke()).kind).toBe('unconfirmed')
  expect(keeper.refreshSummary().state).toBe('revoke-unconfirmed')
  expect(events.some(({ kind }) => kind === 'revoked')).toBe(false)
})
