import { describe, expect, test } from 'vitest'
import { challengeOf } from '../../../main/simulator/rules/sign-in-rules.ts'
import { json, quotaOf, simulated } from './simulated.ts'

const ACCOUNTS = '/v3/brokerage/accounts'

describe('refresh (service 2.1, 4.1)', () => {
  test('2.1: the response has every field, and a refresh_token only for a rotating key', async () => {
    const fixed = await simulated()
    const body = await json(await fixed.refresh())
    expect(body).toMatchObject({ expires_in: 1200, token_type: 'Bearer' })
    expect(String(body['scope']).split(' ')).toEqual(expect.arrayContaining(['openid', 'offline_access']))
    for (const name of ['access_token', 'id_token']) expect(body[name]).toEqual(expect.any(String))
    expect(body).not.toHaveProperty('refresh_token')
    const rotating = await simulated({ keys: 'rotating' })
    expect((await json(await rotating.refresh()))['refresh_token']).toEqual(expect.any(String))
  })

  test('4.1: the body is a form and nothing else', async () => {
    const { server } = await simulated()
    const response = await fetch(`${server.origin}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'refresh_token',
        client_id: 'sim-key',
        refresh_token: 'sim-refresh',
      }),
    })
    expect(response.status).toBe(400)
    expect(await json(response)).toMatchObject({ error: 'invalid_request' })
  })

  test.each([
    ['grant_type', 400, 'invalid_request'],
    ['client_id', 400, 'invalid_request'],
    ['refresh_token', 400, 'invalid_request'],
  ])('4.1: %s is required', async (name, status, error) => {
    const { form } = await simulated()
    const fields: Record<string, string> = {
      grant_type: 'refresh_token',
      client_id: 'sim-key',
      refresh_token: 'sim-refresh',
    }
    delete fields[name]
    const response = await form('/oauth/token', fields)
    expect(response.status).toBe(status)
    expect(await json(response)).toMatchObject({ error, error_description: expect.any(String) })
  })

  test.each([
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ client_id: 'other' }, 401, 'invalid_client'],
    [{ refresh_token: 'other' }, 403, 'invalid_grant'],
  ])('%j gets %i %s', async (fields, status, error) => {
    const { refresh } = await simulated()
    const response = await refresh(fields as Record<string, string>)
    expect(response.status).toBe(status)
    expect(await json(response)).toMatchObject({ error })
  })

  test('5.7: a key with a secret requires it, a key without one does not', async () => {
    const secret = await simulated({ clientSecret: 's3' })
    expect((await secret.refresh()).status).toBe(401)
    expect((await secret.refresh({ client_secret: 'wrong' })).status).toBe(401)
    expect((await secret.refresh({ client_secret: 's3' })).status).toBe(200)
    expect((await (await simulated()).refresh()).status).toBe(200)
  })

  test('8.4: the flags set the lifetimes', async () => {
    const { refresh, clock } = await simulated({
      keys: 'rotating',
      refreshExpirySeconds: 60,
      accessLifetimeSeconds: 30,
    })
    const body = await json(await refresh())
    expect(body['expires_in']).toBe(30)
    clock.ms += 60_000
    expect((await refresh({ refresh_token: String(body['refresh_token']) })).status).toBe(403)
  })
})

describe('bearer (service 5.1, 5.2)', () => {
  test('a resource without a valid access token gets 401 and costs no request', async () => {
    const { server, get, clock } = await simulated()
    for (const authorization of ['', 'Bearer', 'Bearer nonsense', 'Basic c2lt', 'Bearer sim-refresh']) {
      const response = await fetch(server.origin + ACCOUNTS, { headers: { authorization } })
      expect(response.status).toBe(401)
      expect(await json(response)).toMatchObject({ Error: 'Unauthorized' })
      expect(response.headers.get('x-ts-request-id')).toBeTruthy()
    }
    expect(quotaOf(await get(ACCOUNTS)).remaining).toBe(319)
    clock.ms += 1_199_999
    expect((await get(ACCOUNTS)).status).toBe(200)
    clock.ms += 1
    expect((await get(ACCOUNTS)).status).toBe(401)
  })
})

describe('revoke (service 4.2)', () => {
  test('responds 200 with no body, ends every refresh token, and access tokens stay valid', async () => {
    const { revoke, refresh, get } = await simulated()
    expect((await get(ACCOUNTS)).status).toBe(200)
    const response = await revoke({ client_id: 'sim-key', token: 'sim-refresh' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect((await refresh()).status).toBe(403)
    expect((await get(ACCOUNTS)).status).toBe(200)
    expect((await revoke({ client_id: 'sim-key', token: 'sim-refresh' })).status).toBe(403)
  })

  test.each([
    ['token', 'token', 200],
    ['token', 'refresh_token', 400],
    ['refresh_token', 'refresh_token', 200],
    ['refresh_token', 'token', 400],
    ['either', 'token', 200],
    ['either', 'refresh_token', 200],
  ] as const)('with --revoke-field %s a body with %s gets %i', async (revokeField, name, status) => {
    const { revoke } = await simulated({ revokeField })
    expect((await revoke({ client_id: 'sim-key', [name]: 'sim-refresh' })).status).toBe(status)
  })

  test('a body with both spellings is accepted by every kind of service', async () => {
    for (const revokeField of ['token', 'refresh_token', 'either'] as const) {
      const { revoke } = await simulated({ revokeField })
      const both = { client_id: 'sim-key', token: 'sim-refresh', refresh_token: 'sim-refresh' }
      expect((await revoke(both)).status).toBe(200)
    }
  })

  test('requires the client, its secret if it has one, and JSON or a form', async () => {
    const { server, revoke, form } = await simulated({ clientSecret: 's3' })
    expect((await revoke({ token: 'sim-refresh', client_secret: 's3' })).status).toBe(400)
    expect((await revoke({ client_id: 'sim-key', token: 'sim-refresh' })).status).toBe(401)
    expect((await form('/oauth/revoke', { client_id: 'sim-key', token: 'sim-refresh' })).status).toBe(401)
    const text = await fetch(`${server.origin}/oauth/revoke`, { method: 'POST', body: 'token=sim-refresh' })
    expect(text.status).toBe(400)
    expect((await revoke({ client_id: 'sim-key', token: 'sim-refresh', client_secret: 's3' })).status).toBe(
      200,
    )
  })
})

const VERIFIER = 'a'.repeat(50)
const asking = (fields: Readonly<Record<string, string>> = {}) =>
  `/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: 'sim-key',
    audience: 'https://api.tradestation.com',
    redirect_uri: 'http://localhost:3000',
    scope: 'openid offline_access MarketData',
    state: 'st',
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: 'S256',
    ...fields,
  })}`

describe('sign-in (service 10)', () => {
  test('approving on the page returns a code that is exchanged once', async () => {
    const { server, form } = await simulated({ keys: 'rotating' })
    const page = await (await fetch(server.origin + asking())).text()
    expect(page).toContain('MarketData')
    const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const answered = await form('/authorize', { request, decision: 'approve' })
    const location = new URL(answered.headers.get('location') ?? '')
    expect(location.origin).toBe('http://localhost:3000')
    expect(location.searchParams.get('state')).toBe('st')
    const exchange = () =>
      form('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: 'sim-key',
        code: location.searchParams.get('code') ?? '',
        redirect_uri: 'http://localhost:3000',
        code_verifier: VERIFIER,
      })
    const body = await json(await exchange())
    expect(body).toMatchObject({
      scope: 'openid offline_access MarketData',
      refresh_token: expect.any(String),
    })
    expect((await exchange()).status).toBe(403)
    expect((await form('/authorize', { request, decision: 'approve' })).status).toBe(400)
  })

  const codeOf = async (origin: string, fields?: Readonly<Record<string, string>>) => {
    const response = await fetch(origin + asking(fields), { redirect: 'manual' })
    return new URL(response.headers.get('location') ?? '').searchParams
  }

  test.each([
    ['openid offline_access Trade', [], 'openid offline_access Trade', 400],
    ['openid offline_access', [], 'openid offline_access', 403],
    ['openid offline_access Trade', ['trade-withheld'], 'openid offline_access', 403],
  ])('a sign-in with %s and the faults %j grants %s', async (scope, faults, granted, orderStatus) => {
    const { server, form, refresh } = await simulated({ consent: 'approve', faults })
    const code = (await codeOf(server.origin, { scope })).get('code') ?? ''
    const body = await json(
      await form('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: 'sim-key',
        code,
        redirect_uri: 'http://localhost:3000',
        code_verifier: VERIFIER,
      }),
    )
    expect(body['scope']).toBe(granted)
    const renewed = await json(await refresh({ refresh_token: String(body['refresh_token']) }))
    expect(renewed['scope']).toBe(granted)
    for (const token of [body['access_token'], renewed['access_token']]) {
      const answer = await fetch(`${server.origin}/v3/orderexecution/orders`, {
        method: 'POST',
        headers: { authorization: `Bearer ${String(token)}` },
        body: '{}',
      })
      expect(answer.status).toBe(orderStatus)
    }
  })

  test('the page names Trade if it was requested', async () => {
    const { server } = await simulated()
    const page = async (scope: string) => (await fetch(server.origin + asking({ scope }))).text()
    expect(await page('openid Trade')).toContain('<li>Trade</li>')
    expect(await page('openid')).not.toContain('Trade')
  })

  test('declining returns access_denied', async () => {
    const { server } = await simulated({ consent: 'decline' })
    const answer = await codeOf(server.origin)
    expect(answer.get('error')).toBe('access_denied')
    expect(answer.get('error_description')).toBeTruthy()
    expect(answer.get('state')).toBe('st')
  })

  test('a wrong verifier is rejected and uses up the code', async () => {
    const { server, form } = await simulated({ consent: 'approve' })
    const code = (await codeOf(server.origin)).get('code') ?? ''
    const exchange = (code_verifier: string) =>
      form('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: 'sim-key',
        code,
        redirect_uri: 'http://localhost:3000',
        code_verifier,
      })
    expect((await exchange('b'.repeat(50))).status).toBe(403)
    expect((await exchange(VERIFIER)).status).toBe(403)
  })

  test('the standard flow requires the secret, and without offline_access there is no refresh token', async () => {
    const { server, form } = await simulated({ consent: 'approve', clientSecret: 's3' })
    const url = new URL(server.origin + asking({ scope: 'openid' }))
    url.searchParams.delete('code_challenge')
    const response = await fetch(url, { redirect: 'manual' })
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const fields = {
      grant_type: 'authorization_code',
      client_id: 'sim-key',
      code,
      redirect_uri: 'http://localhost:3000',
    }
    expect((await form('/oauth/token', fields)).status).toBe(401)
    const granted = await form('/oauth/token', { ...fields, client_secret: 's3' })
    expect(granted.status).toBe(200)
    expect(await json(granted)).not.toHaveProperty('refresh_token')
  })

  test.each([
    ['http://localhost', true],
    ['http://localhost:31022/callback', true],
    ['http://127.0.0.1:8080', true],
    ['http://[::1]:3001', true],
    ['http://localhost:4711', false],
    ['https://localhost:3000', false],
    ['http://localhost.example.com:3000', false],
    ['http://user@localhost:3000', false],
    ['javascript:alert(1)', false],
    ['', false],
  ])('redirect_uri %s: %s', async (redirect_uri, allowed) => {
    const { server } = await simulated({ consent: 'approve' })
    const response = await fetch(server.origin + asking({ redirect_uri }), { redirect: 'manual' })
    expect(response.status).toBe(allowed ? 302 : 403)
    expect(response.headers.has('location')).toBe(allowed)
  })

  test('a program’s request cannot inject into the page', async () => {
    const { server } = await simulated()
    const page = await (await fetch(server.origin + asking({ scope: '<script>alert(1)</script>' }))).text()
    expect(page).not.toContain('<script>alert')
  })
})
