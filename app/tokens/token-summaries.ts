import type { AccessSummary, RefreshSummary } from '../contract/snapshot.ts'
import { refreshAt, sessionEndsAt } from './next-step.ts'
import { isAlive, mayRefresh, type TokenState } from './token-state.ts'

/** The access token's public state and times, never the token itself. */
export function accessSummary(state: TokenState, nowMs: number, isRefreshing: boolean): AccessSummary {
  const { access, standing } = state
  const gone = standing.kind === 'revoked' || standing.kind === 'sign-in-required'
  const current = gone ? undefined : access
  if (current === undefined) return { state: isRefreshing ? 'refreshing' : 'none', scopes: [] }
  return {
    state: isRefreshing ? 'refreshing' : isAlive(state, nowMs) ? 'valid' : 'expired',
    issuedAt: Math.round(current.issuedAtMs),
    expiresAt: Math.round(current.expiresAtMs),
    refreshAt: Math.round(refreshAt({ ...state, retryAtMs: undefined }, nowMs)),
    scopes: current.scopes,
  }
}

/**
 * The refresh token's public state, times and place of storage, never the token itself. Times in epoch ms.
 */
export function refreshSummary(
  state: TokenState,
  stored: RefreshSummary['stored'],
  refreshesToday: number,
  rotationMs: number,
): RefreshSummary {
  const { token, standing, failure } = state
  const reason = 'reason' in standing ? standing.reason : mayRefresh(state) ? failure : undefined
  const endsAtMs = sessionEndsAt(state)
  const isWaiting = mayRefresh(state) && state.failures > 0
  const retryAtMs =
    standing.kind === 'revoke-unconfirmed' ? standing.retryAtMs : isWaiting ? state.retryAtMs : undefined
  return {
    state: standing.kind === 'active' ? 'valid' : standing.kind,
    rotating: token?.rotatedAtMs !== undefined,
    ...(token?.rotatedAtMs !== undefined && {
      rotatedAt: Math.round(token.rotatedAtMs),
      rotatesBy: Math.round(token.rotatedAtMs + rotationMs),
    }),
    ...(endsAtMs !== undefined && { endsAt: Math.round(endsAtMs) }),
    stored,
    ...(reason !== undefined && { reason }),
    ...(standing.kind === 'sign-in-required' && standing.cause && { cause: standing.cause }),
    refreshesToday,
    ...(standing.kind === 'revoked' && { revokedAt: Math.round(standing.atMs) }),
    ...(retryAtMs !== undefined && { retryAt: Math.round(retryAtMs) }),
  }
}
