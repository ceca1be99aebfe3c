import { describe, expect, test } from 'vitest'
import { DESK_LIMITS, type DeskSummary } from '../../../../app/contract/desk.ts'
import type { Snapshot } from '../../../../app/contract/snapshot.ts'
import type { RunningAnswer } from '../../../../main/control/ask-running.ts'
import type { ControlAnswer, ControlRequest } from '../../../../main/control/protocol.ts'
import { invitationText } from '../../../../main/desk/invitation.ts'
import { membershipText } from '../../../../main/desk/membership.ts'
import { desk } from '../../../../main/hosts/terminal/desk-command.ts'
import type { DeskAction, DeskFlags } from '../../../../main/hosts/terminal/program-flags.ts'
import type { StoredKeys, StoredKeysOpening } from '../../../../main/hosts/terminal/stored-keys.ts'
import type { OutputEnd } from '../../../../main/hosts/terminal/terminal.ts'
import type { DeskReading } from '../../../../main/vault/vault.ts'
import { exampleMembership } from '../../desk/example-desk.ts'
import { NO_DESKS } from '../../desk/no-desks.ts'
import { exampleSnapshot } from './example-snapshot.ts'
import { type FakeTerminalOptions, fakeTerminal } from './fake-terminal.ts'

const membership = exampleMembership()
const WORD = invitationText(membership)
const SERVER = ['nats://127.0.0.1:4222']

const keyOf = (id: string, desk?: DeskSummary): Snapshot => {
  const snapshot = exampleSnapshot()
  return { ...snapshot, profile: { ...snapshot.profile, id, name: `Key ${id}` }, ...(desk && { desk }) }
}

interface Case {
  readonly action: DeskAction
  readonly flags?: DeskFlags
  readonly terminal?: FakeTerminalOptions
  /** The keys of the running app; absent if none runs. */
  readonly running?: readonly Snapshot[]
  /** The app's answer to a request other than `status`. */
  readonly answer?: ControlAnswer
  /** The keys of the folder; absent without a passphrase. */
  readonly stored?: Exclude<StoredKeysOpening, { kind: 'open' }> | Readonly<Record<string, DeskReading>>
  readonly end?: OutputEnd
}

async function run({ action, flags = {}, terminal: options, running, answer, stored, end }: Case) {
  const terminal = fakeTerminal(options)
  const asked: ControlRequest[] = []
  const performed: unknown[] = []
  let closed = 0
  const opening = (): StoredKeysOpening => {
    if (stored === undefined) throw new Error('not asked for')
    if ('kind' in stored && typeof stored.kind === 'string') return stored as StoredKeysOpening
    const desks = stored as Readonly<Record<string, DeskReading>>
    const keys: StoredKeys = {
      keys: Object.keys(desks).map((profile) => ({ profile, name: `Key ${profile}` })),
      desks: {
        desk: (profile) => desks[profile] ?? { kind: 'none' },
        keepDesk: () => ({ ok: true }),
        forgetDesk: () => ({ ok: true }),
      },
      keyOf: () => undefined,
      revoke: async () => ({ kind: 'confirmed' }),
      close: () => {
        closed += 1
      },
    }
    return { kind: 'open', stored: keys }
  }
  const answered = (given: ControlAnswer): RunningAnswer => ({ kind: 'answered', answer: given })
  const exitCode = await desk(action, flags, {
    terminal,
    defaultDataFolder: () => '/default',
    askRunning: async (_, request) => {
      if (running === undefined) return { kind: 'not-running' }
      if (request.do === 'status') return answered({ ok: true, snapshots: running })
      asked.push(request)
      return answer === undefined ? { kind: 'failed', why: 'it timed out' } : answered(answer)
    },
    ...(stored && { openStored: async () => opening() }),
    commandsOf: () => ({
      ...NO_DESKS.handlers,
      createDesk: (request) => {
        performed.push(request)
        return { ok: true, invitation: WORD }
      },
      deskInvitation: () => ({ ok: true, invitation: WORD }),
      joinDesk: (request) => {
        performed.push(request)
        return { ok: true }
      },
      leaveDesk: () => ({ ok: true }),
    }),
    absolutePath: (path) => `/here/${path}`,
    written: async () => end,
  })
  return {
    exitCode,
    asked,
    performed,
    closed,
    out: terminal.lines,
    errors: terminal.errors,
    questions: terminal.questions,
  }
}

const ONE = [keyOf('key-1')]

describe('desk create', () => {
  test('asks the running app, prints the invitation alone on stdout, and what to do next on stderr', async () => {
    const said = await run({
      action: 'create',
      flags: { server: ['nats://one:4222', 'nats://two:4222'], tlsCa: 'ca.pem', name: 'TOWER' },
      terminal: { environment: { HEADROOM_DESK_CREDENTIALS: 'user:CANARY\n' } },
      running: ONE,
      answer: { ok: true, invitation: WORD },
    })
    expect(said.asked).toEqual([
      {
        do: 'create-desk',
        profile: 'key-1',
        servers: ['nats://one:4222', 'nats://two:4222'],
        tlsCa: '/here/ca.pem',
        name: 'TOWER',
        credentials: 'user:CANARY',
      },
    ])
    expect(said.out).toEqual([WORD])
    expect(said.errors).toEqual([
      'on every other machine: run headroom desk join there and paste this word; it contains a secret',
    ])
    expect(said.exitCode).toBe(0)
  })

  test('needs a server, and at most eight', async () => {
    const none = await run({ action: 'create', running: ONE })
    expect(none).toMatchObject({
      exitCode: 2,
      errors: ['give the server: headroom desk create --server nats://HOST:4222'],
    })
    const many = Array.from({ length: DESK_LIMITS.servers + 1 }, () => 'nats://one:4222')
    expect(await run({ action: 'create', flags: { server: many }, running: ONE })).toMatchObject({
      exitCode: 2,
    })
  })

  test.each([
    ['has-desk', 1],
    ['unreachable', 1],
    ['credentials', 1],
    ['no-jetstream', 1],
    ['tls-needed', 1],
    ['address', 2],
  ])('prints a refusal in one line: %s, exit %d', async (code, exitCode) => {
    const answer: ControlAnswer = { ok: false, code, message: 'One line.' }
    const said = await run({ action: 'create', flags: { server: SERVER }, running: ONE, answer })
    expect(said).toMatchObject({ exitCode, out: [], errors: ['One line.'] })
  })

  test('says how to print an invitation that could not be written', async () => {
    const answer: ControlAnswer = { ok: true, invitation: WORD }
    const end: OutputEnd = { kind: 'failed', line: 'the disk is full' }
    const said = await run({ action: 'create', flags: { server: SERVER }, running: ONE, answer, end })
    expect(said.exitCode).toBe(1)
    expect(said.errors).toEqual([
      'the invitation could not be written; print it with headroom desk invite',
      'the disk is full',
    ])
  })

  test('works on a folder on which no app runs, and closes it', async () => {
    const said = await run({
      action: 'create',
      flags: { server: SERVER },
      stored: { 'key-1': { kind: 'none' } },
    })
    expect(said.performed).toEqual([{ profile: 'key-1', servers: SERVER }])
    expect(said.out).toEqual([WORD])
    expect(said.errors[0]).toBe('no Headroom is running on /default; this applies at its next start')
    expect(said).toMatchObject({ exitCode: 0, closed: 1 })
  })

  test('refuses credentials that are too long', async () => {
    const HEADROOM_DESK_CREDENTIALS = 'x'.repeat(DESK_LIMITS.credentials + 1)
    const terminal = { environment: { HEADROOM_DESK_CREDENTIALS } }
    const said = await run({ action: 'create', flags: { server: SERVER }, running: ONE, terminal })
    expect(said).toMatchObject({ exitCode: 3, asked: [] })
    expect(said.errors.join()).not.toContain('xx')
  })
})

describe('desk join', () => {
  const joined: ControlAnswer = { ok: true, joined: 'key-1' }

  test.each<[string, FakeTerminalOptions, number]>([
    ['the environment', { environment: { HEADROOM_DESK_INVITATION: WORD } }, 0],
    ['a prompt or stdin', { answer: `${WORD}` }, 1],
  ])('reads the invitation from %s', async (_, terminal, questions) => {
    const said = await run({ action: 'join', flags: { name: 'N' }, terminal, running: ONE, answer: joined })
    expect(said.asked).toEqual([{ do: 'join-desk', profile: 'key-1', invitation: WORD, name: 'N' }])
    expect(said.questions).toHaveLength(questions)
    expect(said).toMatchObject({
      exitCode: 0,
      out: [],
      errors: ['this machine joined the desk of Key key-1; see headroom desk status'],
    })
  })

  test.each([
    [WORD.slice(0, 40), 'The invitation is incomplete. Copy the whole word.'],
    [`${WORD}x`, 'The invitation has a typing error. Copy it again.'],
    [WORD.replace('-1.', '-2.'), 'The invitation is from a newer Headroom. Update this one.'],
    ['nonsense', 'Enter the whole invitation. It starts with headroom-desk-1.'],
    [undefined, 'Enter the whole invitation. It starts with headroom-desk-1.'],
  ])('refuses a malformed one with exit 2: %#', async (answer, line) => {
    const said = await run({
      action: 'join',
      terminal: { ...(answer !== undefined && { answer }) },
      running: ONE,
    })
    expect(said).toMatchObject({ exitCode: 2, out: [], errors: [line], asked: [] })
  })

  test('refuses a malformed one of the environment with exit 3', async () => {
    const terminal = { environment: { HEADROOM_DESK_INVITATION: 'nonsense' } }
    const said = await run({ action: 'join', terminal, running: ONE })
    expect(said).toMatchObject({ exitCode: 3, out: [], asked: [] })
  })

  test.each(['rotated', 'other-client', 'other-host', 'other-user', 'has-desk', 'unreachable'])(
    'prints a refusal in one line, exit 1: %s',
    async (code) => {
      const answer: ControlAnswer = { ok: false, code, message: 'One line.' }
      const said = await run({ action: 'join', terminal: { answer: WORD }, running: ONE, answer })
      expect(said).toMatchObject({ exitCode: 1, out: [], errors: ['One line.'] })
    },
  )

  test('works on a folder on which no app runs', async () => {
    const said = await run({
      action: 'join',
      terminal: { answer: WORD },
      stored: { 'key-1': { kind: 'none' } },
    })
    expect(said.performed).toEqual([{ profile: 'key-1', invitation: WORD }])
    expect(said).toMatchObject({ exitCode: 0, closed: 1 })
  })
})

describe('desk invite', () => {
  const answer: ControlAnswer = { ok: true, invitation: WORD }

  test('prints the invitation after a confirmation, or with --yes', async () => {
    const terminal = { interactive: true, answer: 'show' }
    const said = await run({ action: 'invite', terminal, running: ONE, answer })
    expect(said).toMatchObject({
      exitCode: 0,
      out: [WORD],
      asked: [{ do: 'desk-invitation', profile: 'key-1' }],
    })
    expect(said.questions).toEqual([expect.stringContaining('can join the desk')])
    expect(await run({ action: 'invite', flags: { yes: true }, running: ONE, answer })).toMatchObject({
      out: [WORD],
    })
  })

  test.each<[FakeTerminalOptions, string]>([
    [{ interactive: true, answer: 'no' }, 'the invitation was not printed: not confirmed'],
    [
      {},
      'the invitation was not printed: no terminal to ask for confirmation; add --yes to show without asking',
    ],
  ])('prints nothing without one', async (terminal, line) => {
    const said = await run({ action: 'invite', terminal, running: ONE, answer })
    expect(said).toMatchObject({ exitCode: 1, out: [], errors: [line], asked: [] })
  })

  test('of a folder doesn’t mention the next start', async () => {
    const said = await run({ action: 'invite', flags: { yes: true }, stored: { 'key-1': { kind: 'none' } } })
    expect(said.errors).toEqual([expect.stringMatching(/^on every other machine/)])
  })
})

test('desk rotate prints the new invitation, and that all others have to join again', async () => {
  const said = await run({ action: 'rotate', running: ONE, answer: { ok: true, invitation: WORD } })
  expect(said.asked).toEqual([{ do: 'rotate-desk', profile: 'key-1' }])
  expect(said.out).toEqual([WORD])
  expect(said.errors).toEqual([expect.stringMatching(/^every other machine has to join again: /)])
})

test('desk leave names the desk that was left, and of a folder doesn’t mention the next start', async () => {
  const said = await run({ action: 'leave', running: ONE, answer: { ok: true, left: 'key-1' } })
  const left = { exitCode: 0, out: [], errors: ['this machine left the desk of Key key-1'] }
  expect(said).toMatchObject(left)
  expect(said.asked).toEqual([{ do: 'leave-desk', profile: 'key-1' }])
  expect(await run({ action: 'leave', stored: { 'key-1': { kind: 'none' } } })).toMatchObject(left)
})

describe('the key', () => {
  const two = [keyOf('key-1'), keyOf('key-2')]

  test('is named with --profile where there are several', async () => {
    const answer: ControlAnswer = { ok: true, left: 'key-2' }
    const said = await run({ action: 'leave', flags: { profile: 'key-2' }, running: two, answer })
    expect(said.asked).toEqual([{ do: 'leave-desk', profile: 'key-2' }])
    const unnamed = await run({ action: 'leave', running: two, answer })
    expect(unnamed).toMatchObject({
      exitCode: 2,
      errors: ['choose the key with --profile: key-1 (Key key-1), key-2 (Key key-2)'],
    })
    const unknown = await run({ action: 'leave', flags: { profile: 'key-3' }, running: two, answer })
    expect(unknown).toMatchObject({ exitCode: 1, errors: [expect.stringContaining("has no key 'key-3'")] })
    const inFolder = await run({
      action: 'status',
      flags: { profile: 'key-3' },
      stored: { 'key-1': { kind: 'none' } },
    })
    expect(inFolder).toMatchObject({
      exitCode: 1,
      closed: 1,
      errors: [expect.stringContaining('the data folder has no key')],
    })
  })

  test.each<[string, Pick<Case, 'stored' | 'running' | 'answer'>, string]>([
    [
      'no app and no passphrase',
      {},
      'no Headroom is running on /default; start it, or set HEADROOM_PASSPHRASE to open the keys saved there',
    ],
    [
      'no saved key',
      { stored: { kind: 'nothing-stored' } },
      'no Headroom is running on /default, and no key is saved there',
    ],
    [
      'a folder in use',
      { stored: { kind: 'failed', line: 'it is in use', needsPerson: false } },
      'it is in use',
    ],
    ['an app that does not answer', { running: ONE }, "can't reach the running Headroom: it timed out"],
  ])('is not found with %s: one line, exit 1', async (_, setting, line) => {
    expect(await run({ action: 'leave', ...setting })).toMatchObject({ exitCode: 1, out: [], errors: [line] })
  })

  test('needs a person if the passphrase is wrong: exit 3', async () => {
    const stored = { kind: 'failed', line: 'wrong passphrase', needsPerson: true } as const
    const said = await run({ action: 'leave', stored })
    expect(said).toMatchObject({ exitCode: 3, out: [], errors: ['wrong passphrase'] })
  })
})

test.each<[DeskAction, DeskFlags, string]>([
  ['join', { server: SERVER }, '--server'],
  ['invite', { name: 'N' }, '--name'],
  ['rotate', { tlsCa: 'ca.pem' }, '--tls-ca'],
  ['leave', { yes: true }, '--yes'],
  ['create', { json: true }, '--json'],
])('desk %s takes no %o', async (action, flags, flag) => {
  const said = await run({ action, flags, running: ONE })
  expect(said).toMatchObject({
    exitCode: 2,
    errors: [`desk ${action} takes no ${flag}`],
    asked: [],
    questions: [],
  })
})

describe('desk status', () => {
  const summary: DeskSummary = {
    state: 'joined',
    engine: { server: 'nats.test:4222', reachable: true, roundTripMs: 1.23 },
    members: [
      { id: 'a', name: 'TOWER', self: true, present: true, lastSeenMs: 0, perSecond: 0.31, total: 1204 },
      {
        ...{
          id: 'b',
          name: 'NOTEBOOK',
          self: false,
          present: true,
          lastSeenMs: 300,
          perSecond: 0.75,
          total: 1,
        },
        programs: [{ name: 'scanner', perSecond: 0.75 }],
      },
    ],
    announces: 'a',
    dropped: 2,
  }

  test('shows the machines, their use, and the server', async () => {
    const said = await run({ action: 'status', running: [keyOf('key-1', summary)] })
    expect(said.exitCode).toBe(0)
    expect(said.out).toEqual([
      'Key key-1: desk of 2 machines',
      '  server nats.test:4222 ok, round trip 1.2 ms',
      '  TOWER      0.31/s  1204 requests  this machine; no programs',
      '  NOTEBOOK   0.75/s  1 request  scanner 0.75',
      '  TOWER announces alerts',
      '  2 messages dropped',
    ])
  })

  test('shows who dispatches, and which programs of all machines wait for what', async () => {
    const [self, other] = summary.members
    if (self === undefined || other === undefined) throw new Error('two members')
    const waits = { forwarded: 3, perSecond: 0.2, category: 'Positions' }
    const scanner = { name: 'scanner', perSecond: 0.75, class: 'background', weight: 1 } as const
    const use = [{ category: 'Positions', perSecond: 0.75, waiting: 2, nextTurnAt: 5_000 }]
    const desk: DeskSummary = {
      ...summary,
      dispatcher: 'b',
      queue: { mode: 'granted', members: 2 },
      members: [
        self,
        { ...other, dispatcher: true, programs: [{ ...scanner, waiting: 2, longestWaitMs: 41_000, use }] },
      ],
    }
    const program = { name: 'executor', class: 'critical', weight: 4, perSecond: 0.31, longestWaitMs: 0 }
    const running = {
      ...keyOf('key-1', desk),
      at: 1_000,
      requests: [],
      programs: [
        { ...program, waiting: 1, use: [{ ...waits, waiting: 1, longestWaitMs: 900, nextTurnAt: 1_000 }] },
      ],
    } as unknown as Snapshot
    const said = await run({ action: 'status', running: [running] })
    expect(said.out).toEqual([
      'Key key-1: desk of 2 machines, one queue',
      '  server nats.test:4222 ok, round trip 1.2 ms',
      '  TOWER      0.31/s  1204 requests  this machine; executor 0.31',
      '  NOTEBOOK   0.75/s  1 request  scanner 0.75',
      '  waiting for Positions',
      '    executor: 1 request, now, longest 0.9 s',
      '    scanner on NOTEBOOK: 2 requests, next in 4 s, longest 41 s',
      '  NOTEBOOK dispatches',
      '  TOWER announces alerts',
      '  2 messages dropped',
    ])
    const json = await run({ action: 'status', flags: { json: true }, running: [running] })
    expect(JSON.parse(json.out[0] ?? '')).toMatchObject({
      dispatcher: 'b',
      queue: { mode: 'granted', members: 2 },
      members: [
        { programs: [{ name: 'executor', class: 'critical', waiting: 1 }] },
        { dispatcher: true, programs: [{ name: 'scanner', waiting: 2 }] },
      ],
    })
    expect(json.out[0]).not.toContain('keyEnding')
  })

  test('of a machine alone shows its share of each quota', async () => {
    const queue = { mode: 'alone', members: 4, share: 0.25, lastDispatcher: 'b' } as const
    const desk = { ...summary, state: 'alone', why: 'The server is away.', queue } as const
    const said = await run({ action: 'status', running: [keyOf('key-1', desk)] })
    expect(said.out.slice(0, 2)).toEqual([
      'Key key-1: desk unreachable: The server is away.',
      '  Using a quarter of each quota.',
    ])
    expect(said.out).toContain('  NOTEBOOK dispatched last')
  })

  test.each<[Partial<DeskSummary>, string]>([
    [{ state: 'alone', why: 'The server is away.' }, 'Key key-1: desk unreachable: The server is away.'],
    [{ state: 'refused', why: 'Replaced.' }, 'Key key-1: the desk rejects this machine: Replaced.'],
  ])('says why the desk is not shared', async (change, line) => {
    const said = await run({ action: 'status', running: [keyOf('key-1', { ...summary, ...change })] })
    expect(said.out[0]).toBe(line)
  })

  test('without a desk says so, for each key or for the named one', async () => {
    const running = [keyOf('key-1'), keyOf('key-2', summary)]
    const all = await run({ action: 'status', running })
    expect(all.out[0]).toBe("Key key-1: no desk; run 'headroom desk create' or 'headroom desk join'")
    expect(all.out[1]).toBe('Key key-2: desk of 2 machines')
    const named = await run({ action: 'status', flags: { profile: 'key-1' }, running })
    expect(named.out).toHaveLength(1)
    expect(await run({ action: 'status', running: [] })).toMatchObject({
      exitCode: 0,
      out: ['no key is connected'],
    })
  })

  test('writes one line of JSON for each key', async () => {
    const running = [keyOf('key-1'), keyOf('key-2', summary)]
    const said = await run({ action: 'status', flags: { json: true }, running })
    expect(said.out.map((line) => JSON.parse(line))).toEqual([
      { v: 1, type: 'desk', profile: 'key-1', state: 'none' },
      { v: 1, type: 'desk', profile: 'key-2', ...summary },
    ])
  })

  test('of a folder shows what is saved, without its secrets', async () => {
    const stored: Record<string, DeskReading> = {
      'key-1': { kind: 'found', text: membershipText({ ...membership, credentials: 'user:CANARY' }) },
      'key-2': { kind: 'none' },
      'key-3': { kind: 'lost', state: 'record-corrupt' },
    }
    const said = await run({ action: 'status', stored })
    expect(said.out).toEqual([
      'Key key-1: on a desk as DESKTOP, through nats://127.0.0.1:4222; no Headroom is running on /default',
      "Key key-2: no desk; run 'headroom desk create' or 'headroom desk join'",
      'Key key-3: The saved desk is damaged. Leave it, then join again.',
    ])
    const json = await run({ action: 'status', flags: { json: true }, stored })
    expect(json.out.map((line) => JSON.parse(line))).toMatchObject([
      { profile: 'key-1', state: 'stopped', name: 'DESKTOP', servers: ['nats://127.0.0.1:4222'] },
      { profile: 'key-2', state: 'none' },
      { profile: 'key-3', state: 'lost', why: 'The saved desk is damaged. Leave it, then join again.' },
    ])
    for (const text of [...said.out, ...json.out])
      for (const secret of [membership.secret, 'CANARY']) expect(text).not.toContain(secret)
  })

  test('shows no control characters of another machine’s name', async () => {
    const [self, other] = summary.members
    if (self === undefined || other === undefined) throw new Error('two members')
    const members = [self, { ...other, name: 'BELL\u0007\u001b[2J' }]
    const said = await run({ action: 'status', running: [keyOf('key-1', { ...summary, members })] })
    expect(said.out.join('')).toContain('BELL')
    for (const character of '\u0007\u001b') expect(said.out.join('')).not.toContain(character)
  })
})
