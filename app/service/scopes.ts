/**
 * The scope of orders (service 14). Not offered in lists, and requested only after a person has allowed
 * orders.
 */
export const TRADE_SCOPE = 'Trade'

/**
 * Whether `granted` proves that `Trade` is missing. A list without `MarketData` and `ReadAccount` contains
 * only the scopes of the refresh token (service 2.1), so it proves nothing.
 */
export const lacksTrade = (granted: readonly string[]): boolean =>
  !granted.includes(TRADE_SCOPE) && granted.some((scope) => scope === 'MarketData' || scope === 'ReadAccount')
