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
  /** S256 of the verifier (RFC 7636). */
  readonly challenge: string
}

/**
 * The address of the sign-in page (service 10).
 *
 * It holds no secret. To complete the sign-in takes the redirect from the service with `state`, the verifier, and the
 * key's secret where it has one.
 */
export function authorizeUrl(fields: AuthorizeFields): string {
  const query: [string, string][] = [
    ['response_type', 'code'],
    ['client_id', fields.clientId],
    ['audience', fields.audience],
    ['redirect_uri', fields.redirectUri],
    ['scope', scopeText(fields.extraScopes)],
    ['state', fields.state],
    ['code_challenge', fields.challenge],
    ['code_challenge_method', 'S256'],
  ]
  // Half a surrogate pair, which a program's JSON can carry, has no bytes to encode.
  const encoded = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
  return `${fields.authUrl}/authorize?${encoded.join('&')}`
}
