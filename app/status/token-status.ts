import type { AccessSummary, RefreshSummary, Snapshot } from '../contract/snapshot.ts'
import type { Severity } from './severity.ts'

/** Severity and label of a token, the same on every surface. */
export interface TokenStatus {
  readonly severity: Severity
  /** In lower case: `valid`, `sign in again`. */
  readonly label: string
}

/** How long before the end of a sign-in it asks for attention, inclusive. Milliseconds. */
export const SIGN_IN_ENDING = { watchMs: 3_600_000, criticalMs: 900_000 } as const

/** The label of a sign-in that ends within `SIGN_IN_ENDING`. */
export const SIGN_IN_ENDS_SOON = 'sign in again soon'

/** Severity of a sign-in that ends at `endsAtMs`, epoch ms (service 8.4). */
export function signInEndSeverity(endsAtMs: number, nowMs: number): Severity {
  const leftMs = endsAtMs - nowMs
  if (leftMs <= SIGN_IN_ENDING.criticalMs) return 'critical'
  return leftMs <= SIGN_IN_ENDING.watchMs ? 'warning' : 'ok'
}

/** Status of an access token at `nowMs`, epoch ms: expired from the moment of expiry, whatever its last push said. */
export function accessStatus({ state, expiresAt }: AccessSummary, nowMs: number): TokenStatus {
  switch (state) {
    case 'none':
      return { severity: 'unknown', label: 'none' }
    case 'expired':
      return { severity: 'warning', label: 'expired' }
    case 'refreshing':
    case 'valid':
      if (expiresAt !== undefined && expiresAt <= nowMs) return { severity: 'warning', label: 'expired' }
      return { severity: 'ok', label: state }
  }
}

/** Status of a refresh token at `nowMs`, epoch ms (service 3). The label of a rejected API key is not that of an ended sign-in. */
export function refreshStatus(
  { state, cause, endsAt }: Pick<RefreshSummary, 'state' | 'cause' | 'endsAt'>,
  nowMs: number,
): TokenStatus {
  switch (state) {
    case 'none':
      return { severity: 'unknown', label: 'signed out' }
    case 'valid':
      return { severity: endsAt === undefined ? 'ok' : signInEndSeverity(endsAt, nowMs), label: 'valid' }
    case 'unconfirmed':
      return { severity: 'warning', label: 'not confirmed yet' }
    case 'sign-in-required':
      return { severity: 'critical', label: cause === 'misconfigured' ? 'key not accepted' : 'sign in again' }
    case 'revoking':
      return { severity: 'warning', label: 'revoking' }
    case 'revoke-unconfirmed':
      return { severity: 'critical', label: 'revocation not confirmed' }
    case 'revoked':
      return { severity: 'unknown', label: 'revoked' }
  }
}

/** What is wrong with the place where tokens are stored, the same in the banner and among the findings. */
export interface KeystoreTrouble {
  readonly severity: Severity
  /** A sentence without its full stop. */
  readonly label: string
  readonly text: string
  /** What to do. */
  readonly action: string
}

const MEMORY_ONLY = 'Tokens are kept in memory only: gone when Headroom quits.'

/** The trouble of a keystore (service 8); `undefined` where there is none, and where the person agreed to it. */
export function keystoreTrouble({
  keystore,
  refresh,
}: Pick<Snapshot, 'keystore' | 'refresh'>): KeystoreTrouble | undefined {
  switch (keystore) {
    case 'ok':
    case 'memory':
      return undefined
    case 'waiting':
      return {
        severity: 'warning',
        label: 'Waiting for the system keyring',
        text: '',
        action: 'Unlock it to continue; nothing was deleted.',
      }
    case 'unavailable':
      return {
        severity: 'warning',
        label: "The system's keystore does not answer",
        text: MEMORY_ONLY,
        action: 'Nothing was deleted.',
      }
    case 'key-changed':
      return {
        severity: 'critical',
        label: 'The stored token cannot be opened here',
        text: 'It was encrypted with a different keystore, key or passphrase.',
        action: 'Nothing was deleted: start Headroom with that one, or sign in again.',
      }
    case 'record-corrupt':
      return {
        severity: 'critical',
        label: 'The stored token is damaged',
        text: 'It was set aside, not deleted.',
        action: 'Sign in again.',
      }
    case 'unprotected':
      if (refresh.stored === 'sealed') return undefined
      return {
        severity: 'warning',
        label: 'This system would store secrets unprotected',
        text: MEMORY_ONLY,
        action: 'If they are stored, any program that can read your files can use them.',
      }
  }
}
