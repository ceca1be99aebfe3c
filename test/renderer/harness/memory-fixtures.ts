import type { Alert, ClosedAlert } from '../../../app/contract/alerts.ts'
import type { Report } from '../../../app/contract/history.ts'
import type { RowDetails } from '../../../app/contract/quotas.ts'
import type { CurrentKeySettings } from '../../../app/contract/settings.ts'
import { NOW_MS, REQUESTS, SLOTS } from '../fixtures.ts'

const MINUTE = 60_000

export const ALERTS: readonly Alert[] = [
  {
    id: 'main running-out Positions',
    profile: 'main',
    kind: 'running-out',
    severity: 'warning',
    subject: 'Positions',
    since: NOW_MS - 2 * MINUTE,
    at: NOW_MS - 110_000,
    title: 'Positions runs out in 114 s',
    body: '38 of 320 requests left on Main key, and use is faster than the quota refills.',
    dismissed: false,
  },
  {
    id: 'main slots-full MarketDepth Stream',
    profile: 'main',
    kind: 'slots-full',
    severity: 'warning',
    subject: 'MarketDepth Stream',
    since: NOW_MS - 30 * MINUTE,
    at: NOW_MS - 29 * MINUTE,
    title: 'MarketDepth Stream: all 10 slots in use',
    body: '(2 yours, 8 others). Close a stream before you open another. On Main key.',
    dismissed: true,
  },
]

export const CLOSED_ALERTS: readonly ClosedAlert[] = [
  {
    id: 'main empty Balances',
    profile: 'main',
    kind: 'empty',
    severity: 'critical',
    subject: 'Balances',
    since: NOW_MS - 20 * MINUTE,
    at: NOW_MS - 20 * MINUTE,
    title: 'Balances empty',
    body: '0 of 320 left on Main key.',
    dismissed: false,
    endedAt: NOW_MS - 18 * MINUTE,
  },
]

export const REPORT: Report = {
  profile: 'main',
  from: NOW_MS - 60 * MINUTE,
  to: NOW_MS,
  requests: REQUESTS.filter(({ source }) => source !== 'default').map(({ category, limit }, index) => ({
    category,
    limit,
    own: 40 * index,
    elsewhere: index % 3 === 0 ? 1234 : 0,
    rejected: index === 4 ? 2 : 0,
    lowest: Math.max(0, limit - 60 * index),
    nearMs: index === 3 ? 7 * MINUTE : 0,
    knownMs: 58 * MINUTE,
  })),
  slots: SLOTS.map(({ category, limit, own, elsewhere, free }) => ({
    category,
    limit,
    refused: category === 'MarketDepth Stream' ? 1 : 0,
    mostOwn: own,
    mostElsewhere: elsewhere,
    leastFree: free,
  })),
  tokens: { refreshed: 12, failed: 1, signInRequired: 0 },
  streams: { opened: 3, restarted: 1, closed: 0 },
  unreachable: 0,
}

export function rowDetailsOf(category: string): RowDetails {
  const row = REQUESTS.find((one) => one.category === category)
  if (row?.seen === undefined || row.observedAt === undefined)
    return { refusals: [], headers: {}, oddities: [] }
  return {
    refusals:
      category === 'Quote Snapshot'
        ? [
            { at: NOW_MS - 26 * MINUTE },
            { at: NOW_MS - 6 * MINUTE, requestId: 'a9c14d07-55f2-4c1e-9d2b-70f0c4a3b1e2' },
          ]
        : [],
    headers: {
      'x-ratelimit-limit': row.limit,
      'x-ratelimit-period': row.period,
      'x-ratelimit-remaining': row.seen,
      'x-ratelimit-reset': Math.ceil(((row.limit - row.seen) * row.period) / row.limit),
    },
    headersAt: row.observedAt,
    oddities: category === 'Quote Snapshot' ? ['x-concurrency-limit: not a number'] : [],
  }
}

export const KEY_SETTINGS: { readonly ok: true } & CurrentKeySettings = {
  ok: true,
  kept: 'stored',
  settings: {
    probesEnabled: true,
    budgetFraction: 0.02,
    symbol: 'MSFT',
    everySeconds: { Positions: 15 },
    trialAfterStep: false,
    rotationMinutes: 30,
  },
  probed: [
    'Accounts',
    'Order Details',
    'Balances',
    'Positions',
    'Quote Snapshot',
    'Option Expirations',
    'Option Strikes',
    'Option Spread Types',
  ],
}
