import {
  type KeyCredentials,
  processRefreshAnswer,
  type RefreshOutcome,
  refreshRequest,
} from '../../app/tokens/refresh-grant.ts'
import type { Http } from '../ports/ports.ts'

const REFRESH_TIMEOUT_MS = 20_000

/** One attempt: the token goes out at most once (service.md 4.1). */
export async function postRefresh(
  http: Http,
  key: KeyCredentials,
  refreshToken: string,
): Promise<RefreshOutcome> {
  const request = refreshRequest(key, refreshToken)
  return processRefreshAnswer(await http.send({ method: 'POST', timeoutMs: REFRESH_TIMEOUT_MS, ...request }))
}
