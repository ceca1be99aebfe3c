import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Announcer } from '../../../../main/alerts/announcer.ts'
import type { WatchFlags } from '../../../../main/hosts/terminal/flags.ts'
import type { Screen } from '../../../../main/hosts/terminal/terminal.ts'
import { type WatchDeps, watch } from '../../../../main/hosts/terminal/watch-command.ts'
import type { WatchVault } from '../../../../main/hosts/terminal/watch-vault.ts'
import { DEFAULT_PROBES } from '../../../../main/ports/profile.ts'
import { PATIENT } from '../../../patient.ts'
import { NO_DESKS } from '../../desk/no-desks.ts'
import { simulatedKey } from '../../example-key.ts'
import { SteppedClock } from '../../stepped-clock.ts'
import { AT_MS, exampleSnapshot } from './example-snapshot.ts'
import { FakeMonitor } from './fake-monitor.ts'
import { type FakeTerminal, type FakeTerminalOptions, fakeTerminal } from './fake-terminal.ts'
import { NO_WATCH_DEPS } from './no-watch-deps.ts'

const SERVICE = {
  authUrl: 'https://signin.example.com',
  baseUrl: 'https://api.example.com',
  clientId: 'key',
} as const
const TOKEN = { HEADROOM_REFRESH_TOKEN: 'token-from-the-environment' }
const BUILT_IN = simulatedKey('http://127.0.0.1:1', {
  id: 'simulator',
  name: 'Built-in simulator',
  probes: DEFAULT_PROBES,
  streams: [{ kind: 'positions', target: 'SIM1001', options: {} }],
})
const line = z.object({ v: z.literal(1), type: z.string(), at: z.number(), kind: z.optional(z.string()) })

interface Watched {
  readonly clock: SteppedClock
  readonly monitor: FakeMonitor
  readonly terminal: FakeTerminal
  readonly exitCode: Promise<number>
  readonly builtIn: { closed: boolean }
}

async function watched(
  flags: WatchFlags,
  options: FakeTerminalOptions = {},
  others: Partial<WatchDeps> = {},
): Promise<Watched> {
  const clock = new SteppedClock(AT_MS)
  const monitor = new FakeMonitor(() => clock.wallMs())
  const terminal = fakeTerminal(options)
  const builtIn = { closed: false }
  const exitCode = watch(flags, {
    ...NO_WATCH_DEPS,
    terminal,
    clock,
    createMonitor: () => monitor,
    startBuiltIn: async () => ({
      profile: BUILT_IN,
      past: { headers: [], events: [] },
      close: async () => {
        builtIn.closed = true
      },
    }),
    ...others,
  })
  await Promise.resolve() // until the built-in simulator "runs"
  return { clock, monitor, terminal, exitCode, builtIn }
}

const snapshotTimes = ({ lines }: FakeTerminal) =>
  lines
    .map((text) => line.parse(JSON.parse(text)))
    .filter(({ type }) => type === 'snapshot')
    .map(({ at }) => at - AT_MS)

test('without a service it watches the built-in simulator, and closes it at the end', async () => {
  const { monitor, clock, exitCode, builtIn } = await watched({ for: 2, json: true })
  expect(monitor.connected).toEqual([BUILT_IN])
  clock.advance(2000)
  expect(await exitCode).toBe(0)
  expect(builtIn.closed).toBe(true)
  expect(monitor.stopped).toBe(true)
})

test('saved keys are never replaced by the simulator: one must be named', async () => {
  const mayHoldKeys = (folder: string) => folder === 'with-keys'
  const runIn = async (data: string) => {
    const { monitor, terminal, exitCode } = await watched({ data, json: true }, {}, { mayHoldKeys })
    terminal.stop()
    return { connected: monitor.connected, errors: terminal.errors, exitCode: await exitCode }
  }
  expect(await runIn('empty')).toEqual({ connected: [BUILT_IN], errors: [], exitCode: 0 })
  expect(await runIn('with-keys')).toEqual({
    connected: [],
    errors: [
      'name the saved key to watch: add --auth-url, --base-url and --client-id, and set HEADROOM_PASSPHRASE; ' +
        'for the simulator, leave out --data',
    ],
    exitCode: 2,
  })
})

test('a service comes from the flags, and its secrets from the environment', async () => {
  const stream = [{ kind: 'positions', target: 'A1', options: {} }] as const
  const environment = { ...TOKEN, HEADROOM_CLIENT_SECRET: 'secret-from-the-environment' }
  const { monitor, terminal, exitCode } = await watched({ ...SERVICE, stream, json: true }, { environment })
  expect(monitor.connected).toMatchObject([
    {
      ...SERVICE,
      environment: 'custom',
      refreshToken: TOKEN.HEADROOM_REFRESH_TOKEN,
      clientSecret: 'secret-from-the-environment',
      probes: DEFAULT_PROBES,
      streams: stream,
    },
  ])
  terminal.stop()
  expect(await exitCode).toBe(0)
  expect([...terminal.lines, ...terminal.errors].join()).not.toContain('from-the-environment')
})

test('if a key may be encrypted, the missing passphrase is named', async () => {
  const { terminal, exitCode } = await watched({ ...SERVICE, data: '/not/opened' })
  expect(await exitCode).toBe(3)
  expect(terminal.errors).toEqual([
    expect.stringMatching(/^set HEADROOM_PASSPHRASE to open the key in --data/),
  ])
})

test('a secret read from a file with a line end is sent without it', async () => {
  const environment = { HEADROOM_REFRESH_TOKEN: 'a-token\r\n', HEADROOM_CLIENT_SECRET: ' a-secret ' }
  const { monitor, terminal, exitCode } = await watched({ ...SERVICE }, { environment })
  expect(monitor.connected).toMatchObject([{ refreshToken: 'a-token', clientSecret: 'a-secret' }])
  terminal.stop()
  expect(await exitCode).toBe(0)
})

test('the last state shown before an exit is the state it exits in', async () => {
  const { clock, monitor, terminal, exitCode } = await watched({ json: true })
  clock.advance(100)
  monitor.change()
  const shown = snapshotTimes(terminal).length
  clock.advance(50)
  monitor.tell({ kind: 'sign-in-required', reason: 'the refresh token was refused' })
  expect(await exitCode).toBe(3)
  expect(snapshotTimes(terminal).slice(shown)).toEqual([150])
})

test('the checks’ symbol and the retry of a 429 are added to the usual checks', async () => {
  const { monitor, terminal, exitCode } = await watched({ probeSymbol: 'AAPL', trialAfterStep: true })
  const [profile] = monitor.connected
  expect(profile?.probes).toMatchObject({ symbol: 'AAPL', trialAfterStep: true })
  expect(profile?.probes.budgetFraction).toBeGreaterThan(0)
  terminal.stop()
  expect(await exitCode).toBe(0)
})

test('checks and streams named on the command line replace those of the built-in simulator', async () => {
  const probe = { budgetFraction: 0, everySeconds: {} }
  const stream = [{ kind: 'quotes', target: 'MSFT', options: {} }] as const
  const { monitor, terminal, exitCode } = await watched({ probe, stream })
  expect(monitor.connected[0]).toMatchObject({ probes: probe, streams: stream })
  terminal.stop()
  await exitCode
})

test('a quiet service still gives a snapshot at least once a second', async () => {
  const { clock, terminal, exitCode } = await watched({ for: 5, json: true })
  clock.advance(5000)
  await exitCode
  const times = snapshotTimes(terminal)
  expect(times[0]).toBe(0)
  for (const [index, time] of times.entries())
    expect(time - (times[index - 1] ?? 0)).toBeLessThanOrEqual(1000)
  expect(times.at(-1)).toBeGreaterThanOrEqual(4000)
})

test('the first change after quiet is shown at once, and the next one 250 ms later', async () => {
  const { clock, monitor, terminal, exitCode } = await watched({ json: true })
  clock.advance(400)
  const before = snapshotTimes(terminal).length
  monitor.change()
  clock.advance(0)
  monitor.change()
  clock.advance(250)
  expect(snapshotTimes(terminal).slice(before)).toEqual([400, 650])
  terminal.stop()
  await exitCode
})

test('--every spaces snapshots out and --events omits them; each event stays', async () => {
  for (const [flags, times] of [
    [{ every: 30 }, [0, 30_600, 60_300, 90_000]],
    [{ events: true }, []],
  ] as const) {
    const { clock, monitor, terminal, exitCode } = await watched({ for: 120, json: true, ...flags })
    monitor.tell({ kind: 'revoked' })
    clock.advance(50_000)
    monitor.tell({ kind: 'service-back', host: 'api.example.com' })
    clock.advance(70_000)
    expect(await exitCode).toBe(0)
    expect(snapshotTimes(terminal)).toEqual(times)
    const events = terminal.lines.map((text) => line.parse(JSON.parse(text))).filter(({ kind }) => kind)
    expect(events).toMatchObject([
      { v: 1, kind: 'revoked' },
      { v: 1, kind: 'service-back' },
    ])
  }
})

test('the last state is written even if --every delays it', async () => {
  const { clock, monitor, terminal, exitCode } = await watched({ json: true, every: 3_600 })
  clock.advance(5_000)
  monitor.tell({ kind: 'sign-in-required', reason: 'the refresh token was refused' })
  expect(await exitCode).toBe(3)
  expect(snapshotTimes(terminal)).toEqual([0, 5_000])
})

test.each([
  [{ every: 5 }, '--every needs --json'],
  [{ events: true, changes: true }, '--events and --changes need --json'],
  [{ json: true, events: true, every: 5 }, '--events writes no snapshots: leave out --every'],
] as const)('options for missing lines are an error: %j', async (flags, what) => {
  const { terminal, exitCode } = await watched(flags)
  expect(await exitCode).toBe(2)
  expect(terminal.errors).toEqual([what])
})

test('every event is its own line', async () => {
  const { monitor, terminal, exitCode } = await watched({ json: true })
  monitor.tell({ kind: 'service-unreachable', host: 'api.example.com' })
  monitor.tell({ kind: 'service-back', host: 'api.example.com' })
  terminal.stop()
  expect(await exitCode).toBe(0)
  const kinds = terminal.lines.map((text) => line.parse(JSON.parse(text)).kind).filter(Boolean)
  expect(kinds).toEqual(['service-unreachable', 'service-back'])
})

test('an unreachable service does not end it', async () => {
  const { clock, monitor, exitCode } = await watched(
    { ...SERVICE, for: 60, json: true },
    { environment: TOKEN },
  )
  monitor.tell({ kind: 'token-refresh-failed', outcome: 'not-sent', retryAt: AT_MS + 1000 })
  monitor.tell({ kind: 'service-unreachable', host: 'api.example.com' })
  clock.advance(60_000)
  expect(await exitCode).toBe(0)
})

test('a required sign-in ends it with exit 3 and one line', async () => {
  const { monitor, terminal, exitCode } = await watched({ ...SERVICE, json: true }, { environment: TOKEN })
  monitor.tell({ kind: 'sign-in-required', reason: 'the refresh token was refused' })
  expect(await exitCode).toBe(3)
  expect(terminal.errors).toEqual(['sign in again: the refresh token was refused'])
})

test('a client that the service rejects ends it with exit 3 and one line', async () => {
  const { monitor, terminal, exitCode } = await watched({ ...SERVICE, json: true }, { environment: TOKEN })
  monitor.tell({ kind: 'token-refresh-failed', outcome: 'misconfigured' })
  monitor.tell({ kind: 'sign-in-required', reason: 'the service rejected this API key or secret' })
  expect(await exitCode).toBe(3)
  expect(terminal.errors).toHaveLength(1)
  expect(terminal.errors[0]).toContain('--client-id')
})

test('a rotated token in memory only is reported once', async () => {
  const { monitor, terminal, exitCode } = await watched({ ...SERVICE, json: true }, { environment: TOKEN })
  monitor.tell({ kind: 'token-refreshed', rotated: false, expiresAt: AT_MS })
  expect(terminal.errors).toEqual([])
  monitor.tell({ kind: 'token-refreshed', rotated: true, expiresAt: AT_MS })
  monitor.tell({ kind: 'token-refreshed', rotated: true, expiresAt: AT_MS })
  expect(terminal.errors).toEqual([expect.stringContaining('in memory only')])
  terminal.stop()
  await exitCode
})

test('a closed reader ends it quietly, and nothing is left behind', async () => {
  const { clock, monitor, terminal, exitCode } = await watched({ json: true })
  terminal.closeOutput()
  expect(await exitCode).toBe(0)
  expect(terminal.errors).toEqual([])
  expect(monitor.listening).toBe(0)
  expect(clock.pending).toBe(0)
})

test('output that cannot be written ends it with exit 1 and one line', async () => {
  const { monitor, terminal, exitCode } = await watched({ json: true })
  terminal.failOutput('stdout cannot be written: the disk is full')
  expect(await exitCode).toBe(1)
  expect(terminal.errors).toEqual(['stdout cannot be written: the disk is full'])
  expect(monitor.listening).toBe(0)
})

test('for a stalled reader only the newest snapshot and the latest events are queued', async () => {
  const { clock, monitor, terminal, exitCode } = await watched({ json: true })
  terminal.lag()
  clock.advance(10_000)
  const before = terminal.lines.length
  for (let n = 0; n < 3_000; n += 1) monitor.tell({ kind: 'service-back', host: `api-${n}.example.com` })
  clock.advance(3_600_000)
  expect(terminal.lines.length).toBe(before)
  terminal.read()
  const written = terminal.lines.slice(before).map((text) => line.parse(JSON.parse(text)))
  expect(written.length).toBe(1_001)
  expect(written.at(-1)).toMatchObject({ type: 'snapshot', at: AT_MS + 3_610_000 - ((3_610_000 - 0) % 900) })
  expect(terminal.errors).toEqual([expect.stringContaining('skipped 2000 lines')])
  terminal.stop()
  expect(await exitCode).toBe(0)
})

test('only a vault that a person has to repair ends it with exit 3', async () => {
  const environment = { ...TOKEN, HEADROOM_PASSPHRASE: 'words' }
  for (const [needsPerson, code] of [
    [true, 3],
    [false, 1],
  ] as const) {
    const openVault = async () => ({ kind: 'failed', line: 'why', needsPerson }) as const
    const { terminal, exitCode } = await watched({ ...SERVICE, data: 'd' }, { environment }, { openVault })
    expect(await exitCode).toBe(code)
    expect(terminal.errors).toEqual(['why'])
  }
})

test('a sign-in that was revoked in an earlier run ends it with exit 3, and asks for a new token', async () => {
  const monitor = new FakeMonitor(() => AT_MS)
  const refresh = { ...exampleSnapshot().refresh, state: 'revoked' } as const
  monitor.snapshot = () => exampleSnapshot({ refresh })
  const saved = { ok: true } as const
  const vault: WatchVault = {
    monitor,
    dataFolder: '/data',
    notices: [],
    connect: () => 'key-1',
    desks: { desk: () => ({ kind: 'none' }), keepDesk: () => saved, forgetDesk: () => saved },
    isGone: () => false,
    keysFor: () => [],
    close: async () => {},
  }
  const { terminal, exitCode } = await watched(
    { ...SERVICE, data: 'd' },
    { environment: { ...TOKEN, HEADROOM_PASSPHRASE: 'words' } },
    {
      openVault: async () => ({ kind: 'open', vault }),
      createDesks: () => ({ ...NO_DESKS, follow: () => {}, stop: async () => {} }),
    },
  )
  expect(await exitCode).toBe(3)
  expect(terminal.errors).toEqual([
    'sign in again: the tokens of this key were revoked. Put a new refresh token in HEADROOM_REFRESH_TOKEN',
  ])
})

test.each([
  [{ authUrl: SERVICE.authUrl }, '--base-url and --client-id are missing'],
  [{ authUrl: SERVICE.authUrl, baseUrl: SERVICE.baseUrl }, '--client-id is missing'],
  [{ baseUrl: SERVICE.baseUrl, clientId: 'key' }, '--auth-url is missing'],
])('an incomplete service ends in exit 2: %j', async (flags, what) => {
  const { terminal, exitCode } = await watched(flags, { environment: TOKEN })
  expect(await exitCode).toBe(2)
  expect(terminal.errors).toEqual([expect.stringContaining(what)])
})

test('a service without a refresh token ends in exit 3 and says where to put one', async () => {
  const { terminal, exitCode } = await watched(SERVICE)
  expect(await exitCode).toBe(3)
  expect(terminal.errors).toEqual([expect.stringContaining('HEADROOM_REFRESH_TOKEN')])
})

test('without a screen the table is printed every few seconds, and events as lines', async () => {
  const { clock, monitor, terminal, exitCode } = await watched({ for: 11 })
  monitor.tell({ kind: 'revoked' })
  clock.advance(11_000)
  await exitCode
  expect(terminal.lines.filter((text) => text.includes('CATEGORY'))).toHaveLength(3)
  expect(
    terminal.lines.filter((text) => text.endsWith('Tokens revoked · confirmed by the service')),
  ).toHaveLength(1)
})

test('an alert rings the bell and is printed among the lines, but not in JSON', async () => {
  for (const json of [undefined, true] as const) {
    let announcer: Announcer | undefined
    let closed = false
    const { terminal, exitCode } = await watched(
      { for: 10, ...(json && { json }) },
      {},
      {
        recordHistory: (monitor, given, ...rest) => {
          announcer = given
          return {
            ...NO_WATCH_DEPS.recordHistory(monitor, given, ...rest),
            close: async () => {
              closed = true
            },
          }
        },
      },
    )
    await vi.waitFor(() => expect(announcer).toBeDefined(), PATIENT)
    announcer?.announce({ id: 'a', severity: 'critical', title: 'Accounts is blocked', body: 'Wait.' })
    expect(terminal.rings).toBe(1)
    expect(terminal.lines.some((text) => text.includes('! Accounts is blocked'))).toBe(json !== true)
    terminal.stop()
    expect(await exitCode).toBe(0)
    expect(closed).toBe(true)
  }
})

test('metrics require their bearer, and a taken port is exit 1 and one line', async () => {
  const without = await watched({ metricsPort: 0 })
  expect(await without.exitCode).toBe(3)
  expect(without.terminal.errors).toEqual([expect.stringContaining('--metrics-port')])
  const environment = { HEADROOM_METRICS_TOKEN: 'a-bearer-of-this-test' }
  const taken = await watched({ metricsPort: 1 }, { environment })
  expect(await taken.exitCode).toBe(1)
  expect(taken.terminal.errors).toEqual(['no metrics here'])
  // Nothing was asked of the service before.
  expect(taken.monitor.connected).toEqual([])
  let closed = false
  const close = async () => {
    closed = true
  }
  const served = await watched(
    { metricsPort: 0 },
    { environment },
    {
      serveMetrics: async () => ({ kind: 'serving', url: 'http://127.0.0.1:9/metrics', close }),
    },
  )
  await vi.waitFor(() => expect(served.terminal.errors).toHaveLength(1), PATIENT)
  served.terminal.stop()
  expect(await served.exitCode).toBe(0)
  expect(closed).toBe(true)
})

test('q quits a live table, and keys are no longer read then', async () => {
  const screen: Screen = {
    columns: () => 80,
    rows: () => 24,
    colour: false,
    draw: () => {},
    keep: () => {},
    onResize: () => () => {},
  }
  const { terminal, exitCode, monitor } = await watched({}, { screen })
  expect(terminal.keyListeners).toBe(1)
  terminal.press('?')
  terminal.press('q')
  expect(await exitCode).toBe(0)
  expect(monitor.stopped).toBe(true)
  expect(terminal.keyListeners).toBe(0)
})

test('JSON lines read no keys, so that a person can type on', async () => {
  const screen = { columns: () => 80, rows: () => 24, colour: false } as unknown as Screen
  const { terminal, exitCode } = await watched({ json: true }, { screen })
  expect(terminal.keyListeners).toBe(0)
  terminal.stop()
  expect(await exitCode).toBe(0)
})
