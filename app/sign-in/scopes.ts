/**
 * The scopes of a monitor: reading accounts and market data, and a refresh token (service 5.4).
 *
 * `Trade` is in no list here: Headroom never places orders.
 */
export const MIN_SCOPES = ['openid', 'offline_access', 'MarketData', 'ReadAccount'] as const

/** Scopes that are requested only if a person ticks them (service 10). */
export const EXTRA_SCOPES = ['Matrix', 'OptionSpreads'] as const
export type ExtraScope = (typeof EXTRA_SCOPES)[number]

/** The value of `scope`: the minimum and the extra scopes that were ticked, separated by spaces. */
export const scopeText = (extra: readonly ExtraScope[]): string =>
  [...MIN_SCOPES, ...EXTRA_SCOPES.filter((scope) => extra.includes(scope))].join(' ')
