import { expect, test } from 'vitest'
import type { OrdersSummary } from '../../../../app/contract/orders.ts'
import type { Severity } from '../../../../app/contract/severity.ts'
import type { Snapshot } from '../../../../app/contract/snapshot.ts'
import { ordersStatus } from '../../../../app/status/orders-status.ts'
import type { ControlAnswer, ControlRequest } from '../../../../main/control/protocol.ts'
import { orders } from '../../../../main/hosts/terminal/orders-command.ts'
import type { OrdersAction, OrdersFlags } from '../../../../main/hosts/terminal/program-flags.ts'
import { AT_MS, exampleProgram, exampleSnapshot } from './example-snapshot.ts'
import { type FakeTerminalOptions, fakeTerminal } from './fake-terminal.ts'

/** Also true for a key that was never allowed to send orders. */
const PASSES_NONE = 'no orders are sent until you run headroom orders allow'
const LEAVES = 'Stopping keeps the Trade scope and cancels nothing at the broker.'

interface Case {
  readonly action: OrdersAction
  readonly id?: string | undefined
  readonly flags?: OrdersFlags
  readonly terminal?: FakeTerminalOptions
  readonly snapshots?: readonly Snapshot[]
  /** The app's answers to requests other than `status`, in order. */
  readonly answers?: readonly ControlAnswer[]
}

async function run({ action, id, flags = {}, terminal: options, snapshots, answers = [] }: Case) {
  const terminal = fakeTerminal(options)
  const asked: ControlRequest[] = []
  const stored: unknown[] = []
  const zonesOf: string[] = []
  const left = [...answers]
  const exitCode = await orders({ action, id }, flags, {
    terminal,
    defaultDataFolder: () => '/default',
    askRunning: async (_, request) => {
      if (request.do === 'status')
        return { kind: 'answered', answer: { ok: true, snapshots: snapshots ?? [exampleSnapshot()] } }
      asked.push(request)
      const answer = left.shift()
      return answer === undefined ? { kind: 'not-running' } : { kind: 'answered', answer }
    },
    stopStored: async (folder, profile) => {
      stored.push([folder, profile])
      return { ok: true, stopped: true }
    },
    showTimesOf: (folder) => void zonesOf.push(folder),
  })
  return {
    exitCode,
    asked,
    stored,
    zonesOf,
    out: terminal.lines,
    errors: terminal.errors,
    questions: terminal.questions,
  }
}

function of(summary: OrdersSummary | undefined, more: Partial<Snapshot> = {}): Snapshot {
  const { orders: _, ...snapshot } = exampleSnapshot()
  return { ...snapshot, ...(summary && { orders: summary }), ...more }
}

const said = async (summary: OrdersSummary | undefined) =>
  (await run({ action: 'status', snapshots: [of(summary)] })).out.join('\n')

const unknown: OrdersSummary['unknown'] = [
  { id: '17', program: 'bot', at: 1, kind: 'order', accountEnding: '001', state: 'looking' },
]

test.each<[OrdersSummary | undefined, string]>([
  [undefined, 'orders are off'],
  [{ state: 'off', today: 0, unknown: [] }, 'orders are off'],
  [{ state: 'on', today: 12, unknown: [] }, 'orders are allowed, 12 today'],
  [{ state: 'on', today: 1, unknown }, 'orders are allowed, 1 today, 1 outcome unknown'],
  [{ state: 'stopped', why: 'by you', today: 0, unknown: [] }, 'orders are stopped: by you, 0 today'],
  [
    { state: 'failed', why: 'disk full', today: 3, unknown },
    'stopped: disk full, 3 today, 1 outcome unknown',
  ],
])('%j is said as: %s', async (summary, words) => {
  expect(await said(summary)).toContain(words)
})

test.each<[OrdersSummary['state'], readonly ('looking' | 'found')[], string, Severity]>([
  ['on', ['found'], 'orders are allowed, 1 today, 1 order found', 'warning'],
  ['off', ['found', 'found'], 'orders are off, 2 orders found', 'warning'],
  ['failed', ['found'], 'orders are stopped, 1 today, 1 order found', 'critical'],
  ['on', ['looking', 'found'], 'orders are allowed, 1 today, 1 outcome unknown, 1 order found', 'critical'],
])('a found order has no unknown outcome: %s, %j', (state, states, text, severity) => {
  const orders = states.map((one) => ({ ...unknown[0], state: one })) as OrdersSummary['unknown']
  expect(ordersStatus({ state, today: 1, unknown: orders })).toEqual({ text, severity })
})

test('status of a key that isn’t connected fails, and names the keys', async () => {
  const { exitCode, out, errors } = await run({
    action: 'status',
    flags: { profile: 'b' },
    snapshots: [of(undefined)],
  })
  expect([exitCode, out]).toEqual([1, []])
  expect(errors).toEqual([expect.stringContaining("the running Headroom has no key 'b'; choose one of: ")])
})

test.each([
  ['looking', undefined, 'looking it up'],
  ['found', '9001', 'found, ID 9001'],
  ['not-found', undefined, 'not found after 60 s'],
  ['ambiguous', undefined, 'unclear: check your broker'],
] as const)('an order that is %s is listed with its ID and: %s %s', async (state, orderId, words) => {
  const one = { ...unknown[0], state, ...(orderId && { orderId }) } as OrdersSummary['unknown'][number]
  const text = await said({ state: 'on', today: 1, unknown: [one] })
  expect(text).toMatch(new RegExp(`^ {2}17 .* bot .*…001 +${words}$`, 'm'))
})

test('an unknown order of an earlier day has its day, in the zone of the data folder', async () => {
  const one = { ...unknown[0], at: AT_MS - 2 * 86_400_000 } as OrdersSummary['unknown'][number]
  const snapshots = [of({ state: 'on', today: 1, unknown: [one] })]
  const { out, zonesOf } = await run({ action: 'status', flags: { data: '/other' }, snapshots })
  expect(out.join('\n')).toMatch(/^ {2}17 {2}(?:Fri|Sat|Sun) \d\d:\d\d:00 {2}bot/m)
  expect(zonesOf).toEqual(['/other'])
})

test.each([false, true])('no control character of an order reaches the terminal (json: %s)', async (json) => {
  const one = { ...unknown[0], state: 'found', accountEnding: 'z\u001bc', orderId: '9\u202e\u009b1' } as const
  const orders = { state: 'on', today: 1, unknown: [one] } as OrdersSummary
  const { out } = await run({ action: 'status', flags: json ? { json } : {}, snapshots: [of(orders)] })
  expect(out.join('')).toContain('17')
  expect(out.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('the second switch is listed: the programs that may send orders, and how many', async () => {
  const programs = [exampleProgram('bot', { maxOrders: 30 }), exampleProgram('notes')]
  const summary = { state: 'on', today: 1, unknown } as const
  const { out } = await run({ action: 'status', snapshots: [of(summary, { programs })] })
  expect(out[1]).toBe('  programs: bot (30/min)')
  const json = await run({ action: 'status', flags: { json: true }, snapshots: [of(summary, { programs })] })
  expect(json.out.map((line) => JSON.parse(line))).toEqual([
    {
      v: 1,
      type: 'orders',
      profile: exampleSnapshot().profile.id,
      state: 'on',
      today: 1,
      unknown,
      programs: { bot: 30 },
    },
  ])
  expect(await said(summary)).toContain('no program may send orders')
})

test('without a running Headroom it fails', async () => {
  const terminal = fakeTerminal()
  const deps = {
    terminal,
    defaultDataFolder: () => '/d',
    askRunning: async () => ({ kind: 'not-running' }) as const,
    stopStored: () => Promise.reject(new Error('not asked for')),
    showTimesOf: () => {},
  }
  expect(await orders({ action: 'status', id: undefined }, {}, deps)).toBe(1)
  expect(terminal.errors).toEqual(['no Headroom is running on /d; start it with headroom start'])
})

const STARTED = {
  ok: true,
  signIn: 's1',
  url: 'https://signin.test/authorize?state=x',
  opened: false,
} as const
const live: Partial<Snapshot> = {
  profile: { id: 'key-1', name: 'Main key', environment: 'live' },
}
const ALLOWED = { ok: true, allowed: 'key-1' } as const

test('allow signs in again, prints where, and waits for its end', async () => {
  const { exitCode, asked, out, errors } = await run({
    action: 'allow',
    flags: { yes: true },
    answers: [STARTED, ALLOWED],
  })
  expect(exitCode).toBe(0)
  expect(asked).toEqual([
    { do: 'allow-orders', profile: exampleSnapshot().profile.id },
    { do: 'await-orders', signIn: 's1' },
  ])
  expect(out).toEqual([STARTED.url])
  expect(errors.at(-1)).toMatch(/^orders of .* are allowed, for programs with --orders$/)
})

test('a declined sign-in ends allow with exit 1', async () => {
  const declined = { ok: false, code: 'declined', message: 'You declined in the browser.' } as const
  const { exitCode, errors } = await run({
    action: 'allow',
    flags: { yes: true },
    answers: [STARTED, declined],
  })
  expect(exitCode).toBe(1)
  expect(errors.at(-1)).toBe('You declined in the browser.')
})

test('a key that nobody can sign in to is allowed at once', async () => {
  const { exitCode, asked, out } = await run({ action: 'allow', flags: { yes: true }, answers: [ALLOWED] })
  expect([exitCode, asked.length, out]).toEqual([0, 1, []])
})

test.each([
  [{ interactive: false }, {}, 'nothing was changed: no terminal to ask for confirmation'],
  [{ interactive: true, answer: 'no' }, {}, 'nothing was changed: not confirmed'],
  [{ interactive: true }, {}, 'nothing was changed: not confirmed'],
])('a SIM key needs one confirmation: %j', async (terminal, flags, line) => {
  const { exitCode, asked, errors } = await run({ action: 'allow', flags, terminal })
  expect([exitCode, asked, errors[0]?.startsWith(line)]).toEqual([1, [], true])
  const typed = { interactive: true, answer: 'allow' }
  expect((await run({ action: 'allow', terminal: typed, answers: [ALLOWED] })).exitCode).toBe(0)
})

test('a LIVE key is allowed only by its last four characters, typed at the prompt', async () => {
  const snapshots = [of(undefined, live)]
  const yes = { flags: { yes: true }, snapshots, action: 'allow' } as const
  const piped = await run({ ...yes, terminal: { interactive: false, answer: 'zQ7x' } })
  expect([piped.exitCode, piped.asked]).toEqual([1, []])
  expect(piped.errors).toEqual(['nothing was changed: a LIVE key must be confirmed in a terminal'])
  const short = await run({ ...yes, terminal: { interactive: true, answer: 'zQ7' } })
  expect([short.exitCode, short.asked]).toEqual([1, []])
  const typed = await run({
    ...yes,
    terminal: { interactive: true, answer: ' zQ7x ' },
    answers: [ALLOWED],
  })
  expect(typed.questions).toHaveLength(1)
  expect(typed.asked).toEqual([{ do: 'allow-orders', profile: 'key-1', ending: 'zQ7x' }])
})

test('a key on the LIVE host is LIVE, whatever it is called', async () => {
  const custom = of(undefined, { service: { reachable: true, host: 'api.tradestation.com' } })
  const { exitCode, asked } = await run({ action: 'allow', flags: { yes: true }, snapshots: [custom] })
  expect([exitCode, asked]).toEqual([1, []])
})

test('of several keys, allow needs the one to be named', async () => {
  const snapshots = [of(undefined), of(undefined, { profile: { id: 'b', name: 'B', environment: 'sim' } })]
  const flags = { yes: true } as const
  expect((await run({ action: 'allow', flags, snapshots })).exitCode).toBe(2)
  const named = await run({
    action: 'allow',
    flags: { ...flags, profile: 'b' },
    snapshots,
    answers: [ALLOWED],
  })
  expect(named.asked).toEqual([{ do: 'allow-orders', profile: 'b' }])
})

test('stop applies to every key or the named one, and prints what remains', async () => {
  const stopped = { ok: true, stopped: true } as const
  const all = await run({ action: 'stop', answers: [stopped] })
  expect(all).toMatchObject({ exitCode: 0, asked: [{ do: 'stop-orders' }], out: [PASSES_NONE] })
  expect(all.errors).toEqual([LEAVES])
  const one = await run({ action: 'stop', flags: { profile: 'b' }, answers: [stopped] })
  expect(one.asked).toEqual([{ do: 'stop-orders', profile: 'b' }])
})

test('while no Headroom runs, stop applies at its next start', async () => {
  const stopped = await run({ action: 'stop', flags: { data: '/d', profile: 'b' } })
  expect(stopped).toMatchObject({ exitCode: 0, stored: [['/d', 'b']], out: [PASSES_NONE] })
  expect(stopped.errors).toEqual(['no Headroom is running on /d; this applies at its next start', LEAVES])
})

test.each<[OrdersAction, OrdersFlags, string]>([
  ['status', { yes: true }, '--yes'],
  ['allow', { json: true }, '--json'],
  ['stop', { yes: true }, '--yes'],
  ['dismiss', { profile: 'key-1' }, '--profile'],
])('orders %s takes no %o', async (action, flags, flag) => {
  const said = await run({ action, id: action === 'dismiss' ? 'all' : undefined, flags })
  expect(said).toMatchObject({ exitCode: 2, errors: [`orders ${action} takes no ${flag}`], asked: [] })
})

test('dismiss needs an order, and reports one that is not unknown', async () => {
  expect(await run({ action: 'dismiss' })).toMatchObject({ exitCode: 2, asked: [] })
  expect(await run({ action: 'stop', id: '17' })).toMatchObject({ exitCode: 2, asked: [] })
  const done = await run({ action: 'dismiss', id: '17', answers: [{ ok: true, dismissed: '17' }] })
  expect(done).toMatchObject({ exitCode: 0, asked: [{ do: 'dismiss-order', id: '17' }] })
  const no = { ok: false, code: 'not-unknown', message: 'No such order.' } as const
  expect(await run({ action: 'dismiss', id: '18', answers: [no] })).toMatchObject({
    exitCode: 1,
    errors: ['No such order.'],
  })
})
