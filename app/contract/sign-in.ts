import { z } from 'zod/mini'
import { EXTRA_SCOPES } from '../sign-in/authorize-url.ts'
import { boundedText, profileId } from './fields.ts'
import { command, push } from './ipc.ts'
import type { Outcome } from './outcome.ts'

/** Control and direction characters, which could reorder or hide the text around them. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
const shownText = (most: number) =>
  boundedText(most).check(
    z.refine((value) => !UNSEEN.test(value), {
      error: 'must not contain control or text-direction characters',
    }),
  )

const key = {
  /** Without it, a new key gets a default name, and a key that signs in again keeps its name. */
  name: z.optional(shownText(60)),
  environment: z.enum(['live', 'sim', 'custom']),
  /** Only for `custom`. The other environments have fixed hosts. */
  authUrl: z.optional(z.string().check(z.maxLength(300))),
  baseUrl: z.optional(z.string().check(z.maxLength(300))),
  /** The OAuth audience for a sign-in at a `custom` host. */
  audience: z.optional(z.string().check(z.maxLength(300))),
  clientId: shownText(200),
  clientSecret: z.optional(boundedText(4096)),
}

/**
 * Whether a person agreed to give up an unconfirmed revocation of this key. Without this agreement, the
 * revocation is retried.
 */
const cancelRevoke = z.optional(z.boolean())
const refreshToken = boundedText(4096)
const extraScopes = z.optional(z.array(z.enum(EXTRA_SCOPES)).check(z.maxLength(EXTRA_SCOPES.length)))
/** The new client secret. Without it, the stored secret is used. */
const newSecret = z.optional(boundedText(4096))

const newKey = z.strictObject({ ...key, refreshToken, cancelRevoke })

/** A key as a person enters it, with its refresh token. */
export type NewKey = z.output<typeof newKey>

/** A sign-in that waits for a person in a browser. */
export interface StartedSignIn {
  readonly signIn: string
  /** Address where the person signs in. Contains only state and challenge, no secret. */
  readonly url: string
  /** Whether a browser was opened at the address. If not, the window shows the address as a link. */
  readonly opened: boolean
  /** Why the sign-in host does not respond. No browser is opened until the host responds. */
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
      readonly opened: boolean
      /** Something that happened during the sign-in and did not end it. */
      readonly notice?: string
      /** Why the sign-in host does not respond. Absent while the host responds. */
      readonly unreachable?: string
    }
  | { readonly state: 'done'; readonly signIn: string; readonly profile: string }
  | {
      readonly state: 'failed'
      readonly signIn: string
      readonly code: string
      /** The first sentence is the result, and the rest is the advice. */
      readonly message: string
    }

/**
 * Commands that connect keys or sign in again.
 *
 * While a revocation of the same key is unconfirmed, commands that obtain new tokens fail with
 * `revoke-pending`: a retry of the revocation would revoke the new tokens. `cancelRevoke` means that a person
 * gave up that retry.
 */
export const signInContract = {
  /** Connects a key by its refresh token. The token stays in main. */
  connect: command(newKey).returning<Outcome<{ readonly profile: string }>>(),
  /** Connects a key through the person's browser. `signInChanged` reports the outcome. */
  startSignIn: command(z.strictObject({ ...key, extraScopes, cancelRevoke })).returning<
    Outcome<StartedSignIn>
  >(),
  /** Like `startSignIn`, for a connected key. The key keeps its id, name and streams. */
  signInAgain: command(
    z.strictObject({ profile: profileId, clientSecret: newSecret, extraScopes, cancelRevoke }),
  ).returning<Outcome<StartedSignIn>>(),
  /** Like `signInAgain`, with a pasted refresh token. */
  replaceToken: command(
    z.strictObject({ profile: profileId, clientSecret: newSecret, refreshToken, cancelRevoke }),
  ).returning<Outcome<{ readonly profile: string }>>(),
  /**
   * Stores a new secret in place of a rejected one, and tries it with the present token.
   *
   * Fails with `not-accepted` if the service rejects the new secret too, and with `not-confirmed` if no
   * response arrives. An accepted secret applies to every connected profile of the same API key (service
   * 4.1).
   */
  correctSecret: command(z.strictObject({ profile: profileId, clientSecret: boundedText(4096) })).returning<
    Outcome<{ readonly profile: string }>
  >(),
  cancelSignIn: command(z.strictObject({ signIn: boundedText(64) })).returning<Outcome>(),

  signInChanged: push<SignInStatus>(),
} as const
