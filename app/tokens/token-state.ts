/**
 * The state of one key's tokens (service 3). All values are immutable. Times are epoch milliseconds.
 *
 * `afterRefresh` and `afterRevocation` return the state after an outcome. `nextStep` returns the next
 * automatic step.
 */

/** One generation of a key's refresh token. The newest one is in use. */
export interface TokenRecord {
  /** From 1. Increases with each new refresh token. */
  readonly generation: number
  readonly refreshToken: string
  /** When the person signed in: the start of a rotating key's 24 hours (service 8.4). */
  readonly signedInAtMs: number
  /**
   * When the service last replaced the refresh token. Absent until the first replacement. If present, the key
   * counts as a rotating key.
   */
  readonly rotatedAtMs?: number
  /**
   * Whether this is a default key (service 5.6). Its responses contain no new refresh token, so a lost
   * response is harmless.
   */
  readonly keepsToken: boolean
  /**
   * The signed-in user: `sub` of the newest ID token. Absent before the first refresh, and for a service that
   * names no user.
   */
  readonly subject?: string
  /** Absent if no other token can be valid. */
  readonly doubt?: TokenDoubt
}

/**
 * Other tokens that may be valid in place of the current one. They exist after an incomplete renewal, whose
 * response contained a string in place of a new token.
 */
export interface TokenDoubt {
  /** The last token that the service accepted. It is never removed from the candidates. */
  readonly honoured: string
  /** Further candidates. The last one is tried next. */
  readonly waiting: readonly string[]
}

/** An access token in use. Never stored. */
export interface AccessToken {
  readonly value: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  readonly scopes: readonly string[]
}

/**
 * Why a sign-in is required, if the token is not the reason: the API key, its secret or its settings are
 * wrong. A new sign-in alone would not help.
 */
export type SignInCause = 'misconfigured'

/**
 * The standing of the refresh token: the service's last statement about it, or a revocation that a person
 * requested.
 */
export type Standing =
  /** The service has not judged the token yet. */
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'active' }
  | { readonly kind: 'sign-in-required'; readonly reason: string; readonly cause?: SignInCause }
  | { readonly kind: 'revoking' }
  /** Without `retryAtMs`, the revocation waits for a person. */
  | { readonly kind: 'revoke-unconfirmed'; readonly reason: string; readonly retryAtMs?: number }
  | { readonly kind: 'revoked'; readonly atMs: number }

/** The known state of one key's tokens. */
export interface TokenState {
  /** Absent if the stored data cannot be opened. */
  readonly token: TokenRecord | undefined
  readonly standing: Standing
  readonly access: AccessToken | undefined
  /**
   * Number of consecutive failed refreshes. A refresh that the service rejected does not count, because it is
   * not retried.
   */
  readonly failures: number
  readonly retryAtMs: number | undefined
  /** Earliest retry if requests need another token. May be earlier than `retryAtMs`. */
  readonly wantedAtMs: number | undefined
  /** Why the latest refresh failed. */
  readonly failure: string | undefined
  /**
   * Whether the response to a refresh was lost, possibly in an earlier process. Only the first loss causes an
   * immediate retry.
   */
  readonly lostAnswer: boolean
  /**
   * Whether a revocation may be retried automatically. False if a late retry would end a newer sign-in on
   * this API key.
   */
  readonly mayRevokeByItself: boolean
  /**
   * Lead time of the latest warning about the end of the session, in milliseconds. Infinity before the first
   * warning.
   */
  readonly warnedAheadMs: number
}

/** The state of a token that the service has not judged yet. */
export function newTokenState(token: TokenRecord): TokenState {
  return {
    token,
    standing: { kind: 'unconfirmed' },
    access: undefined,
    failures: 0,
    retryAtMs: undefined,
    wantedAtMs: undefined,
    failure: undefined,
    lostAnswer: false,
    mayRevokeByItself: true,
    warnedAheadMs: Number.POSITIVE_INFINITY,
  }
}

/** The state of a key without a usable token, because of `reason`. Only a person can continue. */
export function lostTokenState(reason: string): TokenState {
  return {
    ...newTokenState({ generation: 0, refreshToken: '', signedInAtMs: 0, keepsToken: false }),
    token: undefined,
    standing: { kind: 'sign-in-required', reason },
  }
}

/** Whether a revocation was requested. From then on, calls get no access token. */
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

/** Whether a new access token may be requested. */
export function mayRefresh({ token, standing }: TokenState): boolean {
  return token !== undefined && (standing.kind === 'active' || standing.kind === 'unconfirmed')
}

/** Whether the access token is valid at `nowMs`, epoch ms. */
export function isAlive({ access }: TokenState, nowMs: number): boolean {
  return access !== undefined && access.expiresAtMs > nowMs
}

/** An access token that expires sooner than this is not used, because a request takes a few seconds. */
const FRESH_MS = 5_000

/** Whether the access token is valid long enough for one request. */
export function isFresh({ access }: TokenState, nowMs: number): boolean {
  return access !== undefined && access.expiresAtMs - nowMs > FRESH_MS
}
