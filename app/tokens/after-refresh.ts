import type { MonitorEvent } from '../contract/events.ts'
import { RETRY, type RetrySchedule } from '../retry/schedules.ts'
import type { RefreshOutcome } from './refresh-grant.ts'
import { ROTATION, refreshRetryMs } from './schedule.ts'
import { isRevoking, type TokenRecord, type TokenState } from './token-state.ts'

/** The result of one protocol step: the next state, and the events to report. */
export interface Transition {
  readonly state: TokenState
  readonly events: readonly MonitorEvent[]
}

/**
 * The token after a complete renewal. The renewal proves that the service accepted the token that was sent.
 *
 * If the response has no new refresh token, the key is a default key (service 2.1), unless its token has ever
 * rotated.
 */
function adopted(
  { doubt: _, ...sent }: TokenRecord,
  { refreshToken, subject }: Extract<RefreshOutcome, { kind: 'renewed' }>,
  nowMs: number,
): TokenRecord {
  const token = subject === undefined ? sent : { ...sent, subject }
  if (refreshToken !== undefined && refreshToken !== token.refreshToken) {
    return { ...token, generation: token.generation + 1, refreshToken, rotatedAtMs: nowMs, keepsToken: false }
  }
  if (refreshToken !== undefined || token.rotatedAtMs !== undefined) return token
  return { ...token, keepsToken: true }
}

const MAX_WAITING = 4

/**
 * The token after an incomplete renewal. `refreshToken` is the string that the response contained in place of
 * a new token.
 *
 * The next refresh sends this string and not the old token. If the service has already replaced the old
 * token, it may end the session when it sees the old token again. But the string may also be an error text.
 * So the old token stays a candidate until the service accepts one of them.
 */
export function withCandidate(token: TokenRecord, refreshToken: string | undefined): TokenRecord {
  if (refreshToken === undefined || refreshToken === token.refreshToken) return token
  const { honoured, waiting: before } = token.doubt ?? { honoured: token.refreshToken, waiting: [] }
  const waiting = [...before, token.refreshToken].filter((other) => other !== refreshToken)
  const least = waiting.findIndex((other) => other !== honoured)
  const doubt = { honoured, waiting: waiting.length > MAX_WAITING ? waiting.toSpliced(least, 1) : waiting }
  return { ...token, generation: token.generation + 1, refreshToken, doubt }
}

/** The next candidate, after the service rejected the current one. `undefined` if no other is left. */
export function nextCandidate({ doubt, ...token }: TokenRecord): TokenRecord | undefined {
  const refreshToken = doubt?.waiting.at(-1)
  if (doubt === undefined || refreshToken === undefined) return undefined
  const waiting = doubt.waiting.slice(0, -1)
  const next = { ...token, generation: token.generation + 1, refreshToken }
  return waiting.length > 0 ? { ...next, doubt: { ...doubt, waiting } } : next
}

/** Switches to the next candidate. The current candidate will be tried last. */
function sentLast(token: TokenRecord): TokenRecord {
  const next = nextCandidate(token)
  if (next === undefined || token.doubt === undefined) return token
  return { ...next, doubt: { ...token.doubt, waiting: [token.refreshToken, ...(next.doubt?.waiting ?? [])] } }
}

/** Whether the service rejected this token. Another candidate may then be valid. */
export const isAboutToken = (outcome: RefreshOutcome): boolean =>
  outcome.kind === 'refused' || (outcome.kind === 'misconfigured' && outcome.isRequestError === true)

/**
 * The state after the outcome of a refresh (service 4.1).
 *
 * Only two outcomes end the session: a response with `invalid_grant`, and a rejected key. After any other
 * failure, the refresh is retried on schedule. `jitter` in [0, 1) spreads the retries. `nowMs` is in epoch
 * milliseconds.
 */
export function afterRefresh(
  state: TokenState,
  outcome: RefreshOutcome,
  nowMs: number,
  jitter: number,
): Transition {
  const { token } = state
  if (token === undefined) return { state, events: [] }
  switch (outcome.kind) {
    case 'renewed': {
      const next = adopted(token, outcome, nowMs)
      const expiresAtMs = nowMs + outcome.expiresInSeconds * 1000
      return {
        state: {
          ...state,
          token: next,
          standing: isRevoking(state) ? state.standing : { kind: 'active' },
          access: { value: outcome.accessToken, issuedAtMs: nowMs, expiresAtMs, scopes: outcome.scopes },
          failures: 0,
          retryAtMs: undefined,
          wantedAtMs: undefined,
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
      const other = isAboutToken(outcome) ? nextCandidate(token) : undefined
      // Another candidate may be valid, so the sign-in has not ended.
      if (other !== undefined) return { state: { ...state, token: other, retryAtMs: nowMs }, events: [] }
      const failed: MonitorEvent = { kind: 'token-refresh-failed', outcome: outcome.kind }
      if (isRevoking(state)) return { state, events: [failed] }
      const why = {
        reason: reasonFor(state, token, outcome, nowMs),
        ...(outcome.kind === 'misconfigured' && { cause: outcome.kind }),
      }
      return {
        state: {
          ...state,
          standing: { kind: 'sign-in-required', ...why },
          access: undefined,
          retryAtMs: undefined,
          wantedAtMs: undefined,
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
      const isMalformed = outcome.kind === 'malformed' || ('isMalformed' in outcome && outcome.isMalformed)
      const retryMs = (schedule: RetrySchedule) => refreshRetryMs(schedule, failures, jitter, asked)
      const retryAtMs = nowMs + retryMs(isMalformed ? RETRY.malformedRefresh : RETRY.refresh)
      // An early retry would prolong the throttling, or use up one more refresh token.
      const isSpaced = isMalformed || (outcome.kind === 'later' && outcome.isThrottled === true)
      const wantedAtMs = isSpaced ? retryAtMs : nowMs + retryMs(RETRY.wantedRefresh)
      const given = 'refreshToken' in outcome ? outcome.refreshToken : undefined
      const isSentLast = outcome.kind === 'later' && outcome.anotherTokenMayDo === true
      return {
        state: {
          ...state,
          token: isSentLast ? sentLast(token) : withCandidate(token, given),
          failures,
          retryAtMs,
          wantedAtMs,
          failure: outcome.why,
          // A malformed response is still a response, so an earlier lost response no longer matters.
          lostAnswer: outcome.kind === 'unknown' || (state.lostAnswer && outcome.kind !== 'malformed'),
        },
        events: [
          {
            kind: 'token-refresh-failed',
            outcome: outcome.kind,
            why: outcome.why,
            // A revocation that waited for this refresh is retried in place of the refresh. No retry of the
            // refresh is then reported.
            ...(!isRevoking(state) && { retryAt: Math.round(retryAtMs) }),
          },
        ],
      }
    }
  }
}

function reasonFor(
  { lostAnswer }: TokenState,
  token: TokenRecord,
  outcome: Extract<RefreshOutcome, { kind: 'refused' | 'misconfigured' }>,
  nowMs: number,
): string {
  if (outcome.kind === 'misconfigured') return outcome.why
  if (lostAnswer && !token.keepsToken) return 'sign in again: the response was lost'
  const ended = token.rotatedAtMs !== undefined && nowMs >= token.signedInAtMs + ROTATION.absoluteMs
  return ended ? '24 hours have passed since the sign-in' : outcome.why
}
