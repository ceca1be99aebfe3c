import { z } from 'zod/mini'
import { EXTRA_SCOPES } from '../sign-in/authorize-url.ts'
import { boundedText, profileId } from './fields.ts'
import { command, push } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** Control and direction characters, which could reorder or hide the text around them. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
const shownText = (most: number) =>
  boundedText(most).check(
    z.refine((value) => !UNSEEN.test(value), { error: 'must not contain control or direction characters' }),
  )

const key = {
  name: shownText(60),
  environment: z.enum(['live', 'sim', 'custom']),
  /** Only for `custom`; the other environments have fixed hosts. */
  authUrl: z.optional(z.string().check(z.maxLength(300))),
  baseUrl: z.optional(z.string().check(z.maxLength(300))),
  /** The audience of tokens in a sign-in at a `custom` host. */
  audience: z.optional(z.string().check(z.maxLength(300))),
  clientId: shownText(200),
  clientSecret: z.optional(boundedText(4096)),
}

/**
 * Whether a person agreed to give up an unconfirmed revocation of this key, which would otherwise be retried.
 */
const cancelRevoke = z.optional(z.boolean())
const refreshToken = boundedText(4096)
const extraScopes = z.optional(z.array(z.enum(EXTRA_SCOPES)).check(z.maxLength(EXTRA_SCOPES.length)))
/**
 * The client secret, if it was changed or the stored one can't be decrypted; otherwise the stored one is
 * used.
 */
const newSecret = z.optional(boundedText(4096))

const newKey = z.strictObject({ ...key, refreshToken, cancelRevoke })

/** A key as a person enters it, with its refresh token. */
export type NewKey = z.output<typeof newKey>

/** A sign-in that waits for a person in a browser. */
export interface StartedSignIn {
  readonly signIn: string
  /** Where the person signs in. Contains no secret, only state and challenge. */
  readonly url: string
  /** Whether a browser was opened at that address; otherwise the window shows the address as a link. */
  readonly opened: boolean
  /** Why the sign-in host does not respond; no browser is opened until it does. */
  readonly unreachable?: string
  /** Epoch ms. */
  readonly endsAt: number
}

/** The state of a sign-in, sent to every window. */
export type SignInStatus =
  | {
      readonly state: 'waiting'
      readonly signIn: string
      readonly endsAt: number
      /** Whether a browser has been opened. */
      readonly opened: boolean
      /** Something that happened during the sign-in without ending it. */
      readonly notice?: string
      /** Why the sign-in host does not respond; absent while it does. */
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
 * Commands that connect keys or sign in again.
 *
 * Commands that obtain new tokens fail with `revoke-pending` while a revocation of the same key is
 * unconfirmed, because its late retry would revoke those tokens. `cancelRevoke`: a person gives up that
 * retry.
 */
export const signInContract = {
  /** Connects a key by its refresh token, which stays in main. */
  connect: command(newKey).returning<Outcome<{ readonly profile: string }>>(),
  /** Connects a key through the person's browser. `signInChanged` reports the outcome. */
  startSignIn: command(z.strictObject({ ...key, extraScopes, cancelRevoke })).returning<
    Outcome<StartedSignIn>
  >(),
  /** Like `startSignIn`, for a connected key: it keeps its id, its name and its streams. */
  signInAgain: command(
    z.strictObject({ profile: profileId, clientSecret: newSecret, extraScopes, cancelRevoke }),
  ).returning<Outcome<StartedSignIn>>(),
  /** Like `signInAgain`, with a pasted refresh token. */
  replaceToken: command(
    z.strictObject({ profile: profileId, clientSecret: newSecret, refreshToken, cancelRevoke }),
  ).returning<Outcome<{ readonly profile: string }>>(),
  /**
   * Replaces the rejected secret of a connected key: stores it, then tries it with the present token.
   *
   * Fails with `not-accepted` if the service rejects it too, and with `not-confirmed` if the service gave no
   * answer. Once accepted, it applies to every connected profile of the same API key (service 4.1).
   */
  correctSecret: command(z.strictObject({ profile: profileId, clientSecret: boundedText(4096) })).returning<
    Outcome<{ readonly profile: string }>
  >(),
  cancelSignIn: command(z.strictObject({ signIn: boundedText(64) })).returning<Outcome>(),

  signInChanged: push<SignInStatus>(),
} as const
