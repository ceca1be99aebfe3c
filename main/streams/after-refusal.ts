import type { RefusedBy } from '../../app/service/errors.ts'
import type { StreamInput } from '../../app/streams/life-cycle.ts'

/** Answers below 500 that are not the service's word on the request: portals, proxies, overload. */
const PASSING = new Set([407, 408, 421, 425])

/** What an answer other than 200 means for a stream. `retryAtMs` is when a 429 may be tried again. */
export function afterRefusal(status: number, refused: RefusedBy | undefined, retryAtMs: number): StreamInput {
  switch (refused) {
    case 'concurrency':
      return { kind: 'refused', reason: '429: no stream slot is free', code: 'no-slot', retryAtMs }
    case 'rate':
      return { kind: 'refused', reason: '429: rate quota', code: 'rate-limited', retryAtMs }
    case 'unsaid':
      return { kind: 'refused', reason: '429 without a reason', code: 'rate-limited', retryAtMs }
    case undefined:
      break
  }
  if (status === 401) {
    return { kind: 'ended', reason: 'the access token was not accepted', code: 'token-refused' }
  }
  const reason = `the service answered ${status}`
  return status >= 500 || status < 400 || PASSING.has(status)
    ? { kind: 'ended', reason, code: 'service-error' }
    : { kind: 'failed', reason }
}
