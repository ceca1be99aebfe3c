import { expect, test } from 'vitest'
import { DESK_LIMITS } from '../../../app/contract/desk.ts'
import { MAX_REQUEST_BYTES, parseAnswer, parseRequest } from '../../../main/control/protocol.ts'
import { QUIET } from '../../simulation/story.ts'
import { World } from '../../simulation/world.ts'
import {
  exampleQuota,
  exampleSlot,
  exampleSnapshot,
  exampleStream,
} from '../hosts/terminal/example-snapshot.ts'

const lineOf = (...snapshots: readonly unknown[]) => JSON.stringify({ ok: true, snapshots })
const whole = exampleSnapshot({
  requests: [exampleQuota()],
  slots: [exampleSlot()],
  streams: [exampleStream({ reason: 'server going away', reasonCode: 'going-away' })],
})

test('a snapshot arrives unchanged, including fields that only a newer app knows', () => {
  const newer = { ...whole, mood: 'good', service: { ...whole.service, since: 1, hops: 3 } }
  expect(parseAnswer(lineOf(whole, newer))).toEqual({ ok: true, snapshots: [whole, newer] })
})

test('every snapshot of an hour of a real monitor is accepted', { timeout: 60_000 }, async () => {
  const world = new World(7, QUIET)
  world.connect()
  for (let minute = 0; minute < 60; minute += 5) {
    if (minute === 20) world.service.faults.set('resources-503', true)
    const said = JSON.parse(JSON.stringify(world.snapshot))
    expect(parseAnswer(lineOf(said))).toEqual({ ok: true, snapshots: [said] })
    await world.live(5 * 60_000)
  }
  await world.settle()
})

test.each<[string, unknown]>([
  ['nothing but its name', { at: 1, profile: whole.profile }],
  ['a row without a level', { ...whole, requests: [{ ...exampleQuota(), level: undefined }] }],
  ['a number in words', { ...whole, slots: [{ ...exampleSlot(), free: '37' }] }],
  ['a number that is none', { ...whole, requests: [{ ...exampleQuota(), level: Number.NaN }] }],
  ['a state that no table has words for', { ...whole, access: { state: 'lost', scopes: [] } }],
  ['a stream that is no object', { ...whole, streams: ['s1'] }],
])('%s is reported as no snapshot, and never reaches the table', (_what, snapshot) => {
  expect(parseAnswer(lineOf(snapshot))).toBeUndefined()
  expect(parseAnswer(lineOf(whole, snapshot))).toBeUndefined()
})

test.each([
  [0, true],
  [65_535, true],
  [-1, false],
  [65_536, false],
  [80.5, false],
])('the gateway’s port %d is a valid request: %s', (port, isRead) => {
  expect(parseRequest(JSON.stringify({ do: 'gateway', turn: 'on', port })) !== undefined).toBe(isRead)
})

test.each([
  [{ do: 'revoke', profile: '' }, false],
  [{ do: 'revoke', profile: 'p' }, true],
  [{ do: 'revoke', profile: 'p'.repeat(64) }, true],
  [{ do: 'revoke', profile: 'p'.repeat(65) }, false],
  [{ do: 'cut-program', name: '' }, false],
  [{ do: 'cut-program', name: 'n' }, true],
  [{ do: 'cut-program', name: 'n'.repeat(64) }, true],
  [{ do: 'cut-program', name: 'n'.repeat(65) }, false],
  [{ do: 'pause-program', name: 'n' }, true],
  [{ do: 'resume-program', name: '' }, false],
  [{ do: 'add-program', name: 'bot', class: 'normal', weight: 1 }, true],
  [{ do: 'add-program', name: 'bot', class: 'normal', weight: 1, profile: 'p'.repeat(64) }, true],
  [{ do: 'add-program', name: 'bot', class: 'normal', weight: 1, profile: '' }, false],
  [{ do: 'add-program', name: 'bot', class: 'normal', weight: 1, profile: 'p'.repeat(65) }, false],
  [{ do: 'add-program', name: 'bot', class: 'urgent', weight: 1 }, false],
  [{ do: 'gateway', turn: 'off' }, true],
  [{ do: 'gateway', turn: 'over' }, false],
  [{ do: 'status', more: 1 }, false],
])('the request %j is parsed: %s', (request, isRead) => {
  expect(parseRequest(JSON.stringify(request))).toEqual(isRead ? request : undefined)
})

test.each([
  { ok: true, snapshots: [], windows: [] },
  { ok: true, revoked: 'key-1' },
  { ok: true, key: 'secret', program: 'bot', gateway: { state: 'off' } },
  { ok: true, gateway: { state: 'off' }, programs: [] },
  { ok: true, cut: 'bot' },
  { ok: true, paused: 'bot', until: 1_900_000_000_000 },
  { ok: true, resumed: 'bot' },
  { ok: false, code: 'failed', message: 'why' },
])('the response %j arrives unchanged', (answer) => {
  expect(parseAnswer(JSON.stringify(answer))).toEqual(answer)
})

test('a line that is not JSON is neither request nor response', () => {
  expect([parseRequest('{'), parseAnswer('{')]).toEqual([undefined, undefined])
  expect(parseAnswer('{"ok":false}')).toBeUndefined()
})

test('the largest request, a join with an invitation and a .creds file, fits into the limit', () => {
  const request = {
    do: 'join-desk' as const,
    profile: 'p'.repeat(64),
    invitation: 'x'.repeat(DESK_LIMITS.invitation),
    name: 'n'.repeat(DESK_LIMITS.name),
    tlsCa: '/'.repeat(DESK_LIMITS.tlsCa),
    credentials: '\n'.repeat(DESK_LIMITS.credentials),
  }
  const line = JSON.stringify(request)
  expect(line.length).toBeLessThan(MAX_REQUEST_BYTES)
  expect(parseRequest(line)).toEqual(request)
  expect(parseRequest(JSON.stringify({ ...request, invitation: `${request.invitation}x` }))).toBeUndefined()
})

test.each([
  [{ do: 'create-desk', profile: 'p', servers: ['nats://h:4222'] }, true],
  [{ do: 'create-desk', profile: 'p', servers: [] }, false],
  [{ do: 'create-desk', profile: 'p', servers: Array.from({ length: 9 }, () => 'nats://h') }, false],
  [{ do: 'create-desk', profile: 'p', servers: ['nats://h'], credentials: '' }, false],
  [{ do: 'join-desk', profile: 'p' }, false],
  [{ do: 'desk-invitation', profile: 'p' }, true],
  [{ do: 'leave-desk', profile: '' }, false],
  [{ do: 'rotate-desk', profile: 'p', servers: ['nats://h'] }, false],
])('%j is a valid request: %s', (request, isRead) => {
  expect(parseRequest(JSON.stringify(request)) !== undefined).toBe(isRead)
})
