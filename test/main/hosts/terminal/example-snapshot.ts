import type { Alert } from '../../../../app/contract/alerts.ts'
import type { DeskSummary } from '../../../../app/contract/desk.ts'
import type {
  ProgramSummary,
  RequestQuota,
  SlotQuota,
  Snapshot,
  StreamSummary,
} from '../../../../app/contract/snapshot.ts'
import { CURRENT_REQUEST_QUOTAS, SLOT_QUOTAS } from '../../../../app/service/categories.ts'

export const AT_MS = Date.UTC(2026, 0, 5, 15, 30)

export function exampleQuota(changes: Partial<RequestQuota> = {}): RequestQuota {
  return {
    category: 'Accounts',
    model: 'rolling',
    confidence: 'observed',
    limit: 320,
    period: 300,
    remaining: 300,
    low: 300,
    high: 301,
    source: 'header',
    observedAt: AT_MS - 3000,
    nextAt: AT_MS + 900,
    fullAt: AT_MS + 18_750,
    use: { total: 0.25, own: 0.05, elsewhere: 0.2 },
    rejected: 0,
    level: 300.2,
    asOf: AT_MS,
    slope: 320 / 300,
    verdict: 'lasts',
    state: 'ok',
    threshold: 0.2,
    ...changes,
  }
}

export function exampleSlot(changes: Partial<SlotQuota> = {}): SlotQuota {
  return {
    category: 'Positions Stream',
    limit: 40,
    own: 1,
    elsewhere: 2,
    free: 37,
    source: 'header',
    observedAt: AT_MS - 8000,
    ...changes,
  }
}

export function exampleStream(changes: Partial<StreamSummary> = {}): StreamSummary {
  return {
    id: 's1',
    category: 'Positions Stream',
    target: 'SIM1001',
    state: 'live',
    openedAt: AT_MS - 60_000,
    lastFrameAt: AT_MS - 1000,
    framesPerSecond: 2,
    restarts: 0,
    ...changes,
  }
}

/** A program behind the gateway that has sent nothing. */
export const exampleProgram = (name: string, changes: Partial<ProgramSummary> = {}): ProgramSummary => ({
  id: name,
  name,
  class: 'normal',
  weight: 1,
  keyEnding: 'abcd',
  forwarded: 0,
  coalesced: 0,
  refused: 0,
  perSecond: 0,
  waiting: 0,
  longestWaitMs: 0,
  streams: 0,
  use: [],
  ...changes,
})

export const exampleAlert = (changes: Partial<Alert> = {}): Alert => ({
  id: 'key-1 low Accounts',
  profile: 'key-1',
  kind: 'low',
  severity: 'critical',
  subject: 'Accounts',
  since: 1,
  at: 1,
  title: 't',
  body: 'b',
  dismissed: false,
  ...changes,
})

/** A desk of two machines. This one is `a`; the one that announces alerts is given. */
export function exampleDesk(announces: string, changes: Partial<DeskSummary> = {}): DeskSummary {
  const member = { present: true, lastSeenMs: 0, perSecond: 0, total: 0 }
  return {
    state: 'joined',
    engine: { server: 'nats:4222', reachable: true },
    members: [
      { id: 'a', name: 'A', self: true, ...member },
      { id: 'b', name: 'B', self: false, ...member },
    ],
    announces,
    dropped: 0,
    ...changes,
  }
}

/** Every category of the table, one of them seen. */
export function exampleSnapshot(changes: Partial<Snapshot> = {}): Snapshot {
  const unseen = ({
    category,
    limit,
    periodSeconds,
  }: (typeof CURRENT_REQUEST_QUOTAS)[number]): RequestQuota => ({
    category,
    model: 'rolling',
    confidence: 'assumed',
    limit,
    period: periodSeconds,
    remaining: limit,
    low: limit,
    high: limit,
    source: 'default',
    use: null,
    rejected: 0,
    level: limit,
    asOf: AT_MS,
    slope: limit / periodSeconds,
    verdict: 'not-seen',
    state: 'not-checked',
    threshold: 0.2,
  })
  return {
    revision: 1,
    at: AT_MS,
    profile: { id: 'simulator', name: 'Built-in simulator', environment: 'simulator' },
    service: { reachable: true, host: '127.0.0.1:4790' },
    keystore: 'memory',
    access: {
      state: 'valid',
      issuedAt: AT_MS - 60_000,
      expiresAt: AT_MS + 1_140_000,
      refreshAt: AT_MS + 1_000_000,
      scopes: ['openid'],
    },
    refresh: { state: 'valid', rotating: false, stored: 'memory', refreshesToday: 1 },
    requests: CURRENT_REQUEST_QUOTAS.map((quota) =>
      quota.category === 'Accounts' ? exampleQuota() : unseen(quota),
    ),
    slots: SLOT_QUOTAS.map(({ category, limit }) =>
      category === 'Positions Stream'
        ? exampleSlot()
        : { category, limit, own: 0, elsewhere: 0, free: limit, source: 'default' },
    ),
    streams: [exampleStream()],
    probes: { enabled: true, perMinute: 6, budgetFraction: 0.02, usedFraction: 0.01 },
    verdict: { kind: 'lasts' },
    ...changes,
  }
}
