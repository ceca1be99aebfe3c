import { type RetrySchedule, retryDelayMs } from '../retry/schedules.ts'

/** When to refresh, as data and pure functions (service 5.3, 8.4). All times are in milliseconds. */

export interface RefreshSchedule {
  /** How long before its expiry a token is refreshed. */
  readonly leadMs: number
  /** Minimum time since the last refresh, whatever lifetime the service states. */
  readonly floorMs: number
}

/**
 * Maximum Retry-After that is respected, in seconds. A longer wait could outlast a rotating token, which can
 * be rejected after half an hour.
 */
const MAX_ASKED_SECONDS = 900

export const REFRESH_SCHEDULE: RefreshSchedule = {
  leadMs: 120_000,
  floorMs: 10_000,
}

/** The configurable times of a key. Milliseconds. */
export interface KeyLifetimes {
  readonly schedule: RefreshSchedule
  /** Time after which a rotating refresh token may be rejected (service 8.4). It is only displayed. */
  readonly rotationMs: number
  /** The time from a sign-in to the end of a rotating key's session (service 8.4). */
  readonly absoluteMs: number
}

/** The service's own times for a rotating key (service 8.4). */
export const ROTATION = { rotationMs: 30 * 60_000, absoluteMs: 24 * 3_600_000 } as const

/** The lifetimes of a key, with a person's settings. */
export const keyLifetimes = ({
  rotationMinutes,
}: {
  readonly rotationMinutes?: number | undefined
} = {}): KeyLifetimes => ({
  schedule: REFRESH_SCHEDULE,
  ...ROTATION,
  ...(rotationMinutes !== undefined && { rotationMs: rotationMinutes * 60_000 }),
})

/**
 * When a token is due for a refresh, in epoch milliseconds. A token is used for at least half of its
 * lifetime, so that short-lived tokens are not refreshed constantly.
 */
export function refreshDueAt(
  schedule: RefreshSchedule,
  nowMs: number,
  issuedAtMs: number,
  expiresAtMs: number,
): number {
  const lead = Math.min(schedule.leadMs, (expiresAtMs - issuedAtMs) / 2)
  return Math.max(expiresAtMs - lead, issuedAtMs + schedule.floorMs, nowMs)
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
