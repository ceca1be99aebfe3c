import { type ExtraScope, scopeText } from './scopes.ts'

/** The audience of the public service, for live and simulated accounts alike (service 10). */
export const DEFAULT_AUDIENCE = 'https://api.tradestation.com'

export interface AuthorizeFields {
  /** Origin, without a trailing slash. */
  readonly authUrl: string
  readonly clientId: string
  readonly audience: string
  readonly redirectUri: string
  readonly extraScopes: readonly ExtraScope[]
  readonly state: string
  /** S256 of the verifier; absent for a key with a secret. */
  readonly challenge?: string
}

/**
 * The address of the sign-in page (service 10).
 *
 * It holds no secret. To complete the sign-in takes the redirect from the service with `state`, and the verifier or the
 * key's secret.
 */
export function authorizeUrl(fields: AuthorizeFields): string {
  const query: [string, string][] = [
    ['response_type', 'code'],
    ['client_id', fields.clientId],
    ['audience', fields.audience],
    ['redirect_uri', fields.redirectUri],
    ['scope', scopeText(fields.extraScopes)],
    ['state', fields.state],
  ]
  if (fields.challenge !== undefined) {
    query.push(['code_challenge', fields.challenge], ['code_challenge_method', 'S256'])
  }
  // Half a surrogate pair, which a program's JSON can carry, has no bytes to encode.
  const encoded = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
  return `${fields.authUrl}/authorize?${encoded.join('&')}`
}
