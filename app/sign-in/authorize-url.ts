import { type ExtraScope, scopeText } from './scopes.ts'

/** The public service takes this audience for LIVE and SIM alike; a custom service may want another. */
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
 * Where a person signs in (service 10).
 *
 * It holds no secret: whoever sees it can neither answer our redirect server (that takes `state` back from the
 * service) nor spend the code (that takes the verifier or the key's secret).
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
