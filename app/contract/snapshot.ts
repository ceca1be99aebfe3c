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
 * The published state of one profile, for app windows, terminals and programs. The schemas also parse data
 * from another process of this app. Unknown fields are kept unchanged.
 *
 * Times are epoch milliseconds, and rates are requests per second. A snapshot contains no secret or part of a
 * secret. Fields may be added. Existing fields are renamed or retyped only with a note in the README.
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
  /** False before the service's first response, and while the service does not respond. */
  reachable: z.boolean(),
  /** Set until the first request succeeds or fails. Only with `reachable: false`. */
  pending: z.exactOptional(z.literal(true)),
  host: text,
  since: optionalNumber,
  /**
   * Time of the next attempt. In the past while the attempt runs. Absent if the access token must be
   * refreshed first.
   */
  retryAt: optionalNumber,
  /** Why the service cannot be reached, in plain words. */
  why: optionalText,
})

export const signInHostSummary = openObject({
  host: text,
  since: number,
  /** Time of the next refresh attempt. In the past while the attempt runs. Absent if none is due yet. */
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

export interface AccessSummary extends Immutable<z.output<typeof accessSummary>> {}

/** The `reason` of an unconfirmed revocation if the service has rejected the key's token. */
export const SIGN_IN_TO_REVOKE = 'this token no longer works; sign in to revoke'

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
  /**
   * Why the newest token is not stored yet, such as a full disk. Until it is stored, the token is used from
   * memory.
   */
  unsaved: optionalText,
  reason: optionalText,
  /**
   * Only with `sign-in-required`. `misconfigured`: the service rejects the API key, its secret or its
   * settings. `locked`: the stored token can't be opened yet.
   */
  cause: z.exactOptional(z.enum(['misconfigured', 'locked'])),
  refreshesToday: number,
  /** When the service confirmed the revocation. */
  revokedAt: optionalNumber,
  /** The desk's machine that revoked the key. Absent if this machine revoked it. */
  revokedBy: optionalText,
  /** When a failed refresh or an unconfirmed revocation is retried. In the past while the retry runs. */
  retryAt: optionalNumber,
})

/** The refresh token, and the revocation of the key. */
export interface RefreshSummary extends Immutable<z.output<typeof refreshSummary>> {}

const rowVerdict = z.enum(['not-seen', 'idle', 'lasts', 'near-limit', 'runs-out', 'blocked'])

export type RowVerdict = z.output<typeof rowVerdict>

/** An unknown state from a newer process becomes `not-checked`, never a good state. */
const quotaState = z.catch(
  z.enum(['ok', 'watch', 'low', 'running-out', 'empty', 'blocked', 'not-checked']),
  'not-checked',
)

export type QuotaState = z.output<typeof quotaState>

const rowProblem = openObject({
  status: number,
  /** The service's own message, without secrets, truncated to 200 characters. */
  message: optionalText,
  /** When the first response of this kind arrived, epoch ms. */
  since: number,
  /** Set if a 401 affects a single row and the token works for another row. */
  alone: z.exactOptional(z.literal(true)),
})

/** A row's last response, if it had no quota headers. */
export interface RowProblem extends Immutable<z.output<typeof rowProblem>> {}

export const requestQuota = openObject({
  category: text,
  resource: optionalText,
  model: z.enum(['rolling', 'fixed']),
  confidence: z.enum(['assumed', 'observed']),
  limit: number,
  /** Length of the period in seconds. */
  period: number,
  /** Whole requests that can be made now: `floor(level)`. */
  remaining: number,
  /**
   * Bounds on the number of requests left. The lower bound holds in 95 of 100 readings, the upper bound in
   * all. The app shows the range if the bounds differ by more than a tenth of the limit.
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
   * Range of the time at which the quota runs out, epoch ms. Without `emptyTo`, the quota might never run
   * out. With neither field, the quota lasts at least ten minutes unless use increases.
   */
  emptyFrom: optionalNumber,
  emptyTo: optionalNumber,
  /** Chance that the quota runs out within ten minutes, 0 to 1. Absent before the second header. */
  emptyChance: optionalNumber,
  /** A usual load of others that would empty the quota within ten minutes. `at` is its start, epoch ms. */
  usualLoad: z.exactOptional(openObject({ at: number, perSecond: number })),
  poller: z.exactOptional(quotaPoller),
  blockedUntil: optionalNumber,
  /**
   * Time of the next attempt, epoch ms. Replaces `blockedUntil` while others use the whole refill. The
   * attempt may get another 429.
   */
  nextTryAt: optionalNumber,
  use: z.nullable(quotaUse),
  /**
   * The part of `use.own` from non-critical requests. Present while requests wait in the gateway, and up to a
   * minute later. The gateway stops such requests before they use its reserve, so this part can't empty the
   * quota.
   */
  held: optionalNumber,
  /** 429s of this category since the app started. */
  rejected: number,
  /**
   * How many requests this app, the desk's other machines and others have made since the app started. Absent
   * before the first request.
   */
  used: z.exactOptional(openObject({ own: number, desk: optionalNumber, elsewhere: number })),
  /** Midpoint between the lower and the upper bound, not rounded, at `asOf`. `remaining` is its floor. */
  level: number,
  /** Time of `level`, equal to the snapshot's `at`. */
  asOf: number,
  /** Rate at which `level` changes until the next header, in requests per second. */
  slope: number,
  /** The number of remaining requests in the last header, unchanged. */
  seen: optionalNumber,
  /** The row that counts this category's requests. Present if headers named a row other than this one. */
  countedBy: optionalText,
  /** When the window ends and the quota is full again. Only for fixed windows. */
  windowEndsAt: optionalNumber,
  verdict: rowVerdict,
  /** The row's state, the same on every surface. It changes with a delay: see `app/quota/state.ts`. */
  state: z._default(quotaState, 'not-checked'),
  /** Share of the limit below which the row is low, 0 to 1. Default: 0.2. */
  threshold: z._default(number, LOW_THRESHOLD),
  /**
   * The pace that is safe despite others' use. Absent while others' use is unknown. See
   * `app/quota/safe-pace.ts`.
   *
   * - `everySeconds`: seconds between requests. A program can keep this pace forever. `null` if others may
   *   take the whole refill.
   * - `burst`: number of requests that can be sent immediately. The gateway's reserve is not part of it, even
   *   if the gateway is off.
   *
   * While this machine works alone in its desk, both are within its share of the quota.
   */
  safe: z.exactOptional(openObject({ everySeconds: z.nullable(number), burst: number })),
  /** Time of the next check if no header arrives first, epoch ms. Absent if none is planned. */
  nextCheckAt: optionalNumber,
  problem: z.exactOptional(rowProblem),
})

/**
 * The request quota of one category (service 8.2) at the snapshot's `at`.
 *
 * Levels and bounds apply to `asOf`. A visible window receives a snapshot at least once a second. In between,
 * the window advances ages and countdowns but not levels, because others' use is unknown.
 */
export interface RequestQuota extends Immutable<z.output<typeof requestQuota>> {}

export const slotQuota = openObject({
  category: text,
  resource: optionalText,
  limit: number,
  own: number,
  /** Streams of the desk's other machines. Absent without a desk. */
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
  /** The kind of stream. Several kinds may share a category. */
  streamKind,
  target: text,
  state: z.enum(['opening', 'snapshot', 'live', 'stale', 'waiting', 'closed']),
  openedAt: optionalNumber,
  lastFrameAt: optionalNumber,
  framesPerSecond: number,
  restarts: number,
  /** Number of restarts within the last ten minutes. Absent if none. */
  recentRestarts: optionalNumber,
  reason: optionalText,
  /** `reason` as a code, for programs. A newer process may send an unknown code. */
  reasonCode: z.exactOptional(text as z.ZodMiniType<StreamReasonCode>),
  retryAt: optionalNumber,
  /** The latest symbols or accounts that the service will not serve. The stream continues without them. */
  symbolErrors: z.exactOptional(z.array(symbolError)),
  /** When the stream closes at a person's request, epoch ms. The close can be cancelled until then. */
  closingAt: optionalNumber,
  /** Whether the stream is opened again at the next start. */
  pinned: z.exactOptional(z.boolean()),
  /** Number of readers in programs behind the gateway. Absent if none. */
  readers: optionalNumber,
  /** The first few programs with readers, by name. */
  readBy: z.exactOptional(z.array(openObject({ program: text, readers: number }))),
})

export interface StreamSummary extends Immutable<z.output<typeof streamSummary>> {}

const probeSummary = openObject({
  enabled: z.boolean(),
  perMinute: number,
  budgetFraction: number,
  /** Largest share of a quota that this app's checks used in one period of the quota. */
  usedFraction: number,
  /** Symbol for the checks of categories that need a symbol. */
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
  /** The gateway's address. Absent while the gateway serves no programs. */
  url: optionalText,
  /** When the gateway began to serve and to count, epoch ms. */
  since: optionalNumber,
  why: optionalText,
  /** Requests reserved for critical programs, by category. All other categories have the default reserve. */
  reserve: z.exactOptional(z.record(z.string(), z.number())),
})

/** The gateway, through which programs on this machine use the key. */
export interface GatewaySummary extends Immutable<z.output<typeof gatewaySummary>> {}

const programUse = openObject({
  category: text,
  forwarded: number,
  perSecond: number,
  waiting: number,
  /** How long the first waiting request has waited. Absent if none waits. */
  longestWaitMs: optionalNumber,
  /**
   * When the first waiting request is expected to be sent, epoch ms. Assumes that no further requests arrive.
   */
  nextTurnAt: optionalNumber,
  /** When the first waiting request arrived, and when its maximum wait ends. Epoch ms. */
  nextCameAt: optionalNumber,
  nextPatientUntil: optionalNumber,
  /** When the last waiting request is expected to be sent, epoch ms. */
  lastTurnAt: optionalNumber,
})

export const programSummary = openObject({
  id: text,
  name: text,
  class: z.enum(PROGRAM_CLASSES),
  /** The program's weight relative to other programs of its class. */
  weight: number,
  /** The last four characters of the program's key, to distinguish keys. */
  keyEnding: text,
  /** Maximum number of orders in any minute. Absent if the program is not allowed to send orders. */
  maxOrders: optionalNumber,
  /** Orders of the last minute, cancels included. Absent if `maxOrders` is absent. */
  ordersLastMinute: optionalNumber,
  lastSeenAt: optionalNumber,
  /** Process of the last call, such as `python3 scan.py (4123)`. Absent if the system does not report it. */
  process: optionalText,
  /**
   * Number of requests that the service answered and of streams that it opened, since the gateway was turned
   * on. Resends don't count.
   */
  forwarded: number,
  /** Requests that were answered with the response to an identical request. */
  coalesced: number,
  /** Requests that the gateway declined. */
  refused: number,
  /** Rate-limit 429s from the service for the program's requests. Earlier versions omit this field. */
  rejected: optionalNumber,
  /** Mean of the last minute. */
  perSecond: number,
  waiting: number,
  longestWaitMs: number,
  /** When the program's pause ends, epoch ms. Until then, the program's requests get 429. */
  pausedUntil: optionalNumber,
  streams: number,
  use: z.array(programUse),
  /** Number of categories that `use` leaves out, because they do not fit in a snapshot. Absent if all fit. */
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
  /**
   * Present only while a due refresh cannot reach the sign-in host. Always absent if the sign-in host is also
   * the service's host.
   */
  signInHost: z.exactOptional(signInHostSummary),
  keystore: keystoreState,
  access: accessSummary,
  refresh: refreshSummary,
  requests: z.array(requestQuota),
  slots: z.array(slotQuota),
  streams: z.array(streamSummary),
  probes: probeSummary,
  /** Increases with each change of the key's settings. A window then fetches `keySettings` again. */
  settingsAt: optionalNumber,
  verdict,
  /** Only in JSON lines. App windows compute the health themselves, because it changes with time. */
  health: z.exactOptional(health),
  /** Why the history can't be written. Absent while it can be written. */
  pausedHistory: z.exactOptional(pausedHistory),
  /** Absent while the gateway is off. */
  gateway: z.exactOptional(gatewaySummary),
  /** Programs that use this key. Absent while the gateway is off. */
  programs: z.exactOptional(z.array(programSummary)),
  orders: z.exactOptional(ordersSummary),
  desk: z.exactOptional(deskSummary),
  /** How many items of each list are left out to keep the snapshot within 512 kB. Absent if all fit. */
  unlisted: z.exactOptional(unlisted),
})

/** The state of one profile at the time `at`. `revision` increases with each change. */
export interface Snapshot extends Immutable<z.output<typeof snapshotSchema>> {}

export const snapshotContract = {
  /** Latest snapshots of all connected profiles. */
  snapshots: command(nothing).returning<readonly Snapshot[]>(),
  snapshotChanged: push<Snapshot>(),
  profileRemoved: push<{ readonly profile: string }>(),
} as const
