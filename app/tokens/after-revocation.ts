import type { MonitorEvent } from '../contract/events.ts'
import { SIGN_IN_TO_REVOKE } from '../contract/snapshot.ts'
import { RETRY, retryDelayMs } from '../retry/schedules.ts'
import type { Transition } from './after-refresh.ts'
import type { RefreshOutcome } from './refresh-grant.ts'
import type { RevocationResult } from './revocation.ts'
import type { TokenState } from './token-state.ts'

/** The result if the current token is unusable. Only a new sign-in can revoke the key's other tokens. */
const UNUSABLE: RevocationResult = { kind: 'refused', why: SIGN_IN_TO_REVOKE }

/**
 * The result of a revocation, if it is certain without a request to the service. Otherwise `undefined`.
 *
 * A service may answer 200 for a token that it no longer knows (RFC 7009 2.2), while other tokens of the key
 * are still valid. So for a token that the service has rejected, a 200 would not prove a revocation.
 */
export function revocationForeseen({ token, standing }: TokenState): RevocationResult | undefined {
  if (standing.kind === 'revoked') return { kind: 'confirmed' }
  if (token === undefined) return UNUSABLE
  // An earlier revocation found that the service rejects the token.
  if (standing.kind === 'revoke-unconfirmed' && standing.reason === SIGN_IN_TO_REVOKE) return UNUSABLE
  // A rejected API key does not make the token invalid.
  if (standing.kind !== 'sign-in-required' || standing.cause === 'misconfigured') return undefined
  return UNUSABLE
}

/**
 * Whether a token other than the current one may be valid. This is so after a lost or incomplete response,
 * because the service may have sent a new token in it. Only the response to another refresh can show which
 * token is valid.
 */
export function isInDoubt({ token, lostAnswer }: TokenState): boolean {
  if (token === undefined) return false
  return token.doubt !== undefined || (lostAnswer && !token.keepsToken)
}

/**
 * The result of a revocation that waited for a refresh. `undefined` if the current token can now be revoked.
 *
 * If the token may have been replaced or was just rejected, a 200 for it would not confirm the revocation.
 */
export function revocationAfter(
  state: TokenState,
  refreshed: RefreshOutcome | undefined,
): RevocationResult | undefined {
  if (refreshed?.kind === 'refused') return UNUSABLE
  if (!isInDoubt(state)) return undefined
  if (refreshed?.kind === 'misconfigured') return { kind: 'refused', why: refreshed.why }
  const since = refreshed !== undefined && 'why' in refreshed ? ` (${refreshed.why})` : ''
  const why = `a refresh response was lost, so the valid token is unknown${since}`
  return { kind: 'unconfirmed', why }
}

/**
 * The state after a click on Revoke. From then on, calls get no access token, whatever the service answers.
 *
 * The first request is meant to end every earlier sign-in on this API key, so it may be retried. A repeated
 * request may be retried only if the first one still may: see `withoutRevocationRetry`.
 */
export function revocationAsked(state: TokenState): TokenState {
  const mayRevokeByItself = state.standing.kind !== 'revoke-unconfirmed' || state.mayRevokeByItself
  return { ...state, standing: { kind: 'revoking' }, mayRevokeByItself }
}

/**
 * Applies the result of a revocation. Only a 200 means revoked (service 4.2). A rejection is final until a
 * person tries again.
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

/** The state without revocation retries. A late retry would end a newer sign-in on this API key. */
export function withoutRevocationRetry(state: TokenState): TokenState {
  const { standing } = state
  const next: TokenState = { ...state, mayRevokeByItself: false }
  if (standing.kind !== 'revoke-unconfirmed') return next
  return { ...next, standing: { kind: 'revoke-unconfirmed', reason: standing.reason } }
}
