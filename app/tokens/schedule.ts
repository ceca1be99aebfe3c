import { type RetrySchedule, retryDelayMs } from '../retry/schedules.ts'

/* When to refresh, as data and pure functions (service 5.3, 8.4). All times are in milliseconds. */

/** How long before its expiry a token is refreshed. */
const LEAD_MS = 120_000
/** Minimum time since the last refresh, whatever lifetime the service states. */
export const MIN_REFRESH_MS = 10_000

/**
 * Maximum Retry-After that is respected, in seconds. A longer wait could outlast a rotating token, which can
 * be rejected after half an hour.
 */
const MAX_ASKED_SECONDS = 900

/**
 * The service's own times for a rotating key (service 8.4).
 *
 * - `rotationMs`: after this time, a refresh token may be rejected. Only displayed.
 * - `absoluteMs`: from a sign-in to the end of the session.
 */
export const ROTATION = { rotationMs: 30 * 60_000, absoluteMs: 24 * 3_600_000 } as const

/** `ROTATION.rotationMs`, or the time that a person set instead. */
export const rotationMsOf = (profile: { readonly rotationMinutes?: number | undefined }): number =>
  profile.rotationMinutes === undefined ? ROTATION.rotationMs : profile.rotationMinutes * 60_000

/**
 * When a token is due for a refresh, in epoch milliseconds. A token is used for at least half of its
 * lifetime, so that short-lived tokens are not refreshed constantly.
 */
export function refreshDueAt(issuedAtMs: number, expiresAtMs: number): number {
  const lead = Math.min(LEAD_MS, (expiresAtMs - issuedAtMs) / 2)
  return Math.max(expiresAtMs - lead, issuedAtMs + MIN_REFRESH_MS)
}

/**
 * The wait in milliseconds after `failures` consecutive failures, from 1. `chance` is uniform in [0, 1).
 * `askedSeconds` is the service's Retry-After. The wait is at least that long, up to `MAX_ASKED_SECONDS`.
 */
export function refreshRetryMs(
  schedule: RetrySchedule,
  failures: number,
  chance: number,
  askedSeconds: number | undefined,
): number {
  const askedMs = Math.min(askedSeconds ?? 0, MAX_ASKED_SECONDS) * 1000
  return Math.max(retryDelayMs(schedule, failures, chance), askedMs)
}
