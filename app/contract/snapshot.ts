import { z } from 'zod/mini'
import { deskSummary } from './desk.ts'
import { type Immutable, number, openObject, optionalNumber, optionalText, text } from './fields.ts'
import { command, nothing, push } from './ipc.ts'
import { health, keystoreState, pausedHistory } from './key-health.ts'
import { ordersSummary } from './orders.ts'
import { PROGRAM_CLASSES } from './programs.ts'
import { quotaPoller, quotaUse } from './quota-use.ts'
import type { StreamReasonCode } from './stream-reasons.ts'
import { streamKind } from './streams.ts'
import { LOW_THRESHOLD } from './units.ts'

/*
 * The published state of one profile, for windows, terminals and programs. Types are inferred from the
 * schemas, which also parse data from another process of this app. Unknown fields are kept unchanged.
 *
 * Times are epoch milliseconds, rates requests per second. A snapshot contains no secret or part of a secret.
 * Fields may be added; existing ones are not renamed or retyped without a note in the README.
 */

const environment = z.enum(['live', 'sim', 'simulator', 'custom'])

export type Environment = z.output<typeof environment>

const profileSummary = openObject({
  id: text,
  name: text,
  environment,
  /** The last characters of the API key, to distinguish keys. They are not a secret. */
  keyEnding: optionalText,
})

export interface ProfileSummary extends Immutable<z.output<typeof profileSummary>> {}

const serviceSummary = openObject({
  /** False until the service's first response. */
  reachable: z.boolean(),
  /** Only with `reachable: false`: since the app started, no request has succeeded or failed. */
  pending: z.exactOptional(z.literal(true)),
  host: text,
  since: optionalNumber,
  /**
   * Time of the next attempt, which is in the past while the attempt runs. Absent if the access token must be
   * refreshed first.
   */
  retryAt: optionalNumber,
  /** Why the service cannot be reached, in plain words. */
  why: optionalText,
})

export const signInHostSummary = openObject({
  host: text,
  since: number,
  /** Time of the next refresh attempt; in the past while the attempt runs. Absent if none is due yet. */
  retryAt: optionalNumber,
  /** Why the sign-in host cannot be reached, in plain words. */
  why: text,
})

const accessSummary = openObject({
  state: z.enum(['none', 'valid', 'refreshing', 'expired']),
  issuedAt: optionalNumber,
  expiresAt: optionalNumber,
  refreshAt: optionalNumber,
  scopes: z.array(text),
})

/** The access token. */
export interface AccessSummary extends Immutable<z.output<typeof accessSummary>> {}

const refreshSummary = openObject({
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
  /** Why the newest token is not stored yet, such as a full disk. Until then, it is used from memory. */
  unsaved: optionalText,
  reason: optionalText,
  /**
   * Only with `sign-in-required`. `misconfigured`: the API key, its secret or its settings are rejected, not
   * the token. `locked`: the stored token can't be opened yet.
   */
  cause: z.exactOptional(z.enum(['misconfigured', 'locked'])),
  refreshesToday: number,
  /** When the service confirmed the revocation. */
  revokedAt: optionalNumber,
  /** The desk's machine that revoked the key; absent if it was this one. */
  revokedBy: optionalText,
  /** Next attempt of a failed refresh or an unconfirmed revocation; in the past while the attempt runs. */
  retryAt: optionalNumber,
})

/** The refresh token, and the revocation of the key. */
export interface RefreshSummary extends Immutable<z.output<typeof refreshSummary>> {}

const rowVerdict = z.enum(['not-seen', 'idle', 'lasts', 'near-limit', 'runs-out', 'blocked'])

export type RowVerdict = z.output<typeof rowVerdict>

/** If a newer process sends an unknown state, the row counts as not checked, never as fine. */
const quotaState = z.catch(
  z.enum(['ok', 'watch', 'low', 'running-out', 'empty', 'blocked', 'not-checked']),
  'not-checked',
)

export type QuotaState = z.output<typeof quotaState>

const rowProblem = openObject({
  status: number,
  /** The service's own message, without secrets and truncated to 200 characters. */
  message: optionalText,
  /** When the first response of this kind arrived, epoch ms. */
  since: number,
  /** Whether this is a 401 of a single row, while the token works for another row. */
  alone: z.exactOptional(z.literal(true)),
})

/** The last response of a row, if it had no quota headers, with its HTTP status. */
export interface RowProblem extends Immutable<z.output<typeof rowProblem>> {}

export const requestQuota = openObject({
  category: text,
  resource: optionalText,
  model: z.enum(['rolling', 'fixed']),
  confidence: z.enum(['assumed', 'observed']),
  limit: number,
  /** Seconds. */
  period: number,
  /** Whole requests that can be made now: `floor(level)`. */
  remaining: number,
  /**
   * Lower bound of the requests left, correct in 95 of 100 readings, and upper bound, which is always
   * correct. If they differ by more than a tenth of the limit, surfaces show the range.
   */
  low: number,
  high: number,
  source: z.enum(['header', 'modelled', 'default']),
  observedAt: optionalNumber,
  nextAt: optionalNumber,
  fullAt: optionalNumber,
  /** The most likely time at which the quota runs out, epoch ms. */
  emptyAt: optionalNumber,
  /**
   * The range of that time, epoch ms: from the lower bound at the high end of others' use to the upper bound
   * at the low end. Without `emptyTo`, the quota might never run out. If both are absent, it lasts ten
   * minutes unless use increases.
   */
  emptyFrom: optionalNumber,
  emptyTo: optionalNumber,
  /** The chance of running empty within the next ten minutes, 0 to 1; absent before two headers. */
  emptyChance: optionalNumber,
  /**
   * A usual load of others that would empty the quota within ten minutes. `at`: its start, epoch ms;
   * `perSecond`: its rate.
   */
  usualLoad: z.exactOptional(openObject({ at: number, perSecond: number })),
  poller: z.exactOptional(quotaPoller),
  blockedUntil: optionalNumber,
  /** Replaces `blockedUntil` while others use the whole refill: the next attempt may get 429 again. */
  nextTryAt: optionalNumber,
  use: z.nullable(quotaUse),
  /** The part of `use.own` that leaves the gateway's reserve untouched while requests wait. */
  held: optionalNumber,
  /** 429s of this category since the app started. */
  rejected: number,
  /**
   * Requests by this app, by the other machines of its desk, and by others since the app started; absent
   * before the first request.
   */
  used: z.exactOptional(openObject({ own: number, desk: optionalNumber, elsewhere: number })),
  /** Midpoint between the lower and the upper bound, not rounded, at `asOf`; `remaining` is its floor. */
  level: number,
  /** The time of `level`: the snapshot's `at`. */
  asOf: number,
  /** Change of the estimate until the next header, in requests per second. */
  slope: number,
  /** Remaining in the last header, unchanged. */
  seen: optionalNumber,
  /** The row that counts this category's requests, if headers showed that it is a different one. */
  countedBy: optionalText,
  /** Only for fixed windows: when the window ends and the quota is full again. */
  windowEndsAt: optionalNumber,
  verdict: rowVerdict,
  /**
   * The row's state on every surface, including hysteresis; `app/quota/state.ts` defines the conditions.
   * Absent from earlier versions; a later version may send an unknown one.
   */
  state: z._default(quotaState, 'not-checked'),
  /** Share of the limit, 0 to 1, below which the row is low; 0.2 by default. */
  threshold: z._default(number, LOW_THRESHOLD),
  /**
   * The pace that others' use leaves. `everySeconds`: seconds between requests that can continue forever;
   * `null` if others, at the high end of their range, take the whole refill. `burst`: whole requests that can
   * be sent at once without using the gateway's reserve, even if the gateway is off. Absent while others' use
   * is unknown, as before the second header; see `app/quota/safe-pace.ts`.
   */
  safe: z.exactOptional(openObject({ everySeconds: z.nullable(number), burst: number })),
  /** Next check of this row if no header arrives first, epoch ms; absent if none is planned. */
  nextCheckAt: optionalNumber,
  /** The last response, if it had no quota headers; the next headers clear this. */
  problem: z.exactOptional(rowProblem),
})

/**
 * The request quota of one category (service 8.2) at the snapshot's `at`.
 *
 * Levels and bounds apply to the time `asOf`. A visible window receives a snapshot at least once a second.
 * Between snapshots it advances ages and countdowns but not levels, because others' use is unknown.
 */
export interface RequestQuota extends Immutable<z.output<typeof requestQuota>> {}

export const slotQuota = openObject({
  category: text,
  resource: optionalText,
  limit: number,
  own: number,
  /** Streams of the desk's other machines; absent without a desk. */
  desk: optionalNumber,
  elsewhere: number,
  free: number,
  source: z.enum(['header', 'counted', 'default']),
  observedAt: optionalNumber,
})

/** The concurrent streams of one category. */
export interface SlotQuota extends Immutable<z.output<typeof slotQuota>> {}

const symbolError = openObject({ symbol: text, error: text, at: number })
export interface SymbolError extends Immutable<z.output<typeof symbolError>> {}

export const streamSummary = openObject({
  id: text,
  category: text,
  /** The kind of stream: several kinds may share a category. */
  streamKind,
  target: text,
  state: z.enum(['opening', 'snapshot', 'live', 'stale', 'waiting', 'closed']),
  openedAt: optionalNumber,
  lastFrameAt: optionalNumber,
  framesPerSecond: number,
  restarts: number,
  /** Restarts within the last ten minutes; absent if none. */
  recentRestarts: optionalNumber,
  reason: optionalText,
  /** `reason` as a code, for programs. A newer process may send an unknown code. */
  reasonCode: z.exactOptional(text as z.ZodMiniType<StreamReasonCode>),
  retryAt: optionalNumber,
  /** The latest symbols or accounts that the service will not serve; the stream continues without them. */
  symbolErrors: z.exactOptional(z.array(symbolError)),
  /** When the stream closes at a person's request, epoch ms. Until then, it can be kept open. */
  closingAt: optionalNumber,
  /** Whether the stream is opened again at the next start. */
  pinned: z.exactOptional(z.boolean()),
  /** How many readers in programs behind the gateway share the stream; absent if none. */
  readers: optionalNumber,
  /** The first few programs with readers, by name. */
  readBy: z.exactOptional(z.array(openObject({ program: text, readers: number }))),
})

export interface StreamSummary extends Immutable<z.output<typeof streamSummary>> {}

const probeSummary = openObject({
  enabled: z.boolean(),
  perMinute: number,
  budgetFraction: number,
  /** Share of a quota that this app's checks used in one period, for the quota with the largest share. */
  usedFraction: number,
  /** The symbol or account that checks use for a category that needs one. */
  symbol: optionalText,
  account: optionalText,
})

export interface ProbeSummary extends Immutable<z.output<typeof probeSummary>> {}

const verdict = openObject({
  kind: z.enum(['unknown', 'lasts', 'near-limit', 'runs-out', 'blocked']),
  category: optionalText,
  at: optionalNumber,
})

export interface Verdict extends Immutable<z.output<typeof verdict>> {}

export const gatewaySummary = openObject({
  state: z.enum(['off', 'serving', 'failed']),
  /** The gateway's address, while it serves programs. */
  url: optionalText,
  /** When the gateway began to serve, epoch ms. Programs' counts start here. */
  since: optionalNumber,
  /** Why the gateway does not serve. */
  why: optionalText,
})

/** The gateway, through which programs on this machine use the key. */
export interface GatewaySummary extends Immutable<z.output<typeof gatewaySummary>> {}

const programUse = openObject({
  category: text,
  forwarded: number,
  perSecond: number,
  waiting: number,
  /** How long the first waiting request has waited; absent if none waits. */
  longestWaitMs: optionalNumber,
  /** When the next request is expected to be sent if no others arrive first, epoch ms. */
  nextTurnAt: optionalNumber,
  /** When that request arrived, and when its maximum wait ends, epoch ms. */
  nextCameAt: optionalNumber,
  nextPatientUntil: optionalNumber,
  /** When the last waiting request is expected to be sent, epoch ms. */
  lastTurnAt: optionalNumber,
})

export const programSummary = openObject({
  id: text,
  name: text,
  class: z.enum(PROGRAM_CLASSES),
  /** Share among the programs of its class. */
  weight: number,
  /** The last four characters of its key, to distinguish keys. */
  keyEnding: text,
  /** Maximum orders in any minute. If absent, the program may not send orders. */
  maxOrders: optionalNumber,
  /** Orders of the last minute, cancels included; absent if `maxOrders` is absent. */
  ordersLastMinute: optionalNumber,
  lastSeenAt: optionalNumber,
  /** The process of the last call, if the system reports it: `python3 scan.py (4123)`. */
  process: optionalText,
  /** Requests answered and streams opened by the service since the gateway was turned on, without resends. */
  forwarded: number,
  /** Requests answered with the response to an identical request. */
  coalesced: number,
  /** Requests that the gateway declined. */
  refused: number,
  /** Rate-limit 429s that the service sent for its requests; earlier versions omit this. */
  rejected: optionalNumber,
  /** Mean of the last minute. */
  perSecond: number,
  waiting: number,
  longestWaitMs: number,
  /** When a pause by a person ends, epoch ms. Until then, requests get 429, and open streams continue. */
  pausedUntil: optionalNumber,
  /** Streams open now. */
  streams: number,
  use: z.array(programUse),
  /** Number of further categories that do not fit in a snapshot; absent if all fit. */
  unlisted: optionalNumber,
})

/** A program that calls the gateway with its own key. */
export interface ProgramSummary extends Immutable<z.output<typeof programSummary>> {}

export const unlisted = openObject({
  requests: optionalNumber,
  slots: optionalNumber,
  streams: optionalNumber,
  programs: optionalNumber,
})

export const snapshotSchema = openObject({
  revision: number,
  at: number,
  profile: profileSummary,
  service: serviceSummary,
  /** The sign-in host while a due refresh cannot reach it; absent if it is the service's own host. */
  signInHost: z.exactOptional(signInHostSummary),
  keystore: keystoreState,
  access: accessSummary,
  refresh: refreshSummary,
  requests: z.array(requestQuota),
  slots: z.array(slotQuota),
  streams: z.array(streamSummary),
  probes: probeSummary,
  /** Increases whenever any window changes this key's settings: a signal to fetch `keySettings` again. */
  settingsAt: optionalNumber,
  verdict,
  /** Only in JSON lines: a window computes the health itself, for the time at which it shows it. */
  health: z.exactOptional(health),
  /** Why the history can't be written; absent while it can. */
  pausedHistory: z.exactOptional(pausedHistory),
  /** Absent while the gateway is off. */
  gateway: z.exactOptional(gatewaySummary),
  /** The programs that use this key; absent while the gateway is off. */
  programs: z.exactOptional(z.array(programSummary)),
  orders: z.exactOptional(ordersSummary),
  /** Absent without a desk. */
  desk: z.exactOptional(deskSummary),
  /** How many items of each list are left out to keep the snapshot within 512 kB; absent if all fit. */
  unlisted: z.exactOptional(unlisted),
})

/** The state of one profile at the time `at`; `revision` increases with each change. */
export interface Snapshot extends Immutable<z.output<typeof snapshotSchema>> {}

/** The state of the connected keys. */
export const snapshotContract = {
  /** The latest snapshot of every connected profile. */
  snapshots: command(nothing).returning<readonly Snapshot[]>(),
  snapshotChanged: push<Snapshot>(),
  profileRemoved: push<{ readonly profile: string }>(),
} as const
