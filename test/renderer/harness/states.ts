import type { History } from '../../../app/contract/history.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import {
  CALM_REQUESTS,
  defaultQuota,
  NOW_MS,
  quota,
  REQUESTS,
  SLOTS,
  STREAMS,
  slots,
  snapshot,
  stream,
} from '../fixtures.ts'

const SECOND = 1000
const MINUTE = 60_000

const base = snapshot()

const withRow = (category: string, row: Snapshot['requests'][number]) =>
  REQUESTS.map((one) => (one.category === category ? row : one))

/**
 * A row of a key without permission to read anything. It has the longest possible texts about its last
 * response and its next check.
 */
const refusedRow = (category: string, limit: number, period: number) => ({
  ...defaultQuota(category, limit, period),
  problem: { status: 403, message: 'The scope does not allow it.', since: NOW_MS - 100 * SECOND },
  nextCheckAt: NOW_MS + 9 * MINUTE,
})

/** Every state the design shows, by name. */
export const STATES: Readonly<Record<string, Snapshot>> = {
  target: base,
  simulated: snapshot({ profile: { id: 'main', name: 'Simulator', environment: 'simulator' } }),
  unreachable: snapshot({
    service: {
      reachable: false,
      host: 'api.tradestation.com',
      since: NOW_MS - 123 * SECOND,
      retryAt: NOW_MS + 8 * SECOND,
    },
    requests: REQUESTS.map((row) =>
      row.observedAt === undefined
        ? row
        : {
            ...row,
            observedAt: row.observedAt - 240 * SECOND,
            source: 'modelled' as const,
            state: 'not-checked' as const,
          },
    ),
  }),
  'sign-in': snapshot({
    refresh: { ...base.refresh, state: 'sign-in-required', endsAt: NOW_MS - 5 * MINUTE },
    access: { state: 'expired', expiresAt: NOW_MS - MINUTE, scopes: [] },
  }),
  'revoke-unconfirmed': snapshot({
    refresh: {
      ...base.refresh,
      state: 'revoke-unconfirmed',
      reason: 'The service answered 503',
      retryAt: NOW_MS + 65 * SECOND,
    },
  }),
  revoked: snapshot({
    refresh: { ...base.refresh, state: 'revoked', revokedAt: NOW_MS + 17 * SECOND },
    streams: [],
  }),
  blocked: snapshot({
    requests: withRow(
      'Positions',
      quota('Positions', 320, 300, 0, {
        verdict: 'blocked',
        state: 'blocked',
        safe: { everySeconds: null, burst: 0 },
        blockedUntil: NOW_MS + 300 * SECOND,
        use: { total: 1.4, own: 0.4, elsewhere: 1 },
        nextAt: NOW_MS + 300 * SECOND,
        rejected: 1,
      }),
    ),
    streams: [
      ...STREAMS,
      stream('s4', 'Quote Change Stream', 'MSFT,AAPL', {
        state: 'waiting',
        reason: 'connection lost',
        retryAt: NOW_MS + 4 * SECOND,
        framesPerSecond: 0,
      }),
      stream('s5', 'Barchart Stream', 'GOOG', {
        state: 'stale',
        lastFrameAt: NOW_MS - 17 * SECOND,
        framesPerSecond: 0,
      }),
    ],
    verdict: { kind: 'blocked', category: 'Positions', at: NOW_MS + 300 * SECOND },
  }),
  lasts: snapshot({
    requests: CALM_REQUESTS.concat(quota('quotes-special', 251, 300, 200)),
    refresh: { state: 'valid', rotating: false, stored: 'memory', refreshesToday: 1 },
    verdict: { kind: 'lasts' },
  }),
  refused: snapshot({
    requests: REQUESTS.map((row) => refusedRow(row.category, row.limit, row.period)),
    streams: [],
    verdict: { kind: 'unknown' },
  }),
  unknown: snapshot({
    requests: REQUESTS.map((row) => defaultQuota(row.category, row.limit, row.period)),
    slots: SLOTS.map((row) => slots(row.category, row.limit, 0, 0, 'default')),
    streams: [],
    access: { state: 'none', scopes: [] },
    refresh: { state: 'none', rotating: false, stored: 'memory', refreshesToday: 0 },
    verdict: { kind: 'unknown' },
  }),
}

/**
 * The design's curve for a quarter of an hour: full until 13 minutes ago, and then falling to the present
 * level.
 */
export function historyOf(state: Snapshot, category: string, spanMs = 15 * MINUTE): History {
  const row = state.requests.find((one) => one.category === category)
  if (row === undefined || row.source === 'default') return { points: [], rejectedAt: [] }
  const rejectedAt = category === 'Quote Snapshot' ? [NOW_MS - 6 * MINUTE] : []
  if (spanMs > 15 * MINUTE) return { points: longPoints(row, spanMs), rejectedAt }
  const points = Array.from({ length: 150 }, (_, index) => {
    const seconds = (index - 149) * 6
    const fall = category === 'Positions' ? (seconds < -786 ? 302 : 38 - seconds * 0.3334) : row.level
    const wave = index === 149 ? 0 : Math.sin(index * 1.7) * 1.6
    return {
      at: NOW_MS + seconds * SECOND,
      remaining: Math.min(row.limit, Math.max(0, fall + wave)),
      source: 'header' as const,
      ...(index % 5 === 0 && { own: 0.4, elsewhere: category === 'Positions' ? 0.9 + (index % 3) / 10 : 0 }),
      ...(index % 5 === 0 && state.desk && { desk: 0.2 }),
    }
  })
  return { points, rejectedAt, since: NOW_MS - 5 * 60 * MINUTE }
}

/** A long range as the main process sends it, with a low and a high for each column. */
function longPoints(row: Snapshot['requests'][number], spanMs: number): History['points'] {
  return Array.from({ length: 300 }, (_, index) => {
    const middle = 0.6 + 0.3 * Math.sin(index / 25)
    const off = index % 2 === 0 ? -0.12 : 0.08
    return {
      at: Math.round(NOW_MS - spanMs + (spanMs * (index + 0.5)) / 300),
      remaining: Math.round(row.limit * Math.min(1, middle + off)),
      source: index % 40 < 8 ? ('modelled' as const) : ('header' as const),
    }
  })
}
