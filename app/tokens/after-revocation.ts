import type { MonitorEvent } from '../contract/events.ts'
import { RETRY, retryDelayMs } from '../retry/schedules.ts'
import type { Transition } from './after-refresh.ts'
import type { RefreshOutcome } from './refresh-grant.ts'
import type { RevocationResult } from './revocation.ts'
import type { TokenState } from './token-state.ts'

/** The current token is of no use, so that only a new sign-in can revoke the others of the key. */
const SIGN_IN_TO_REVOKE: RevocationResult = { kind: 'refused', why: 'sign in to revoke' }

/**
 * The result of a revocation that is certain without asking the service; `undefined` where it has to be asked.
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
 * Whether another token than the current one may be the valid one: an answer that may have replaced it was lost, or
 * was no complete renewal. Only an answered refresh settles it.
 */
export function isInDoubt({ token, lostAnswer }: TokenState): boolean {
  if (token === undefined) return false
  return token.doubt !== undefined || (lostAnswer && !token.keepsToken)
}

/**
 * The result of a revocation after `refreshed`, the refresh that it waited for; `undefined` where the current token can
 * be revoked. A 200 for a token that may have been replaced, or was just rejected, would confirm nothing.
 */
export function revocationAfter(
  state: TokenState,
  refreshed: RefreshOutcome | undefined,
): RevocationResult | undefined {
  if (refreshed?.kind === 'refused') return SIGN_IN_TO_REVOKE
  if (!isInDoubt(state)) return undefined
  if (refreshed?.kind === 'misconfigured') return { kind: 'refused', why: refreshed.why }
  const since = refreshed !== undefined && 'why' in refreshed ? ` (${refreshed.why})` : ''
  const why = `a refresh response was lost, so the live token is unknown${since}`
  return { kind: 'unconfirmed', why }
}

/** The state from the click on Revoke on: nothing uses the grant any more, whatever the service answers. */
export function revocationAsked(state: TokenState): TokenState {
  return { ...state, standing: { kind: 'revoking' } }
}

/**
 * Folds in the result of a revocation. Only a 200 means revoked (service 4.2); a refusal is final until a person asks
 * again.
 */
export function afterRevocation(
  state: TokenState,
  answer: RevocationResult,
  nowMs: number,
  jitter: number,
): Transition {
  const ended: TokenState = { ...state, access: undefined }
  if (answer.kind === 'confirmed') {
    return { state: { ...ended, standing: { kind: 'revoked', atMs: nowMs } }, events: [{ kind: 'revoked' }] }
  }
  const retryAtMs =
    answer.kind === 'refused' || !state.mayRevokeByItself
      ? undefined
      : nowMs + retryDelayMs(RETRY.revocation, 1, jitter)
  const unconfirmed: MonitorEvent = {
    kind: 'revoke-unconfirmed',
    reason: answer.why,
    ...(retryAtMs !== undefined && { retryAt: Math.round(retryAtMs) }),
  }
  const retry = retryAtMs === undefined ? {} : { retryAtMs }
  return {
    state: { ...ended, standing: { kind: 'revoke-unconfirmed', reason: answer.why, ...retry } },
    events: [unconfirmed],
  }
}

/** The state without retries of its revocation: a late one would end a newer sign-in on this API key. */
export function withoutRevocationRetry(state: TokenState): TokenState {
  const { standing } = state
  const next: TokenState = { ...state, mayRevokeByItself: false }
  if (standing.kind !== 'revoke-unconfirmed') return next
  return { ...next, standing: { kind: 'revoke-unconfirmed', reason: standing.reason } }
}
