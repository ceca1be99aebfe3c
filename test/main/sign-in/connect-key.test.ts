import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { NewKey } from '../../../app/contract/sign-in.ts'
import type { Profile } from '../../../main/ports/profile.ts'
import { connectKey, serviceOrigin } from '../../../main/sign-in/connect-key.ts'

test.each([
  ['https://api.example.test', 'https://api.example.test'],
  ['https://api.example.test/', 'https://api.example.test'],
  ['https://api.example.test:8443', 'https://api.example.test:8443'],
  ['HTTPS://API.Example.Test', 'https://api.example.test'],
  ['http://127.0.0.1:4790', 'http://127.0.0.1:4790'],
  ['http://localhost:4790', 'http://localhost:4790'],
  ['http://[::1]:4790', 'http://[::1]:4790'],
])('%s is an address', (text, origin) => {
  expect(serviceOrigin(text)).toBe(origin)
})

test.each([
  '',
  'api.example.test',
  'http://api.example.test',
  'http://127.0.0.1.example.test',
  'http://localhost.example.test',
  'http://0.0.0.0:4790',
  'ftp://api.example.test',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://user@api.example.test',
  'https://user:pass@api.example.test',
  'https://api.example.test/v3',
  'https://api.example.test?x=1',
  'https://api.example.test#x',
])('%s is not an address', (text) => {
  expect(serviceOrigin(text)).toBeUndefined()
})

test('the result is always https or loopback, and nothing but an origin', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc.string().map((text) => `https://${text}`),
      ),
      (text) => {
        const origin = serviceOrigin(text)
        if (origin === undefined) return
        const url = new URL(origin)
        expect(url.origin).toBe(origin)
        expect(url.protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)).toBe(
          true,
        )
      },
    ),
  )
})

function connected(request: Partial<NewKey>, taken: readonly string[] = []) {
  const profiles: Profile[] = []
  const outcome = connectKey(
    { connect: (profile) => void profiles.push(profile), profiles: () => taken },
    { name: 'Mine', environment: 'live', clientId: 'id', refreshToken: 'token', ...request },
  )
  return { outcome, profile: profiles[0] }
}

test('LIVE and SIM use their own hosts, whatever address was typed before', () => {
  expect(connected({ authUrl: 'http://evil.test' }).profile).toMatchObject({
    authUrl: 'https://signin.tradestation.com',
    baseUrl: 'https://api.tradestation.com',
  })
  expect(connected({ environment: 'sim' }).profile).toMatchObject({
    authUrl: 'https://signin.tradestation.com',
    baseUrl: 'https://sim-api.tradestation.com',
  })
})

test('each key gets the first free id', () => {
  expect(connected({}, ['simulator', 'key-1', 'key-3']).outcome).toEqual({ ok: true, profile: 'key-2' })
})

test('an invalid address is named, and nothing is connected', () => {
  const auth = connected({ environment: 'custom', authUrl: 'http://x.test', baseUrl: 'https://y.test' })
  expect(auth.outcome).toMatchObject({ ok: false, code: 'bad-address', message: /sign-in address/ })
  expect(auth.profile).toBeUndefined()
  const base = connected({ environment: 'custom', authUrl: 'https://x.test' })
  expect(base.outcome).toMatchObject({ ok: false, message: /service address.*nothing/ })
})

test('an omitted secret is not in the profile', () => {
  expect(connected({}).profile).not.toHaveProperty('clientSecret')
  expect(connected({ clientSecret: 's' }).profile).toMatchObject({ clientSecret: 's' })
})
