import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HttpOutcome } from '../../../app/service/headers.ts'
import {
  processRefreshAnswer as process,
  refreshRequest,
  retryAfterSeconds,
} from '../../../app/tokens/refresh-grant.ts'
import { refreshDueAt } from '../../../app/tokens/schedule.ts'
import { proves } from '../../proof/proves.ts'
import { lawRuns } from '../../thorough.ts'

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): HttpOutcome => ({
  kind: 'answer',
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const ASKED = 'https://sign-in.test/oauth/token'
const processRefreshAnswer = (outcome: HttpOutcome) => process(outcome, ASKED)
const good = {
  access_token: 'access-1',
  expires_in: 1200,
  scope: 'openid offline_access',
  id_token: 'x',
  token_type: 'Bearer',
}

describe('the request of service 4.1', () => {
  const key = { authUrl: 'https://sign-in.test', clientId: 'id & co' }
  test('is a form whose values parse back unchanged, whatever their characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (secret, token) => {
        const request = refreshRequest({ ...key, clientSecret: secret }, token)
        expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
          grant_type: 'refresh_token',
          client_id: 'id & co',
          client_secret: secret,
          refresh_token: token,
        })
      }),
    )
  })
  test('has no secret field for a key without one, and nothing secret in its URL', () => {
    const request = refreshRequest(key, 'r-1')
    expect(request.url).toBe('https://sign-in.test/oauth/token')
    expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(new URLSearchParams(request.body).has('client_secret')).toBe(false)
  })
})

test('a default key is renewed without a new refresh token, a rotating one with it', () => {
  const renewed = {
    kind: 'renewed',
    accessToken: 'access-1',
    expiresInSeconds: 1200,
    scopes: ['openid', 'offline_access'],
  }
  expect(processRefreshAnswer(answer(200, good))).toEqual(renewed)
  expect(processRefreshAnswer(answer(200, { ...good, refresh_token: 'r-2' }))).toEqual({
    ...renewed,
    refreshToken: 'r-2',
  })
})

describe('OAuth errors are recognised by `error`, with any of 400, 401 and 403', () => {
  for (const status of [400, 401, 403]) {
    test.each([
      ['invalid_grant', 'refused'],
      ['invalid_client', 'misconfigured'],
      ['unauthorized_client', 'misconfigured'],
      ['invalid_request', 'misconfigured'],
      ['unsupported_grant_type', 'misconfigured'],
      ['something_new', 'later'],
    ])(`${status} %s → %s`, (error, kind) =>
      expect(processRefreshAnswer(answer(status, { error, error_description: 'x' })).kind).toBe(kind),
    )
  }
})

describe('only an answered invalid_grant ends a session', () => {
  test.each<[string, HttpOutcome]>([
    ['a captive portal that redirects', answer(302, '<html>', { location: 'https://portal.test' })],
    ['a captive portal that answers', answer(200, '<html>Welcome</html>')],
    ['a proxy that wants a password', answer(407, '')],
    ['a bad gateway', answer(502, '<html>')],
    ['a bad gateway that quotes an error', answer(502, { error: 'invalid_grant' })],
    ['too many requests', answer(429, { error: 'invalid_grant' })],
    ['a page that is gone', answer(404, 'invalid_grant')],
    ['a forbidding firewall', answer(403, 'invalid_grant')],
    ['an error that is no text', answer(400, { error: ['invalid_grant'] })],
    ['nothing sent', { kind: 'not-sent', why: 'offline' }],
    ['no answer', { kind: 'unknown', why: 'reset' }],
  ])('%s', (_what, outcome) => {
    expect(['later', 'unknown', 'not-sent']).toContain(processRefreshAnswer(outcome).kind)
  })
})

test('shows only the host’s name of a redirect to another host', () => {
  const redirect = (location: string) => processRefreshAnswer(answer(302, '', { location }))
  expect(redirect('https://portal.test/login?token=secret')).toEqual({
    kind: 'later',
    why: 'redirected to another host (portal.test); not followed',
    isFromIntermediary: true,
  })
  expect(redirect('/oauth/token2')).toEqual({
    kind: 'later',
    why: 'the sign-in host’s response (302) is not an OAuth response',
  })
})

test('recognises a page instead of a token response', () => {
  const page = '<html>Welcome</html>'
  const why = 'response from something else, such as a network’s sign-in page'
  expect(processRefreshAnswer(answer(200, page))).toEqual({ kind: 'unknown', why })
  expect(processRefreshAnswer(answer(200, '', { 'content-type': 'text/html' }))).toEqual({
    kind: 'unknown',
    why,
  })
  expect(processRefreshAnswer(answer(200, '{}'))).not.toMatchObject({ why })
})

describe('an access token that no header can carry is a malformed response, and nothing of it is lost', () => {
  test.each([
    ['a\nb'],
    ['a\u0000'],
    ['\u007f'],
    ['tok en'],
    ['töken'],
    ['\u2028'],
    [''],
    [7],
    [null],
    ['x'.repeat(20_000)],
  ])('%j', (access_token) => {
    const why = expect.stringContaining('access token')
    expect(processRefreshAnswer(answer(200, { ...good, access_token }))).toEqual({ kind: 'malformed', why })
    expect(processRefreshAnswer(answer(200, { ...good, access_token, refresh_token: 'r-2' }))).toEqual({
      kind: 'malformed',
      why,
      refreshToken: 'r-2',
    })
  })
  test('if the new refresh token is unreadable too, it is unknown which one is valid', () => {
    for (const refresh_token of [7, '', ' ', null, {}])
      expect(processRefreshAnswer(answer(200, { ...good, access_token: 'a\n', refresh_token })).kind).toBe(
        'unknown',
      )
  })
  test.each(['', ' ', '\r\n\t', '\u00a0'])('the refresh token %j replaces none', (refresh_token) => {
    expect(processRefreshAnswer(answer(200, { ...good, refresh_token }))).not.toHaveProperty('refreshToken')
    expect(processRefreshAnswer(answer(503, { refresh_token }))).not.toHaveProperty('refreshToken')
  })
  test('a refresh token may have any characters: it is sent encoded', () => {
    const refresh_token = 'r\n\u0000ü'
    expect(processRefreshAnswer(answer(200, { ...good, refresh_token }))).toMatchObject({
      kind: 'renewed',
      refreshToken: refresh_token,
    })
  })
})

test('a token response labelled as a page is still a token response', () => {
  expect(processRefreshAnswer(answer(200, good, { 'content-type': 'text/html' })).kind).toBe('renewed')
})

test('of endless scopes 64 are shown, of at most 128 characters each', () => {
  const shown = (scope: string) => {
    const outcome = processRefreshAnswer(answer(200, { ...good, scope }))
    return outcome.kind === 'renewed' ? outcome.scopes : []
  }
  expect(shown(`openid ${'s '.repeat(300_000)}`)).toHaveLength(64)
  expect(shown(`openid ${'x'.repeat(600_000)} offline_access`)).toEqual(['openid'])
  expect(shown(`${'x'.repeat(128)} ${'y'.repeat(129)} z`)).toEqual(['x'.repeat(128), 'z'])
  proves('T14', { level: 2, cases: 3 })
})

test('a 429 and a 503 set a retry time, if in seconds', () => {
  for (const status of [429, 503]) {
    expect(processRefreshAnswer(answer(status, '', { 'retry-after': '30' }))).toMatchObject({
      kind: 'later',
      retryAfterSeconds: 30,
    })
    expect(processRefreshAnswer(answer(status, ''))).not.toHaveProperty('retryAfterSeconds')
  }
  for (const header of ['-1', '1.5', 'Fri, 20 Nov 2026 11:00:00 GMT', '', '9999999', 'NaN']) {
    expect(retryAfterSeconds(header)).toBeUndefined()
  }
  expect(retryAfterSeconds(' 120 ')).toBe(120)
})

describe('the lifetime of an access token', () => {
  const lifetime = (expires_in: unknown) => {
    const outcome = processRefreshAnswer(answer(200, { ...good, expires_in }))
    return outcome.kind === 'renewed' ? outcome.expiresInSeconds : outcome.kind
  }
  test.each([
    [1200, 1200],
    ['1200', 1200],
    [600, 600],
    [30, 30],
    [1, 30],
    [86_400, 86_400],
    [1e12, 86_400],
  ])('given as %j is %d s', (said, believed) => expect(lifetime(said)).toBe(believed))
  test.each([0, -1, -1200, null, undefined, '', ' ', 'soon', 'NaN', {}, [], true, '1e999', '-5'])(
    'given as %j is that of service 8.4',
    (said) => expect(lifetime(said)).toBe(1200),
  )
  test('without any sense refreshes less than once a minute', () => {
    for (const said of [0, -1, -1e300, null, 'x', '', {}, false]) {
      const seconds = lifetime(said) as number
      expect(refreshDueAt(0, seconds * 1000)).toBeGreaterThan(60_000)
    }
  })
})

test('a response cut at any byte stores nothing partial', () => {
  const whole = JSON.stringify({ ...good, refresh_token: 'r-2' })
  for (let length = 0; length < whole.length; length += 1) {
    expect(processRefreshAnswer(answer(200, whole.slice(0, length)))).toEqual({
      kind: 'unknown',
      why: expect.any(String),
      isMalformed: true,
    })
  }
  proves('T3', { level: 2, cases: whole.length })
})

test.each([
  ['mac', 'malformed'],
  ['DPoP', 'malformed'],
  ['', 'malformed'],
  [7, 'malformed'],
  ['Bearer', 'renewed'],
  ['bearer', 'renewed'],
  ['BEARER', 'renewed'],
  [null, 'renewed'],
  [undefined, 'renewed'],
])('an access token of type %j is %s, and its refresh token is saved', (token_type, kind) => {
  const body = JSON.stringify({ access_token: 'a', refresh_token: 'r', token_type })
  expect(processRefreshAnswer(answer(200, body))).toMatchObject({ kind, refreshToken: 'r' })
})

test('a byte order mark before a token response costs no token', () => {
  const body = `\uFEFF${JSON.stringify({ access_token: 'a', refresh_token: 'r', token_type: 'Bearer' })}`
  expect(processRefreshAnswer(answer(200, body))).toMatchObject({ kind: 'renewed', refreshToken: 'r' })
})

test('malformed responses never throw, have their own class each, and only a possible renewal contains a refresh token', () => {
  const runs = lawRuns(100_000)
  const junk = fc.oneof(
    fc.constantFrom<unknown>(null, 0, -1, '', [], {}, true, 'Bearer', 1e308),
    fc.string(),
    fc.double(),
  )
  const token = fc.oneof(fc.string({ minLength: 1, maxLength: 40 }), junk)
  const body = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record(
          {
            access_token: token,
            refresh_token: token,
            expires_in: junk,
            scope: junk,
            token_type: junk,
            error: fc.oneof(fc.constantFrom('invalid_grant', 'invalid_client', 'server_error'), junk),
          },
          { requiredKeys: [] },
        )
        .map((fields) => JSON.stringify(fields)),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 1, arbitrary: fc.json({ depthSize: 'small' }) },
  )
  const status = fc.oneof(
    fc.constantFrom(200, 200, 200, 201, 204, 302, 400, 401, 403, 429, 500, 503),
    fc.integer({ min: 100, max: 599 }),
  )
  const kinds = new Set<string>()
  fc.assert(
    fc.property(status, body, (code, text) => {
      const outcome = processRefreshAnswer(answer(code, text))
      kinds.add(outcome.kind)
      const sent = readable(text)
      if (sent !== undefined) {
        const kept = 'refreshToken' in outcome ? outcome.refreshToken : undefined
        const mayHaveRenewed = (code >= 200 && code < 300) || code >= 500
        if (kept !== (mayHaveRenewed ? sent : undefined))
          expect.fail(`${sent} of ${code} ${text} became ${JSON.stringify(outcome)}`)
      }
      if (outcome.kind === 'renewed') {
        if (outcome.accessToken === '' || code < 200 || code > 299) expect.fail(text)
        const { expiresInSeconds } = outcome
        if (!(expiresInSeconds >= 30 && expiresInSeconds <= 86_400)) expect.fail(`${expiresInSeconds} s`)
      }
      if (outcome.kind === 'refused' && !text.includes('invalid_grant')) expect.fail(text)
      if ('why' in outcome && sent !== undefined && sent.length > 8 && outcome.why.includes(sent)) {
        expect.fail('a token in words')
      }
    }),
    { numRuns: runs },
  )
  expect([...kinds].sort()).toEqual(['later', 'malformed', 'misconfigured', 'refused', 'renewed', 'unknown'])
  proves('T10', { level: 2, cases: runs })
}, 60_000)

function readable(text: string): string | undefined {
  try {
    const sent = (JSON.parse(text) as { refresh_token?: unknown } | null)?.refresh_token
    return typeof sent === 'string' && sent.trim() !== '' ? sent : undefined
  } catch {
    return undefined
  }
}
