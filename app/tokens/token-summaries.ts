import type { AccessSummary, RefreshSummary } from '../contract/snapshot.ts'
import { refreshAt, sessionEndsAt } from './next-step.ts'
import type { KeyLifetimes } from './schedule.ts'
import { isAlive, mayRefresh, type TokenState } from './token-state.ts'

/** What a window is told of the access token: never the token. */
export function accessSummary(
  state: TokenState,
  nowMs: number,
  isRefreshing: boolean,
  lifetimes: KeyLifetimes,
): AccessSummary {
  const { access, standing } = state
  const gone = standing.kind === 'revoked' || standing.kind === 'sign-in-required'
  const held = gone ? undefined : access
  if (held === undefined) return { state: isRefreshing ? 'refreshing' : 'none', scopes: [] }
  return {
    state: isRefreshing ? 'refreshing' : isAlive(state, nowMs) ? 'valid' : 'expired',
    issuedAt: Math.round(held.issuedAtMs),
    expiresAt: Math.round(held.expiresAtMs),
    refreshAt: Math.round(refreshAt({ ...state, retryAtMs: undefined }, nowMs, lifetimes)),
    scopes: held.scopes,
  }
}

/** The refresh token as a window is told of it: states and times, never the token. Times in epoch ms. */
export function refreshSummary(
  state: TokenState,
  stored: RefreshSummary['stored'],
  refreshesToday: number,
  lifetimes: KeyLifetimes,
): RefreshSummary {
  const { token, standing, failure } = state
  const reason = 'reason' in standing ? standing.reason : mayRefresh(state) ? failure : undefined
  const endsAtMs = sessionEndsAt(state, lifetimes)
  return {
    state: standing.kind === 'active' ? 'valid' : standing.kind,
    rotating: token?.rotatedAtMs !== undefined,
    ...(token?.rotatedAtMs !== undefined && {
      rotatedAt: Math.round(token.rotatedAtMs),
      rotatesBy: Math.round(token.rotatedAtMs + lifetimes.rotationMs),
    }),
    ...(endsAtMs !== undefined && { endsAt: Math.round(endsAtMs) }),
    stored,
    ...(reason !== undefined && { reason }),
    ...(standing.kind === 'sign-in-required' && standing.cause && { cause: standing.cause }),
    refreshesToday,
    ...(standing.kind === 'revoked' && { revokedAt: Math.round(standing.atMs) }),
    ...(standing.kind === 'revoke-unconfirmed' &&
      standing.retryAtMs !== undefined && { retryAt: Math.round(standing.retryAtMs) }),
  }
}
