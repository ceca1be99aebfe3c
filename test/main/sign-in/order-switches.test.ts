import { expect, test } from 'vitest'
import type { SignInStatus } from '../../../app/contract/sign-in.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { DEFAULT_PROBES, type Profile } from '../../../main/ports/profile.ts'
import { OrderSwitches } from '../../../main/sign-in/order-switches.ts'
import { MEMORY_PROFILE_STORE, type ProfileStore } from '../../../main/sign-in/profile-store.ts'
import { signInCommands } from '../../../main/sign-in/sign-in-commands.ts'
import type { SignInTask } from '../../../main/sign-in/sign-ins.ts'
import { proves } from '../../proof/proves.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { EXAMPLE_KEY } from '../example-key.ts'
import { answerOf, ScriptedHttp } from '../scripted-http.ts'

const KEY: Profile = {
  ...EXAMPLE_KEY,
  environment: 'sim',
  authUrl: 'https://signin.test',
  clientId: 'client-id-with-zQ7x',
  refreshToken: 'token-1',
  probes: DEFAULT_PROBES,
}
const STARTED = { ok: true, signIn: 's1', url: 'https://signin.test/', opened: true, endsAt: 0 } as const

function setUp(profile: Partial<Profile> = {}, storage: ProfileStore = MEMORY_PROFILE_STORE) {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  http.reply = () =>
    answerOf(200, JSON.stringify({ access_token: 'a', expires_in: 1200, scope: 'openid Matrix ReadAccount' }))
  const ports = { clock, http, random: { next: () => 0.5 }, log: { note: () => {} } }
  const monitor = new Monitor(ports, storage)
  monitor.connect({ ...KEY, ...profile })
  const tasks: SignInTask[] = []
  const cancelled: string[] = []
  let say: (status: SignInStatus) => void = () => {}
  const signIns = {
    start: async (task: SignInTask) => {
      tasks.push(task)
      return STARTED
    },
    cancel: (id: string) => {
      cancelled.push(id)
      return { ok: true } as const
    },
    subscribe: (listener: (status: SignInStatus) => void) => {
      say = listener
      return () => {}
    },
  }
  return {
    clock,
    monitor,
    tasks,
    cancelled,
    signIns,
    switches: new OrderSwitches(monitor, {
      signIns,
      keys: monitor,
      scopesOf: (id) => monitor.snapshot(id)?.access.scopes ?? [],
    }),
    end: (status: SignInStatus) => say(status),
    state: () => monitor.snapshot('key-1')?.orders?.state,
    events: () => monitor.events(0).map(({ kind }) => kind),
  }
}

test('orders are off until a sign-in with the Trade scope is done', async () => {
  const { switches, tasks, state, events, clock, monitor } = setUp()
  await clock.advance(100)
  expect(state()).toBe('off')
  expect(await switches.allow('key-1')).toEqual({ ok: true, signIn: STARTED })
  expect(tasks[0]).toMatchObject({ trade: 'needed', extraScopes: ['Matrix'] })
  expect([state(), events().includes('orders-allowed')]).toEqual(['off', false])
  expect(tasks[0]?.finish('token-2')).toEqual({ ok: true, profile: 'key-1' })
  expect([state(), events().includes('orders-allowed')]).toEqual(['on', true])
  expect(monitor.profile('key-1')?.refreshToken).toBe('token-2')
})

test('a declined sign-in changes nothing, and its command line is answered', async () => {
  const { switches, end, state, monitor } = setUp()
  await switches.allow('key-1')
  const early = switches.allowed('s1')
  const declined = { code: 'declined', message: 'You declined in the browser.' } as const
  end({ state: 'failed', signIn: 's1', ...declined })
  expect(await early).toEqual({ ok: false, ...declined })
  // A caller that asks after the end gets the same answer.
  expect(await switches.allowed('s1')).toEqual({ ok: false, ...declined })
  expect([state(), monitor.profile('key-1')?.refreshToken]).toEqual(['off', 'token-1'])
})

test('a completed sign-in answers its command line with the key', async () => {
  const { switches, end } = setUp()
  await switches.allow('key-1')
  const waiting = switches.allowed('s1')
  end({ state: 'waiting', signIn: 's1', endsAt: 0, opened: true })
  end({ state: 'done', signIn: 's1', profile: 'key-1' })
  expect(await waiting).toEqual({ ok: true, profile: 'key-1' })
})

test.each([
  [{ environment: 'live' as const }],
  [{ environment: 'custom' as const, baseUrl: 'https://api.tradestation.com' }],
])('a LIVE key needs its last four characters: %j', async (profile) => {
  const { switches, tasks, state } = setUp(profile)
  expect(await switches.allow('key-1')).toMatchObject({ ok: false, code: 'ending-needed' })
  for (const wrong of ['zQ7X', 'zQ7', '-zQ7', ''])
    expect(await switches.allow('key-1', wrong)).toMatchObject({ ok: false, code: 'wrong-ending' })
  expect([tasks, state()]).toEqual([[], 'off'])
  expect(await switches.allow('key-1', 'zQ7x')).toMatchObject({ ok: true })
})

test('a key from the environment is only switched on, until a person signs in to it', async () => {
  const { switches, tasks, state, monitor, signIns } = setUp({ isGiven: true })
  expect(await switches.allow('key-1')).toEqual({ ok: true })
  expect([tasks, state()]).toEqual([[], 'on'])
  const { handlers } = signInCommands({
    ...{ keys: monitor, signIns, readAgain: () => {} },
    connect: () => ({ ok: true, profile: '' }),
  })
  await handlers.signInAgain({ profile: 'key-1' })
  // The sign-in asks for the Trade scope. Without it, the allowed orders would end.
  expect(tasks[0]?.trade).toBe('asked')
  tasks[0]?.finish('token-2')
  await switches.allow('key-1')
  expect(tasks).toHaveLength(2)
})

test('without orders no sign-in asks for the right to trade', async () => {
  const { tasks, monitor, signIns, switches } = setUp()
  const { handlers } = signInCommands({
    ...{ keys: monitor, signIns, readAgain: () => {} },
    connect: () => ({ ok: true, profile: '' }),
  })
  await handlers.signInAgain({ profile: 'key-1' })
  monitor.setOrders('key-1', 'on')
  switches.stop()
  await handlers.signInAgain({ profile: 'key-1' })
  expect(tasks.map(({ trade }) => trade)).toEqual([undefined, undefined])
})

test('a process without sign-ins only opens the switch', async () => {
  const { monitor, state } = setUp()
  expect(await new OrderSwitches(monitor).allow('key-1')).toEqual({ ok: true })
  expect(state()).toBe('on')
})

test('stop reaches each key that orders were allowed on, or one', async () => {
  const { switches, monitor, state, events } = setUp()
  monitor.connect({ ...KEY, id: 'key-2' })
  const of2 = () => monitor.snapshot('key-2')?.orders
  expect(switches.stop()).toEqual({ ok: true })
  expect([state(), events().includes('orders-stopped')]).toEqual(['off', false])
  monitor.setOrders('key-1', 'on')
  monitor.setOrders('key-2', 'on')
  expect(switches.stop('key-2')).toEqual({ ok: true })
  expect([state(), of2()?.state, of2()?.why]).toEqual(['on', 'stopped', 'by you'])
  expect(switches.stop()).toEqual({ ok: true })
  expect(state()).toBe('stopped')
  expect(events().filter((kind) => kind === 'orders-stopped')).toHaveLength(2)
  expect(switches.stop('key-3')).toMatchObject({ ok: false, code: 'unknown-profile' })
})

test.each([undefined, 'on'] as const)(
  'a stop ends a sign-in that waits to open the switch, which then opens nothing: %s',
  async (orders) => {
    const { switches, tasks, cancelled, state, monitor, end } = setUp(orders && { orders })
    await switches.allow('key-1')
    expect(switches.stop()).toEqual({ ok: true })
    expect([state(), cancelled]).toEqual(['stopped', ['s1']])
    // The sign-in's code is being exchanged at this time, and nothing can stop that.
    expect(tasks[0]?.finish('token-2')).toMatchObject({ ok: false, code: 'orders-stopped' })
    expect([state(), monitor.profile('key-1')?.refreshToken]).toEqual(['stopped', 'token-1'])
    end({ state: 'failed', signIn: 's1', code: 'not-connected', message: '' })
    await switches.allow('key-1')
    expect(tasks[1]?.finish('token-3')).toMatchObject({ ok: true })
    expect(state()).toBe('on')
    proves('O2', { level: 2, cases: 1 })
  },
)

test('a stop while a sign-in is starting ends it, and one of another key leaves it', async () => {
  const { switches, cancelled, state, monitor } = setUp()
  monitor.connect({ ...KEY, id: 'key-2' })
  const starting = switches.allow('key-1')
  switches.stop('key-2')
  expect(monitor.snapshot('key-2')?.orders?.state).toBe('off')
  switches.stop('key-1')
  expect(await starting).toMatchObject({ ok: false, code: 'orders-stopped' })
  expect([state(), cancelled]).toEqual(['stopped', ['s1']])
})

test('a stop does not affect a sign-in that has ended', async () => {
  const { switches, state, end, cancelled } = setUp()
  await switches.allow('key-1')
  end({ state: 'failed', signIn: 's1', code: 'declined', message: '' })
  expect(switches.stop()).toEqual({ ok: true })
  expect([state(), cancelled]).toEqual(['off', []])
})

test('a stop applies before it can be saved, and is saved later; nothing is allowed that can’t be', async () => {
  let isFull = true
  const kept: Profile['orders'][] = []
  const disk: ProfileStore = {
    ...MEMORY_PROFILE_STORE,
    keepOrders: ({ orders }) => {
      if (isFull) return { ok: false, why: 'the disk is full' }
      kept.push(orders)
      return { ok: true }
    },
  }
  const { switches, monitor, state, clock } = setUp({ orders: 'on' }, disk)
  expect(switches.stop()).toMatchObject({
    ok: false,
    message: expect.stringContaining('Saving this failed and is retried'),
  })
  expect(state()).toBe('stopped')
  expect(monitor.setOrders('key-1', 'on')).toMatchObject({ ok: false, code: 'not-kept' })
  expect(state()).toBe('stopped')
  await clock.advance(10_000)
  isFull = false
  await clock.advance(2_000)
  expect(kept).toEqual(['stopped'])
  await clock.advance(60_000)
  expect(kept).toEqual(['stopped'])
})

test('the end of a command line cancels its sign-in', async () => {
  const { switches, cancelled } = setUp()
  await switches.allow('key-1')
  switches.cancel('s1')
  expect(cancelled).toEqual(['s1'])
})
