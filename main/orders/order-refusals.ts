import type { Problem } from '../gateway/problem.ts'

/** The response while a person has stopped orders. */
export const STOPPED: Problem = {
  status: 503,
  detail: 'orders stopped',
  proxyError: 'http_request_denied',
}

/** The response to a program that is not allowed to send orders. */
export const NOT_GRANTED: Problem = {
  status: 403,
  detail: "This program isn't allowed to send orders. Allow it in Headroom.",
  proxyError: 'http_request_denied',
}

/** The response to a forbidden request under the order path. */
export const NO_ORDER_PATH: Problem = {
  status: 403,
  detail: "Headroom doesn't forward this request. Use an order path from its README, spelled exactly.",
  proxyError: 'http_request_denied',
}

/** The response to an order that was not sent: no byte left this computer. */
export const NOT_CONNECTED: Problem = {
  status: 503,
  detail: 'Not sent: the service is unreachable. Sending it again is safe.',
  proxyError: 'connection_refused',
}

/** The response during a refresh, which may invalidate the access token of an order. */
export const REFRESHING: Problem = {
  status: 503,
  detail: 'Not sent: the access token is being renewed.',
  proxyError: 'destination_unavailable',
  headers: { 'retry-after': '1' },
}

/** The response to a program that reached its maximum of orders per minute. */
export function overLimit(max: number, waitMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return {
    status: 429,
    detail: `Not sent: this program may send ${max} orders a minute; retry in ${seconds} s.`,
    proxyError: 'http_request_denied',
    error: 'TooManyRequests',
    message: `Order limit of Headroom: ${max} a minute`,
    headers: { 'retry-after': String(seconds) },
  }
}

/** The response while the journal can't be written. */
export const journalFailed = (why: string): Problem => ({
  status: 503,
  detail: `Not sent: orders are stopped, because ${why}.`,
  proxyError: 'http_request_denied',
})

/** An order that was sent without a complete answer. */
export interface LostOrder {
  readonly how: 'cut' | 'timeout'
  readonly journalId: string
  readonly hasConfirmId: boolean
}

/** The response to an order whose outcome is unknown. */
export function outcomeUnknown({ how, journalId, hasConfirmId }: LostOrder): Problem {
  const what = how === 'timeout' ? 'The service did not respond within 10 seconds' : 'The connection was lost'
  const again = hasConfirmId ? 'Sending it again is safe' : 'Check your orders before sending it again'
  return {
    status: how === 'timeout' ? 504 : 502,
    type: 'outcome-unknown',
    detail: `${what}; the order may have been placed. ${again}.`,
    proxyError: how === 'timeout' ? 'http_response_timeout' : 'connection_terminated',
    members: { journalId, hasConfirmId },
  }
}
