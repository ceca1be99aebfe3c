import type { StreamReasonCode } from '../streams/reasons.ts'
import type { SignInCause } from '../tokens/key-state.ts'

/**
 * What a window, a terminal or another program is told about one profile.
 *
 * Times are epoch milliseconds, rates requests per second. No secret, and no part of one, is in here.
 * Fields may be added; what is here is not renamed or retyped without a note in the README.
 */
export interface Snapshot {
  readonly revision: number
  readonly at: number
  readonly profile: ProfileSummary
  readonly service: {
    readonly reachable: boolean
    readonly host: string
    readonly since?: number
    readonly retryAt?: number
    /** Why it cannot be reached, in plain words. */
    readonly why?: string
  }
  readonly keystore: KeystoreState
  readonly access: AccessSummary
  readonly refresh: RefreshSummary
  readonly requests: readonly RequestQuota[]
  readonly slots: readonly SlotQuota[]
  readonly streams: readonly StreamSummary[]
  readonly probes: ProbeSummary
  /** Grows with each change of what a person set of this key, in whichever window: then `keySettings` is worth asking again. */
  readonly settingsAt?: number
  readonly verdict: Verdict
}

export interface ProfileSummary {
  readonly id: string
  readonly name: string
  readonly environment: Environment
  /** The last characters of the API key, which is no secret: enough to tell one key from another. */
  readonly keyEnding?: string
}

export type Environment = 'live' | 'sim' | 'simulator' | 'custom'

export type KeystoreState =
  | 'ok'
  | 'memory'
  | 'waiting'
  | 'unavailable'
  | 'key-changed'
  | 'record-corrupt'
  | 'unprotected'

export interface AccessSummary {
  readonly state: 'none' | 'valid' | 'refreshing' | 'expired'
  readonly issuedAt?: number
  readonly expiresAt?: number
  readonly refreshAt?: number
  readonly scopes: readonly string[]
}

export interface RefreshSummary {
  readonly state:
    | 'none'
    | 'valid'
    | 'unconfirmed'
    | 'sign-in-required'
    | 'revoking'
    | 'revoke-unconfirmed'
    | 'revoked'
  readonly rotating: boolean
  readonly rotatedAt?: number
  readonly rotatesBy?: number
  readonly endsAt?: number
  readonly stored: 'sealed' | 'memory'
  /** Why the newest token is not saved yet, as on a full disk; it is used from memory, and tried to be saved. */
  readonly unsaved?: string
  readonly reason?: string
  /** Beside `sign-in-required`: what is not accepted is the API key, its secret or its settings, not the token. */
  readonly cause?: SignInCause
  readonly refreshesToday: number
  /** When the service confirmed the revocation, or when it is tried again. */
  readonly revokedAt?: number
  readonly retryAt?: number
}

/**
 * The request quota of one category (service 8.2), as it stands at the snapshot's `at`.
 *
 * Levels and interval hold for `asOf`. A visible window is pushed a snapshot at least once a second and shows what it
 * was pushed; it lets ages and countdowns run, and draws no line into the future: what others do is not known.
 */
export interface RequestQuota {
  readonly category: string
  readonly resource?: string
  readonly model: 'rolling' | 'fixed'
  readonly confidence: 'assumed' | 'observed'
  readonly limit: number
  /** Seconds. */
  readonly period: number
  /** Whole requests that can be made now: `floor(level)`. */
  readonly remaining: number
  /**
   * Whole requests that are surely left, in 95 of 100 looks, and that can be left at most, in all of them. Where they are
   * further apart than a tenth of the limit, the number is shown as the range.
   */
  readonly low: number
  readonly high: number
  readonly source: 'header' | 'modelled' | 'default'
  readonly observedAt?: number
  readonly nextAt?: number
  readonly fullAt?: number
  readonly emptyAt?: number
  /** The chance that nothing is left at some moment of the next ten minutes, 0 to 1; absent before two headers. */
  readonly emptyChance?: number
  readonly blockedUntil?: number
  readonly use: QuotaUse | null
  /** 429s counted against this category since start. */
  readonly rejected: number
  /** Requests counted since start, by this app and by others on the key; absent before the first. */
  readonly used?: { readonly own: number; readonly elsewhere: number }
  /** The middle of the interval with its fraction, as of `asOf`; `remaining` is its floor. */
  readonly level: number
  /** The moment `level` holds for: the snapshot's `at`. */
  readonly asOf: number
  /** Requests per second that the estimate gains (or loses) until the next header. */
  readonly slope: number
  /** What the last header said, unchanged. */
  readonly seen?: number
  /** The row that counts this category's requests, where headers have shown that it is another one. */
  readonly countedBy?: string
  /** Fixed windows only: when the count returns to full. */
  readonly windowEndsAt?: number
  readonly verdict: RowVerdict
  /** The row's state on every surface, its hysteresis applied; the ladder is in `app/quota/state.ts`. */
  readonly state: QuotaState
  /** Share of the limit, 0 to 1, under which the row is low: 0.2 unless a person set another. */
  readonly threshold: number
  /**
   * The pace that others' use leaves. `everySeconds`: seconds between requests that may go on without end, `null` where
   * the high end of others' use takes all that comes back; `burst`: whole requests that may be made at once now.
   * Absent before the first header.
   */
  readonly safe?: { readonly everySeconds: number | null; readonly burst: number }
  /** When this app asks for this row next if no header comes before, epoch ms; absent where it will not. */
  readonly nextCheckAt?: number
}

/** Requests per second, by everybody, by this app, and by others: the middle, and the ends of a 90 % interval. */
export interface QuotaUse {
  readonly total: number
  readonly own: number
  readonly elsewhere: number
  readonly elsewhereLow?: number
  readonly elsewhereHigh?: number
}

export type QuotaState = 'ok' | 'low' | 'running-out' | 'empty' | 'blocked' | 'not-checked'

export type RowVerdict = 'not-seen' | 'idle' | 'lasts' | 'near-limit' | 'runs-out' | 'blocked'

export interface SlotQuota {
  readonly category: string
  readonly resource?: string
  readonly limit: number
  readonly own: number
  readonly elsewhere: number
  readonly free: number
  readonly source: 'header' | 'counted' | 'default'
  readonly observedAt?: number
}

export interface StreamSummary {
  readonly id: string
  readonly category: string
  readonly target: string
  readonly state: 'opening' | 'snapshot' | 'live' | 'stale' | 'waiting' | 'closed'
  readonly openedAt?: number
  readonly lastFrameAt?: number
  readonly framesPerSecond: number
  readonly restarts: number
  readonly reason?: string
  readonly retryAt?: number
  /** What `reason` says, for programs. */
  readonly reasonCode?: StreamReasonCode
  /** Symbols or accounts that the service will not serve; the stream goes on without them. The latest few. */
  readonly symbolErrors?: readonly SymbolError[]
  /** Opened again at the next start. */
  readonly pinned?: boolean
}

export interface SymbolError {
  readonly symbol: string
  readonly error: string
  readonly at: number
}

export interface ProbeSummary {
  readonly enabled: boolean
  readonly perMinute: number
  readonly budgetFraction: number
  /** Share of the tightest quota's period that this app's probes used. */
  readonly usedFraction: number
  /** What probes ask for where a category needs a symbol or an account. */
  readonly symbol?: string
  readonly account?: string
}

export interface Verdict {
  readonly kind: 'unknown' | 'lasts' | 'near-limit' | 'runs-out' | 'blocked'
  readonly category?: string
  readonly at?: number
}
