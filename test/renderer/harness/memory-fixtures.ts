import type { Alert } from '../../../app/alerts/alert.ts'
import type { Report } from '../../../app/history/report.ts'
import { NOW_MS, REQUESTS, SLOTS } from '../fixtures.ts'

const MINUTE = 60_000

export const ALERTS: readonly Alert[] = [
  {
    id: 'main runs-out Positions',
    profile: 'main',
    kind: 'runs-out',
    severity: 'warning',
    subject: 'Positions',
    since: NOW_MS - 2 * MINUTE,
    at: NOW_MS - 110_000,
    title: 'Positions runs out in 114 s',
    body: '38 of 320 requests left on Main key, and use is faster than the quota refills.',
    dismissed: false,
  },
  {
    id: 'main slots-low MarketDepth Stream',
    profile: 'main',
    kind: 'slots-low',
    severity: 'warning',
    subject: 'MarketDepth Stream',
    since: NOW_MS - 30 * MINUTE,
    at: NOW_MS - 29 * MINUTE,
    title: 'MarketDepth Stream: 3 slots left',
    body: '3 of 10 stream slots are free on Main key.',
    dismissed: true,
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
