import { SIGN_IN_TO_REVOKE } from '../contract/snapshot.ts'
import type { HttpOutcome } from '../service/headers.ts'
import { memberOf, parseJson } from '../service/json.ts'
import { isPage, redirectedTo, redirectText, SOMETHING_ELSE } from '../service/sender.ts'
import type { FormRequest, KeyCredentials } from './refresh-grant.ts'

/**
 * Possible names of the body field for the token (service 4.2). The first entry sends both names in one body.
 * The others send one name each, because a service may reject unknown fields.
 */
export const REVOKE_SPELLINGS = [['token', 'refresh_token'], ['token'], ['refresh_token']] as const

export type RevokeSpelling = (typeof REVOKE_SPELLINGS)[number]

/**
 * The request that revokes every refresh token of the key (service 4.2), with the token in the fields of
 * `spelling`.
 */
export function revokeRequest(
  key: KeyCredentials,
  refreshToken: string,
  spelling: RevokeSpelling,
): FormRequest {
  const body = {
    client_id: key.clientId,
    ...(key.clientSecret !== undefined && { client_secret: key.clientSecret }),
    ...Object.fromEntries(spelling.map((field) => [field, refreshToken])),
  }
  return {
    url: `${key.authUrl}/oauth/revoke`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  }
}

/** The result of a revocation after trying all spellings. */
export type RevocationResult =
  | { readonly kind: 'confirmed' }
  /** The service rejects the token or this API key. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unconfirmed'; readonly why: string }

/**
 * `spelling` means that the service expects another field name. The next entry of `REVOKE_SPELLINGS` is then
 * tried.
 */
export type SpellingResult = RevocationResult | { readonly kind: 'spelling' }

/**
 * Classifies the response to `revokeRequest`, sent to `url`. Only a 200 from the service itself confirms the
 * revocation (service 4.2). A network's sign-in page has status 200 too.
 */
export function processRevokeAnswer(outcome: HttpOutcome, url: string): SpellingResult {
  if (outcome.kind !== 'answer') return { kind: 'unconfirmed', why: outcome.why }
  const { status, headers, body } = outcome
  if (status === 200) {
    return isPage(body) ? { kind: 'unconfirmed', why: SOMETHING_ELSE } : { kind: 'confirmed' }
  }
  const to = redirectedTo(status, headers, url)
  if (to !== undefined) return { kind: 'unconfirmed', why: redirectText(to) }
  const error = memberOf(parseJson(body), 'error')
  if (error === 'invalid_grant' || error === 'invalid_token') {
    return { kind: 'refused', why: SIGN_IN_TO_REVOKE }
  }
  if (error === 'invalid_client' || error === 'unauthorized_client') {
    return { kind: 'refused', why: 'the service rejected this API key or secret' }
  }
  if (status === 400 || status === 422) return { kind: 'spelling' }
  return { kind: 'unconfirmed', why: `the service responded ${status}` }
}
