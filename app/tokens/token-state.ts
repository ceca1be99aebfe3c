/**
 * One key's tokens as states (service 3). Everything here is a value: what happened is folded in by
 * `afterRefresh` and `afterRevocation`, what is due comes out of `nextStep`. Times are epoch milliseconds.
 */

/** One generation of a key's refresh token; the newest that the service gave is in use. */
export interface TokenRecord {
  /** From 1; grows by one with each new refresh token. */
  readonly generation: number
  readonly refreshToken: string
  /** The sign-in that it descends from: the start of a rotating key's 24 hours (service 8.4). */
  readonly signedInAtMs: number
  /** Absent until the service replaced a token: such a key rotates. */
  readonly rotatedAtMs?: number
  /** A default key (service 5.6): answers came without a new refresh token, so that losing one is harmless. */
  readonly keepsToken: boolean
  /** Absent where no other token can be the live one. */
  readonly doubt?: TokenDoubt
}

/** Which of several tokens is live is not known: an answer that was no whole renewal had a string in the place of one. */
export interface TokenDoubt {
  /** The one that the service took last: never dropped for want of room. */
  readonly honoured: string
  /** Those that are not held now, the next to try last. */
  readonly waiting: readonly string[]
}

export interface AccessToken {
  readonly value: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly scopes: readonly string[]
}

/**
 * What stands in the way where it is not the token: the API key, its secret or its settings. A new sign-in alone would
 * meet the same answer.
 */
export type SignInCause = 'misconfigured'

/** Where the refresh token stands: the service's word on it, and what a person asked for. */
export type Standing =
  /** The service has not been asked yet. */
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'active' }
  | { readonly kind: 'sign-in-required'; readonly reason: string; readonly cause?: SignInCause }
  | { readonly kind: 'revoking' }
  /** Without `retryAtMs` it waits for a person. */
  | { readonly kind: 'revoke-unconfirmed'; readonly reason: string; readonly retryAtMs?: number }
  | { readonly kind: 'revoked'; readonly atMs: number }

export interface TokenState {
  /** Absent where what is stored does not open. */
  readonly token: TokenRecord | undefined
  readonly standing: Standing
  readonly access: AccessToken | undefined
  /** Refreshes in a row that neither renewed nor were refused. */
  readonly failures: number
  readonly retryAtMs: number | undefined
  /** What the latest of them met, in plain words. */
  readonly failure: string | undefined
  /** An answer was lost, also by an earlier process: it is tried again at once only the first time. */
  readonly lostAnswer: boolean
  /** False once a newer sign-in on this API key would be ended by a late retry. */
  readonly mayRevokeByItself: boolean
  /** The nearest warning of the 24 hours' end that was given, as the time it was ahead. */
  readonly warnedAheadMs: number
}

/** The state of a token that the service has not been asked about. */
export function newTokenState(token: TokenRecord): TokenState {
  return {
    token,
    standing: { kind: 'unconfirmed' },
    access: undefined,
    failures: 0,
    retryAtMs: undefined,
    failure: undefined,
    lostAnswer: false,
    mayRevokeByItself: true,
    warnedAheadMs: Number.POSITIVE_INFINITY,
  }
}

/** What is stored does not open: only a person can go on. */
export function lostTokenState(reason: string): TokenState {
  return {
    ...newTokenState({ generation: 0, refreshToken: '', signedInAtMs: 0, keepsToken: false }),
    token: undefined,
    standing: { kind: 'sign-in-required', reason },
  }
}

/** Whether a revocation was asked for; from then on the refresh grant is not used. */
export function isRevoking({ standing }: TokenState): boolean {
  switch (standing.kind) {
    case 'revoking':
    case 'revoke-unconfirmed':
    case 'revoked':
      return true
    case 'unconfirmed':
    case 'active':
    case 'sign-in-required':
      return false
  }
}

/** Whether the service may be asked for a new access token. */
export function mayRefresh({ token, standing }: TokenState): boolean {
  return token !== undefined && (standing.kind === 'active' || standing.kind === 'unconfirmed')
}

/** Whether the access token is valid at `nowMs`, epoch ms. */
export function isAlive({ access }: TokenState, nowMs: number): boolean {
  return access !== undefined && access.expiresAtMs > nowMs
}

/** Least lifetime of an access token for a request that takes a few seconds. */
const FRESH_MS = 5_000

/** Whether the access token is valid long enough for one request. */
export function isFresh({ access }: TokenState, nowMs: number): boolean {
  return access !== undefined && access.expiresAtMs - nowMs > FRESH_MS
}
