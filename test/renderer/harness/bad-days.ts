import type { DeskSummary } from '../../../app/contract/desk.ts'
import { LOST_HOST, SAVED_KEYS } from '../../../app/contract/key-health.ts'
import type { OrdersSummary, UnknownOrder } from '../../../app/contract/orders.ts'
import type { RequestQuota, Snapshot } from '../../../app/contract/snapshot.ts'
import {
  CALM_REQUESTS,
  DESK,
  DESK_ALONE,
  defaultQuota,
  NOW_MS,
  quota,
  SLOTS,
  STREAMS,
  slots,
  snapshot,
  stream,
} from '../fixtures.ts'

const SECOND = 1000
/** Refill of Positions in requests per second. */
const REFILL = 320 / 300
const MINUTE = 60_000
const SINCE_MS = NOW_MS - 29 * MINUTE

const calm = snapshot({ requests: CALM_REQUESTS, verdict: { kind: 'lasts' } })

const allOf = (more: Partial<RequestQuota>): readonly RequestQuota[] =>
  calm.requests.map((row) => (row.source === 'default' ? row : { ...row, ...more }))

const positions = (more: Partial<RequestQuota>): readonly RequestQuota[] =>
  calm.requests.map((row) => (row.category === 'Positions' ? { ...row, ...more } : row))

/**
 * The rows of a key that can't call, as the main process sends them: without a state, a pace or a next check.
 */
const uncheckedRows = (more: Partial<RequestQuota>): readonly RequestQuota[] =>
  allOf({ ...more, state: 'not-checked', verdict: 'not-seen' }).map(({ safe, nextCheckAt, ...row }) => row)

/** The contents of a snapshot once no request to the service has succeeded for a long time. */
const unchecked = uncheckedRows({ source: 'modelled', observedAt: SINCE_MS, low: 0, high: 320 })

const signInHost = (more: Partial<NonNullable<Snapshot['signInHost']>> = {}) => ({
  signInHost: {
    host: 'signin.tradestation.com',
    since: SINCE_MS,
    retryAt: NOW_MS + 20 * SECOND,
    why: 'the connection was refused',
    ...more,
  },
})

const service: Snapshot['service'] = {
  reachable: false,
  host: 'api.tradestation.com',
  since: SINCE_MS,
  retryAt: NOW_MS + 8 * SECOND,
  why: 'the connection was refused',
}

const EXPIRED: Snapshot['access'] = { state: 'expired', expiresAt: NOW_MS - 4 * MINUTE, scopes: [] }

/** The contents of a snapshot before the first response of the service. */
const UNASKED: Partial<Snapshot> = {
  requests: calm.requests.map(({ category, limit, period }) => defaultQuota(category, limit, period)),
  slots: SLOTS.map((row) => slots(row.category, row.limit, 0, 0, 'default')),
  streams: [],
  verdict: { kind: 'unknown' },
}

const SIGNED_OUT: Snapshot['refresh'] = {
  state: 'sign-in-required',
  rotating: false,
  stored: 'sealed',
  refreshesToday: 0,
}

/** The contents of a snapshot for a key that can't be opened. */
const CLOSED: Partial<Snapshot> = {
  ...UNASKED,
  service: { reachable: false, pending: true, host: 'api.tradestation.com' },
  access: { state: 'none', scopes: [] },
  refresh: SIGNED_OUT,
}

const LOCKED: Partial<Snapshot> = { refresh: { ...SIGNED_OUT, cause: 'locked' } }

/** The same if not even the key's name can be read. */
const UNREAD: Partial<Snapshot> = {
  ...CLOSED,
  profile: { id: SAVED_KEYS, name: 'Saved keys', environment: 'custom' },
  service: { reachable: false, pending: true, host: LOST_HOST },
}

const problemOn = (status: number, message: string) =>
  uncheckedRows({ observedAt: SINCE_MS, problem: { status, message, since: SINCE_MS } })

const silent = STREAMS.map((one) => ({
  ...one,
  state: 'stale' as const,
  lastFrameAt: SINCE_MS,
  framesPerSecond: 0,
}))

const withOrders = (orders: OrdersSummary): Snapshot =>
  snapshot({ ...calm, access: { ...calm.access, scopes: [...calm.access.scopes, 'Trade'] }, orders })

const unknownOrder = (state: UnknownOrder['state']): UnknownOrder => ({
  id: '17',
  program: 'executor',
  at: NOW_MS - 4 * SECOND,
  kind: 'order',
  accountEnding: '782',
  state,
})

const { dispatcher: _, queue: __, ...rest } = DESK
const WITHOUT_QUEUE: DeskSummary = { ...rest, members: DESK.members.slice(0, 1) }

const withRefusal = (refusal: NonNullable<DeskSummary['refusal']>): Snapshot =>
  snapshot({ ...calm, desk: { ...WITHOUT_QUEUE, state: 'refused', refusal } })

/** One state for each possible problem of a key, by name. */
export const BAD_DAYS: Readonly<Record<string, Snapshot>> = {
  'all is well': calm,
  'no key accepted yet': snapshot({
    ...UNASKED,
    access: { state: 'refreshing', scopes: [] },
    refresh: { ...calm.refresh, state: 'unconfirmed' },
  }),
  'saved keys damaged': snapshot({ ...calm, requests: unchecked, keystore: 'record-corrupt' }),
  'saved keys damaged, none by name': snapshot({ ...UNREAD, keystore: 'record-corrupt' }),
  'saved keys unreadable': snapshot({ ...UNREAD, ...LOCKED, keystore: 'unreadable' }),
  'passphrase missing': snapshot({ ...CLOSED, ...LOCKED, keystore: 'no-passphrase' }),
  'keyring locked': snapshot({ ...CLOSED, ...LOCKED, keystore: 'waiting' }),
  'keys sealed elsewhere': snapshot({ ...calm, requests: unchecked, keystore: 'key-changed' }),
  'no keyring': snapshot({ ...calm, keystore: 'unavailable' }),
  'disk full': snapshot({ ...calm, pausedHistory: { failure: 'full', since: SINCE_MS } }),
  'order outcome unknown': withOrders({ state: 'on', today: 7, unknown: [unknownOrder('looking')] }),
  'order not found': withOrders({
    state: 'on',
    today: 7,
    unknown: [unknownOrder('not-found'), { ...unknownOrder('found'), id: '18', orderId: '884201337' }],
  }),
  'order found': withOrders({
    state: 'on',
    today: 7,
    unknown: [{ ...unknownOrder('found'), orderId: '884201337' }],
  }),
  'orders can’t be recorded': withOrders({
    state: 'failed',
    why: 'the disk is full',
    today: 7,
    unknown: [],
  }),
  'orders stopped here': withOrders({ state: 'stopped', why: 'by you', today: 7, unknown: [] }),
  'orders without the Trade scope': snapshot({
    ...withOrders({ state: 'on', today: 0, unknown: [] }),
    access: { ...calm.access, scopes: ['openid', 'MarketData', 'ReadAccount'] },
  }),
  'a desk of three': snapshot({ ...calm, desk: DESK }),
  'slots full on a desk': snapshot({
    ...calm,
    desk: DESK,
    slots: [{ ...slots('Option Chain Stream', 10, 0, 3), desk: 7, free: 0 }],
    streams: [
      ...STREAMS,
      stream('s9', 'Option Chain Stream', 'AAPL', {
        state: 'waiting',
        reason: '429: no stream slot is free',
        reasonCode: 'no-slot',
        retryAt: NOW_MS + 5 * SECOND,
        framesPerSecond: 0,
      }),
    ],
  }),
  'the desk uses a quota up': snapshot({
    ...calm,
    desk: DESK,
    requests: positions({
      state: 'low',
      verdict: 'near-limit',
      level: 40,
      remaining: 40,
      low: 38,
      high: 42,
      use: { total: 1.1, own: 0, desk: 1.1, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 },
      safe: { everySeconds: null, burst: 20 },
    }),
    verdict: { kind: 'near-limit', category: 'Positions' },
  }),
  'desk unreachable': snapshot({ ...calm, desk: DESK_ALONE }),
  'desk without a dispatcher': snapshot({
    ...calm,
    desk: {
      ...DESK_ALONE,
      why: 'No machine dispatches the desk’s queue.',
      engine: DESK.engine,
      members: DESK.members.map((one) => ({ ...one, dispatcher: false })),
    },
  }),
  'desk secret replaced': withRefusal({ code: 'rotated', machine: 'SERVER' }),
  'another machine has a newer version': snapshot({
    ...calm,
    desk: { ...DESK, refusal: { code: 'update-here', machine: 'LAPTOP' } },
  }),
  'another user on the desk': withRefusal({ code: 'other-user' }),
  'revoked on another machine': snapshot({
    ...calm,
    requests: unchecked,
    streams: [],
    access: { state: 'none', scopes: [] },
    refresh: { ...calm.refresh, state: 'revoked', revokedAt: SINCE_MS, revokedBy: 'LAPTOP' },
    desk: DESK,
  }),
  'both hosts unreachable': snapshot({ ...calm, requests: unchecked, service, ...signInHost() }),
  'sign-in host unreachable, access works': snapshot({ ...calm, ...signInHost() }),
  'sign-in host unreachable, access expired': snapshot({
    ...calm,
    requests: unchecked,
    access: EXPIRED,
    ...signInHost(),
  }),
  'signed out': snapshot({
    ...calm,
    requests: unchecked,
    streams: [],
    access: EXPIRED,
    refresh: {
      ...calm.refresh,
      state: 'sign-in-required',
      reason: 'the service rejected this refresh token',
    },
  }),
  'key not accepted': snapshot({
    ...calm,
    requests: unchecked,
    access: EXPIRED,
    refresh: { ...calm.refresh, state: 'sign-in-required', cause: 'misconfigured' },
  }),
  'revoked here': snapshot({
    ...calm,
    requests: unchecked,
    streams: [],
    access: { state: 'none', scopes: [] },
    refresh: { ...calm.refresh, state: 'revoked', revokedAt: SINCE_MS },
  }),
  'sign-in ends within the hour': snapshot({
    ...calm,
    refresh: { ...calm.refresh, endsAt: NOW_MS + 40 * MINUTE },
  }),
  'sign-in ends within minutes': snapshot({
    ...calm,
    refresh: { ...calm.refresh, endsAt: NOW_MS + 9 * MINUTE },
  }),
  'sign-in past its end': snapshot({
    ...calm,
    refresh: { ...calm.refresh, endsAt: NOW_MS - 9 * MINUTE },
  }),
  'token rejected (401)': snapshot({ ...calm, requests: problemOn(401, 'Invalid token.') }),
  'permission missing (403)': snapshot({
    ...calm,
    requests: positions({
      state: 'not-checked',
      problem: { status: 403, message: 'The scope does not allow it.', since: SINCE_MS },
    }),
  }),
  'service unreachable': snapshot({ ...calm, requests: unchecked, service }),
  'service answers 503': snapshot({ ...calm, requests: problemOn(503, 'Service unavailable') }),
  'responses without rate-limit headers': snapshot({ ...calm, requests: problemOn(200, '') }),
  'no stream receives data': snapshot({ ...calm, streams: silent }),
  'one stream silent': snapshot({ ...calm, streams: [...silent.slice(0, 1), ...STREAMS.slice(1)] }),
  'token not saved': snapshot({
    ...calm,
    refresh: { ...calm.refresh, unsaved: 'no space is left on the disk' },
  }),
  'others use the whole refill, 429': snapshot({
    ...calm,
    requests: positions({
      state: 'blocked',
      verdict: 'blocked',
      nextTryAt: NOW_MS + 20 * SECOND,
      level: 0,
      remaining: 0,
      low: 0,
      high: 0,
      rejected: 12,
      use: { total: REFILL + 0.2, own: 0.2, elsewhere: REFILL, elsewhereLow: REFILL, elsewhereHigh: REFILL },
      safe: { everySeconds: null, burst: 0 },
    }),
    verdict: { kind: 'blocked', category: 'Positions', at: NOW_MS + 240 * SECOND },
  }),
  'own programs use it up': snapshot({
    ...calm,
    requests: positions({
      state: 'running-out',
      verdict: 'runs-out',
      level: 90,
      remaining: 90,
      low: 84,
      high: 96,
      emptyAt: NOW_MS + 90 * SECOND,
      emptyFrom: NOW_MS + 84 * SECOND,
      emptyTo: NOW_MS + 96 * SECOND,
      use: { total: 2, own: 2, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0, programs: { scanner: 1.8 } },
      safe: { everySeconds: 0.94, burst: 20 },
    }),
    verdict: { kind: 'runs-out', category: 'Positions', at: NOW_MS + 90 * SECOND },
  }),
  'slots full': snapshot({
    ...calm,
    slots: [slots('Option Chain Stream', 10, 2, 8)],
    streams: [
      ...STREAMS,
      stream('s9', 'Option Chain Stream', 'AAPL', {
        state: 'waiting',
        reason: '429: no stream slot is free',
        reasonCode: 'no-slot',
        retryAt: NOW_MS + 5 * SECOND,
        framesPerSecond: 0,
      }),
    ],
  }),
  'a row low': snapshot({
    ...calm,
    requests: positions({ state: 'low', verdict: 'near-limit', level: 40, remaining: 40, low: 38, high: 42 }),
  }),
  'a row on watch': snapshot({
    ...calm,
    requests: positions({
      state: 'watch',
      verdict: 'near-limit',
      emptyFrom: NOW_MS + 7 * MINUTE,
      emptyChance: 0.3,
      use: { total: 1.3, own: 0.1, elsewhere: 1.2, elsewhereLow: 0.9, elsewhereHigh: 1.6 },
    }),
    verdict: { kind: 'near-limit', category: 'Positions' },
  }),
  'a usual load ahead': snapshot({
    ...calm,
    requests: positions({
      state: 'watch',
      verdict: 'near-limit',
      emptyChance: 0.9,
      usualLoad: { at: NOW_MS + 8 * MINUTE, perSecond: 1.44 },
    }),
    verdict: { kind: 'near-limit', category: 'Positions' },
  }),
  'a row empty': snapshot({
    ...calm,
    requests: positions({ state: 'empty', level: 0, remaining: 0, low: 0, high: 1 }),
  }),
  'revocation not confirmed': snapshot({
    ...calm,
    requests: unchecked,
    refresh: {
      ...calm.refresh,
      state: 'revoke-unconfirmed',
      reason: 'the service responded 503',
      retryAt: NOW_MS + 25 * SECOND,
    },
  }),
  'a later snapshot is missing': snapshot({ ...calm, at: NOW_MS - 5 * MINUTE }),
  'two roots at once': snapshot({
    ...calm,
    slots: [slots('Option Chain Stream', 10, 2, 8)],
    streams: silent,
    requests: quota429(),
  }),
}

function quota429(): readonly RequestQuota[] {
  return [
    quota('Positions', 320, 300, 0, { state: 'blocked', blockedUntil: NOW_MS + 40 * SECOND, rejected: 3 }),
  ]
}
