import { z } from 'zod/mini'
import { STREAM_KINDS } from '../service/streams.ts'
import { EXTRA_SCOPES } from '../sign-in/scopes.ts'
import type { StreamProposal } from '../streams/slot-proposal.ts'
import type { LoggedEvent } from './events.ts'
import { command, nothing, type Parse, push } from './ipc.ts'
import { memoryContract } from './memory-contract.ts'
import type { RowDetails } from './row-details.ts'
import { settingsContract } from './settings-contract.ts'
import type { SignInStatus, StartedSignIn } from './sign-in-status.ts'
import type { Snapshot } from './snapshot.ts'
import { updatesContract } from './updates-contract.ts'
import { windowsContract } from './windows-contract.ts'

// A window's CSP has no 'unsafe-eval', which zod would otherwise probe for.
z.config({ jitless: true })

const parsedBy =
  <S extends z.ZodMiniType>(schema: S): Parse<z.output<S>> =>
  (value) =>
    schema.parse(value)

const MAX_OPTIONS = 16

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))
const profileId = text(64)

const ofProfile = z.strictObject({ profile: profileId })

const ofRow = z.strictObject({ profile: profileId, category: text(128) })

const historyQuery = z.strictObject({
  profile: profileId,
  category: text(128),
  fromMs: z.number().check(z.nonnegative()),
  toMs: z.number().check(z.nonnegative()),
  /** At most this many points come back; 300 is what a chart draws well. */
  points: z.int().check(z.gte(2), z.lte(300)),
})

const streamTarget = z.strictObject({
  profile: profileId,
  kind: z.enum(STREAM_KINDS),
  /** Symbols or account ids, comma-separated; `ACCOUNT/ORDER,ORDER` for orders-by-id. */
  target: text(512),
  /** What the endpoint takes beyond the path, as in `interval=5&unit=Minute`. */
  options: z.optional(
    z.record(text(32), text(64)).check(z.refine((options) => Object.keys(options).length <= MAX_OPTIONS)),
  ),
  /** Where every slot is taken: refused with a proposal (the default), or the own stream opened first makes room. */
  whenFull: z.optional(z.enum(['refuse', 'close-oldest'])),
})

const ofStream = z.strictObject({ profile: profileId, stream: text(64) })
const pinnedStream = z.strictObject({ profile: profileId, stream: text(64), pinned: z.boolean() })

/** Shown beside facts that decide something: it must not reorder or hide them. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
const shownText = (most: number) =>
  text(most).check(
    z.refine((value) => !UNSEEN.test(value), { error: 'must not hold control or direction characters' }),
  )

const key = {
  name: shownText(60),
  environment: z.enum(['live', 'sim', 'custom']),
  /** `custom` only; the other environments have fixed hosts. */
  authUrl: z.optional(z.string().check(z.maxLength(300))),
  baseUrl: z.optional(z.string().check(z.maxLength(300))),
  /** What a sign-in at a `custom` host asks tokens for. */
  audience: z.optional(z.string().check(z.maxLength(300))),
  clientId: shownText(200),
  clientSecret: z.optional(text(4096)),
}

/** A person was asked, and agreed: a revocation of this key that is not confirmed is not tried again. */
const cancelRevoke = z.optional(z.boolean())
const refreshToken = text(4096)
const extraScopes = z.optional(z.array(z.enum(EXTRA_SCOPES)).check(z.maxLength(EXTRA_SCOPES.length)))

const connection = z.strictObject({ ...key, refreshToken, cancelRevoke })
const newSignIn = z.strictObject({ ...key, extraScopes, cancelRevoke })
/** For a key whose secret was changed, or can no longer be opened here; otherwise the known one is used. */
const newSecret = z.optional(text(4096))
const nextSignIn = z.strictObject({ profile: profileId, clientSecret: newSecret, extraScopes, cancelRevoke })
const rightSecret = z.strictObject({ profile: profileId, clientSecret: text(4096) })
const nextToken = z.strictObject({ profile: profileId, clientSecret: newSecret, refreshToken, cancelRevoke })

/** One expected failure: a code for programs, a sentence that says what a person can do. */
export interface Refusal {
  readonly ok: false
  readonly code: string
  readonly message: string
  /** `no-slot` only: the own stream that could be closed instead. */
  readonly proposal?: StreamProposal
  /** When asking again makes sense, epoch ms, where that is known. */
  readonly retryAt?: number
}
export type Outcome<T = unknown> = ({ readonly ok: true } & T) | Refusal

/** `unprotected` only after a person agreed to it. */
export type KeptSecrets = 'sealed' | 'unprotected' | 'memory'

export interface Hello {
  readonly version: string
  readonly host: 'desktop' | 'browser'
  /** Why this is not the desktop window, in one line; absent where it is. */
  readonly hostReason?: string
  /** What becomes of the secrets of a key that is connected now; absent where a host cannot tell. */
  readonly keeps?: KeptSecrets
}

export interface HistoryPoint {
  readonly at: number
  readonly remaining: number
  readonly source: 'header' | 'modelled'
  /** What was surely and possibly left, as it was known then; the last quarter of an hour only. */
  readonly low?: number
  readonly high?: number
}

export interface History {
  readonly points: readonly HistoryPoint[]
  /** When 429s happened, in the asked interval. */
  readonly rejectedAt: readonly number[]
}

/** Everything that crosses between main and a window. */
export const contract = {
  hello: command(nothing).returning<Hello>(),
  /** The latest snapshot of every connected profile. */
  snapshots: command(nothing).returning<readonly Snapshot[]>(),
  /** Kept events with a `seq` above `after`, oldest first, at most 500. */
  events: command(parsedBy(z.strictObject({ after: z.int().check(z.gte(0)) }))).returning<
    readonly LoggedEvent[]
  >(),
  history: command(parsedBy(historyQuery)).returning<History>(),
  openStream: command(parsedBy(streamTarget)).returning<Outcome<{ readonly stream: string }>>(),
  closeStream: command(parsedBy(ofStream)).returning<Outcome>(),
  /** Opens a stream anew, now; one that is closed comes back under a new id. */
  restartStream: command(parsedBy(ofStream)).returning<Outcome<{ readonly stream: string }>>(),
  /** A pinned stream is opened again at the next start. */
  pinStream: command(parsedBy(pinnedStream)).returning<Outcome>(),
  /** Ends in ok only after the service answered 200 (service 4.2). */
  revoke: command(parsedBy(ofProfile)).returning<Outcome>(),
  /** Tries an unreachable service, an unconfirmed revoke or a failed refresh again now. */
  tryNow: command(parsedBy(ofProfile)).returning<Outcome>(),
  /**
   * Connects a key by its refresh token, which stays in main.
   *
   * This and each command below that brings new tokens is refused with `revoke-pending` while a revocation of the same
   * key is not confirmed: a late retry would end them. `cancelRevoke` is the person's answer to that.
   */
  connect: command(parsedBy(connection)).returning<Outcome<{ readonly profile: string }>>(),
  /** Connects a key through the person's browser. What becomes of it comes as `signInChanged`. */
  startSignIn: command(parsedBy(newSignIn)).returning<Outcome<StartedSignIn>>(),
  /** As `startSignIn`, for a connected key: it keeps its id, its name and its streams. */
  signInAgain: command(parsedBy(nextSignIn)).returning<Outcome<StartedSignIn>>(),
  /** As `signInAgain`, by a pasted refresh token. */
  replaceToken: command(parsedBy(nextToken)).returning<Outcome<{ readonly profile: string }>>(),
  /**
   * The secret of a connected key that the service does not accept: stored first, then tried with the token that is there.
   *
   * Refused with `not-accepted` where the service does not take it either, and with `not-confirmed` where it could not say.
   * Once the service has taken it, every connected profile of the same API key goes on with it (service 4.1).
   */
  correctSecret: command(parsedBy(rightSecret)).returning<Outcome<{ readonly profile: string }>>(),
  cancelSignIn: command(parsedBy(z.strictObject({ signIn: text(64) }))).returning<Outcome>(),
  /**
   * A person agrees to store keys where nothing hides them, at this start and later ones. Refused with `not-needed`
   * unless a snapshot's `keystore` says `unprotected` for a key that is in memory only.
   */
  allowUnprotected: command(nothing).returning<Outcome>(),
  /** Forgets a key here and revokes nothing. */
  disconnect: command(parsedBy(ofProfile)).returning<Outcome>(),
  /**
   * Looks at one category now: by the cheapest request of it, within the probe budget, or by opening a stream of it and
   * closing it as soon as its headers are there. Refused with the moment it can be, where it cannot be now.
   */
  checkNow: command(parsedBy(ofRow)).returning<Outcome>(),
  /** Ids of refused requests and the last headers of one row, for a provider's support. */
  rowDetails: command(parsedBy(ofRow)).returning<Outcome<{ readonly details: RowDetails }>>(),
  /** A hidden window is sent no snapshots. */
  setVisible: command(parsedBy(z.strictObject({ visible: z.boolean() }))).returning<void>(),
  ...settingsContract,
  ...windowsContract,
  ...updatesContract,
  ...memoryContract,

  snapshotChanged: push<Snapshot>(),
  eventHappened: push<LoggedEvent>(),
  profileRemoved: push<{ readonly profile: string }>(),
  signInChanged: push<SignInStatus>(),
} as const

export type AppContract = typeof contract
