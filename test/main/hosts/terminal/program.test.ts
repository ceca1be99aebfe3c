import { describe, expect, test } from 'vitest'
import * as tables from '../../../../main/hosts/terminal/flags.ts'
import { runProgram } from '../../../../main/hosts/terminal/program.ts'
import { commandsOf } from './commands-of.ts'

interface Run {
  readonly exitCode: number
  readonly calls: readonly (readonly [string, unknown])[]
  readonly out: string
  readonly errors: readonly string[]
}

async function run(args: readonly string[], exitCode = 0): Promise<Run> {
  const calls: (readonly [string, unknown])[] = []
  const errors: string[] = []
  let out = ''
  const record = (name: string) => async (flags: unknown) => {
    calls.push([name, flags])
    return exitCode
  }
  const ended = await runProgram(args, {
    version: '1.2.3',
    commands: commandsOf(record),
    out: (text) => {
      out += text
    },
    error: (line) => errors.push(line),
  })
  return { exitCode: ended, calls, out, errors }
}

test('no command starts the app with its defaults', async () => {
  const { calls } = await run([])
  expect(calls).toEqual([['start', { host: 'auto', port: 4780, open: true, link: true }]])
})

test('flags without a command are those of start', async () => {
  const { calls } = await run([
    '--host',
    'browser',
    '--port',
    '0',
    '--no-open',
    '--no-link',
    '--simulate',
    '--data',
    'd',
  ])
  expect(calls).toEqual([
    ['start', { host: 'browser', port: 0, open: false, link: false, simulate: true, data: 'd' }],
  ])
})

test('the exit code of a command is the exit code of the program', async () => {
  expect((await run(['watch'], 1)).exitCode).toBe(1)
})

test('the simulator has the documented defaults', async () => {
  const { calls } = await run(['simulate'])
  expect(calls[0]?.[1]).toEqual({
    port: 4790,
    clientId: 'sim-key',
    refreshToken: 'sim-refresh',
    keys: 'default',
    refreshExpiry: 1800,
    rotationOverlap: 0,
    absoluteLifetime: 86_400,
    accessLifetime: 1200,
    table: 'current',
    window: 'rolling',
    errors: 'current',
    revokeField: 'either',
    heartbeat: 5,
    streamRate: 2,
  })
})

test('repeatable flags keep their order', async () => {
  const { calls } = await run(['simulate', '--fault', 'goaway-v2', '--fault', 'refresh-503:2'])
  expect(calls[0]?.[1]).toMatchObject({ fault: ['goaway-v2', 'refresh-503:2'] })
})

test.each([
  [['--port', '99999'], '--port', '65535'],
  [['--port', 'abc'], '--port', 'whole number'],
  [['start', '--port'], '--port', 'needs a value'],
  [['--host', 'tv'], '--host', 'auto, desktop, browser'],
  [['--data', ''], '--data', 'some text'],
  [['--data', '--simulate'], '--data', 'some text'],
  [['--nope'], '--nope', '--help'],
  [['watch', '--for', '-1'], '--for', 'seconds above 0'],
  [['watch', '--for'], '--for', 'needs a value'],
  [['watch', '--stream', 'foo:bar'], '--stream', 'positions'],
  [['watch', '--probe', 'Nope=3'], '--probe', 'Accounts'],
  [['watch', '--probe-symbol', '../accounts'], '--probe-symbol', 'MSFT'],
  [['watch', '--auth-url', 'http://example.com'], '--auth-url', 'https://'],
  [['watch', '--json=1'], '--json', 'takes no value'],
  [['simulate', '--data', 'd'], '--data', '--help'],
  [['revoke', '--base-url', 'x'], '--base-url', 'https://'],
  [['revoke', '--json'], '--json', '--help'],
  [['status', '--port', '1'], '--port', '--help'],
  [['start', '--metrics-port', 'x'], '--metrics-port', '65535'],
  [['watch', '--metrics-port', '70000'], '--metrics-port', '65535'],
  [['simulate', '--traffic', 'nonsense=1'], '--traffic', 'Positions'],
  [['simulate', '--traffic', 'Positions=1@300/120'], '--traffic', '@120/300'],
  [['simulate', '--fault', 'nope'], '--fault', 'simulate --help'],
  [['simulate', '--keys', 'rotten'], '--keys', 'default, rotating'],
  [['simulate', '--heartbeat', '0'], '--heartbeat', 'from 0.05'],
  [['simulate', '--stream-rate', '-2'], '--stream-rate', 'messages per second'],
])('%j ends in exit 2 and one line that names the flag', async (args, flag, what) => {
  const { exitCode, errors, calls, out } = await run(args)
  expect(exitCode).toBe(2)
  expect(errors).toHaveLength(1)
  expect(errors[0]).toContain(flag)
  expect(errors[0]).toContain(what)
  expect(errors[0]).not.toContain('\n')
  expect(calls).toEqual([])
  expect(out).toBe('')
})

describe('headroom desk', () => {
  const WORD = 'headroom-desk-1.eyJDQU5BUlkiOjF9.abcdefgh'

  test('takes an action and its flags', async () => {
    const { calls } = await run([
      ...['desk', 'create', '--server', 'nats://one:4222', '--server', 'nats://two:4222'],
      ...['--tls-ca', 'ca.pem', '--name', 'TOWER', '--profile', 'key-1', '--data', 'd'],
    ])
    const server = ['nats://one:4222', 'nats://two:4222']
    const flags = { server, tlsCa: 'ca.pem', name: 'TOWER', profile: 'key-1', data: 'd' }
    expect(calls).toEqual([['desk', { action: 'create', ...flags }]])
    for (const action of ['join', 'leave', 'rotate', 'status', 'invite'])
      expect((await run(['desk', action])).calls).toEqual([['desk', { action }]])
    expect((await run(['desk', 'status', '--json'])).calls).toEqual([
      ['desk', { action: 'status', json: true }],
    ])
    expect((await run(['desk', 'invite', '--yes'])).calls).toEqual([
      ['desk', { action: 'invite', yes: true }],
    ])
  })

  test.each([
    [['desk', 'join', WORD]],
    [['desk', 'join', '--name', WORD]],
    [['desk', 'join', `--invitation=${WORD}`]],
    [['desk', 'status', '--data', `x ${WORD.toUpperCase()}`]],
    [[WORD]],
    [['desk', 'join', 'headroom-desk-7.other']],
  ])('refuses an invitation among its arguments without printing it: %#', async (args) => {
    const { exitCode, errors, calls, out } = await run(args)
    expect({ exitCode, calls, out }).toEqual({ exitCode: 2, calls: [], out: '' })
    expect(errors).toEqual([
      expect.stringMatching(/^an invitation is a secret, .* when headroom desk join asks$/),
    ])
    expect(errors.join()).not.toMatch(/desk-\d/)
  })

  test('takes a folder whose name only resembles an invitation', async () => {
    expect((await run(['desk', 'status', '--data', '/tmp/headroom-desk-test'])).calls).toHaveLength(1)
  })

  test.each([
    [['desk'], 'action'],
    [['desk', 'close'], 'create, invite, join, status, leave, rotate'],
    [['desk', 'join', 'x'], 'too many arguments'],
    [['desk', 'create', '--server', `nats://me:hunter2@${'x'.repeat(300)}`], '--server'],
    [['desk', 'create', '--name', 'x'.repeat(41)], '--name'],
    [['desk', 'create', '--tls-ca', ''], '--tls-ca'],
  ])('%# ends in exit 2 and one line', async (args, what) => {
    const { exitCode, errors, calls } = await run(args)
    expect({ exitCode, calls }).toEqual({ exitCode: 2, calls: [] })
    expect(errors).toEqual([expect.stringContaining(what)])
    expect(errors.join()).not.toContain('hunter2')
  })

  test('--help says where its secrets come from', async () => {
    const { exitCode, out } = await run(['desk', '--help'])
    expect(exitCode).toBe(0)
    for (const name of ['HEADROOM_DESK_INVITATION', 'HEADROOM_DESK_CREDENTIALS', 'HEADROOM_PASSPHRASE'])
      expect(out).toContain(name)
  })
})

test('a password in an address is not repeated', async () => {
  for (const flag of ['--auth-url', '--base-url'])
    for (const address of [
      'http://me:hunter2@example.com',
      "https://me:h'@hunter2@example.com",
      'me:hunter2@x',
    ]) {
      const { exitCode, errors } = await run(['watch', flag, address])
      expect(exitCode).toBe(2)
      expect(errors).toEqual([
        expect.stringMatching(`^option '${flag} <url>' argument is invalid. Expected https`),
      ])
    }
})

test('a secret given to an unknown flag is not repeated', async () => {
  for (const args of [
    ['watch', '--refresh-token=hunter2'],
    ['watch', '--client-secret', 'hunter2'],
    ['revoke', 'hunter2'],
    ['hunter2'],
  ]) {
    const { exitCode, errors } = await run(args)
    expect(exitCode).toBe(2)
    expect(errors).toHaveLength(1)
    expect(errors[0]).not.toContain('hunter2')
  }
})

test('every command has help, and simulate lists its faults', async () => {
  for (const command of ['start', 'watch', 'status', 'simulate', 'revoke']) {
    const { exitCode, out, calls } = await run([command, '--help'])
    expect(exitCode).toBe(0)
    expect(out).toContain(`Usage: headroom ${command}`)
    expect(calls).toEqual([])
  }
  expect((await run(['simulate', '--help'])).out).toContain('lost-refresh-response')
  expect((await run(['--help'])).out).toContain('watch')
})

test('a plan takes one file, and a length of time for recorded use', async () => {
  const { calls } = await run(['plan', 'mine.json', '--json', '--exit-code', '--from-history', '24h'])
  const flags = { file: 'mine.json', json: true, exitCode: true, fromHistory: 86_400_000 }
  expect(calls).toEqual([['plan', flags]])
  const usage = await run(['plan', '--from-history', 'yesterday'])
  expect(usage).toMatchObject({ exitCode: 2, calls: [] })
  expect(usage.errors.join()).toContain('a duration such as 90m, 24h or 7d')
  expect((await run(['plan', 'a.json', 'b.json'])).errors).toEqual([
    'too many arguments; see headroom plan --help',
  ])
})

test.each([
  [['gateway'], ['gateway', { turn: undefined }]],
  [
    ['gateway', 'status'],
    ['gateway', { turn: 'status' }],
  ],
  [
    ['gateway', '--port', '0', '--reserve', 'positions=20', '--json', '--for', '9'],
    ['gateway', { turn: undefined, port: 0, reserve: { Positions: 20 }, json: true, for: 9 }],
  ],
  [
    ['gateway', 'on', '--port', '0'],
    ['gateway', { turn: 'on', port: 0 }],
  ],
  [
    ['program', 'add', 'My bot', '--class', 'critical', '--weight', '2.5'],
    ['program', { action: 'add', name: 'My bot', class: 'critical', weight: 2.5 }],
  ],
  [
    ['program', 'add', 'bot', '--orders', '--max-orders', '10000'],
    ['program', { action: 'add', name: 'bot', orders: true, maxOrders: 10_000 }],
  ],
  [
    ['program', 'list', '--json'],
    ['program', { action: 'list', name: undefined, json: true }],
  ],
  [
    ['orders', 'status', '--json', '--data', 'd'],
    ['orders', { action: 'status', id: undefined, json: true, data: 'd' }],
  ],
  [
    ['orders', 'allow', '--profile', 'key-2', '--yes'],
    ['orders', { action: 'allow', id: undefined, profile: 'key-2', yes: true }],
  ],
  [
    ['orders', 'dismiss', '17'],
    ['orders', { action: 'dismiss', id: '17' }],
  ],
])('%j is accepted', async (args, call) => {
  expect(await run(args)).toEqual({ exitCode: 0, calls: [call], out: '', errors: [] })
})

test.each([
  [['gateway', 'maybe'], /^invalid turn 'maybe'\. Expected one of on, off, status\.$/],
  [['gateway', '--reserve', 'Positions=-1'], /'--reserve <list>'.*from 0 to 10000 for Positions/],
  [['gateway', '--reserve', 'Order Stream=1'], /'--reserve <list>'.*not "Order Stream"/],
  [['gateway', 'on', '--port', '70000'], /'--port <port>'.*from 0 to 65535/],
  [['gateway', 'on', 'now'], /^too many arguments; see headroom gateway --help$/],
  [['watch', 'MSFT'], /^unexpected argument; watch takes flags only; see headroom watch --help$/],
  [['orders', 'maybe'], /^invalid action 'maybe'\. Expected one of status, allow, stop, dismiss\.$/],
  [['program'], /^give the action: add, list, cut, pause or resume; see headroom program --help$/],
  [['program', 'add', 'a/b'], /^invalid name 'a\/b'\. Expected a name of up to 40/],
  [['program', 'add', 'a', '--class', 'urgent'], /'--class <class>'.*critical, normal, background/],
  [['program', 'add', 'a', '--orders', '--max-orders', '0'], /'--max-orders <number>'.*from 1 to 10000/],
  [['program', 'add', 'a', '--orders', '--max-orders', '10001'], /'--max-orders <number>'/],
  [['program', 'add', 'a', '--orders', '--max-orders', '1.5'], /'--max-orders <number>'/],
  [['program', 'add', 'a', '--weight', '0'], /'--weight <number>'.*from 0.01 to 100/],
])('%j is one line that names the problem, and exit 2', async (args, line) => {
  const { exitCode, errors, calls } = await run(args)
  expect(exitCode).toBe(2)
  expect(calls).toEqual([])
  expect(errors).toEqual([expect.stringMatching(line)])
})

test('--version prints the version alone', async () => {
  expect(await run(['--version'])).toMatchObject({ exitCode: 0, out: '1.2.3\n', errors: [] })
})

test('an exception in a command is a bug and not a usage error', async () => {
  const broken = async () => {
    throw new Error('broken')
  }
  const ports = { version: '1', commands: commandsOf(() => broken), out: () => {}, error: () => {} }
  await expect(runProgram(['watch'], ports)).rejects.toThrow('broken')
})

test.each([
  ['simulator', 'simulate'],
  ['watc', 'watch'],
])('headroom %s suggests headroom %s, and runs nothing', async (word, meant) => {
  const { exitCode, errors, calls } = await run([word])
  expect(exitCode).toBe(2)
  expect(errors).toEqual([expect.stringMatching(`^did you mean 'headroom ${meant}'\\? commands:`)])
  expect(calls).toEqual([])
})

test('a flag with a typo gets a suggestion', async () => {
  const { errors } = await run(['watch', '--jsn'])
  expect(errors).toEqual([expect.stringContaining("did you mean '--json'?")])
})

test('each flag is parsed under the name that its type has', () => {
  const flags = Object.values(tables).flatMap((table) => Object.entries(table))
  expect(flags.filter(([name, { option }]) => option.attributeName() !== name)).toEqual([])
})
