import { z } from 'zod/mini'
import { EXTRA_SCOPES } from '../sign-in/authorize-url.ts'
import { boundedText, profileId } from './fields.ts'
import { command, push } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** Control and direction characters: in a text beside facts that decide something they could reorder or hide them. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
const shownText = (most: number) =>
  boundedText(most).check(
    z.refine((value) => !UNSEEN.test(value), { error: 'must not contain control or direction characters' }),
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
  clientSecret: z.optional(boundedText(4096)),
}

/** A person was asked, and agreed: a revocation of this key that is not confirmed is not tried again. */
const cancelRevoke = z.optional(z.boolean())
const refreshToken = boundedText(4096)
const extraScopes = z.optional(z.array(z.enum(EXTRA_SCOPES)).check(z.maxLength(EXTRA_SCOPES.length)))
/** For a key whose secret was changed, or can no longer be opened here; otherwise the known one is used. */
const newSecret = z.optional(boundedText(4096))

const newKey = z.strictObject({ ...key, refreshToken, cancelRevoke })

/** A key as a person types it in, with its refresh token. */
export type NewKey = z.output<typeof newKey>

/** A sign-in that waits for a person in a browser. */
export interface StartedSignIn {
  readonly signIn: string
  /** Where the person signs in. It holds no secret: state and challenge only. */
  readonly url: string
  /** Whether a browser was opened there; otherwise the window shows it as a link. */
  readonly opened: boolean
  /** Why the sign-in host does not answer, in plain words; no browser is opened until it does. */
  readonly unreachable?: string
  /** Epoch ms. */
  readonly endsAt: number
}

/** What becomes of it, told to every window. */
export type SignInStatus =
  | {
      readonly state: 'waiting'
      readonly signIn: string
      readonly endsAt: number
      /** Whether a browser was opened there by now. */
      readonly opened: boolean
      /** What happened meanwhile that did not end it. */
      readonly notice?: string
      /** Why the sign-in host does not answer now; absent while it does. */
      readonly unreachable?: string
    }
  | { readonly state: 'done'; readonly signIn: string; readonly profile: string }
  | {
      readonly state: 'failed'
      readonly signIn: string
      readonly code: string
      /** The first sentence says what happened, the rest what to do. */
      readonly message: string
    }

/**
 * How keys are connected, and signed in again.
 *
 * Each command that brings new tokens is refused with `revoke-pending` while a revocation of the same key is not
 * confirmed: a late retry would end them. `cancelRevoke` is the person's answer to that.
 */
export const signInContract = {
  /** Connects a key by its refresh token, which stays in main. */
  connect: command(newKey).returning<Outcome<{ readonly profile: string }>>(),
  /** Connects a key through the person's browser. What becomes of it comes as `signInChanged`. */
  startSignIn: command(z.strictObject({ ...key, extraScopes, cancelRevoke })).returning<
    Outcome<StartedSignIn>
  >(),
  /** As `startSignIn`, for a connected key: it keeps its id, its name and its streams. */
  signInAgain: command(
    z.strictObject({ profile: profileId, clientSecret: newSecret, extraScopes, cancelRevoke }),
  ).returning<Outcome<StartedSignIn>>(),
  /** As `signInAgain`, by a pasted refresh token. */
  replaceToken: command(
    z.strictObject({ profile: profileId, clientSecret: newSecret, refreshToken, cancelRevoke }),
  ).returning<Outcome<{ readonly profile: string }>>(),
  /**
   * The secret of a connected key that the service does not accept: stored first, then tried with the token that is there.
   *
   * Refused with `not-accepted` where the service does not take it either, and with `not-confirmed` where it could not say.
   * Once the service has taken it, every connected profile of the same API key goes on with it (service 4.1).
   */
  correctSecret: command(z.strictObject({ profile: profileId, clientSecret: boundedText(4096) })).returning<
    Outcome<{ readonly profile: string }>
  >(),
  cancelSignIn: command(z.strictObject({ signIn: boundedText(64) })).returning<Outcome>(),

  signInChanged: push<SignInStatus>(),
} as const
