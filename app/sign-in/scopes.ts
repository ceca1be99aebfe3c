/**
 * What a monitor needs: reading quotas, accounts and market data, and a refresh token (service 5.4).
 *
 * `Trade` is in none of these lists: Headroom never places orders, so it never asks for the right to.
 */
export const MIN_SCOPES = ['openid', 'offline_access', 'MarketData', 'ReadAccount'] as const

/** Asked for only when a person ticks them. */
export const EXTRA_SCOPES = ['Matrix', 'OptionSpreads'] as const
export type ExtraScope = (typeof EXTRA_SCOPES)[number]

export const scopeText = (extra: readonly ExtraScope[]): string =>
  [...MIN_SCOPES, ...EXTRA_SCOPES.filter((scope) => extra.includes(scope))].join(' ')
