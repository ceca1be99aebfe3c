import type { KeyCredentials } from '../../app/tokens/refresh-grant.ts'
import {
  processRevokeAnswer,
  REVOKE_SPELLINGS,
  type RevocationResult,
  revokeRequest,
} from '../../app/tokens/revocation.ts'
import type { Http } from '../ports/ports.ts'

const REVOKE_TIMEOUT_MS = 15_000

/**
 * Revokes every refresh token of the key (service 4.2), trying the other spellings of the field only after
 * the service refused one. Confirmed only by a 200.
 */
export async function revokeTokens(
  http: Http,
  key: KeyCredentials,
  refreshToken: string,
): Promise<RevocationResult> {
  for (const spelling of REVOKE_SPELLINGS) {
    const request = revokeRequest(key, refreshToken, spelling)
    const outcome = processRevokeAnswer(
      await http.send({ method: 'POST', timeoutMs: REVOKE_TIMEOUT_MS, ...request }),
      request.url,
    )
    if (outcome.kind !== 'spelling') return outcome
  }
  return { kind: 'unconfirmed', why: 'the service did not accept the request in any known form' }
}
