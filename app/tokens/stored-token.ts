import { newTokenState, type TokenRecord, type TokenState } from './token-state.ts'

/** What is stored of a refresh token's standing: the service's last word on it. */
export type StoredStanding =
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'active' }
  | { readonly kind: 'sign-in-required'; readonly reason: string }
  | { readonly kind: 'revoked'; readonly atMs: number }

/** A refresh that was begun from this generation and whose outcome is not stored. */
export interface Intent {
  readonly generation: number
  readonly atMs: number
}

/** A revocation that a person asked for and the service has not confirmed. */
export interface PendingRevocation {
  readonly reason: string
  /** Otherwise it waits for a person: it was refused, or a newer sign-in would be ended by it. */
  readonly byItself: boolean
}

/** What is stored of a key's tokens. Access tokens are not. */
export interface StoredTokens {
  readonly token: TokenRecord
  readonly standing: StoredStanding
  readonly intent?: Intent
  readonly revocation?: PendingRevocation
}

/** The tokens of a new sign-in: the service has not been asked yet. */
export function signedIn(refreshToken: string, nowMs: number): StoredTokens {
  return {
    token: { generation: 1, refreshToken, signedInAtMs: nowMs, keepsToken: false },
    standing: { kind: 'unconfirmed' },
  }
}

/**
 * The state of a key at a start, from what is stored of its tokens.
 *
 * An open intent means that the token may be used up although no answer is known: the refresh that a start
 * makes is then the one that is tried again at once.
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
 * The part of a state that is stored; `token` is the one in it. What a restart has to ask again is left out.
 *
 * A lost answer stays an open intent until the service has had its word on the token.
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
      // A secret that was wrong may be right at the next start: it is no word on the token.
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
