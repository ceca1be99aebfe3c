import type { Decision, FailureReason } from '../../app/gateway/decisions.ts'
import type { NoAccess } from '../tokens/keeper.ts'
import { GATEWAY_NAME, type Problem } from './problem.ts'

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
export const CUT_OFF: Problem = {
  status: 401,
  detail: "This program's key was revoked in Headroom.",
  proxyError: 'http_request_denied',
  headers: { 'www-authenticate': `Bearer realm="${GATEWAY_NAME}"` },
}

/** The response to requests of a paused program. `restMs`: time until the pause ends. */
export function pausedFor(restMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(restMs / 1000))
  return {
    status: 429,
    detail: `Not sent: this program is paused in Headroom for another ${seconds} s.`,
    proxyError: 'http_request_denied',
    error: 'TooManyRequests',
    message: 'Program paused',
    headers: { 'retry-after': String(seconds) },
  }
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
  'not-sent': {
    status: 503,
    detail: 'Not sent: the service is unreachable.',
    proxyError: 'destination_unavailable',
  },
}

/** The response to a request for which there is no access token. */
export function noToken(access: NoAccess, nowMs: number): Problem {
  const { retryAtMs } = access
  const seconds = retryAtMs === undefined ? undefined : Math.max(1, Math.ceil((retryAtMs - nowMs) / 1000))
  return {
    ...unavailable(wordsOfNoToken(access)),
    ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
  }
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
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
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
  return {
    status: 429,
    detail: `Not sent: ${words}.`,
    proxyError: 'http_request_denied',
    error: 'TooManyRequests',
    message: why === 'queue-full' ? 'queue full' : 'Rate quota exceeded',
    headers: { ...retry, ...Object.fromEntries(known) },
  }
}
