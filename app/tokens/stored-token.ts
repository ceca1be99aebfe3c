import { type HeldToken, newTokenState, type TokenDoubt, type TokenState } from './token-state.ts'

/** What is kept beside a refresh token, in the clear: instants and states, nothing that could be used. */
export interface TokenAbout {
  readonly signedInAtMs: number
  readonly rotatedAtMs?: number
  readonly keepsToken: boolean
  readonly standing:
    | { readonly kind: 'unconfirmed' }
    | { readonly kind: 'active' }
    | { readonly kind: 'sign-in-required'; readonly reason: string }
    | { readonly kind: 'revoked'; readonly atMs: number }
}

/** One generation of a key's refresh token as it is stored. */
export interface TokenRecord {
  readonly generation: number
  readonly refreshToken: string
  /** Sealed as the token is: which of them is live is not known. */
  readonly doubt?: TokenDoubt
  readonly about: TokenAbout
}

/** A refresh was begun from this generation, and what came of it is not known. */
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

export interface StoredTokens {
  readonly token: TokenRecord
  readonly intent?: Intent
  readonly revocation?: PendingRevocation
}

/** A token as a person gave it: the service has not been asked yet. */
export function signedIn(refreshToken: string, nowMs: number): TokenRecord {
  return {
    generation: 1,
    refreshToken,
    about: { signedInAtMs: nowMs, keepsToken: false, standing: { kind: 'unconfirmed' } },
  }
}

/**
 * The state of a key at a start.
 *
 * An open intent means that the token may be used up although no answer is known: the refresh that a start
 * makes is then the one that is tried again at once.
 */
export function restoredState({ token, intent, revocation }: StoredTokens, nowMs: number): TokenState {
  const { about, ...secret } = token
  const { standing, ...dates } = about
  const state: TokenState = {
    ...newTokenState({ ...secret, ...dates }),
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
 * What of a state is stored; `token` is the one it holds. What a restart has to ask again is left out.
 *
 * A lost answer stays an open intent until the service has had its word on the token.
 */
export function storedTokens(token: HeldToken, state: TokenState, nowMs: number): StoredTokens {
  const { generation } = token
  const stored = recordOf(token, state)
  return state.lostAnswer ? { ...stored, intent: { generation, atMs: nowMs } } : stored
}

function recordOf(
  { generation, refreshToken, doubt, ...dates }: HeldToken,
  { standing, mayRevokeByItself }: TokenState,
): StoredTokens {
  const record = (stored: TokenAbout['standing']): TokenRecord => ({
    generation,
    refreshToken,
    ...(doubt && { doubt }),
    about: { ...dates, standing: stored },
  })
  switch (standing.kind) {
    case 'sign-in-required':
      // A secret that was wrong may be right at the next start: it is no word on the token.
      if (standing.cause === 'misconfigured') return { token: record({ kind: 'unconfirmed' }) }
      return { token: record({ kind: standing.kind, reason: standing.reason }) }
    case 'unconfirmed':
    case 'active':
    case 'revoked':
      return { token: record(standing) }
    case 'revoking':
      return {
        token: record({ kind: 'active' }),
        revocation: { reason: 'not answered before the app ended', byItself: mayRevokeByItself },
      }
    case 'revoke-unconfirmed':
      return {
        token: record({ kind: 'active' }),
        revocation: { reason: standing.reason, byItself: standing.retryAtMs !== undefined },
      }
  }
}
