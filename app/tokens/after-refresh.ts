import type { MonitorEvent } from '../contract/events.ts'
import { type HeldToken, isRevoking, type KeyState } from './key-state.ts'
import type { RefreshOutcome } from './refresh-grant.ts'
import { type RefreshSchedule, retryWaitMs } from './schedule.ts'

/** What of a key's life is configuration. */
export interface KeyLifetimes {
  readonly schedule: RefreshSchedule
  /** After this a rotating refresh token may be refused (service.md 8.4); shown, never a verdict. */
  readonly rotationMs: number
  /** From sign-in to the end of a rotating key's session (service.md 8.4). */
  readonly absoluteMs: number
}

export const ROTATION = { rotationMs: 30 * 60_000, absoluteMs: 24 * 3_600_000 } as const

/** What a step of the protocol comes to: the next state, and what people are told. */
export interface Decided {
  readonly state: KeyState
  readonly events: readonly MonitorEvent[]
}

/**
 * The token after an answer that brought `refreshToken`, if it did.
 *
 * `keeps`: the answer was a whole renewal without one, which is how a default key is told (service.md 2.1).
 */
export function adopted(
  token: HeldToken,
  refreshToken: string | undefined,
  nowMs: number,
  keeps: boolean,
): HeldToken {
  if (refreshToken !== undefined && refreshToken !== token.refreshToken) {
    return { ...token, generation: token.generation + 1, refreshToken, rotatedAtMs: nowMs, keepsToken: false }
  }
  if (!keeps || refreshToken !== undefined || token.rotatedAtMs !== undefined) return token
  return { ...token, keepsToken: true }
}

/**
 * Folds in the outcome of a refresh.
 *
 * Only an answered refusal ends the session; everything else waits for its rung of the ladder. `jitter` in [0, 1).
 */
export function afterRefresh(
  state: KeyState,
  outcome: RefreshOutcome,
  nowMs: number,
  jitter: number,
  lifetimes: KeyLifetimes,
): Decided {
  const { token } = state
  if (token === undefined) return { state, events: [] }
  switch (outcome.kind) {
    case 'renewed': {
      const next = adopted(token, outcome.refreshToken, nowMs, true)
      const expiresAtMs = nowMs + outcome.expiresInSeconds * 1000
      return {
        state: {
          ...state,
          token: next,
          standing: isRevoking(state) ? state.standing : { kind: 'active' },
          access: { value: outcome.accessToken, issuedAtMs: nowMs, expiresAtMs, scopes: outcome.scopes },
          failures: 0,
          retryAtMs: undefined,
          failure: undefined,
          lostAnswer: false,
        },
        events: [
          {
            kind: 'token-refreshed',
            rotated: next.generation !== token.generation,
            expiresAt: Math.round(expiresAtMs),
          },
        ],
      }
    }
    case 'refused':
    case 'misconfigured': {
      const failed: MonitorEvent = { kind: 'token-refresh-failed', outcome: outcome.kind }
      if (isRevoking(state)) return { state, events: [failed] }
      const why = {
        reason: reasonFor(state, token, outcome, nowMs, lifetimes),
        ...(outcome.kind === 'misconfigured' && { cause: outcome.kind }),
      }
      return {
        state: {
          ...state,
          standing: { kind: 'sign-in-required', ...why },
          access: undefined,
          retryAtMs: undefined,
        },
        events: [failed, { kind: 'sign-in-required', ...why }],
      }
    }
    case 'later':
    case 'not-sent':
    case 'malformed':
    case 'unknown': {
      const failures = state.failures + 1
      const asked = outcome.kind === 'later' ? outcome.retryAfterSeconds : undefined
      const retryAtMs = nowMs + retryWaitMs(lifetimes.schedule, failures, jitter, asked)
      const given = 'refreshToken' in outcome ? outcome.refreshToken : undefined
      return {
        state: {
          ...state,
          token: adopted(token, given, nowMs, false),
          failures,
          retryAtMs,
          failure: outcome.why,
          // A malformed answer is one: it settles what an earlier one left open.
          lostAnswer: outcome.kind === 'unknown' || (state.lostAnswer && outcome.kind !== 'malformed'),
        },
        events: [
          {
            kind: 'token-refresh-failed',
            outcome: outcome.kind,
            why: outcome.why,
            // A revocation that waited for it is what is tried again.
            ...(!isRevoking(state) && { retryAt: Math.round(retryAtMs) }),
          },
        ],
      }
    }
  }
}

function reasonFor(
  { lostAnswer }: KeyState,
  token: HeldToken,
  outcome: Extract<RefreshOutcome, { kind: 'refused' | 'misconfigured' }>,
  nowMs: number,
  { absoluteMs }: KeyLifetimes,
): string {
  if (outcome.kind === 'misconfigured') return outcome.why
  if (lostAnswer && !token.keepsToken) return 'sign in again: the answer was lost'
  const ended = token.rotatedAtMs !== undefined && nowMs >= token.signedInAtMs + absoluteMs
  return ended ? "the refresh token's 24 hours ended" : outcome.why
}
