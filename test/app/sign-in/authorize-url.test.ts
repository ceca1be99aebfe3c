import { expect, test } from 'vitest'
import { lacksTrade } from '../../../app/service/categories.ts'
import { type AuthorizeFields, authorizeUrl, DEFAULT_AUDIENCE } from '../../../app/sign-in/authorize-url.ts'

const FIELDS: AuthorizeFields = {
  authUrl: 'https://signin.example.test',
  clientId: 'key & more',
  audience: DEFAULT_AUDIENCE,
  redirectUri: 'http://localhost:31022',
  extraScopes: [],
  mayTrade: false,
  state: 'the-state',
  challenge: 'the-challenge',
}

const read = (fields: Partial<AuthorizeFields> = {}) => {
  const url = new URL(authorizeUrl({ ...FIELDS, ...fields }))
  return { origin: url.origin, path: url.pathname, query: Object.fromEntries(url.searchParams) }
}

test('requests the minimum scopes, a code by PKCE, and names no secret', () => {
  expect(read()).toEqual({
    origin: 'https://signin.example.test',
    path: '/authorize',
    query: {
      response_type: 'code',
      client_id: 'key & more',
      audience: 'https://api.tradestation.com',
      redirect_uri: 'http://localhost:31022',
      scope: 'openid offline_access MarketData ReadAccount',
      state: 'the-state',
      code_challenge: 'the-challenge',
      code_challenge_method: 'S256',
    },
  })
})

test('requests more only when chosen, and the right to trade only after orders are allowed', () => {
  const { scope } = read({ extraScopes: ['OptionSpreads', 'Matrix'] }).query
  expect(scope).toBe('openid offline_access MarketData ReadAccount Matrix OptionSpreads')
  expect(read({ extraScopes: ['Matrix'], mayTrade: true }).query['scope']).toBe(
    'openid offline_access MarketData ReadAccount Matrix Trade',
  )
})

test.each([
  [['openid', 'MarketData', 'ReadAccount', 'Trade'], false],
  [['openid', 'offline_access'], false],
  [[], false],
  [['openid', 'ReadAccount'], true],
  [['MarketData'], true],
])('of the granted scopes %j lacking the right to trade: %s', (granted, lacks) => {
  expect(lacksTrade(granted)).toBe(lacks)
})
