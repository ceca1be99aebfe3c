/**
 * The scope of orders (service 14). Not offered in lists, and requested only after a person has allowed
 * orders.
 */
export const TRADE_SCOPE = 'Trade'

/**
 * Whether `granted` proves that `Trade` is missing. A list without the scopes below contains only the refresh
 * token's scopes (service 2.1) and proves nothing.
 */
export const lacksTrade = (granted: readonly string[]): boolean =>
  !granted.includes(TRADE_SCOPE) && granted.some((scope) => scope === 'MarketData' || scope === 'ReadAccount')
