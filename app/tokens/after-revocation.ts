import type { MonitorEvent } from '../contract/events.ts'
import type { Decided } from './after-refresh.ts'
import type { RefreshOutcome } from './refresh-grant.ts'
import type { RevocationResult } from './revocation.ts'
import { type RefreshSchedule, retryWaitMs } from './schedule.ts'
import type { TokenState } from './token-state.ts'

/** First rung of the schedule for retries in the background, which are not urgent. */
const FIRST_RUNG = 5

/** The token that is held is of no use, so only new ones can be told to end the others. */
const SIGN_IN_TO_REVOKE: RevocationResult = { kind: 'refused', why: 'sign in to revoke' }

/**
 * What a revocation of this key would come to without asking the service, if that is certain.
 *
 * A service may answer 200 to a token that it no longer knows (RFC 7009 2.2), while other tokens of the key
 * live: a session that ended must not turn into "revoked".
 */
export function revocationForeseen({ token, standing }: TokenState): RevocationResult | undefined {
  if (standing.kind === 'revoked') return { kind: 'confirmed' }
  if (token === undefined) return SIGN_IN_TO_REVOKE
  // Where it was the key that was not accepted, the token may be alive.
  if (standing.kind !== 'sign-in-required' || standing.cause === 'misconfigured') return undefined
  return SIGN_IN_TO_REVOKE
}

/**
 * Whether the token that is held may be dead and another one live: an answer was lost that may have replaced it, or
 * was no whole renewal. Only the service can say, by answering a refresh.
 */
export function isInDoubt({ token, lostAnswer }: TokenState): boolean {
  if (token === undefined) return false
  return token.doubt !== undefined || (lostAnswer && !token.keepsToken)
}

/**
 * What a revocation comes to once `refreshed`, a refresh that it waited for, has ended; `undefined` where the token that
 * is held can be told to end. A 200 for a token that may be dead, or was just refused, would confirm nothing.
 */
export function revocationAfter(
  state: TokenState,
  refreshed: RefreshOutcome | undefined,
): RevocationResult | undefined {
  if (refreshed?.kind === 'refused') return SIGN_IN_TO_REVOKE
  if (!isInDoubt(state)) return undefined
  if (refreshed?.kind === 'misconfigured') return { kind: 'refused', why: refreshed.why }
  const since = refreshed !== undefined && 'why' in refreshed ? ` (${refreshed.why})` : ''
  const why = `the answer to a refresh was lost, so which token is live is not known${since}`
  return { kind: 'unconfirmed', why }
}

/** From here on nothing uses the grant, whatever the service will answer. */
export function revocationAsked(state: TokenState): TokenState {
  return { ...state, standing: { kind: 'revoking' } }
}

/** Folds in the result of a revocation. Only a 200 means revoked (service 4.2); a refusal is final until a person asks again. */
export function afterRevocation(
  state: TokenState,
  answer: RevocationResult,
  nowMs: number,
  jitter: number,
  schedule: RefreshSchedule,
): Decided {
  const ended: TokenState = { ...state, access: undefined }
  if (answer.kind === 'confirmed') {
    return { state: { ...ended, standing: { kind: 'revoked', atMs: nowMs } }, events: [{ kind: 'revoked' }] }
  }
  const retryAtMs =
    answer.kind === 'refused' || !state.mayRevokeByItself
      ? undefined
      : nowMs + retryWaitMs(schedule, FIRST_RUNG, jitter, undefined)
  const told: MonitorEvent = {
    kind: 'revoke-unconfirmed',
    reason: answer.why,
    ...(retryAtMs !== undefined && { retryAt: Math.round(retryAtMs) }),
  }
  const retry = retryAtMs === undefined ? {} : { retryAtMs }
  return {
    state: { ...ended, standing: { kind: 'revoke-unconfirmed', reason: answer.why, ...retry } },
    events: [told],
  }
}

/** A newer sign-in on this API key would be ended by a late retry: from here on only a person tries again. */
export function stoodDown(state: TokenState): TokenState {
  const { standing } = state
  const next: TokenState = { ...state, mayRevokeByItself: false }
  if (standing.kind !== 'revoke-unconfirmed') return next
  return { ...next, standing: { kind: 'revoke-unconfirmed', reason: standing.reason } }
}
