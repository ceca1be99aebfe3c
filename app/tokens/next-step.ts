import { ROTATION, refreshDueAt } from './schedule.ts'
import type { TokenState } from './token-state.ts'

/**
 * The next automatic step for a key, and its time. The time is in epoch ms, so that it stays correct while
 * the computer sleeps.
 */
export type NextStep =
  | { readonly kind: 'refresh'; readonly atMs: number }
  | { readonly kind: 'revoke'; readonly atMs: number }
  /**
   * A warning that the session of a rotating key ends at `endsAtMs` (service 8.4). A person must sign in
   * again before that time.
   */
  | { readonly kind: 'warn'; readonly atMs: number; readonly aheadMs: number; readonly endsAtMs: number }

/** Headroom warns this long before the session of a rotating key ends. Milliseconds, longest first. */
export const WARNINGS_AHEAD_MS = [60 * 60_000, 15 * 60_000] as const

/** The earliest step that is due. `undefined` if only a person can continue. */
export function nextStep(state: TokenState, nowMs: number): NextStep | undefined {
  const { standing } = state
  switch (standing.kind) {
    case 'revoking':
    case 'revoked':
    case 'sign-in-required':
      return undefined
    case 'revoke-unconfirmed':
      return standing.retryAtMs === undefined ? undefined : { kind: 'revoke', atMs: standing.retryAtMs }
    case 'unconfirmed':
    case 'active': {
      const refresh: NextStep = { kind: 'refresh', atMs: refreshAt(state, nowMs) }
      const warning = nextWarning(state, nowMs)
      return warning !== undefined && warning.atMs < refresh.atMs ? warning : refresh
    }
  }
}

/**
 * When to refresh, in epoch milliseconds: before the token expires, or when a retry is due. Immediately if
 * there is no usable token.
 */
export function refreshAt(state: TokenState, nowMs: number): number {
  if (state.retryAtMs !== undefined) return state.retryAtMs
  const { access } = state
  if (access === undefined || access.expiresAtMs <= nowMs) return nowMs
  return refreshDueAt(access.issuedAtMs, access.expiresAtMs)
}

/**
 * When the session of a rotating key ends (service 8.4), in epoch milliseconds. `undefined` for a key that
 * never rotated.
 */
export function sessionEndsAt({ token }: TokenState): number | undefined {
  return token?.rotatedAtMs === undefined ? undefined : token.signedInAtMs + ROTATION.absoluteMs
}

/** The next warning. If several were missed during sleep, only the latest counts. */
function nextWarning(state: TokenState, nowMs: number): Extract<NextStep, { kind: 'warn' }> | undefined {
  const endsAtMs = sessionEndsAt(state)
  if (endsAtMs === undefined || nowMs >= endsAtMs) return undefined
  const open = WARNINGS_AHEAD_MS.filter((aheadMs) => aheadMs < state.warnedAheadMs)
  const aheadMs = open.findLast((ahead) => endsAtMs - ahead <= nowMs) ?? open[0]
  return aheadMs === undefined ? undefined : { kind: 'warn', atMs: endsAtMs - aheadMs, aheadMs, endsAtMs }
}
