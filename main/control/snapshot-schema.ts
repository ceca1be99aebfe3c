import { z } from 'zod'
import type {
  ProbeSummary,
  RequestQuota,
  SlotQuota,
  Snapshot,
  StreamSummary,
  Verdict,
} from '../../app/contract/snapshot.ts'
import { LOW_THRESHOLD } from '../../app/quota/state.ts'

/**
 * A snapshot as another process of this app says it. Loose: a newer one may say more than this one knows, and that is
 * passed on as it is; what this one reads has the type that it expects.
 */

/** JSON has no word for numbers that are none, and no table could show them. */
const number = z.number()
const optionalNumber = number.exactOptional()
const text = z.string()
const optionalText = text.exactOptional()

const verdict: z.ZodType<Verdict> = z.looseObject({
  kind: z.enum(['unknown', 'lasts', 'near-limit', 'runs-out', 'blocked']),
  category: optionalText,
  at: optionalNumber,
})

export const requestQuotaFields = {
  category: text,
  resource: optionalText,
  model: z.enum(['rolling', 'fixed']),
  confidence: z.enum(['assumed', 'observed']),
  limit: number,
  period: number,
  remaining: number,
  low: number,
  high: number,
  source: z.enum(['header', 'modelled', 'default']),
  observedAt: optionalNumber,
  nextAt: optionalNumber,
  fullAt: optionalNumber,
  emptyAt: optionalNumber,
  emptyChance: optionalNumber,
  blockedUntil: optionalNumber,
  use: z
    .looseObject({
      total: number,
      own: number,
      elsewhere: number,
      elsewhereLow: optionalNumber,
      elsewhereHigh: optionalNumber,
    })
    .nullable(),
  rejected: number,
  used: z.looseObject({ own: number, elsewhere: number }).exactOptional(),
  level: number,
  asOf: number,
  slope: number,
  seen: optionalNumber,
  countedBy: optionalText,
  windowEndsAt: optionalNumber,
  verdict: z.enum(['not-seen', 'idle', 'lasts', 'near-limit', 'runs-out', 'blocked']),
  // A process of an earlier version does not say it: no reason to call its rows fine.
  state: z.enum(['ok', 'low', 'running-out', 'empty', 'blocked', 'not-checked']).default('not-checked'),
  threshold: number.default(LOW_THRESHOLD),
  safe: z.looseObject({ everySeconds: number.nullable(), burst: number }).exactOptional(),
  nextCheckAt: optionalNumber,
}

const requestQuota: z.ZodType<RequestQuota> = z.looseObject(requestQuotaFields).meta({ id: 'RequestQuota' })

export const slotQuotaFields = {
  category: text,
  resource: optionalText,
  limit: number,
  own: number,
  elsewhere: number,
  free: number,
  source: z.enum(['header', 'counted', 'default']),
  observedAt: optionalNumber,
}

const slotQuota: z.ZodType<SlotQuota> = z.looseObject(slotQuotaFields).meta({ id: 'SlotQuota' })

export const streamSummaryFields = {
  id: text,
  category: text,
  target: text,
  state: z.enum(['opening', 'snapshot', 'live', 'stale', 'waiting', 'closed']),
  openedAt: optionalNumber,
  lastFrameAt: optionalNumber,
  framesPerSecond: number,
  restarts: number,
  reason: optionalText,
  reasonCode: optionalText,
  retryAt: optionalNumber,
  symbolErrors: z.array(z.looseObject({ symbol: text, error: text, at: number })).exactOptional(),
  pinned: z.boolean().exactOptional(),
}

const streamSummary: z.ZodType<Omit<StreamSummary, 'reasonCode'>> = z
  .looseObject(streamSummaryFields)
  .meta({ id: 'StreamSummary' })

const probes: z.ZodType<ProbeSummary> = z.looseObject({
  enabled: z.boolean(),
  perMinute: number,
  budgetFraction: number,
  usedFraction: number,
  symbol: optionalText,
  account: optionalText,
})

/** The fields of a snapshot, one by one, as those of its rows are above: lines of `watch --json` hold all of them, or some. */
export const snapshotFields = {
  revision: number,
  at: number,
  profile: z.looseObject({
    id: text,
    name: text,
    environment: z.enum(['live', 'sim', 'simulator', 'custom']),
    keyEnding: optionalText,
  }),
  service: z.looseObject({
    reachable: z.boolean(),
    host: text,
    since: optionalNumber,
    retryAt: optionalNumber,
    why: optionalText,
  }),
  keystore: z.enum([
    'ok',
    'memory',
    'waiting',
    'unavailable',
    'key-changed',
    'record-corrupt',
    'unprotected',
  ]),
  access: z.looseObject({
    state: z.enum(['none', 'valid', 'refreshing', 'expired']),
    issuedAt: optionalNumber,
    expiresAt: optionalNumber,
    refreshAt: optionalNumber,
    scopes: z.array(text),
  }),
  refresh: z.looseObject({
    state: z.enum([
      'none',
      'valid',
      'unconfirmed',
      'sign-in-required',
      'revoking',
      'revoke-unconfirmed',
      'revoked',
    ]),
    rotating: z.boolean(),
    rotatedAt: optionalNumber,
    rotatesBy: optionalNumber,
    endsAt: optionalNumber,
    stored: z.enum(['sealed', 'memory']),
    unsaved: optionalText,
    reason: optionalText,
    cause: z.literal('misconfigured').exactOptional(),
    refreshesToday: number,
    revokedAt: optionalNumber,
    retryAt: optionalNumber,
  }),
  requests: z.array(requestQuota),
  slots: z.array(slotQuota),
  streams: z.array(streamSummary),
  probes,
  settingsAt: optionalNumber,
  verdict,
}

export const snapshotSchema: z.ZodType<Snapshot> = z.looseObject(snapshotFields)
