import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenRevocation,
} from 'openid-client'
import { type Bar, type Quote, TradeStationClient } from 'tradestation-api-ts'
import { expect, onTestFinished, test } from 'vitest'
import { type ServerOptions, startSimulatorServer } from '../../../main/simulator/server.ts'
import { refreshed } from './refreshed.ts'

/** The simulator, used by clients that others wrote. They need the same as a program on the real service. */
const REDIRECT = 'http://127.0.0.1:8080/callback'

async function startedSimulator(options: ServerOptions = {}) {
  const server = await startSimulatorServer({ signedIdTokens: true, ...options })
  onTestFinished(() => server.close())
  return server
}

/** The client's two hosts are hard-coded in it. Here, both lead to the simulator. */
function brokerageClient(origin: string): TradeStationClient {
  const client = new TradeStationClient({
    clientId: 'sim-key',
    refresh_token: 'sim-refresh',
    environment: 'Simulation',
  })
  const { httpClient } = client as unknown as {
    httpClient: { axiosInstance: Pointed; tokenManager: { axiosInstance: Pointed } }
  }
  httpClient.axiosInstance.defaults.baseURL = origin
  httpClient.tokenManager.axiosInstance.defaults.baseURL = origin
  onTestFinished(() => client.closeAllStreams())
  return client
}

interface Pointed {
  defaults: { baseURL?: string }
}

const missing = (object: object, names: readonly string[]) => names.filter((name) => !(name in object))

test('tradestation-api-ts reads quotes, bars and symbols with every field that its types require', async () => {
  const { origin } = await startedSimulator()
  const { marketData } = brokerageClient(origin)
  const { Quotes: quotes, Errors: errors } = await marketData.getQuoteSnapshots(['MSFT', 'NOPE'])
  expect(quotes).toHaveLength(1)
  expect(errors).toEqual([{ Symbol: 'NOPE', Error: 'FAILED, EX_INVALID_SYMBOL' }])
  const quoteFields: readonly (keyof Quote)[] = [
    'Close',
    'DailyOpenInterest',
    'High52Week',
    'LastVenue',
    'PreviousVolume',
    'TickSizeTier',
    'VWAP',
  ]
  expect(missing(quotes[0]!, quoteFields)).toEqual([])
  const { Bars: bars } = await marketData.getBarHistory('MSFT', {
    unit: 'Minute',
    interval: '5',
    barsback: 12,
  })
  expect(bars).toHaveLength(12)
  const barFields: readonly (keyof Bar)[] = [
    'Close',
    'DownTicks',
    'DownVolume',
    'OpenInterest',
    'TotalTicks',
    'UpTicks',
    'UpVolume',
  ]
  expect(missing(bars[0]!, barFields)).toEqual([])
  expect(bars.map(({ Epoch: epoch }) => epoch)).toEqual(
    bars.map((_, index) => bars[0]!.Epoch + index * 300_000),
  )
  const { Symbols: symbols } = await marketData.getSymbolDetails(['MSFT', 'MSFT 261218C400'])
  expect(symbols.map(({ AssetType: type }) => type)).toEqual(['STOCK', 'STOCKOPTION'])
})

test('bars accept a first date instead of a count, and reject both', async () => {
  const { origin } = await startedSimulator()
  const { marketData } = brokerageClient(origin)
  const lastdate = '2026-03-02T15:00:00Z'
  const { Bars: bars } = await marketData.getBarHistory('MSFT', {
    unit: 'Daily',
    firstdate: '2026-02-20T15:00:00Z',
    lastdate,
  })
  expect(bars).toHaveLength(10)
  await expect(
    marketData.getBarHistory('MSFT', { barsback: 3, firstdate: '2026-02-20', lastdate }),
  ).rejects.toThrow()
})

test('tradestation-api-ts reads accounts, positions by symbol, and orders page by page', async () => {
  const { origin } = await startedSimulator()
  const { brokerage } = brokerageClient(origin)
  const [account] = await brokerage.getAccounts()
  expect(account?.AccountDetail).toHaveProperty('RequiresBuyingPowerWarning')
  const all = await brokerage.getPositions('SIM1001')
  expect(
    missing(all.Positions[0]!, [
      'ConversionRate',
      'DayTradeRequirement',
      'InitialRequirement',
      'MaintenanceMargin',
      'MarkToMarketPrice',
      'TodaysProfitLoss',
      'UnrealizedProfitLossPercent',
      'UnrealizedProfitLossQty',
    ]),
  ).toEqual([])
  const some = await brokerage.getPositions('SIM1001', 'MSFT')
  expect(some.Positions.map(({ Symbol: symbol }) => symbol)).toEqual(['MSFT'])
  const whole = (await brokerage.getOrders('SIM1001,SIM1002')).Orders.map(({ OrderID: id }) => id)
  const paged: string[] = []
  let nextToken: string | undefined
  for (let page = 0; page < 10; page += 1) {
    const answer = await brokerage.getOrders('SIM1001,SIM1002', 3, nextToken)
    paged.push(...answer.Orders.map(({ OrderID: id }) => id))
    nextToken = answer.NextToken
    if (nextToken === undefined) break
  }
  expect(whole).toHaveLength(10)
  expect(paged).toEqual(whole)
})

test('strikes are listed by spread type, and an unknown type is rejected', async () => {
  const { origin } = await startedSimulator()
  const { marketData } = brokerageClient(origin)
  const single = await marketData.getOptionStrikes('MSFT')
  const vertical = await marketData.getOptionStrikes('MSFT', undefined, 'Vertical')
  expect(single.Strikes.every((strikes: readonly string[]) => strikes.length === 1)).toBe(true)
  expect(vertical.Strikes.every((strikes: readonly string[]) => strikes.length === 2)).toBe(true)
  await expect(marketData.getOptionStrikes('MSFT', undefined, 'Sideways')).rejects.toThrow()
})

test('tradestation-api-ts streams quotes', async () => {
  const { origin, service } = await startedSimulator({ streamRate: 20 })
  const { marketData } = brokerageClient(origin)
  const stream = await marketData.streamQuotes(['MSFT'])
  const message = await new Promise<Quote>((resolve) => stream.once('data', resolve))
  expect(message.Symbol).toBe('MSFT')
  expect(service.streams()).toHaveLength(1)
})

test.each([
  ['a key with a secret', 'simulated-secret-of-a-key'],
  ['a PKCE key', undefined],
])(
  'openid-client discovers, signs in, checks the id_token, refreshes and revokes with %s',
  async (_, clientSecret) => {
    const { origin } = await startedSimulator({
      consent: 'approve',
      keys: 'rotating',
      ...(clientSecret && { clientSecret }),
    })
    const config = await discovery(new URL(origin), 'sim-key', clientSecret, undefined, {
      execute: [allowInsecureRequests],
    })
    const [verifier, nonce, state] = [randomPKCECodeVerifier(), randomNonce(), randomState()]
    const url = buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'openid offline_access MarketData ReadAccount',
      audience: 'https://api.tradestation.com',
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      nonce,
      state,
    })
    const location = (await fetch(url, { redirect: 'manual' })).headers.get('location')
    const tokens = await authorizationCodeGrant(config, new URL(location ?? ''), {
      pkceCodeVerifier: verifier,
      expectedNonce: nonce,
      expectedState: state,
      idTokenExpected: true,
    })
    expect(tokens.claims()).toMatchObject({ iss: origin, aud: 'sim-key', nonce })
    const renewed = await refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
    await tokenRevocation(config, renewed.refresh_token ?? '', { token_type_hint: 'refresh_token' })
    await expect(refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  },
)

test('an id_token with a changed signature is rejected', async () => {
  const { origin } = await startedSimulator()
  const [{ createRemoteJWKSet, jwtVerify }, answer] = await Promise.all([import('jose'), refreshed(origin)])
  const { id_token: idToken } = (await answer.json()) as { id_token: string }
  const keys = createRemoteJWKSet(new URL(`${origin}/.well-known/jwks.json`))
  await expect(jwtVerify(idToken, keys, { issuer: origin, audience: 'sim-key' })).resolves.toBeDefined()
  const [header, , signature] = idToken.split('.')
  const forged = Buffer.from(JSON.stringify({ iss: origin, aud: 'sim-key', sub: 'another' })).toString(
    'base64url',
  )
  await expect(jwtVerify(`${header}.${forged}.${signature}`, keys)).rejects.toThrow()
})

test('a form revokes a token once, and again without an error (RFC 7009, section 2.2)', async () => {
  const { origin } = await startedSimulator()
  const revoke = (fields: Readonly<Record<string, string>>) =>
    fetch(`${origin}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'sim-key', ...fields }),
    })
  expect((await revoke({})).status).toBe(400)
  expect((await revoke({ token: 'sim-refresh', client_id: 'other' })).status).toBe(401)
  expect((await revoke({ token: 'sim-refresh' })).status).toBe(200)
  expect((await revoke({ token: 'sim-refresh' })).status).toBe(200)
})

test('a path without a row in service 8.2 has no quota headers and costs no quota', async () => {
  const { origin, service } = await startedSimulator()
  const { marketData } = brokerageClient(origin)
  for (let count = 0; count < 5; count += 1) await marketData.getSymbolDetails(['MSFT'])
  for (const category of service.quotas.categories()) {
    const reading = service.quotas.reading(category, service.nowMs())
    expect(reading?.remaining).toBe(reading?.limit)
  }
})
