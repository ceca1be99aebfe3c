import type { Severity } from '../contract/severity.ts'
import type { AccessSummary, RefreshSummary } from '../contract/snapshot.ts'

/** Severity and label of a token, the same in the whole app. */
export interface TokenStatus {
  readonly severity: Severity
  /** In lower case: `valid`, `signed out`. */
  readonly label: string
}

/** A sign-in needs attention `watchMs` before its end, and is critical `criticalMs` before its end. */
export const SIGN_IN_ENDING = { watchMs: 3_600_000, criticalMs: 900_000 } as const

/** The label of a sign-in that ends within `SIGN_IN_ENDING.watchMs`. */
export const SIGN_IN_ENDS_SOON = 'sign-in ends soon'

/** Severity of a sign-in that ends at `endsAtMs`, epoch ms (service 8.4). */
export function signInEndSeverity(endsAtMs: number, nowMs: number): Severity {
  const leftMs = endsAtMs - nowMs
  if (leftMs <= SIGN_IN_ENDING.criticalMs) return 'critical'
  return leftMs <= SIGN_IN_ENDING.watchMs ? 'warning' : 'ok'
}

/** Whether an access token has expired at `nowMs`, epoch ms. The last snapshot may still show it as valid. */
export const hasExpired = ({ state, expiresAt }: AccessSummary, nowMs: number): boolean =>
  state === 'expired' || (state !== 'none' && expiresAt !== undefined && expiresAt <= nowMs)

/** Status of an access token at `nowMs`, epoch ms. */
export function accessStatus(access: AccessSummary, nowMs: number): TokenStatus {
  if (hasExpired(access, nowMs)) return { severity: 'warning', label: 'expired' }
  return { severity: access.state === 'none' ? 'unknown' : 'ok', label: access.state }
}

/**
 * Status of a refresh token at `nowMs`, epoch ms (service 3). A rejected API key and an ended sign-in get
 * different labels.
 */
export function refreshStatus(
  { state, cause, endsAt, revokedBy }: Pick<RefreshSummary, 'state' | 'cause' | 'endsAt' | 'revokedBy'>,
  nowMs: number,
): TokenStatus {
  switch (state) {
    case 'none':
      return { severity: 'critical', label: 'signed out' }
    case 'valid':
      return { severity: endsAt === undefined ? 'ok' : signInEndSeverity(endsAt, nowMs), label: 'valid' }
    case 'unconfirmed':
      return { severity: 'warning', label: 'not confirmed yet' }
    case 'sign-in-required':
      if (cause === 'locked') return { severity: 'unknown', label: 'locked' }
      if (revokedBy !== undefined) return { severity: 'critical', label: 'revoked' }
      return { severity: 'critical', label: cause === 'misconfigured' ? 'key rejected' : 'signed out' }
    case 'revoking':
      return { severity: 'warning', label: 'revoking' }
    case 'revoke-unconfirmed':
      return { severity: 'critical', label: 'revocation not confirmed' }
    case 'revoked':
      return { severity: revokedBy === undefined ? 'ok' : 'critical', label: 'revoked' }
  }
}
