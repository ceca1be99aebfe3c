import { expect, test } from 'vitest'
import type { RunningAnswer } from '../../../../main/control/ask-running.ts'
import type { ControlRequest } from '../../../../main/control/protocol.ts'
import type { RevokeFlags } from '../../../../main/hosts/terminal/flags.ts'
import { revoke } from '../../../../main/hosts/terminal/revoke-command.ts'
import { exampleSnapshot } from './example-snapshot.ts'
import { type FakeTerminalOptions, fakeTerminal } from './fake-terminal.ts'

const key = (id: string) => exampleSnapshot({ profile: { id, name: `Key ${id}`, environment: 'live' } })
const REVOKED = (profile: string): RunningAnswer => ({
  kind: 'answered',
  answer: { ok: true, revoked: profile },
})

async function revoked(
  flags: RevokeFlags,
  ids: readonly string[],
  options: FakeTerminalOptions = {},
  answer: (profile: string) => RunningAnswer = REVOKED,
) {
  const terminal = fakeTerminal(options)
  const asked: ControlRequest[] = []
  const exitCode = await revoke(flags, {
    terminal,
    revokeTokens: async () => {
      throw new Error('it has no credentials')
    },
    defaultDataFolder: () => '/data',
    askRunning: async (_, request) => {
      asked.push(request)
      return request.do === 'revoke'
        ? answer(request.profile)
        : { kind: 'answered', answer: { ok: true, snapshots: ids.map(key) } }
    },
  })
  return { terminal, exitCode, revocations: asked.filter((request) => request.do === 'revoke') }
}

test('without credentials the running app revokes its key, after the same typed confirmation', async () => {
  const { exitCode, revocations, terminal } = await revoked({}, ['key-1'], {
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
    const { exitCode, revocations } = await revoked({}, ['key-1'], options)
    expect(exitCode).toBe(1)
    expect(revocations).toEqual([])
  },
)

test('with several keys one has to be named', async () => {
  const several = await revoked({ yes: true }, ['key-1', 'key-2'])
  expect(several.exitCode).toBe(2)
  expect(several.terminal.errors).toEqual([expect.stringMatching(/--profile.*key-1.*key-2/)])
  expect(several.revocations).toEqual([])
  const named = await revoked({ yes: true, profile: 'key-2' }, ['key-1', 'key-2'])
  expect(named.revocations).toEqual([{ do: 'revoke', profile: 'key-2' }])
  const unknown = await revoked({ yes: true, profile: 'key-3' }, ['key-1'])
  expect(unknown).toMatchObject({ exitCode: 1, revocations: [] })
})

test.each<RunningAnswer>([
  { kind: 'nobody' },
  { kind: 'failed', why: 'it timed out' },
  { kind: 'answered', answer: { ok: false, code: 'revoke-unconfirmed', message: 'Not confirmed: 503.' } },
  { kind: 'answered', answer: { ok: true, revoked: 'another' } },
])('%j never shows as revoked', async (answer) => {
  const { exitCode, terminal } = await revoked({ yes: true }, ['key-1'], {}, () => answer)
  expect(exitCode).toBe(1)
  expect(terminal.lines).toEqual([])
  expect(terminal.errors).toHaveLength(1)
})
