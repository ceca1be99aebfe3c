import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { DeskInvitation } from '../../../app/contract/desk.ts'
import type { CommandError } from '../../../app/contract/outcome.ts'
import { DeskCommands, type RunningDesks } from '../../../main/desk/desk-commands.ts'
import { readInvitation } from '../../../main/desk/invitation.ts'
import { type Membership, membershipIn } from '../../../main/desk/membership.ts'
import { Redactor } from '../../../main/ports/redactor.ts'
import type { DeskStore } from '../../../main/sign-in/profile-store.ts'
import type { Saved } from '../../../main/storage/storage-error.ts'
import type { DeskReading } from '../../../main/vault/vault.ts'
import { DESK_KEY } from './example-desk.ts'
import { FakeEngines } from './fake-engines.ts'

const PROFILE = 'key-1'
const servers = ['nats://127.0.0.1:4222']

/** A store in memory, which may refuse. */
class FakeStore implements DeskStore {
  reading: DeskReading = { kind: 'none' }
  refusal: Saved = { ok: true }

  desk = () => this.reading
  keepDesk(_: string, text: string): Saved {
    if (this.refusal.ok) this.reading = { kind: 'found', text }
    return this.refusal
  }
  forgetDesk(): Saved {
    if (this.refusal.ok) this.reading = { kind: 'none' }
    return this.refusal
  }
}

type Key = ReturnType<ConstructorParameters<typeof DeskCommands>[0]['keyOf']>

/** One machine with one connected key. */
function machine(engines: FakeEngines, options: { readonly key?: Key; readonly isRunning?: boolean } = {}) {
  const { key = { ...DESK_KEY, environment: 'live' }, isRunning = true } = options
  const store = new FakeStore()
  const steps: string[] = []
  const runs: { membership: Membership; engine: ReturnType<FakeEngines['start']> }[] = []
  const running: RunningDesks = {
    engineOf: () => runs.at(-1)?.engine,
    run: (_, membership, engine) => {
      steps.push('run')
      runs.push({ membership, engine: engine as ReturnType<FakeEngines['start']> })
    },
    rotated: async () => {
      steps.push('rotated')
      await runs.at(-1)?.engine.close()
    },
    leave: async () => {
      steps.push('leave')
      await runs.at(-1)?.engine.close()
    },
  }
  const secrets = new Redactor()
  const { handlers } = new DeskCommands({
    ...{ engines, store, randomBytes, secrets, hostName: 'LAPTOP' },
    keyOf: (profile) => (profile === PROFILE ? key : undefined),
    ...(isRunning && { running }),
  })
  const member = () => {
    const reading = membershipIn(store.reading)
    if (reading.kind !== 'member') throw new Error(reading.kind)
    return reading.membership
  }
  return { handlers, store, steps, runs, secrets, member }
}

async function invitationOf(answer: DeskInvitation | Promise<DeskInvitation>): Promise<string> {
  const given = await answer
  if (!given.ok) throw new Error(given.message)
  return given.invitation
}

const refused = (code: string, message: string | RegExp): CommandError => ({
  ok: false,
  code,
  message: typeof message === 'string' ? message : expect.stringMatching(message),
})

describe('creating a desk', () => {
  test('opens the server, stores the membership, runs it, and returns the invitation', async () => {
    const engines = new FakeEngines()
    const { handlers, steps, runs, member, secrets } = machine(engines)
    const choices = { name: 'TOWER', tlsCa: '/ca.pem', credentials: 'user:CANARY-password' }
    const word = await invitationOf(handlers.createDesk({ profile: PROFILE, servers, ...choices }))
    const { secret, marks, memberId } = member()
    expect(readInvitation(word)).toEqual({ kind: 'read', invitation: { servers, secret, marks } })
    expect(member()).toEqual({ servers, secret, memberId, marks, ...choices })
    expect(steps).toEqual(['run'])
    expect(runs[0]).toMatchObject({ membership: member(), engine: engines.engines[0] })
    expect(engines.engines[0]?.options).toMatchObject({
      servers,
      tlsCa: '/ca.pem',
      credentials: 'user:CANARY-password',
    })
    const said = secrets.text(`opening ${secret} as CANARY-password by ${word}`)
    for (const hidden of [secret, 'CANARY', word]) expect(said).not.toContain(hidden)
    expect(await invitationOf(handlers.deskInvitation({ profile: PROFILE }))).toBe(word)
  })

  test('takes the name of the computer, and no CA file or credentials, unless they are given', async () => {
    const { handlers, member } = machine(new FakeEngines())
    await handlers.createDesk({ profile: PROFILE, servers })
    expect(member().name).toBe('LAPTOP')
    expect(Object.keys(member())).toEqual(['servers', 'secret', 'memberId', 'name', 'marks'])
  })

  test('is refused while the key has a desk, also if two are created at once', async () => {
    const engines = new FakeEngines()
    const { handlers, member } = machine(engines)
    const [first, second] = await Promise.all([
      handlers.createDesk({ profile: PROFILE, servers }),
      handlers.createDesk({ profile: PROFILE, servers }),
    ])
    expect(first.ok).toBe(true)
    const hasDesk = refused('has-desk', 'This key already has a desk. Leave it first.')
    expect(second).toEqual(hasDesk)
    const before = member()
    expect(await handlers.createDesk({ profile: PROFILE, servers })).toEqual(hasDesk)
    expect(member()).toEqual(before)
    expect(engines.engines).toHaveLength(1)
  })

  test.each(['unreachable', 'credentials', 'no-jetstream', 'tls-needed', 'address'] as const)(
    'is refused with the line of the server: %s; nothing is stored',
    async (code) => {
      const engines = new FakeEngines()
      engines.refusal = { code, message: 'The server says no.' }
      const { handlers, store, steps } = machine(engines)
      const answer = await handlers.createDesk({ profile: PROFILE, servers })
      expect(answer).toEqual(refused(code, 'The server says no.'))
      expect(store.reading).toEqual({ kind: 'none' })
      expect(steps).toEqual([])
    },
  )

  test('is refused if it cannot be stored, and the server is left', async () => {
    const engines = new FakeEngines()
    const { handlers, store, steps } = machine(engines)
    store.refusal = { ok: false, why: 'the disk is full' }
    const answer = await handlers.createDesk({ profile: PROFILE, servers })
    expect(answer).toEqual(refused('not-kept', 'Saving failed: the disk is full. Try again.'))
    expect(steps).toEqual([])
    expect(engines.connected).toEqual([])
  })

  test('is refused for a key that is not connected, for the built-in simulator, and on a damaged desk', async () => {
    const engines = new FakeEngines()
    const { handlers, store } = machine(engines)
    expect(await handlers.createDesk({ profile: 'key-2', servers })).toMatchObject({
      code: 'unknown-profile',
    })
    store.reading = { kind: 'lost', state: 'record-corrupt' }
    expect(await handlers.createDesk({ profile: PROFILE, servers })).toEqual(
      refused('desk-lost', /is damaged/),
    )
    const builtIn = machine(engines, { key: { ...DESK_KEY, environment: 'simulator' } })
    expect(await builtIn.handlers.createDesk({ profile: PROFILE, servers })).toMatchObject({
      code: 'built-in',
    })
    expect(engines.engines).toEqual([])
  })

  test('while no app runs only stores the membership', async () => {
    const engines = new FakeEngines()
    const { handlers, steps, member } = machine(engines, { isRunning: false })
    await invitationOf(handlers.createDesk({ profile: PROFILE, servers }))
    expect(member().servers).toEqual(servers)
    expect(steps).toEqual([])
    expect(engines.connected).toEqual([])
  })
})

describe('joining a desk', () => {
  async function invited(key?: Key) {
    const engines = new FakeEngines()
    const first = machine(engines, key && { key })
    const invitation = await invitationOf(first.handlers.createDesk({ profile: PROFILE, servers }))
    return { engines, first, invitation }
  }

  test('stores the same secret under another member id, and runs it', async () => {
    const { engines, first, invitation } = await invited()
    const { handlers, member, steps } = machine(engines)
    const choices = { name: 'NOTEBOOK', tlsCa: '/ca.pem', credentials: 'token' }
    expect(await handlers.joinDesk({ profile: PROFILE, invitation, ...choices })).toEqual({ ok: true })
    const { memberId, ...rest } = first.member()
    expect(member()).toMatchObject({ secret: rest.secret, marks: rest.marks, servers, ...choices })
    expect(member().memberId).not.toBe(memberId)
    expect(steps).toEqual(['run'])
    expect(await invitationOf(handlers.deskInvitation({ profile: PROFILE }))).toBe(invitation)
  })

  test.each([
    ['other-client', { clientId: 'other' }, 'This invitation is for another API key.'],
    [
      'other-host',
      { baseUrl: 'https://sim-api.test' },
      'This invitation is for a service host other than sim-api.test.',
    ],
    ['other-user', { subject: 'auth0|2' }, 'This invitation is for another user of this API key.'],
  ])('is refused with one line: %s', async (code, change, line) => {
    const { engines, invitation } = await invited()
    const { handlers, store } = machine(engines, { key: { ...DESK_KEY, environment: 'live', ...change } })
    expect(await handlers.joinDesk({ profile: PROFILE, invitation })).toEqual(refused(code, line))
    expect(store.reading).toEqual({ kind: 'none' })
    expect(engines.engines).toHaveLength(1)
  })

  test('does not compare the user where one is unknown, and invites with the one that is known', async () => {
    const nameless = { ...DESK_KEY, subject: undefined, environment: 'live' } as const
    const { engines, invitation } = await invited(nameless)
    const { handlers } = machine(engines)
    expect(await handlers.joinDesk({ profile: PROFILE, invitation })).toEqual({ ok: true })
    const word = await invitationOf(handlers.deskInvitation({ profile: PROFILE }))
    const other = machine(engines, { key: { ...DESK_KEY, environment: 'live', subject: 'auth0|2' } })
    const answer = await other.handlers.joinDesk({ profile: PROFILE, invitation: word })
    expect(answer).toMatchObject({ code: 'other-user' })
    const third = machine(engines, { key: nameless })
    expect(await third.handlers.joinDesk({ profile: PROFILE, invitation: word })).toEqual({ ok: true })
  })

  test('is refused with a malformed invitation, before anything else', async () => {
    const { handlers } = machine(new FakeEngines())
    expect(await handlers.joinDesk({ profile: 'key-2', invitation: 'headroom-desk-1.abc' })).toEqual(
      refused('malformed-invitation', 'The invitation is incomplete. Copy the whole word.'),
    )
  })

  test('is refused while the key has a desk, and if the server is refused', async () => {
    const { engines, first, invitation } = await invited()
    expect(await first.handlers.joinDesk({ profile: PROFILE, invitation })).toMatchObject({
      code: 'has-desk',
    })
    engines.refusal = { code: 'unreachable', message: 'The server is away.' }
    const { handlers, store } = machine(engines)
    expect(await handlers.joinDesk({ profile: PROFILE, invitation })).toEqual(
      refused('unreachable', 'The server is away.'),
    )
    expect(store.reading).toEqual({ kind: 'none' })
  })

  test.each([true, false])('is refused with a rotated invitation (the app runs: %s)', async (isRunning) => {
    const engines = new FakeEngines()
    const first = machine(engines, { isRunning })
    const old = await invitationOf(first.handlers.createDesk({ profile: PROFILE, servers }))
    const now = await invitationOf(first.handlers.rotateDesk({ profile: PROFILE }))
    const { handlers, store } = machine(engines)
    expect(await handlers.joinDesk({ profile: PROFILE, invitation: old })).toEqual(
      refused('rotated', 'This invitation was replaced. Ask for a new one.'),
    )
    expect(store.reading).toEqual({ kind: 'none' })
    expect(await handlers.joinDesk({ profile: PROFILE, invitation: now })).toEqual({ ok: true })
  })
})

describe('rotating a desk', () => {
  test('replaces secret and member id, keeps the rest, and moves to the new names', async () => {
    const engines = new FakeEngines()
    const { handlers, member, steps, runs } = machine(engines)
    await handlers.createDesk({ profile: PROFILE, servers, name: 'TOWER', credentials: 'token' })
    const former = member()
    const word = await invitationOf(handlers.rotateDesk({ profile: PROFILE }))
    const { secret, memberId, marks } = member()
    expect(member()).toEqual({ ...former, secret, memberId, marks })
    expect(secret).not.toBe(former.secret)
    expect(memberId).not.toBe(former.memberId)
    expect(marks.client).not.toBe(former.marks.client)
    expect(readInvitation(word)).toEqual({ kind: 'read', invitation: { servers, secret, marks } })
    expect(steps).toEqual(['run', 'rotated', 'run'])
    expect(engines.connected).toEqual([runs.at(-1)?.engine])
    const [old, now] = engines.engines
    expect(now?.options.names.bucket).not.toBe(old?.options.names.bucket)
  })

  test('changes nothing if the new desk cannot be opened, the store refuses, or the marker is not written', async () => {
    const engines = new FakeEngines()
    const { handlers, member, store, steps } = machine(engines)
    await handlers.createDesk({ profile: PROFILE, servers })
    const former = member()
    engines.refusal = { code: 'permissions', message: 'Not permitted.' }
    expect(await handlers.rotateDesk({ profile: PROFILE })).toEqual(refused('permissions', 'Not permitted.'))
    engines.refusal = undefined
    store.refusal = { ok: false, why: 'the disk is full' }
    expect(await handlers.rotateDesk({ profile: PROFILE })).toMatchObject({ code: 'not-kept' })
    store.refusal = { ok: true }
    engines.connected[0]?.turn(false)
    expect(await handlers.rotateDesk({ profile: PROFILE })).toEqual(
      refused('not-marked', 'The server didn’t store the change. Nothing was changed. Try again.'),
    )
    expect(member()).toEqual(former)
    expect(steps).toEqual(['run'])
    expect(engines.connected).toHaveLength(1)
  })
})

test('a desk whose secret another machine replaced is neither rotated again nor invited to', async () => {
  const engines = new FakeEngines()
  const first = machine(engines)
  const second = machine(engines)
  const stopped = machine(engines, { isRunning: false })
  const word = await invitationOf(first.handlers.createDesk({ profile: PROFILE, servers }))
  for (const { handlers } of [second, stopped])
    await handlers.joinDesk({ profile: PROFILE, invitation: word })
  await first.handlers.rotateDesk({ profile: PROFILE })
  const former = second.member()
  const left = refused('rotated', /^The desk’s secret was replaced\. .* Leave the desk, then join again\.$/)
  expect(await second.handlers.deskInvitation({ profile: PROFILE })).toEqual(left)
  for (const { handlers } of [second, stopped])
    expect(await handlers.rotateDesk({ profile: PROFILE })).toEqual(left)
  expect(second.member()).toEqual(former)
  expect(second.steps).toEqual(['run'])
})

describe('leaving a desk', () => {
  test('forgets it, then says goodbye; the key can join again', async () => {
    const engines = new FakeEngines()
    const { handlers, store, steps } = machine(engines)
    const invitation = await invitationOf(handlers.createDesk({ profile: PROFILE, servers }))
    expect(await handlers.leaveDesk({ profile: PROFILE })).toEqual({ ok: true })
    expect(store.reading).toEqual({ kind: 'none' })
    expect(steps).toEqual(['run', 'leave'])
    expect(await handlers.joinDesk({ profile: PROFILE, invitation })).toEqual({ ok: true })
  })

  test('also works on a damaged desk, and is refused if it cannot be deleted', async () => {
    const { handlers, store, steps } = machine(new FakeEngines())
    store.reading = { kind: 'lost', state: 'record-corrupt' }
    store.refusal = { ok: false, why: 'the disk is full' }
    expect(await handlers.leaveDesk({ profile: PROFILE })).toMatchObject({ code: 'not-kept' })
    expect(steps).toEqual([])
    store.refusal = { ok: true }
    expect(await handlers.leaveDesk({ profile: PROFILE })).toEqual({ ok: true })
  })

  test('and every command but create and join is refused without a desk', async () => {
    const { handlers } = machine(new FakeEngines())
    const none = refused('no-desk', 'This key has no desk. Create or join one.')
    expect(await handlers.leaveDesk({ profile: PROFILE })).toEqual(none)
    expect(await handlers.deskInvitation({ profile: PROFILE })).toEqual(none)
    expect(await handlers.rotateDesk({ profile: PROFILE })).toEqual(none)
  })
})
