import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type DeskRun, type DeskRunParts, Desks, keyOf } from '../../../main/desk/desks.ts'
import { type Membership, membershipIn, membershipText } from '../../../main/desk/membership.ts'
import { markRotated } from '../../../main/desk/rotation.ts'
import { Monitor } from '../../../main/monitor/monitor.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import type { DeskReading } from '../../../main/vault/vault.ts'
import { VirtualClock } from '../../simulation/virtual-clock.ts'
import { VirtualRandom } from '../../simulation/virtual-random.ts'
import { EXAMPLE_KEY } from '../example-key.ts'
import { renewal, ScriptedHttp } from '../scripted-http.ts'
import { DESK_KEY, exampleMembership } from './example-desk.ts'
import { FakeEngines } from './fake-engines.ts'

const PROFILE = EXAMPLE_KEY.id
const MINUTE_MS = 60_000

class FakeRun implements DeskRun {
  readonly parts: DeskRunParts
  readonly steps: string[] = []

  constructor(parts: DeskRunParts) {
    this.parts = parts
  }

  start = () => void this.steps.push('start')
  rotated = () => void this.steps.push('rotated')
  refuse = (code: string) => void this.steps.push(`refuse ${code}`)
  async leave() {
    this.steps.push('leave')
    await this.parts.engine.close()
  }
  async close() {
    this.steps.push('close')
    await this.parts.engine.close()
  }
}

const idToken = (sub: string) => `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.s`

function setUp() {
  const clock = new VirtualClock()
  const http = new ScriptedHttp()
  let subject: string | undefined = DESK_KEY.subject
  http.reply = () => renewal('access', subject === undefined ? {} : { id_token: idToken(subject) })
  const log = { note: () => {} }
  const monitor = new Monitor({ clock, random: new VirtualRandom(1), http, log })
  onTestFinished(() => monitor.stop())
  const stored = new Map<string, DeskReading>()
  const engines = new FakeEngines()
  const runs: FakeRun[] = []
  const problems: string[] = []
  const secrets = new Redactor()
  const desks = new Desks({
    ...{ monitor, engines, clock, secrets, randomBytes },
    store: {
      desk: (profile) => stored.get(profile) ?? { kind: 'none' },
      keepDesk: (profile, text) => {
        stored.set(profile, { kind: 'found', text })
        return { ok: true }
      },
      forgetDesk: () => ({ ok: true }),
    },
    createRun: (parts) => {
      const run = new FakeRun(parts)
      runs.push(run)
      return run
    },
    problem: (sentence) => problems.push(sentence),
  })
  const store = (membership: Membership, profile = PROFILE) =>
    stored.set(profile, { kind: 'found', text: membershipText(membership) })
  const signedInAs = (sub: string | undefined) => {
    subject = sub
    return clock.advance(20 * MINUTE_MS)
  }
  const connect = async (profile = EXAMPLE_KEY) => {
    monitor.connect(profile)
    await clock.advance(1)
  }
  return { clock, monitor, desks, engines, runs, problems, secrets, stored, store, connect, signedInAs }
}

/** A membership for the example key. */
const member = (changes: Partial<Membership> = {}) => exampleMembership(changes)

describe('the desks of connected keys', () => {
  test('run if they are stored, each once; keys without a desk have none', async () => {
    const { desks, engines, runs, store, connect } = setUp()
    const membership = member({ credentials: 'token-of-nats' })
    store(membership)
    await connect()
    await connect({ ...EXAMPLE_KEY, id: 'key-2' })
    desks.follow()
    desks.follow()
    expect(runs.map(({ steps }) => steps)).toEqual([['start']])
    expect(runs[0]?.parts).toMatchObject({ membership, engine: engines.engines[0], isFromStart: true })
    expect(engines.engines[0]?.options).toMatchObject({
      servers: membership.servers,
      credentials: 'token-of-nats',
    })
    expect(desks.engineOf(PROFILE)).toBe(engines.engines[0])
    expect(desks.engineOf('key-2')).toBeUndefined()
  })

  test('start later for keys that are connected or unlocked later', async () => {
    const { desks, runs, store, connect } = setUp()
    store(member())
    desks.follow()
    expect(runs).toEqual([])
    await connect()
    desks.follow()
    expect(runs).toHaveLength(1)
  })

  test('hide their secrets in all text, also after many other secrets', async () => {
    const { desks, store, connect, secrets, clock } = setUp()
    const membership = member({ credentials: 'user:CANARY-password' })
    store(membership)
    await connect()
    desks.follow()
    for (let other = 0; other < 200; other += 1) secrets.hide(`another secret, number ${other}`)
    await clock.advance(MINUTE_MS)
    const said = secrets.text(`${membership.secret} CANARY-password`)
    for (const secret of [membership.secret, 'CANARY']) expect(said).not.toContain(secret)
  })

  test('that cannot be used are reported once', async () => {
    const { desks, runs, stored, problems, connect } = setUp()
    stored.set(PROFILE, { kind: 'lost', state: 'record-corrupt' })
    await connect()
    desks.follow()
    desks.follow()
    expect(problems).toEqual(['The saved desk is damaged. Leave it, then join again.'])
    expect(runs).toEqual([])
  })

  test('say goodbye when their key is disconnected, and when the app stops', async () => {
    const { desks, monitor, engines, runs, store, connect } = setUp()
    store(member())
    store(member(), 'key-2')
    await connect()
    await connect({ ...EXAMPLE_KEY, id: 'key-2' })
    desks.follow()
    monitor.disconnect(PROFILE)
    expect(runs.map(({ steps }) => steps)).toEqual([['start', 'leave'], ['start']])
    await desks.stop()
    expect(runs.map(({ steps }) => steps)).toEqual([
      ['start', 'leave'],
      ['start', 'leave'],
    ])
    expect(engines.connected).toEqual([])
  })

  test('continue on the session that replaces one', async () => {
    const { desks, monitor, engines, runs, store, connect } = setUp()
    store(member())
    await connect()
    desks.follow()
    await connect()
    expect(runs.map(({ steps }) => steps)).toEqual([['start', 'close'], ['start']])
    expect(monitor.withProfile(PROFILE, (session) => session)).toBe(runs[1]?.parts.session)
    expect(engines.connected).toEqual([runs[1]?.parts.engine])
    // All requests of that session are the desk's.
    expect(runs[1]?.parts.isFromStart).toBe(true)
  })

  test('that are joined while their key is in use leave out its earlier requests', async () => {
    const { desks, engines, runs, connect } = setUp()
    await connect()
    const membership = member()
    const names = { prefix: 'p', inbox: 'i', bucket: 'b', lease: 'l' }
    desks.run(PROFILE, membership, engines.start({ ...membership, names }))
    expect(runs[0]?.steps).toEqual(['start'])
    expect(runs[0]?.parts.isFromStart).toBe(false)
  })

  test('don’t run on a key that was disconnected meanwhile, and its engine is closed', async () => {
    const { desks, engines, runs } = setUp()
    const membership = member()
    desks.run(
      PROFILE,
      membership,
      engines.start({ ...membership, names: { prefix: 'p', inbox: 'i', bucket: 'b', lease: 'l' } }),
    )
    expect(runs).toEqual([])
    expect(engines.connected).toEqual([])
  })

  test('after a rotation tell the others before they leave', async () => {
    const { desks, runs, store, connect } = setUp()
    store(member())
    await connect()
    desks.follow()
    await desks.rotated(PROFILE)
    expect(runs[0]?.steps).toEqual(['start', 'rotated', 'leave'])
    expect(desks.engineOf(PROFILE)).toBeUndefined()
    await desks.rotated(PROFILE)
    await desks.leave('key-2')
  })
})

describe('a desk whose secret was replaced', () => {
  async function withRotatedDesk() {
    const all = setUp()
    const membership = member()
    all.store(membership)
    await all.connect()
    all.desks.follow()
    const [engine] = all.engines.engines
    if (engine === undefined) throw new Error('no engine')
    await all.clock.advance(1)
    return { ...all, engine, rotate: () => markRotated(engine, membership.secret) }
  }

  test('refuses this machine within a minute, once', async () => {
    const { clock, runs, rotate } = await withRotatedDesk()
    await rotate()
    await clock.advance(MINUTE_MS)
    expect(runs[0]?.steps).toEqual(['start', 'refuse rotated'])
    await clock.advance(5 * MINUTE_MS)
    expect(runs[0]?.steps).toEqual(['start', 'refuse rotated'])
  })

  test('refuses it as soon as the server can be reached again', async () => {
    const { clock, runs, engine, rotate } = await withRotatedDesk()
    await rotate()
    engine.turn(false)
    await clock.advance(3 * MINUTE_MS)
    expect(runs[0]?.steps).toEqual(['start'])
    engine.turn(true)
    await clock.advance(1)
    expect(runs[0]?.steps).toEqual(['start', 'refuse rotated'])
  })

  test('refuses it at the start', async () => {
    const { clock, monitor, runs, rotate, desks, connect } = await withRotatedDesk()
    await rotate()
    monitor.disconnect(PROFILE)
    await connect()
    desks.follow()
    await clock.advance(1)
    expect(runs.at(-1)?.steps).toEqual(['start', 'refuse rotated'])
  })

  test('is not refused by a marker of another secret, and not after it ended', async () => {
    const { clock, runs, engine, desks, rotate } = await withRotatedDesk()
    await markRotated(engine, member().secret)
    await clock.advance(MINUTE_MS)
    expect(runs[0]?.steps).toEqual(['start'])
    await rotate()
    engine.turn(false)
    engine.turn(true)
    await desks.leave(PROFILE)
    await clock.advance(MINUTE_MS)
    expect(runs[0]?.steps).toEqual(['start', 'leave'])
  })
})

test('a desk refuses another user, and runs again once the right one is signed in', async () => {
  const { clock, desks, runs, store, connect, signedInAs } = setUp()
  store(member())
  await connect()
  desks.follow()
  await signedInAs('auth0|2')
  await clock.advance(MINUTE_MS)
  expect(runs.map(({ steps }) => steps)).toEqual([['start', 'refuse other-user']])
  await signedInAs('auth0|1')
  await clock.advance(MINUTE_MS)
  expect(runs.map(({ steps }) => steps)).toEqual([['start', 'refuse other-user', 'close'], ['start']])
  expect(runs[1]?.parts.isFromStart).toBe(false)
})

test('a machine with a copy of another one’s data folder takes a member id of its own', async () => {
  const { clock, desks, runs, store, stored, connect } = setUp()
  const membership = member()
  store(membership)
  await connect()
  desks.follow()
  const [first] = runs
  first?.parts.copied()
  first?.parts.copied()
  await clock.advance(1)
  expect(runs.map(({ steps }) => steps)).toEqual([['start', 'leave'], ['start']])
  const { memberId } = runs[1]?.parts.membership ?? {}
  expect(memberId).not.toBe(membership.memberId)
  expect(membershipIn(stored.get(PROFILE) ?? { kind: 'none' })).toEqual({
    kind: 'member',
    membership: { ...membership, memberId },
  })
})

test('leaving a desk ends the incident of its problem; rotating it does not', async () => {
  const { clock, monitor, desks, runs, store, connect } = setUp()
  const events: string[] = []
  monitor.subscribe({ changed: () => {}, removed: () => {}, event: ({ kind }) => events.push(kind) })
  store(member())
  await connect()
  desks.follow()
  runs[0]?.parts.session.happened({ kind: 'desk-alone', why: 'No server.' })
  await clock.advance(1)
  await desks.rotated(PROFILE)
  desks.follow()
  expect(events.at(-1)).toBe('desk-alone')
  await desks.leave(PROFILE)
  expect(events.at(-1)).toBe('desk-back')
})

test('a key without an ID token is in the desk of any user', async () => {
  const { clock, monitor, desks, runs, store, connect, signedInAs } = setUp()
  await signedInAs(undefined)
  store(member())
  await connect()
  desks.follow()
  await clock.advance(MINUTE_MS)
  expect(runs[0]?.steps).toEqual(['start'])
  const found = monitor.withProfile(PROFILE, (session) => ({ ok: true as const, key: keyOf(session) }))
  expect(found).toMatchObject({ key: { clientId: 'client', environment: 'custom', subject: undefined } })
})

test('a desk that was created before the first refresh learns its user, once', async () => {
  const { clock, desks, runs, store, stored, connect, signedInAs } = setUp()
  const { marks, ...rest } = member()
  const { user, ...others } = marks
  const nameless = { ...rest, marks: others }
  await signedInAs(undefined)
  store(nameless)
  await connect()
  desks.follow()
  await signedInAs('auth0|1')
  await clock.advance(MINUTE_MS)
  expect(membershipIn(stored.get(PROFILE) ?? { kind: 'none' })).toMatchObject({ membership: { marks } })
  expect(runs.map(({ steps }) => steps)).toEqual([['start', 'close'], ['start']])
  expect(runs[1]?.parts.membership.marks.user).toBe(user)
  expect(runs[1]?.parts.isFromStart).toBe(false)
  await signedInAs('auth0|2')
  await clock.advance(MINUTE_MS)
  expect(runs[1]?.steps).toEqual(['start', 'refuse other-user'])
})
