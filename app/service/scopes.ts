/**
 * The scope of orders (service 14). It is in no list that a window can choose from: only allowing orders asks
 * for it.
 */
export const TRADE_SCOPE = 'Trade'

/**
 * Whether granted scopes lack `Trade`. A list may be shortened to those of the refresh token (service 2.1),
 * and then shows nothing.
 */
export const lacksTrade = (granted: readonly string[]): boolean =>
  !granted.includes(TRADE_SCOPE) && granted.some((scope) => scope === 'MarketData' || scope === 'ReadAccount')
