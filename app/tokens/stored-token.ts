import { newTokenState, type TokenRecord, type TokenState } from './token-state.ts'

/** The stored standing of a refresh token: the service's last statement about it. */
export type StoredStanding =
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'active' }
  | { readonly kind: 'sign-in-required'; readonly reason: string }
  | { readonly kind: 'revoked'; readonly atMs: number }

/**
 * A refresh that was started and whose outcome is not stored yet. `generation`: the generation of the token
 * that was sent.
 */
export interface Intent {
  readonly generation: number
  readonly atMs: number
}

/** A revocation that a person requested and the service has not confirmed. */
export interface PendingRevocation {
  readonly reason: string
  /**
   * False if only a person may repeat the revocation, because it was rejected or because it would end a newer
   * sign-in.
   */
  readonly byItself: boolean
}

/** The stored part of a key's tokens. Access tokens are not stored. */
export interface StoredTokens {
  readonly token: TokenRecord
  readonly standing: StoredStanding
  readonly intent?: Intent
  readonly revocation?: PendingRevocation
}

/** The tokens of a new sign-in, not yet confirmed by the service. */
export function signedIn(refreshToken: string, nowMs: number): StoredTokens {
  return {
    token: { generation: 1, refreshToken, signedInAtMs: nowMs, keepsToken: false },
    standing: { kind: 'unconfirmed' },
  }
}

/**
 * The state of a key at startup, from its stored tokens.
 *
 * An open intent means that a refresh was sent whose response is unknown. The refresh token may then be used
 * up. The refresh at startup is the immediate retry after the lost response.
 */
export function restoredState(
  { token, standing, intent, revocation }: StoredTokens,
  nowMs: number,
): TokenState {
  const state: TokenState = {
    ...newTokenState(token),
    standing: standing.kind === 'active' ? { kind: 'unconfirmed' } : standing,
    lostAnswer: intent !== undefined,
  }
  if (revocation === undefined || standing.kind === 'revoked') return state
  const { reason, byItself } = revocation
  return {
    ...state,
    standing: { kind: 'revoke-unconfirmed', reason, ...(byItself && { retryAtMs: nowMs }) },
    mayRevokeByItself: byItself,
  }
}

/**
 * The part of a state that is stored, with `token` as the refresh token. Data that can be requested again
 * after a restart, such as the access token, is left out.
 *
 * If the response to a refresh was lost, an `intent` is stored too. See `TokenState.lostAnswer`.
 */
export function storedTokens(token: TokenRecord, state: TokenState, nowMs: number): StoredTokens {
  const stored = { token, ...storedStanding(state) }
  return state.lostAnswer ? { ...stored, intent: { generation: token.generation, atMs: nowMs } } : stored
}

function storedStanding({
  standing,
  mayRevokeByItself,
}: TokenState): Pick<StoredTokens, 'standing' | 'revocation'> {
  switch (standing.kind) {
    case 'sign-in-required':
      // The secret may be corrected before the next start, so a wrong secret shows nothing about the token.
      if (standing.cause === 'misconfigured') return { standing: { kind: 'unconfirmed' } }
      return { standing: { kind: standing.kind, reason: standing.reason } }
    case 'unconfirmed':
    case 'active':
    case 'revoked':
      return { standing }
    case 'revoking':
      return {
        standing: { kind: 'active' },
        revocation: { reason: 'no response before Headroom quit', byItself: mayRevokeByItself },
      }
    case 'revoke-unconfirmed':
      return {
        standing: { kind: 'active' },
        revocation: { reason: standing.reason, byItself: standing.retryAtMs !== undefined },
      }
  }
}
