import { expect, test } from 'vitest'
import type { RevocationResult } from '../../../../app/tokens/revocation.ts'
import type { RevokeFlags } from '../../../../main/hosts/terminal/flags.ts'
import { revoke } from '../../../../main/hosts/terminal/revoke-command.ts'
import type { ServiceKey } from '../../../../main/hosts/terminal/watched-service.ts'
import { type FakeTerminalOptions, fakeTerminal } from './fake-terminal.ts'

const SERVICE = {
  authUrl: 'https://signin.example.com',
  baseUrl: 'https://api.example.com',
  clientId: 'key-1',
}
const environment = { HEADROOM_REFRESH_TOKEN: 'the-token', HEADROOM_CLIENT_SECRET: 'the-secret' }
const CONFIRMED: RevocationResult = { kind: 'confirmed' }

async function revoked(flags: RevokeFlags, options: FakeTerminalOptions, outcome = CONFIRMED) {
  const terminal = fakeTerminal({ environment, ...options })
  const asked: ServiceKey[] = []
  const exitCode = await revoke(flags, {
    terminal,
    defaultDataFolder: () => '/data',
    askRunning: async () => ({ kind: 'nobody' }),
    revokeTokens: async (key) => {
      asked.push(key)
      return outcome
    },
  })
  return { terminal, asked, exitCode }
}

test('with --yes it asks nothing and revokes the given key', async () => {
  const { exitCode, asked, terminal } = await revoked({ ...SERVICE, yes: true }, {})
  expect(exitCode).toBe(0)
  expect(asked).toEqual([{ ...SERVICE, refreshToken: 'the-token', clientSecret: 'the-secret' }])
  expect(terminal.lines).toEqual(['revoked every refresh token of key-1'])
  expect(terminal.questions).toEqual([])
})

test('the consequences are listed before the typed confirmation', async () => {
  const { exitCode, terminal } = await revoked(SERVICE, { interactive: true, answer: 'revoke' })
  expect(exitCode).toBe(0)
  expect(terminal.questions).toEqual([
    expect.stringMatching(/every refresh token of the API key key-1.*sign in again/s),
  ])
})

test.each(['', 'yes', 'y', 'Revoke!', undefined])('the reply %j revokes nothing', async (answer) => {
  const options = { interactive: true, ...(answer !== undefined && { answer }) }
  const { exitCode, asked, terminal } = await revoked(SERVICE, options)
  expect(exitCode).toBe(1)
  expect(asked).toEqual([])
  expect(terminal.errors).toEqual(['nothing was revoked: not confirmed'])
})

test('without a terminal and without --yes nothing is revoked', async () => {
  const { exitCode, asked, terminal } = await revoked(SERVICE, { interactive: false, answer: 'revoke' })
  expect(exitCode).toBe(1)
  expect(asked).toEqual([])
  expect(terminal.errors).toEqual([expect.stringContaining('--yes')])
})

test.each(['refused', 'unconfirmed'] as const)('%s is exit 1 and never shows as revoked', async (kind) => {
  const { exitCode, terminal } = await revoked(
    { ...SERVICE, yes: true },
    {},
    { kind, why: 'the answer was 503' },
  )
  expect(exitCode).toBe(1)
  expect(terminal.lines).toEqual([])
  expect(terminal.errors).toEqual([expect.stringMatching(/^not .*503/)])
})

test('without a service there is nothing to revoke, and an incomplete one is a usage error', async () => {
  for (const flags of [{}, { authUrl: SERVICE.authUrl }]) {
    const { exitCode, asked, terminal } = await revoked({ ...flags, yes: true }, {})
    expect(exitCode).toBe(2)
    expect(asked).toEqual([])
    expect(terminal.errors).toHaveLength(1)
  }
})

test('no token in the environment is exit 3', async () => {
  const { exitCode, asked } = await revoked({ ...SERVICE, yes: true }, { environment: {} })
  expect(exitCode).toBe(3)
  expect(asked).toEqual([])
})
