/**
 * The state of one key's tokens (service 3). Everything here is a value: `afterRefresh` and `afterRevocation` take in
 * what happened, `nextStep` says what is due. Times are epoch milliseconds.
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

/**
 * The other tokens that may be the valid one, after an answer that was no complete renewal had a string in its place.
 */
export interface TokenDoubt {
  /** The one that the service accepted last: never dropped for want of room. */
  readonly honoured: string
  /** The candidates beside the current one; the next to try comes last. */
  readonly waiting: readonly string[]
}

/** An access token in use. It is never stored. */
export interface AccessToken {
  readonly value: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly scopes: readonly string[]
}

/**
 * The reason why a sign-in is required where it is not the token: the API key, its secret or its settings. A new
 * sign-in alone would meet the same answer.
 */
export type SignInCause = 'misconfigured'

/** The standing of the refresh token: the service's last word on it, and a revocation that a person asked for. */
export type Standing =
  /** The service has not been asked yet. */
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'active' }
  | { readonly kind: 'sign-in-required'; readonly reason: string; readonly cause?: SignInCause }
  | { readonly kind: 'revoking' }
  /** Without `retryAtMs` it waits for a person. */
  | { readonly kind: 'revoke-unconfirmed'; readonly reason: string; readonly retryAtMs?: number }
  | { readonly kind: 'revoked'; readonly atMs: number }

/** What is known of one key's tokens at a moment. */
export interface TokenState {
  /** Absent where what is stored does not open. */
  readonly token: TokenRecord | undefined
  readonly standing: Standing
  readonly access: AccessToken | undefined
  /** Refreshes in a row that neither renewed nor were rejected. */
  readonly failures: number
  readonly retryAtMs: number | undefined
  /** Why the latest of them failed, as a text. */
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

/** The state of a key without a usable token, for `reason`: only a person can go on. */
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
