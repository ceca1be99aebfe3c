import type { Severity } from '../../app/contract/severity.ts'
import type { RefreshSummary, Snapshot } from '../../app/contract/snapshot.ts'
import { untilText } from '../../app/status/durations.ts'
import { clockText, dayAndClockText, dayAndMinuteText, minuteText } from '../../app/status/moments.ts'
import { accessStatus, refreshStatus } from '../../app/status/token-status.ts'
import { ROTATION } from '../../app/tokens/schedule.ts'

/** A token's lifetime as text and bar: the remaining time, and the next step when it has passed. */
export interface TokenText {
  readonly label: string
  readonly value: string
  /** The text after the value: `left`. */
  readonly note: string
  /** The next step: `renews 14:44`, `renewal failing`, `sign in by Mon 09:12`. Empty if unknown. */
  readonly next: string
  /** Where a refresh token is stored: `encrypted`, `in memory`. */
  readonly kept?: string
  /** The share of the token's lifetime that remains, 0 to 1. Absent if its end is unknown. */
  readonly left?: number
  /** Where the bar marks the time of the token's refresh, 0 to 1 like `left`. */
  readonly mark?: number
  readonly severity: Severity
}

type Access = Pick<Snapshot, 'access' | 'signInHost'>

export function accessText(snapshot: Access, nowMs: number): TokenText {
  const { access } = snapshot
  const { severity, label: state } = accessStatus(access, nowMs)
  const { expiresAt, issuedAt, refreshAt } = access
  const text = { label: 'Access token', next: '', severity }
  if (access.state === 'none') return { ...text, value: state, note: '' }
  // The service may end a token before `expiresAt`. The text then has no time.
  const isOver = expiresAt !== undefined && expiresAt <= nowMs
  if (state === 'expired')
    return { ...text, value: state, note: isOver ? endedAt(expiresAt, nowMs) : '', left: 0 }
  if (expiresAt === undefined) return { ...text, value: state, note: '' }
  const value = untilText(expiresAt, nowMs)
  const lived = lifeline(issuedAt, expiresAt, refreshAt, nowMs)
  return { ...text, value, note: 'left', ...nextRefresh(snapshot, nowMs), ...lived }
}

function nextRefresh({ access: { state, refreshAt }, signInHost }: Access, nowMs: number) {
  if (signInHost !== undefined) return { next: 'renewal failing', severity: 'warning' } as const
  if (state === 'refreshing') return { next: 'renewing now' }
  if (refreshAt === undefined) return {}
  return { next: refreshAt > nowMs ? `renews ${minuteText(refreshAt)}` : 'renewal is due' }
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

export function refreshText(refresh: RefreshSummary, nowMs: number): TokenText {
  const kind = refresh.rotating ? 'rotating' : 'default'
  const { severity, label: state } = refreshStatus(refresh, nowMs)
  const text = {
    label: `Refresh token, ${kind}`,
    value: state,
    next: '',
    kept: refresh.stored === 'sealed' ? 'encrypted' : 'in memory',
    severity,
  }
  switch (refresh.state) {
    case 'none':
      return { label: 'Refresh token', value: state, note: '', next: '', severity }
    case 'sign-in-required':
      return refresh.cause === 'misconfigured'
        ? { ...text, note: 'paused', next: 'API key or secret rejected' }
        : { ...text, note: '', left: 0 }
    case 'revoking':
      return { ...text, note: 'waiting for the service' }
    case 'revoke-unconfirmed':
      return { ...text, note: '' }
    case 'revoked':
      return { ...text, note: confirmedAt(refresh.revokedAt, nowMs), left: 0 }
    case 'unconfirmed':
      return { ...text, ...living(refresh, nowMs), note: state }
    case 'valid':
      return { ...text, ...living(refresh, nowMs) }
  }
}

function living({ endsAt, rotating, rotatesBy }: RefreshSummary, nowMs: number) {
  if (endsAt !== undefined && endsAt <= nowMs) {
    return {
      value: 'overdue',
      note: `since ${dayAndMinuteText(endsAt, nowMs)}`,
      next: 'sign in now',
      left: 0,
    }
  }
  if (endsAt !== undefined) {
    return {
      value: untilText(endsAt, nowMs),
      note: 'left',
      next: `sign in by ${dayAndMinuteText(endsAt, nowMs)}`,
      left: share(endsAt - nowMs, ROTATION.absoluteMs),
    }
  }
  if (rotating && rotatesBy !== undefined) {
    return { value: untilText(rotatesBy, nowMs), note: 'left', next: `rotates by ${clockText(rotatesBy)}` }
  }
  return { value: 'does not expire', note: 'until revoked', next: '', left: 1 }
}

const share = (part: number, whole: number) => Math.min(1, Math.max(0, part / whole))
const endedAt = (atMs: number | undefined, nowMs: number) =>
  atMs === undefined ? '' : `at ${dayAndClockText(atMs, nowMs)}`
const confirmedAt = (atMs: number | undefined, nowMs: number) =>
  atMs === undefined ? 'confirmed by the service' : `confirmed at ${dayAndClockText(atMs, nowMs)}`
