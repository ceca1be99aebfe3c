import { expect, test } from 'vitest'
import type { NewKey } from '../../../app/contract/sign-in.ts'
import type { Profile } from '../../../main/ports/profile.ts'
import { connectKey } from '../../../main/sign-in/connect-key.ts'

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
  const secret = connected({ environment: 'custom', authUrl: 'https://me:hunter2@x.test' })
  expect(secret.outcome).toMatchObject({ ok: false, message: /You entered a user name or password\.$/ })
})

test('an omitted secret is not in the profile', () => {
  expect(connected({}).profile).not.toHaveProperty('clientSecret')
  expect(connected({ clientSecret: 's' }).profile).toMatchObject({ clientSecret: 's' })
})
