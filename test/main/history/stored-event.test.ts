import { expect, test } from 'vitest'
import type { LoggedEvent, MonitorEvent } from '../../../app/contract/events.ts'
import { storedEvent } from '../../../main/history/rows.ts'

const LOGGED = { seq: 7, at: 1_767_000_000_000, profile: 'key-1' }
const NAMED_STREAM = { stream: 's1', category: 'Positions Stream', target: 'SIM1001' }
const STREAM = { ...NAMED_STREAM, reason: 'connection lost' }

/** One event of each kind, with every field that it may have. */
const EVENTS: { readonly [K in MonitorEvent['kind']]: LoggedEvent & { readonly kind: K } } = {
  'token-refreshed': { ...LOGGED, kind: 'token-refreshed', rotated: true, expiresAt: 1, tookMs: 400 },
  'token-refresh-failed': { ...LOGGED, kind: 'token-refresh-failed', outcome: 'later', why: 'w', retryAt: 2 },
  'sign-in-required': { ...LOGGED, kind: 'sign-in-required', reason: 'r', cause: 'misconfigured' },
  'sign-in-due': { ...LOGGED, kind: 'sign-in-due', endsAt: 3 },
  revoked: { ...LOGGED, kind: 'revoked' },
  'revoke-unconfirmed': { ...LOGGED, kind: 'revoke-unconfirmed', reason: 'r', retryAt: 4 },
  'service-unreachable': { ...LOGGED, kind: 'service-unreachable', host: 'h', why: 'w', retryAt: 5 },
  'service-back': { ...LOGGED, kind: 'service-back', host: 'h' },
  'storage-problem': {
    ...LOGGED,
    kind: 'storage-problem',
    what: 'w',
    failure: 'full',
    unsaved: 'refresh-token',
  },
  'storage-ok': { ...LOGGED, kind: 'storage-ok', since: 1, unsaved: 'refresh-token' },
  'window-admitted': { ...LOGGED, kind: 'window-admitted', window: 'window-1', open: 1 },
  'rate-limited': {
    ...LOGGED,
    kind: 'rate-limited',
    category: 'Accounts',
    retryAt: 6,
    requestId: 'q',
    before: { limit: 320, low: 1, high: 9, own: 2, othersLow: 60, othersHigh: 90 },
  },
  'rate-limit-over': { ...LOGGED, kind: 'rate-limit-over', category: 'Accounts', since: 5, refused: 2 },
  'quota-short': {
    ...LOGGED,
    kind: 'quota-short',
    category: 'Accounts',
    state: 'running-out',
    limit: 320,
    remaining: 61,
    emptyAt: 9,
    othersLow: 1.2,
    othersHigh: 1.3,
    refill: 1.07,
  },
  'quota-short-ended': {
    ...LOGGED,
    kind: 'quota-short-ended',
    category: 'Accounts',
    state: 'running-out',
    since: 1,
  },
  'slots-exhausted': {
    ...LOGGED,
    kind: 'slots-exhausted',
    category: 'Positions Stream',
    requestId: 'q',
    proposal: { stream: 's1', target: 'SIM1001', openedAt: 8, framesPerSecond: 0.2 },
  },
  'slots-free': {
    ...LOGGED,
    kind: 'slots-free',
    id: 'slots-full/Positions Stream@5',
    count: 2,
    category: 'Positions Stream',
    since: 5,
  },
  'requests-refused': {
    ...LOGGED,
    kind: 'requests-refused',
    category: 'Accounts',
    status: 403,
    message: 'Forbidden',
  },
  'requests-answered': { ...LOGGED, kind: 'requests-answered', category: 'Accounts', status: 403, since: 9 },
  'stream-opened': { ...LOGGED, kind: 'stream-opened', ...STREAM },
  'stream-restarted': { ...LOGGED, kind: 'stream-restarted', ...STREAM, since: 5, overlapped: true },
  'stream-closed': { ...LOGGED, kind: 'stream-closed', ...STREAM },
  'stream-silent': { ...LOGGED, kind: 'stream-silent', ...NAMED_STREAM, since: 7 },
  'stream-resumed': { ...LOGGED, kind: 'stream-resumed', ...NAMED_STREAM, since: 7 },
  'signed-in': { ...LOGGED, kind: 'signed-in' },
  elsewhere: { ...LOGGED, kind: 'elsewhere', category: 'Accounts', perSecond: 0.4 },
  'elsewhere-ended': {
    ...LOGGED,
    kind: 'elsewhere-ended',
    category: 'Accounts',
    perSecond: 0.4,
    since: 1,
  },
  'program-refused': {
    ...LOGGED,
    kind: 'program-refused',
    program: 'bot',
    category: 'Accounts',
    retryAt: 9,
  },
  'program-cut': { ...LOGGED, kind: 'program-cut', program: 'bot' },
  'desk-member-joined': { ...LOGGED, kind: 'desk-member-joined', name: 'SERVER' },
  'desk-member-left': { ...LOGGED, kind: 'desk-member-left', name: 'SERVER' },
  'desk-member-lost': { ...LOGGED, kind: 'desk-member-lost', name: 'LAPTOP' },
  'desk-dispatcher': { ...LOGGED, kind: 'desk-dispatcher', name: 'SERVER' },
  'desk-alone': { ...LOGGED, kind: 'desk-alone', why: 'the connection was refused', reachable: true },
  'desk-back': { ...LOGGED, kind: 'desk-back', since: 4 },
  'gateway-on': { ...LOGGED, kind: 'gateway-on', url: 'http://127.0.0.1:4791' },
  'orders-allowed': { ...LOGGED, kind: 'orders-allowed' },
  'orders-stopped': { ...LOGGED, kind: 'orders-stopped', why: 'by you' },
  'order-unknown': { ...LOGGED, kind: 'order-unknown', id: '17', program: 'bot' },
  'order-resolved': { ...LOGGED, kind: 'order-resolved', id: '17', state: 'found', orderId: '9001' },
  'gateway-off': { ...LOGGED, kind: 'gateway-off', why: 'the gateway was turned off' },
}

test.each(Object.values(EVENTS))('$kind is read as it was stored', (event) => {
  expect(storedEvent(JSON.stringify(event))).toEqual(event)
})

test('a field that a later version added is preserved', () => {
  const event = { ...EVENTS.revoked, by: 'a person' }
  expect(storedEvent(JSON.stringify(event))).toEqual(event)
})

test.each([
  ['a kind that is not known', JSON.stringify({ ...EVENTS.revoked, kind: 'tokens-shredded' })],
  ['a field of another type', JSON.stringify({ ...EVENTS.elsewhere, perSecond: 'many' })],
  ['a field that is missing', JSON.stringify({ ...LOGGED, kind: 'storage-problem' })],
  ['half a text', JSON.stringify(EVENTS.elsewhere).slice(0, 40)],
  ['no event', 'null'],
  ['no text', null],
])('%s is skipped', (_what, body) => {
  expect(storedEvent(body)).toBeUndefined()
})
