import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterRefresh } from '../../../app/tokens/after-refresh.ts'
import { idTokenSubject } from '../../../app/tokens/id-token.ts'
import { processRefreshAnswer } from '../../../app/tokens/refresh-grant.ts'
import { newTokenState } from '../../../app/tokens/token-state.ts'
import { createIdTokenIssuer } from '../../../main/simulator/id-tokens.ts'
import { lawRuns } from '../../thorough.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const idToken = (claims: unknown) => `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`

describe('the subject of an ID token', () => {
  test('is its sub, whatever its characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (sub) => {
        expect(idTokenSubject(idToken({ iss: 'https://sign-in.test', sub }))).toBe(sub)
      }),
      { numRuns: lawRuns(200) },
    )
  })

  test('is read from a token that the simulator signed', async () => {
    const issuer = await createIdTokenIssuer(() => 'https://sign-in.test')
    const signed = issuer.sign({ clientId: 'key', issuedAtMs: 0, lifetimeSeconds: 1200 })
    expect(idTokenSubject(signed)).toBe('simulated-user')
  })

  test.each([
    ['an opaque token', 'sim-id.4711'],
    ['no token', undefined],
    ['a number', 7],
    ['other digits than base64url', 'e30.*.s'],
    ['no JSON', `e30.${Buffer.from('{').toString('base64url')}.s`],
    ['no UTF-8', `e30.${Buffer.of(0x22, 0xff, 0x22).toString('base64url')}.s`],
    ['no object', idToken('sub')],
    ['no sub', idToken({ aud: 'key' })],
    ['an empty sub', idToken({ sub: '' })],
    ['a sub that is no text', idToken({ sub: 7 })],
    ['a sub of 256 characters', idToken({ sub: 'x'.repeat(256) })],
    ['an endless token', idToken({ sub: 'x', more: 'x'.repeat(20_000) })],
  ])('is unknown with %s', (_, token) => {
    expect(idTokenSubject(token)).toBeUndefined()
  })

  test('of 255 characters is read', () => {
    expect(idTokenSubject(idToken({ sub: 'x'.repeat(255) }))).toBe('x'.repeat(255))
  })
})

test('a refresh returns the subject of its ID token', () => {
  const answer = (id_token: string) => ({
    kind: 'answer' as const,
    status: 200,
    headers: {},
    body: JSON.stringify({ access_token: 'a', id_token }),
  })
  const url = 'https://sign-in.test/oauth/token'
  expect(processRefreshAnswer(answer(idToken({ sub: 'u' })), url)).toMatchObject({ subject: 'u' })
  expect(processRefreshAnswer(answer('opaque'), url)).not.toHaveProperty('subject')
})

test('the newest subject is stored with the token, and stays if a later response names none', () => {
  const token = { generation: 1, refreshToken: 'r', signedInAtMs: 1, keepsToken: true }
  const renewed = { kind: 'renewed', accessToken: 'a', expiresInSeconds: 1200, scopes: [] } as const
  const next = (state: ReturnType<typeof newTokenState>, subject?: string) =>
    afterRefresh(state, { ...renewed, ...(subject !== undefined && { subject }) }, 1, 0).state
  const named = next(newTokenState(token), 'one')
  expect(named.token?.subject).toBe('one')
  expect(next(named).token?.subject).toBe('one')
  expect(next(named, 'two').token?.subject).toBe('two')
  expect(next(newTokenState(token)).token).not.toHaveProperty('subject')
})
