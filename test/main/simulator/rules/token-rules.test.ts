import { beforeEach, describe, expect, test } from 'vitest'
import {
  type TokenGrant,
  type TokenLimits,
  TokenRules,
} from '../../../../main/simulator/rules/token-rules.ts'

const LIMITS: TokenLimits = {
  keys: 'rotating',
  refreshExpirySeconds: 1_800,
  rotationOverlapSeconds: 0,
  absoluteLifetimeSeconds: 86_400,
  accessLifetimeSeconds: 1_200,
  reuseEndsSignIn: false,
}

let minted = 0
beforeEach(() => {
  minted = 0
})
function rules(limits: Partial<TokenLimits> = {}): TokenRules {
  const made = new TokenRules({ ...LIMITS, ...limits }, () => `t${++minted}`)
  made.seed('first', 'openid offline_access', 0)
  return made
}
function renewed(tokens: TokenRules, token: string, atMs: number): TokenGrant {
  const outcome = tokens.refresh(token, atMs)
  if (outcome.kind === 'refused') throw new Error(outcome.description)
  return outcome
}
const nextOf = (tokens: TokenRules, token: string, atMs: number) =>
  renewed(tokens, token, atMs).refreshToken ?? ''
const error = (outcome: unknown) => (outcome as { error?: string }).error

describe('access tokens (service 3, 8.4)', () => {
  test('last exactly their lifetime', () => {
    const tokens = rules()
    const { accessToken, expiresInSeconds } = renewed(tokens, 'first', 1000)
    expect(expiresInSeconds).toBe(1200)
    expect(tokens.accessState(accessToken, 1_200_999)).toBe('valid')
    expect(tokens.accessState(accessToken, 1_201_000)).toBe('expired')
    expect(tokens.accessState('other', 0)).toBe('unknown')
  })

  test('an older access token stays valid when a newer one is issued', () => {
    const tokens = rules({ keys: 'default' })
    const { accessToken } = renewed(tokens, 'first', 0)
    renewed(tokens, 'first', 1000)
    expect(tokens.accessState(accessToken, 2000)).toBe('valid')
  })
})

describe('default keys', () => {
  test('the refresh token stays valid indefinitely and no new one is returned', () => {
    const tokens = rules({ keys: 'default' })
    expect(renewed(tokens, 'first', 0)).not.toHaveProperty('refreshToken')
    expect(renewed(tokens, 'first', 10 * 365 * 86_400_000)).not.toHaveProperty('refreshToken')
  })
})

describe('rotating keys', () => {
  test('every refresh replaces the token, and the old one is rejected', () => {
    const tokens = rules()
    const second = nextOf(tokens, 'first', 1000)
    expect(second).not.toBe('first')
    expect(error(tokens.refresh('first', 1000))).toBe('invalid_grant')
    expect(nextOf(tokens, second, 2000)).not.toBe(second)
  })

  test('a token is rejected from 30 minutes after its issue', () => {
    const tokens = rules()
    const second = nextOf(tokens, 'first', 1_799_999)
    expect(error(tokens.refresh(second, 1_799_999 + 1_800_000))).toBe('invalid_grant')
    expect(error(rules().refresh('first', 1_800_000))).toBe('invalid_grant')
  })

  test('24 hours after the sign-in no refresh works, however recent the last one was', () => {
    const tokens = rules()
    let token = 'first'
    for (let atMs = 1_000_000; atMs < 86_400_000; atMs += 1_000_000) token = nextOf(tokens, token, atMs)
    token = nextOf(tokens, token, 86_399_999)
    expect(error(tokens.refresh(token, 86_400_000))).toBe('invalid_grant')
  })

  test('within the overlap the replaced token still works', () => {
    const tokens = rules({ rotationOverlapSeconds: 30 })
    const lost = nextOf(tokens, 'first', 0)
    const second = nextOf(tokens, 'first', 29_999)
    expect(error(tokens.refresh(lost, 29_999))).toBe('invalid_grant')
    expect(nextOf(tokens, second, 29_999)).toBeTruthy()
  })

  test('the overlap ends on time, and using it does not extend it', () => {
    const tokens = rules({ rotationOverlapSeconds: 30 })
    nextOf(tokens, 'first', 0)
    nextOf(tokens, 'first', 20_000)
    expect(error(tokens.refresh('first', 30_000))).toBe('invalid_grant')
  })

  test('a token older than the replaced one is rejected even within the overlap', () => {
    const tokens = rules({ rotationOverlapSeconds: 30 })
    const second = nextOf(tokens, 'first', 0)
    nextOf(tokens, second, 1000)
    expect(error(tokens.refresh('first', 2000))).toBe('invalid_grant')
    expect(nextOf(tokens, second, 2000)).toBeTruthy()
  })

  test('reuse ends the sign-in only if the key is set up so', () => {
    const [kind, strict] = [rules(), rules({ reuseEndsSignIn: true })]
    for (const tokens of [kind, strict]) {
      const second = nextOf(tokens, 'first', 0)
      tokens.refresh('first', 1000)
      expect(tokens.refresh(second, 2000).kind).toBe(tokens === kind ? 'granted' : 'refused')
    }
  })

  test('a late refresh takes effect when it is due, before later requests', () => {
    const tokens = rules()
    tokens.refreshLater('first', 3000)
    expect(error(tokens.refresh('first', 3000))).toBe('invalid_grant')
    const sooner = rules()
    sooner.refreshLater('first', 3000)
    const second = nextOf(sooner, 'first', 2999)
    expect(nextOf(sooner, second, 4000)).toBeTruthy()
  })
})

describe('revocation (service 4.2)', () => {
  test('any valid token revokes all of them, and issued access tokens stay valid', () => {
    const tokens = rules({ keys: 'default' })
    const { accessToken } = renewed(tokens, 'first', 0)
    const other = tokens.signIn('openid offline_access', false, 0).refreshToken ?? ''
    expect(tokens.revoke(other, 1000)).toBe('revoked')
    expect(error(tokens.refresh('first', 1000))).toBe('invalid_grant')
    expect(error(tokens.refresh(other, 1000))).toBe('invalid_grant')
    expect(tokens.accessState(accessToken, 1000)).toBe('valid')
  })

  test('an expired, replaced or unknown token revokes nothing', () => {
    const tokens = rules()
    const second = nextOf(tokens, 'first', 0)
    expect(error(tokens.revoke('first', 1000))).toBe('invalid_grant')
    expect(error(tokens.revoke('unheard of', 1000))).toBe('invalid_grant')
    expect(error(tokens.revoke(second, 1_800_000))).toBe('invalid_grant')
    expect(nextOf(tokens, second, 1_799_999)).toBeTruthy()
  })

  test('a new sign-in after a revocation is unaffected by it', () => {
    const tokens = rules()
    tokens.revoke('first', 1000)
    const fresh = tokens.signIn('offline_access', true, 2000).refreshToken ?? ''
    expect(nextOf(tokens, fresh, 3000)).toBeTruthy()
  })
})

test('a sign-in without offline_access returns no refresh token (service 5.4)', () => {
  expect(rules().signIn('openid MarketData', false, 0)).not.toHaveProperty('refreshToken')
})
