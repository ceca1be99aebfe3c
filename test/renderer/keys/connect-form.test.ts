import { describe, expect, it } from 'vitest'
import { contract } from '../../../app/contract/contract.ts'
import { checkConnection } from '../../../renderer/keys/connect-form.ts'

const fields =
  (given: Readonly<Record<string, string>>) =>
  (name: string): string =>
    given[name] ?? ''

const KEY = { clientId: 'key', refreshToken: 'token', name: 'Main key' }

describe('the form that connects a key', () => {
  it('submits what the contract accepts, without an empty secret or name', () => {
    const checked = checkConnection('live', 'paste', fields(KEY))
    if (!checked.ok) throw new Error('refused')
    expect(checked.connection).toEqual({ ...KEY, environment: 'live' })
    expect(() => contract.connect.parse(checked.connection)).not.toThrow()
    const unnamed = checkConnection('live', 'paste', fields({ ...KEY, name: '' }))
    expect(unnamed).toMatchObject({ connection: expect.not.objectContaining({ name: expect.anything() }) })
  })

  it('requires no refresh token, and sends none, for a sign-in with the browser', () => {
    const checked = checkConnection('live', 'browser', fields(KEY))
    if (!checked.ok) throw new Error('refused')
    expect(checked.connection).not.toHaveProperty('refreshToken')
    expect(() => contract.startSignIn.parse(checked.connection)).not.toThrow()
  })

  it('accepts hosts only for a key that is neither LIVE nor SIM', () => {
    const hosts = { authUrl: 'https://sign-in.example.com', baseUrl: 'http://127.0.0.1:4790/' }
    expect(checkConnection('sim', 'paste', fields({ ...KEY, ...hosts }))).toMatchObject({
      connection: expect.not.objectContaining({ authUrl: expect.anything() }),
    })
    expect(checkConnection('custom', 'paste', fields({ ...KEY, ...hosts }))).toMatchObject({
      connection: { authUrl: 'https://sign-in.example.com', baseUrl: 'http://127.0.0.1:4790' },
    })
    expect(checkConnection('custom', 'paste', fields(KEY))).toMatchObject({
      errors: { authUrl: expect.any(String), baseUrl: expect.any(String) },
    })
  })

  it('names what is missing, and never repeats a secret', () => {
    const secret = 's3cret with a blank'
    const checked = checkConnection(
      'live',
      'paste',
      fields({ refreshToken: secret, clientSecret: 'x'.repeat(5000) }),
    )
    if (checked.ok) throw new Error('accepted')
    expect(Object.keys(checked.errors)).toEqual(['clientId', 'refreshToken', 'clientSecret'])
    expect(JSON.stringify(checked.errors)).not.toContain('s3cret')
  })
})
