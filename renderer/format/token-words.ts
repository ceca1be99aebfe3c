import type { AccessSummary, RefreshSummary } from '../../app/contract/snapshot.ts'
import { untilText } from '../../app/status/durations.ts'
import { clockText, dayAndMinuteText } from '../../app/status/moments.ts'
import type { Severity } from '../../app/status/severity.ts'

/** One token's lifeline: how much of its life is left, and what happens at its end. */
export interface TokenWords {
  readonly label: string
  readonly value: string
  readonly note: string
  /** Share of its life that is left, 0 to 1; absent where no end is known. */
  readonly left?: number
  /** Where on the same scale it is refreshed. */
  readonly mark?: number
  readonly severity: Severity
}

const ABSOLUTE_LIFETIME_MS = 86_400_000

export function accessWords(access: AccessSummary, nowMs: number): TokenWords {
  const label = 'Access token'
  switch (access.state) {
    case 'none':
      return { label, value: 'none', note: 'no key is signed in', severity: 'unseen' }
    case 'expired':
      return { label, value: 'expired', note: endedAt(access.expiresAt), left: 0, severity: 'watch' }
    case 'refreshing':
    case 'valid': {
      const { expiresAt, issuedAt, refreshAt } = access
      if (expiresAt === undefined) {
        const value = access.state === 'valid' ? 'valid' : 'refreshing'
        return { label, value, note: '', severity: 'ok' }
      }
      if (expiresAt <= nowMs) {
        return { label, value: 'expired', note: endedAt(expiresAt), left: 0, severity: 'watch' }
      }
      const note =
        access.state === 'refreshing'
          ? 'left · refreshing now'
          : refreshAt === undefined
            ? 'left'
            : refreshAt > nowMs
              ? `left · refreshes in ${untilText(refreshAt, nowMs)}`
              : 'left · refresh is due'
      return {
        label,
        value: untilText(expiresAt, nowMs),
        note,
        severity: 'ok',
        ...lifeline(issuedAt, expiresAt, refreshAt, nowMs),
      }
    }
  }
}

function lifeline(
  issuedAt: number | undefined,
  expiresAt: number,
  refreshAt: number | undefined,
  nowMs: number,
): { left?: number; mark?: number } {
  if (issuedAt === undefined || expiresAt <= issuedAt) return {}
  const left = share(expiresAt - nowMs, expiresAt - issuedAt)
  if (refreshAt === undefined) return { left }
  return { left, mark: share(expiresAt - refreshAt, expiresAt - issuedAt) }
}

export function refreshWords(refresh: RefreshSummary, nowMs: number): TokenWords {
  const kind = refresh.rotating ? 'rotating' : 'default'
  const label = `Refresh token · ${kind} · ${refresh.stored === 'sealed' ? 'sealed' : 'in memory'}`
  switch (refresh.state) {
    case 'none':
      return { label: 'Refresh token', value: 'none', note: 'no key is signed in', severity: 'unseen' }
    case 'sign-in-required':
      if (refresh.cause === 'misconfigured') {
        return { label, value: 'kept', note: 'the key or its secret is not accepted', severity: 'critical' }
      }
      return { label, value: 'ended', note: 'sign in again', left: 0, severity: 'critical' }
    case 'revoking':
      return { label, value: 'revoking', note: 'waiting for the service to confirm', severity: 'watch' }
    case 'revoke-unconfirmed':
      return { label, value: 'not confirmed', note: 'treat it as live', severity: 'critical' }
    case 'revoked':
      return { label, value: 'revoked', note: confirmedAt(refresh.revokedAt), left: 0, severity: 'unseen' }
    case 'unconfirmed':
      return { ...living(label, refresh, nowMs), note: 'not confirmed by the service yet', severity: 'watch' }
    case 'valid':
      return living(label, refresh, nowMs)
  }
}

function living(label: string, refresh: RefreshSummary, nowMs: number): TokenWords {
  const { endsAt, rotatesBy } = refresh
  if (endsAt !== undefined) {
    return {
      label,
      value: untilText(endsAt, nowMs),
      note: `left · sign in again by ${dayAndMinuteText(endsAt, nowMs)}`,
      left: share(endsAt - nowMs, ABSOLUTE_LIFETIME_MS),
      severity: endsAt - nowMs < 15 * 60_000 ? 'critical' : endsAt - nowMs < 3_600_000 ? 'watch' : 'ok',
    }
  }
  if (refresh.rotating && rotatesBy !== undefined) {
    return {
      label,
      value: untilText(rotatesBy, nowMs),
      note: `left · rotates by ${clockText(rotatesBy)}`,
      severity: 'ok',
    }
  }
  return { label, value: 'no end', note: 'valid until it is revoked', left: 1, severity: 'ok' }
}

const share = (part: number, whole: number) => Math.min(1, Math.max(0, part / whole))
const endedAt = (atMs: number | undefined) => (atMs === undefined ? '' : `at ${clockText(atMs)}`)
const confirmedAt = (atMs: number | undefined) =>
  atMs === undefined ? 'confirmed by the service' : `confirmed at ${clockText(atMs)}`
