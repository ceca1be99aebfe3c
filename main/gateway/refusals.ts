import { wholeSeconds } from '../../app/contract/units.ts'
import type { Decision, FailureReason } from '../../app/gateway/decisions.ts'
import type { NoAccess } from '../tokens/keeper.ts'
import { type Problem, retryAfter, tooMany, unauthorized } from './problem.ts'

/** The response to a request that cannot be sent now. */
export const unavailable = (why: string): Problem => ({
  status: 503,
  detail: `Not sent: ${why}.`,
  proxyError: 'destination_unavailable',
})

/** The response to a sent request if the gateway stops waiting for the service's response. */
export const abandoned = (why: string): Problem => ({
  status: 502,
  detail: `No response yet: ${why}. The request may count against the quota.`,
  proxyError: 'connection_terminated',
})

/** The response to requests of a revoked program. */
export const CUT_OFF: Problem = unauthorized("This program's key was revoked in Headroom.")

/** The response to requests of a paused program. `restMs`: time until the pause ends. */
export function pausedFor(restMs: number): Problem {
  const seconds = wholeSeconds(restMs)
  const detail = `Not sent: this program is paused in Headroom for another ${seconds} s.`
  return tooMany(detail, 'Program paused', retryAfter(seconds))
}

/** The response if a bug in Headroom makes a request fail before it is sent. */
export const DEFECT: Problem = {
  status: 500,
  detail: 'Headroom failed on this request. See its log.',
  proxyError: 'proxy_internal_error',
}

/** The response to a request that could not be sent, or got no response. */
export const FAILURES: Readonly<Record<FailureReason, Problem>> = {
  cut: {
    status: 502,
    detail: 'Connection lost twice before a response. The request may count against the quota.',
    proxyError: 'connection_terminated',
  },
  broken: {
    status: 502,
    detail: 'The response broke off or is not HTTP. The request may count against the quota.',
    proxyError: 'http_protocol_error',
  },
  timeout: {
    status: 504,
    detail: 'The service did not respond within 30 seconds. The request may count against the quota.',
    proxyError: 'http_response_timeout',
  },
  'not-sent': unavailable('the service is unreachable'),
}

/** The response to a request for which there is no access token. */
export function noToken(access: NoAccess, nowMs: number): Problem {
  const { retryAtMs } = access
  const problem = unavailable(wordsOfNoToken(access))
  if (retryAtMs === undefined) return problem
  return { ...problem, headers: retryAfter(wholeSeconds(retryAtMs - nowMs)) }
}

/** Why there is no access token, as the end of a sentence. */
export function wordsOfNoToken({ why, failure }: Pick<NoAccess, 'why' | 'failure'>): string {
  switch (why) {
    case 'sign-in-required':
      return 'sign in with this key in Headroom'
    case 'revoked':
    case 'revoking':
    case 'revoke-unconfirmed':
      return 'the tokens of this key are revoked; sign in again in Headroom'
    default:
      return failure === undefined
        ? 'the access token is being renewed'
        : `renewing the access token failed (${failure})`
  }
}

/** The scheduler's decision to decline a request. */
export type QueueRefusal = Extract<Decision, { kind: 'refuse' }>

/**
 * Why the scheduler declined a request, as the end of a sentence. `unavailableWhy`: why no request can be
 * sent. `maxWait`: the request's maximum wait, in words.
 */
export function whyRefused(
  { why, retryAfterSeconds }: Pick<QueueRefusal, 'why' | 'retryAfterSeconds'>,
  unavailableWhy: string | undefined,
  maxWait: string,
): string {
  const turn = retryAfterSeconds === undefined ? '' : `; retry in about ${retryAfterSeconds} s`
  switch (why) {
    case 'unavailable':
      return unavailableWhy ?? 'the key is unavailable'
    case 'queue-full':
      return `the queue is full${turn}`
    case 'too-late':
      return `the wait for this quota would exceed ${maxWait}${turn}`
    case 'empty':
      return `the order quota is used up${turn}`
  }
}

/** The response to a request that the scheduler declined. `unavailableWhy`: why no request can be sent. */
export function problemOf(refusal: QueueRefusal, unavailableWhy: string | undefined): Problem {
  const { why, retryAfterSeconds, rate } = refusal
  const words = whyRefused(refusal, unavailableWhy, 'your maximum wait')
  const retry = retryAfter(retryAfterSeconds)
  if (why === 'unavailable') return { ...unavailable(words), headers: retry }
  const fields = {
    'x-ratelimit-limit': rate?.limit,
    'x-ratelimit-period': rate?.periodSeconds,
    'x-ratelimit-remaining': rate?.remaining,
    'x-ratelimit-reset': rate?.resetSeconds,
  }
  const known = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  )
  const message = why === 'queue-full' ? 'queue full' : 'Rate quota exceeded'
  return tooMany(`Not sent: ${words}.`, message, { ...retry, ...Object.fromEntries(known) })
}
