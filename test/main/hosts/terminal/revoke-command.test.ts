import { expect, test } from 'vitest'
import type { RevocationResult } from '../../../../app/tokens/revocation.ts'
import type { RunningAnswer } from '../../../../main/control/ask-running.ts'
import type { ControlRequest } from '../../../../main/control/protocol.ts'
import type { RevokeFlags } from '../../../../main/hosts/terminal/flags.ts'
import { revoke } from '../../../../main/hosts/terminal/revoke-command.ts'
import type { ServiceKey } from '../../../../main/hosts/terminal/watched-service.ts'
import { exampleSnapshot } from './example-snapshot.ts'
import { type FakeTerminalOptions, fakeTerminal } from './fake-terminal.ts'

const SERVICE = {
  authUrl: 'https://signin.example.com',
  baseUrl: 'https://api.example.com',
  clientId: 'key-1',
}
const environment = { HEADROOM_REFRESH_TOKEN: 'the-token', HEADROOM_CLIENT_SECRET: 'the-secret' }
const CONFIRMED: RevocationResult = { kind: 'confirmed' }

interface Options extends FakeTerminalOptions {
  readonly askRunning?: (request: ControlRequest) => RunningAnswer
}

async function revoked(
  flags: RevokeFlags,
  { askRunning = () => ({ kind: 'not-running' }), ...options }: Options,
  outcome = CONFIRMED,
) {
  const terminal = fakeTerminal({ environment, ...options })
  const asked: ServiceKey[] = []
  const exitCode = await revoke(flags, {
    terminal,
    defaultDataFolder: () => '/data',
    askRunning: async (_, request) => askRunning(request),
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
  for (const [flags, line] of [
    [{}, /^no Headroom is running on \/data; .*set HEADROOM_PASSPHRASE to open the keys saved there/],
    [{ authUrl: SERVICE.authUrl }, /--base-url and --client-id are missing$/],
    [{ ...SERVICE, profile: 'key-1' }, /^leave out --profile: /],
  ] as const) {
    const { exitCode, asked, terminal } = await revoked({ ...flags, yes: true }, {})
    expect(exitCode).toBe(2)
    expect(asked).toEqual([])
    expect(terminal.errors).toEqual([expect.stringMatching(line)])
  }
})

test('no token in the environment is exit 3', async () => {
  const { exitCode, asked } = await revoked({ ...SERVICE, yes: true }, { environment: {} })
  expect(exitCode).toBe(3)
  expect(asked).toEqual([])
})

const key = (id: string) => exampleSnapshot({ profile: { id, name: `Key ${id}`, environment: 'live' } })

/** Without credentials, next to an app that runs with these keys. */
async function revokedByApp(
  flags: RevokeFlags,
  ids: readonly string[],
  { outcome, ...options }: FakeTerminalOptions & { readonly outcome?: RunningAnswer } = {},
) {
  const revocations: ControlRequest[] = []
  const askRunning = (request: ControlRequest): RunningAnswer => {
    if (request.do !== 'revoke') return { kind: 'answered', answer: { ok: true, snapshots: ids.map(key) } }
    revocations.push(request)
    return outcome ?? { kind: 'answered', answer: { ok: true, revoked: request.profile } }
  }
  const done = await revoked(flags, { environment: {}, ...options, askRunning })
  expect(done.asked).toEqual([])
  return { ...done, revocations }
}

test('without credentials the running app revokes its key, after the same typed confirmation', async () => {
  const { exitCode, revocations, terminal } = await revokedByApp({}, ['key-1'], {
    interactive: true,
    answer: 'revoke',
  })
  expect(exitCode).toBe(0)
  expect(revocations).toEqual([{ do: 'revoke', profile: 'key-1' }])
  expect(terminal.questions).toEqual([expect.stringMatching(/Key key-1.*sign in again/s)])
  expect(terminal.lines).toEqual(['revoked every refresh token of the key of Key key-1'])
})

test.each([{ interactive: true, answer: 'no' }, { interactive: false }])(
  '%j revokes nothing',
  async (options) => {
    const { exitCode, revocations } = await revokedByApp({}, ['key-1'], options)
    expect(exitCode).toBe(1)
    expect(revocations).toEqual([])
  },
)

test('with several keys one has to be named', async () => {
  const several = await revokedByApp({ yes: true }, ['key-1', 'key-2'])
  expect(several.exitCode).toBe(2)
  expect(several.terminal.errors).toEqual([expect.stringMatching(/--profile.*key-1.*key-2/)])
  expect(several.revocations).toEqual([])
  const named = await revokedByApp({ yes: true, profile: 'key-2' }, ['key-1', 'key-2'])
  expect(named.revocations).toEqual([{ do: 'revoke', profile: 'key-2' }])
  const unknown = await revokedByApp({ yes: true, profile: 'key-3' }, ['key-1'])
  expect(unknown).toMatchObject({ exitCode: 1, revocations: [] })
})

test.each<RunningAnswer>([
  { kind: 'not-running' },
  { kind: 'failed', why: 'it timed out' },
  { kind: 'answered', answer: { ok: false, code: 'revoke-unconfirmed', message: 'Not confirmed: 503.' } },
  { kind: 'answered', answer: { ok: true, revoked: 'another' } },
])('%j never shows as revoked', async (outcome) => {
  const { exitCode, terminal } = await revokedByApp({ yes: true }, ['key-1'], { outcome })
  expect(exitCode).toBe(1)
  expect(terminal.lines).toEqual([])
  expect(terminal.errors).toHaveLength(1)
})
