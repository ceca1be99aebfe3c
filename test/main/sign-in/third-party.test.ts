import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Provider } from 'oidc-provider'
import { expect, onTestFinished, test } from 'vitest'
import type { SignInStatus } from '../../../app/contract/sign-in.ts'
import { nodeHttp } from '../../../main/network/http-client.ts'
import type { SigningKey } from '../../../main/sign-in/code-exchange.ts'
import { SignIns } from '../../../main/sign-in/sign-ins.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { startLoopbackServer } from '../loopback-server.ts'
import { freePorts, get } from './loopback.ts'

interface Interactions {
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ readonly params: { readonly client_id: string; readonly scope: string } }>
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: Readonly<Record<string, unknown>>,
  ): Promise<void>
}

/** A third-party authorization server, at which every person accepts or declines. */
async function startServer() {
  // The sign-in first checks whether its host responds. At that time, there is no provider yet, so the answer
  // is a 404.
  let listener: RequestListener = (_, response) => void response.writeHead(404).end()
  const { origin } = await startLoopbackServer((request, response) => listener(request, response))
  const knows = (client: Readonly<Record<string, unknown>>, says: 'yes' | 'no') => {
    const provider = new Provider(origin, {
      clients: [
        { grant_types: ['authorization_code', 'refresh_token'], application_type: 'native', ...client },
      ],
      findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
      scopes: ['openid', 'offline_access', 'MarketData', 'ReadAccount'],
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: () => '/interaction' },
      ttl: {
        AccessToken: 1200,
        IdToken: 1200,
        Grant: 86_400,
        RefreshToken: 86_400,
        Interaction: 600,
        Session: 600,
      },
      routes: { authorization: '/authorize', token: '/oauth/token' },
      cookies: { keys: ['for these tests only'] },
    })
    const answer = provider.callback()
    listener = (request, response) => {
      if (request.url === '/interaction') void decide(provider, request, response, says)
      else answer(request, response)
    }
  }
  return { origin, knows }
}

async function decide(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  says: 'yes' | 'no',
): Promise<void> {
  const interactions = provider as unknown as Interactions
  const { params } = await interactions.interactionDetails(request, response)
  if (says === 'no') return interactions.interactionFinished(request, response, { error: 'access_denied' })
  const grant = new provider.Grant({ accountId: 'person', clientId: params.client_id })
  grant.addOIDCScope(params.scope)
  const result = { login: { accountId: 'person' }, consent: { grantId: await grant.save() } }
  return interactions.interactionFinished(request, response, result)
}

/** Follows redirects with cookies, as a browser does, until it is sent to another origin. */
async function follow(address: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(address)
  const { origin } = url
  for (let hops = 0; url.origin === origin; hops += 1) {
    if (hops > 10) throw new Error('redirected in a circle')
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`${answer.status} at ${url.pathname}: ${await answer.text()}`)
    url = new URL(location, url)
  }
  return url
}

async function signIn(says: 'yes' | 'no', clientSecret?: string) {
  const server = await startServer()
  const signIns = new SignIns({
    http: nodeHttp({}),
    clock: new VirtualClock(),
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    listen: freePorts().listen,
    log: { note: () => {} },
  })
  onTestFinished(() => signIns.stop())
  const said: SignInStatus[] = []
  signIns.subscribe((status) => said.push(status))
  const tokens: string[] = []
  const key: SigningKey = {
    authUrl: server.origin,
    clientId: 'headroom',
    ...(clientSecret !== undefined && { clientSecret }),
  }
  const started = await signIns.start({
    key,
    audience: 'https://api.test',
    extraScopes: [],
    prepare: async () => {},
    finish: (refreshToken) => {
      tokens.push(refreshToken)
      return { ok: true, profile: 'key-1' }
    },
  })
  if (!started.ok) throw new Error(started.message)
  expect(started.unreachable).toBeUndefined()
  const redirectUri = new URL(started.url).searchParams.get('redirect_uri') ?? ''
  server.knows(
    {
      client_id: 'headroom',
      redirect_uris: [redirectUri],
      ...(clientSecret === undefined
        ? { token_endpoint_auth_method: 'none' }
        : { client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_post' }),
    },
    says,
  )
  const redirect = await follow(started.url)
  const page = await get(Number(redirect.port), `/${redirect.search}`)
  return { said, tokens, page, redirect, key }
}

test.each([
  ['a key with a secret', 'a secret of some length'],
  ['a PKCE key', undefined],
])(
  '%s signs in at an independent implementation, whose redirect also names its issuer',
  async (_, secret) => {
    const { said, tokens, page, redirect } = await signIn('yes', secret)
    expect(redirect.searchParams.has('iss')).toBe(true)
    expect(page.body).toContain('Signed in')
    expect(said).toMatchObject([{ state: 'done', profile: 'key-1' }])
    expect(tokens).toEqual([expect.stringMatching(/.{20,}/)])
  },
)

test('a person who declines there is distinguished from a failure', async () => {
  const { said, tokens } = await signIn('no')
  expect(said).toMatchObject([{ state: 'failed', code: 'declined' }])
  expect(tokens).toEqual([])
})
