import { TRADE_SCOPE } from '../service/categories.ts'

/** The audience of the public service, for live and simulated accounts alike (service 10). */
export const DEFAULT_AUDIENCE = 'https://api.tradestation.com'

export interface AuthorizeFields {
  /** The sign-in host's origin, without a trailing slash. */
  readonly authUrl: string
  readonly clientId: string
  readonly audience: string
  readonly redirectUri: string
  readonly extraScopes: readonly ExtraScope[]
  /** Whether to request `Trade`. True only after a person allowed orders. */
  readonly mayTrade: boolean
  readonly state: string
  /** S256 of the verifier (RFC 7636). */
  readonly challenge: string
}

/**
 * The address of the sign-in page (service 10).
 *
 * Contains no secret. Completing the sign-in requires the service's redirect with `state`, the verifier, and
 * the key's secret if it has one.
 */
export function authorizeUrl(fields: AuthorizeFields): string {
  const query: [string, string][] = [
    ['response_type', 'code'],
    ['client_id', fields.clientId],
    ['audience', fields.audience],
    ['redirect_uri', fields.redirectUri],
    ['scope', scopeText(fields.extraScopes, fields.mayTrade)],
    ['state', fields.state],
    ['code_challenge', fields.challenge],
    ['code_challenge_method', 'S256'],
  ]
  // A string from JSON may contain an unpaired surrogate, which can't be encoded.
  const encoded = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
  return `${fields.authUrl}/authorize?${encoded.join('&')}`
}

/**
 * The scopes of a monitor: reading accounts and market data, and a refresh token (service 5.4).
 */
export const MIN_SCOPES = ['openid', 'offline_access', 'MarketData', 'ReadAccount'] as const

/** Scopes that are requested only if a person selects them (service 10). */
export const EXTRA_SCOPES = ['Matrix', 'OptionSpreads'] as const
export type ExtraScope = (typeof EXTRA_SCOPES)[number]

/** The value of `scope`: the minimum, the selected extra scopes and `Trade`, separated by spaces. */
export const scopeText = (extra: readonly ExtraScope[], mayTrade: boolean): string =>
  [
    ...MIN_SCOPES,
    ...EXTRA_SCOPES.filter((scope) => extra.includes(scope)),
    ...(mayTrade ? [TRADE_SCOPE] : []),
  ].join(' ')
