import { z } from 'zod/mini'
import { type Immutable, number, openObject, optionalNumber, optionalText, text } from './fields.ts'
import { command, nothing, push } from './ipc.ts'
import { health, keystoreState, pausedHistory } from './key-health.ts'
import { PROGRAM_CLASSES } from './programs.ts'
import type { StreamReasonCode } from './stream-reasons.ts'
import { streamKind } from './streams.ts'
import { LOW_THRESHOLD } from './units.ts'

/*
 * What a window, a terminal or another program is told about one profile. The types are inferred from the schemas, which
 * parse what another process of this app says: a newer one may say more, and that is passed on as it is.
 *
 * Times are epoch milliseconds, rates requests per second. No secret, and no part of one, is in here.
 * Fields may be added; what is here is not renamed or retyped without a note in the README.
 */

const environment = z.enum(['live', 'sim', 'simulator', 'custom'])

export type Environment = z.output<typeof environment>

const profileSummary = openObject({
  id: text,
  name: text,
  environment,
  /** The last characters of the API key, which is no secret: enough to tell one key from another. */
  keyEnding: optionalText,
})

export interface ProfileSummary extends Immutable<z.output<typeof profileSummary>> {}

const serviceSummary = openObject({
  /** False until it has answered once. */
  reachable: z.boolean(),
  /** Beside `reachable: false`: it has neither answered nor failed to since the start. */
  pending: z.exactOptional(z.literal(true)),
  host: text,
  since: optionalNumber,
  /**
   * When it is asked again; in the past while that request is under way, and absent where an access token has to be
   * refreshed first.
   */
  retryAt: optionalNumber,
  /** Why it cannot be reached, in plain words. */
  why: optionalText,
})

export const signInHostSummary = openObject({
  host: text,
  since: number,
  /** When the refresh is tried again; in the past while it is under way, and absent where none is due yet. */
  retryAt: optionalNumber,
  /** Why it cannot be reached, in plain words. */
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
  /** Why the newest token is not saved yet, as on a full disk; it is used from memory, and tried to be saved. */
  unsaved: optionalText,
  reason: optionalText,
  /**
   * Beside `sign-in-required`. `misconfigured`: the API key, its secret or its settings are rejected, not the token;
   * `locked`: the stored token can't be opened yet.
   */
  cause: z.exactOptional(z.enum(['misconfigured', 'locked'])),
  refreshesToday: number,
  /** When the service confirmed the revocation. */
  revokedAt: optionalNumber,
  /** When a failed refresh or an unconfirmed revocation is tried again; in the past while that request is under way. */
  retryAt: optionalNumber,
})

/** The refresh token, and the revocation of the key. */
export interface RefreshSummary extends Immutable<z.output<typeof refreshSummary>> {}

/** Requests per second, by everybody, by this app, and by others: the middle, and the ends of a 90 % interval. */
const quotaUse = openObject({
  total: number,
  own: number,
  elsewhere: number,
  elsewhereLow: optionalNumber,
  elsewhereHigh: optionalNumber,
  /** The part of `own` that each program behind the gateway makes, by its id; absent while the gateway is off. */
  programs: z.exactOptional(z.record(z.string(), number)),
})

const rowVerdict = z.enum(['not-seen', 'idle', 'lasts', 'near-limit', 'runs-out', 'blocked'])

export type RowVerdict = z.output<typeof rowVerdict>

/** What a newer process may add says nothing that this one understands: it is no reason to call a row fine. */
const quotaState = z.catch(
  z.enum(['ok', 'watch', 'low', 'running-out', 'empty', 'blocked', 'not-checked']),
  'not-checked',
)

export type QuotaState = z.output<typeof quotaState>

const rowProblem = openObject({
  status: number,
  /** The service's own text, without secrets and cut to 200 characters. */
  message: optionalText,
  /** When the first answer of this kind came, epoch ms. */
  since: number,
})

/** The last answer of a row where it brought no number: an HTTP status, 200 for an answer without quota headers. */
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
   * Whole requests that are surely left, in 95 of 100 looks, and that can be left at most, in all of them. Where they are
   * further apart than a tenth of the limit, the number is shown as the range.
   */
  low: number,
  high: number,
  source: z.enum(['header', 'modelled', 'default']),
  observedAt: optionalNumber,
  nextAt: optionalNumber,
  fullAt: optionalNumber,
  /** When nothing is left if use goes on as it probably does, epoch ms. */
  emptyAt: optionalNumber,
  /**
   * The range of that, epoch ms: what is surely left at the high end of others' use, and what is possibly left at the low end. Without
   * `emptyTo` it may also last; without both, only more use than now would empty it within ten minutes.
   */
  emptyFrom: optionalNumber,
  emptyTo: optionalNumber,
  /** The chance that nothing is left at some moment of the next ten minutes, 0 to 1; absent before two headers. */
  emptyChance: optionalNumber,
  blockedUntil: optionalNumber,
  /** Instead, while 429s go on because others use the whole refill: when it is tried next. None can tell when it is safe. */
  nextTryAt: optionalNumber,
  use: z.nullable(quotaUse),
  /** 429s counted against this category since start. */
  rejected: number,
  /** Requests counted since start, by this app and by others on the key; absent before the first. */
  used: z.exactOptional(openObject({ own: number, elsewhere: number })),
  /** The middle of the interval with its fraction, as of `asOf`; `remaining` is its floor. */
  level: number,
  /** The moment `level` holds for: the snapshot's `at`. */
  asOf: number,
  /** Requests per second that the estimate gains (or loses) until the next header. */
  slope: number,
  /** What the last header said, unchanged. */
  seen: optionalNumber,
  /** The row that counts this category's requests, where headers have shown that it is another one. */
  countedBy: optionalText,
  /** Fixed windows only: when the count returns to full. */
  windowEndsAt: optionalNumber,
  verdict: rowVerdict,
  /**
   * The row's state on every surface, its hysteresis applied; the ladder is in `app/quota/state.ts`. A process of an
   * earlier version does not say it, and one of a later version may say another.
   */
  state: z._default(quotaState, 'not-checked'),
  /** Share of the limit, 0 to 1, under which the row is low: 0.2 unless a person set another. */
  threshold: z._default(number, LOW_THRESHOLD),
  /**
   * The pace that others' use leaves. `everySeconds`: seconds between requests that may go on without end, `null` where
   * the high end of others' use takes all that comes back; `burst`: whole requests that may be made at once now and
   * leave the gateway's reserve, with or without a gateway. Absent while others' use is not known, as before the second
   * header; `app/quota/safe-pace.ts`.
   */
  safe: z.exactOptional(openObject({ everySeconds: z.nullable(number), burst: number })),
  /** When this app asks for this row next if no header comes before, epoch ms; absent where it will not. */
  nextCheckAt: optionalNumber,
  /** The last answer, where it brought no number; the next number ends it. */
  problem: z.exactOptional(rowProblem),
})

/**
 * The request quota of one category (service 8.2), as it stands at the snapshot's `at`.
 *
 * Levels and interval hold for `asOf`. A visible window is pushed a snapshot at least once a second and shows what it
 * was pushed; it lets ages and countdowns run, and draws no line into the future: what others do is not known.
 */
export interface RequestQuota extends Immutable<z.output<typeof requestQuota>> {}

export const slotQuota = openObject({
  category: text,
  resource: optionalText,
  limit: number,
  own: number,
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
  /** Which of the kinds that share a category. */
  streamKind,
  target: text,
  state: z.enum(['opening', 'snapshot', 'live', 'stale', 'waiting', 'closed']),
  openedAt: optionalNumber,
  lastFrameAt: optionalNumber,
  framesPerSecond: number,
  restarts: number,
  /** Those of the last ten minutes; absent of none. */
  recentRestarts: optionalNumber,
  reason: optionalText,
  /** What `reason` says, for programs. A newer process may say a code that this one does not know. */
  reasonCode: z.exactOptional(text as z.ZodMiniType<StreamReasonCode>),
  retryAt: optionalNumber,
  /** Symbols or accounts that the service will not serve; the stream goes on without them. The latest few. */
  symbolErrors: z.exactOptional(z.array(symbolError)),
  /** When it closes because a person closed it, epoch ms; until then it can be kept, and it holds its slot. */
  closingAt: optionalNumber,
  /** Opened again at the next start. */
  pinned: z.exactOptional(z.boolean()),
  /** Programs' readers behind the gateway that share it; absent for none. */
  readers: optionalNumber,
  /** The programs of these readers by name, the first few. */
  readBy: z.exactOptional(z.array(openObject({ program: text, readers: number }))),
})

export interface StreamSummary extends Immutable<z.output<typeof streamSummary>> {}

const probeSummary = openObject({
  enabled: z.boolean(),
  perMinute: number,
  budgetFraction: number,
  /** Share of the tightest quota's period that this app's probes used. */
  usedFraction: number,
  /** What probes ask for where a category needs a symbol or an account. */
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
  /** Where programs call it, while it serves. */
  url: optionalText,
  /** Since when it serves, epoch ms. Counts of programs begin here. */
  since: optionalNumber,
  /** Why it does not serve, in plain words. */
  why: optionalText,
})

/** The gateway, through which programs on this machine use the key. */
export interface GatewaySummary extends Immutable<z.output<typeof gatewaySummary>> {}

const programUse = openObject({
  category: text,
  forwarded: number,
  perSecond: number,
  waiting: number,
  /** How long the one that came first has waited; absent while none waits. */
  longestWaitMs: optionalNumber,
  /** When the turn of the next one comes, if no other requests come before, epoch ms. */
  nextTurnAt: optionalNumber,
  /** When that next one came, and when its patience ends, epoch ms. */
  nextCameAt: optionalNumber,
  nextPatientUntil: optionalNumber,
  /** When the turn of the last one comes, in the same way. */
  lastTurnAt: optionalNumber,
})

export const programSummary = openObject({
  id: text,
  name: text,
  class: z.enum(PROGRAM_CLASSES),
  /** Share among the programs of its class. */
  weight: number,
  /** The last four characters of its key, to tell one from another. */
  keyEnding: text,
  lastSeenAt: optionalNumber,
  /** The process that called last, where the system tells: `python3 scan.py (4123)`. */
  process: optionalText,
  /** Requests that the service answered since the gateway was turned on, stream opens included, repetitions not. */
  forwarded: number,
  /** Requests that the answer to an equal one served. */
  coalesced: number,
  /** Requests that the gateway refused. */
  refused: number,
  /** 429s of the service, for the rate, that its requests met; a process of an earlier version does not say it. */
  rejected: optionalNumber,
  /** Mean of the last minute. */
  perSecond: number,
  waiting: number,
  longestWaitMs: number,
  /** Until when a person paused it, epoch ms: its requests get 429, its open streams go on. Absent while it is not. */
  pausedUntil: optionalNumber,
  /** Streams open now. */
  streams: number,
  use: z.array(programUse),
  /** How many further categories it uses, which have no room in a snapshot; absent for none. */
  unlisted: optionalNumber,
})

/** A program that calls the gateway with a key of its own. */
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
   * The sign-in host while a refresh does not reach it; absent while it answers, where no refresh will be tried, and where
   * it is the service's own host, which `service` tells of.
   */
  signInHost: z.exactOptional(signInHostSummary),
  keystore: keystoreState,
  access: accessSummary,
  refresh: refreshSummary,
  requests: z.array(requestQuota),
  slots: z.array(slotQuota),
  streams: z.array(streamSummary),
  probes: probeSummary,
  /** Grows with each change of what a person set of this key, in whichever window: then `keySettings` is worth asking again. */
  settingsAt: optionalNumber,
  verdict,
  /** Only in the JSON lines; a window derives it itself, at its own moment. */
  health: z.exactOptional(health),
  /** Absent while the history is written. */
  pausedHistory: z.exactOptional(pausedHistory),
  /** Absent while the gateway is off. */
  gateway: z.exactOptional(gatewaySummary),
  /** The programs that use this key; absent while the gateway is off. */
  programs: z.exactOptional(z.array(programSummary)),
  /** How many items of each list have no room in a snapshot, which is held to 512 kB; absent where all have. */
  unlisted: z.exactOptional(unlisted),
})

/** One profile at the moment `at`; `revision` grows with each change. */
export interface Snapshot extends Immutable<z.output<typeof snapshotSchema>> {}

/** The state of the connected keys. */
export const snapshotContract = {
  /** The latest snapshot of every connected profile. */
  snapshots: command(nothing).returning<readonly Snapshot[]>(),

  snapshotChanged: push<Snapshot>(),
  profileRemoved: push<{ readonly profile: string }>(),
} as const
