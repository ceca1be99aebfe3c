import { wholeSeconds } from '../../app/contract/units.ts'
import { denied, type Problem, retryAfter, tooMany } from '../gateway/problem.ts'
import { unavailable, wordsOfNoToken } from '../gateway/refusals.ts'

/** The response while a person has stopped orders. */
export const STOPPED: Problem = denied(503, 'orders stopped')

/** The response to a program that is not allowed to send orders. */
export const NOT_GRANTED: Problem = denied(
  403,
  "This program isn't allowed to send orders. Allow it in Headroom.",
)

/** The response to a forbidden request under the order path. */
export const NO_ORDER_PATH: Problem = denied(
  403,
  "Headroom doesn't forward this request. Use an order path exactly as in Headroom's README.",
)

/** The response to an order that was not sent: no byte left this computer. */
export const NOT_CONNECTED: Problem = {
  status: 503,
  detail: 'Not sent: the service is unreachable. Sending it again is safe.',
  proxyError: 'connection_refused',
}

/** The response during a refresh, which may invalidate the access token of an order. */
export const REFRESHING: Problem = {
  ...unavailable(wordsOfNoToken({ why: 'active' })),
  headers: retryAfter(1),
}

/** The response to a program that reached its maximum of orders per minute. */
export function overLimit(max: number, waitMs: number): Problem {
  const seconds = wholeSeconds(waitMs)
  const detail = `Not sent: this program may send ${max} orders a minute; retry in ${seconds} s.`
  return tooMany(detail, `Order limit of Headroom: ${max} a minute`, retryAfter(seconds))
}

/** The response while the journal can't be written. */
export const journalFailed = (why: string): Problem =>
  denied(503, `Not sent: orders are stopped, because ${why}.`)

/**
 * Why a sent order has no complete answer. `slow`: the answer began but did not end in time. `abandoned`:
 * Headroom stopped waiting, for example because it is quitting.
 */
export type LossCause = 'cut' | 'timeout' | 'slow' | 'too-long' | 'abandoned'

const LOSSES: Readonly<Record<LossCause, Pick<Problem, 'status' | 'proxyError' | 'detail'>>> = {
  cut: { status: 502, proxyError: 'connection_terminated', detail: 'The connection was lost' },
  timeout: {
    status: 504,
    proxyError: 'http_response_timeout',
    detail: 'The service did not respond within 10 seconds',
  },
  slow: {
    status: 502,
    proxyError: 'http_response_timeout',
    detail: 'The response was incomplete after 10 seconds',
  },
  'too-long': { status: 502, proxyError: 'connection_terminated', detail: 'The response is over 4 MiB' },
  abandoned: { status: 502, proxyError: 'connection_terminated', detail: 'Headroom stopped waiting' },
}

/** An order that was sent without a complete answer. */
export interface LostOrder {
  readonly how: LossCause
  readonly journalId: string
  readonly hasConfirmId: boolean
}

/** The response to an order whose outcome is unknown. */
export function outcomeUnknown({ how, journalId, hasConfirmId }: LostOrder): Problem {
  const again = hasConfirmId ? 'Sending it again is safe' : 'Check your orders before sending it again'
  return {
    ...LOSSES[how],
    type: 'outcome-unknown',
    detail: `${LOSSES[how].detail}; the order may have been placed. ${again}.`,
    members: { journalId, hasConfirmId },
  }
}
