import type { DeskMember, DeskProgram, DeskSummary } from '../../app/contract/desk.ts'
import type { LoggedEvent } from '../../app/contract/events.ts'
import type { RequestQuota, SlotQuota, Snapshot, StreamSummary } from '../../app/contract/snapshot.ts'

/** A Friday afternoon, the time shown in the design's picture. */
export const NOW_MS = Date.UTC(2026, 2, 13, 14, 31, 5)

const SECOND = 1000
const MINUTE = 60_000
const HOUR = 3_600_000

/** Two headers have shown that others do not use the quota. */
const UNUSED = { total: 0, own: 0, elsewhere: 0, elsewhereLow: 0, elsewhereHigh: 0 }

/** A quota whose header is `ageSeconds` old. Tests set the fields beyond the basic ones. */
export function quota(
  category: string,
  limit: number,
  period: number,
  level: number,
  more: Partial<RequestQuota> = {},
): RequestQuota {
  return {
    category,
    model: 'rolling',
    confidence: 'observed',
    limit,
    period,
    remaining: Math.floor(level),
    low: Math.floor(level),
    high: Math.floor(level),
    source: 'header',
    observedAt: NOW_MS,
    use: UNUSED,
    rejected: 0,
    level,
    asOf: NOW_MS,
    slope: 0,
    seen: Math.floor(level),
    verdict: 'lasts',
    state: 'ok',
    threshold: 0.2,
    ...more,
  }
}

export function defaultQuota(category: string, limit: number, period: number): RequestQuota {
  return {
    category,
    model: 'rolling',
    confidence: 'assumed',
    limit,
    period,
    remaining: limit,
    low: 0,
    high: limit,
    source: 'default',
    use: null,
    rejected: 0,
    level: limit,
    asOf: NOW_MS,
    slope: 0,
    verdict: 'not-seen',
    state: 'not-checked',
    threshold: 0.2,
  }
}

interface Live {
  readonly seen: number
  readonly level: number
  readonly use?: number
  readonly elsewhere?: number
  readonly nextMs: number
  readonly ageSeconds: number
}

function live(category: string, limit: number, period: number, row: Live): RequestQuota {
  const total = row.use ?? 0
  const elsewhere = row.elsewhere ?? 0
  return quota(category, limit, period, row.level + 0.2, {
    source: row.ageSeconds > 0 ? 'modelled' : 'header',
    observedAt: NOW_MS - row.ageSeconds * SECOND,
    seen: row.seen,
    slope: limit / period - total,
    use: {
      total,
      elsewhere,
      own: total - elsewhere,
      elsewhereLow: elsewhere * 0.95,
      elsewhereHigh: elsewhere * 1.15,
    },
    low: row.level - 2,
    high: row.level + 2,
    safe: safePace(limit / period - elsewhere * 1.15, row.level - 2),
    nextCheckAt: NOW_MS + (30 - row.ageSeconds) * SECOND,
    nextAt: NOW_MS + row.nextMs,
    fullAt: NOW_MS + ((limit - row.level) * period * SECOND) / limit,
  })
}

function safePace(perSecond: number, burst: number): NonNullable<RequestQuota['safe']> {
  return { everySeconds: perSecond > 0 ? 1 / perSecond : null, burst }
}

/** The thirteen rows of the design's picture. */
export const REQUESTS: readonly RequestQuota[] = [
  live('Accounts', 320, 300, { seen: 294, level: 296, use: 0.1, nextMs: 900, ageSeconds: 2 }),
  live('Order Details', 320, 300, {
    seen: 212,
    level: 221,
    use: 0.6,
    elsewhere: 0.2,
    nextMs: 400,
    ageSeconds: 1,
  }),
  live('Balances', 320, 300, { seen: 300, level: 305, use: 0.1, nextMs: 700, ageSeconds: 4 }),
  {
    ...live('Positions', 320, 300, {
      seen: 38,
      level: 38,
      use: 1.4,
      elsewhere: 1,
      nextMs: 900,
      ageSeconds: 0,
    }),
    emptyAt: NOW_MS + 114 * SECOND,
    emptyFrom: NOW_MS + 90 * SECOND,
    emptyTo: NOW_MS + 200 * SECOND,
    low: 31,
    high: 45,
    verdict: 'runs-out',
    state: 'running-out',
  },
  live('Quote Snapshot', 500, 300, { seen: 478, level: 482, use: 0.3, nextMs: 200, ageSeconds: 3 }),
  {
    ...live('Option Expirations', 90, 60, {
      seen: 14,
      level: 18,
      use: 1.5,
      elsewhere: 0.1,
      nextMs: 600,
      ageSeconds: 6,
    }),
    verdict: 'near-limit',
    state: 'low',
  },
  quota('Option Strikes', 90, 60, 90, {
    source: 'modelled',
    observedAt: NOW_MS - 38 * SECOND,
    slope: 1.5,
    verdict: 'idle',
  }),
  defaultQuota('Option Spread Types', 90, 60),
  defaultQuota('Option Risk Reward', 90, 60),
  live('Quote Change Stream', 500, 300, { seen: 494, level: 497, nextMs: 300, ageSeconds: 51 }),
  defaultQuota('Barchart Stream', 500, 300),
  defaultQuota('TickBar Stream', 500, 300),
  live('MarketDepth Stream', 30, 60, { seen: 20, level: 26, nextMs: 1600, ageSeconds: 12 }),
]

/** The same rows, but those with a problem have 61 % left. */
export const CALM_REQUESTS: readonly RequestQuota[] = REQUESTS.map((row) => {
  if (row.state === 'ok' || row.state === 'not-checked') return row
  const { emptyAt: _, emptyFrom: _from, emptyTo: _to, ...rest } = row
  const left = Math.floor(row.limit * 0.61)
  return {
    ...rest,
    remaining: left,
    level: left,
    low: left - 1,
    high: left + 1,
    use: UNUSED,
    verdict: 'lasts',
    state: 'ok',
  }
})

export const slots = (
  category: string,
  limit: number,
  own: number,
  elsewhere: number,
  source: SlotQuota['source'] = 'header',
): SlotQuota => ({
  category,
  limit,
  own,
  elsewhere,
  free: limit - own - elsewhere,
  source,
  observedAt: NOW_MS,
})

export const SLOTS: readonly SlotQuota[] = [
  slots('Positions Stream', 40, 1, 2),
  slots('Order Stream', 40, 1, 0),
  slots('Order Stream by Order Id', 40, 0, 0, 'default'),
  slots('MarketDepth Stream', 10, 1, 6),
  slots('Option Quote Stream', 10, 0, 0, 'default'),
  slots('Option Chain Stream', 10, 0, 0, 'default'),
]

export function stream(id: string, category: string, target: string, more: Partial<StreamSummary> = {}) {
  return {
    id,
    category,
    target,
    state: 'live',
    openedAt: NOW_MS - 134 * MINUTE,
    lastFrameAt: NOW_MS - SECOND,
    framesPerSecond: 0.4,
    restarts: 0,
    ...more,
  } satisfies StreamSummary as StreamSummary
}

export const STREAMS: readonly StreamSummary[] = [
  stream('s1', 'Positions Stream', '123456782'),
  stream('s2', 'Order Stream', '123456782', { framesPerSecond: 0.1 }),
  stream('s3', 'MarketDepth Stream', 'MSFT', {
    streamKind: 'depth',
    framesPerSecond: 38,
    openedAt: NOW_MS - 41 * SECOND,
    restarts: 1,
  }),
]

export function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return {
    revision: 1,
    at: NOW_MS,
    profile: { id: 'main', name: 'Main key', environment: 'live' },
    service: { reachable: true, host: 'api.tradestation.com' },
    keystore: 'ok',
    access: {
      state: 'valid',
      issuedAt: NOW_MS - 328 * SECOND,
      expiresAt: NOW_MS + 872 * SECOND,
      refreshAt: NOW_MS + 752 * SECOND,
      scopes: ['openid', 'offline_access', 'MarketData', 'ReadAccount'],
    },
    refresh: {
      state: 'valid',
      rotating: true,
      rotatedAt: NOW_MS - 328 * SECOND,
      rotatesBy: NOW_MS + 24 * MINUTE,
      endsAt: NOW_MS + 18 * HOUR + 41 * MINUTE,
      stored: 'sealed',
      refreshesToday: 12,
    },
    requests: REQUESTS,
    slots: SLOTS,
    streams: STREAMS,
    probes: { enabled: true, perMinute: 2, budgetFraction: 0.02, usedFraction: 0.006 },
    verdict: { kind: 'runs-out', category: 'Positions', at: NOW_MS + 114 * SECOND },
    ...more,
  }
}

const deskProgram = (name: string, perSecond: number, more: Partial<DeskProgram>): DeskProgram => ({
  ...{ name, perSecond, class: 'normal', weight: 1, waiting: 0, longestWaitMs: 0 },
  ...more,
})

const member = (id: string, name: string, more: Partial<DeskMember> = {}): DeskMember => ({
  id,
  name,
  self: false,
  dispatcher: false,
  present: true,
  lastSeenMs: 400,
  perSecond: 0.2,
  total: 3120,
  ...more,
})

/** The desk of the design's picture. */
export const DESK: DeskSummary = {
  state: 'joined',
  engine: { server: 'nats.lan:4222', reachable: true, roundTripMs: 1.4 },
  members: [
    member('w', 'WORKSTATION', { self: true, lastSeenMs: 0, perSecond: 1.06, total: 41_207 }),
    member('l', 'LAPTOP', {
      perSecond: 0.25,
      programs: [
        deskProgram('dashboard', 0.25, {
          use: [
            { category: 'Quote Snapshot', perSecond: 0.15, waiting: 0 },
            { category: 'Accounts', perSecond: 0.1, waiting: 0 },
          ],
        }),
      ],
    }),
    member('s', 'SERVER', {
      dispatcher: true,
      programs: [
        deskProgram('risk', 0.2, {
          ...{ class: 'critical', weight: 2 },
          use: [
            { category: 'Positions', perSecond: 0.1, waiting: 0 },
            { category: 'Order Details', perSecond: 0.1, waiting: 0 },
          ],
        }),
      ],
    }),
  ],
  dispatcher: 's',
  queue: { mode: 'granted', members: 3 },
  announces: 'w',
  dropped: 0,
}

const { dispatcher: _, ...deskWithoutDispatcher } = DESK

/** The same desk while this machine can't reach the server. */
export const DESK_ALONE: DeskSummary = {
  ...deskWithoutDispatcher,
  state: 'alone',
  queue: { mode: 'alone', members: 3, share: 1 / 3, since: NOW_MS - SECOND, lastDispatcher: 's' },
  why: 'nats.lan:4222 timed out.',
  engine: { server: 'nats.lan:4222', reachable: false, since: NOW_MS - 2 * SECOND },
  members: DESK.members.map((one) =>
    one.self ? one : { ...one, dispatcher: false, present: false, lastSeenMs: 2400, programs: [] },
  ),
}

const told = { profile: 'main' } as const

export const EVENTS: readonly LoggedEvent[] = [
  {
    ...told,
    seq: 1,
    at: NOW_MS - 134 * MINUTE,
    kind: 'stream-opened',
    stream: 's1',
    category: 'Positions Stream',
    target: '123456782',
    reason: '37 slots left',
  },
  {
    ...told,
    seq: 2,
    at: NOW_MS - 18 * MINUTE - 25 * SECOND,
    kind: 'rate-limited',
    category: 'Quote Snapshot',
    retryAt: NOW_MS - 13 * MINUTE - 25 * SECOND,
    requestId: 'a9c14d07-55f2-4c1e-9d2b-70f0c4a3b1e2',
  },
  {
    ...told,
    seq: 3,
    at: NOW_MS - 329 * SECOND,
    kind: 'token-refreshed',
    rotated: true,
    expiresAt: NOW_MS + 871 * SECOND,
  },
  {
    ...told,
    seq: 4,
    at: NOW_MS - 42 * SECOND,
    kind: 'stream-restarted',
    stream: 's3',
    category: 'MarketDepth Stream',
    target: 'MSFT',
    reason: 'server going away',
  },
]
