/**
 * The scope of orders (service 14). No list in a window offers it; it is requested only when a person allows
 * orders.
 */
export const TRADE_SCOPE = 'Trade'

/**
 * Whether granted scopes lack `Trade`. A list may contain only the scopes of the refresh token (service 2.1),
 * and then shows nothing about others.
 */
export const lacksTrade = (granted: readonly string[]): boolean =>
  !granted.includes(TRADE_SCOPE) && granted.some((scope) => scope === 'MarketData' || scope === 'ReadAccount')
