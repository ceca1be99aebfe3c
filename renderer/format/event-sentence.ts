import type { LoggedEvent, RefreshFailure } from '../../app/contract/events.ts'
import { sinceText } from '../../app/status/durations.ts'
import { clockText } from '../../app/status/moments.ts'
import { rateText } from '../../app/status/rates.ts'
import type { Severity } from '../../app/status/severity.ts'
import { proposalWords } from './proposal-words.ts'
import { streamName } from './stream-names.ts'

export interface EventSentence {
  readonly severity: Severity
  readonly text: string
  /** What the provider's support asks for. */
  readonly requestId?: string
}

/** One sentence per event kind. `stored` says where a rotated token went. */
export function eventSentence(event: LoggedEvent, stored: 'sealed' | 'memory'): EventSentence {
  switch (event.kind) {
    case 'token-refreshed':
      return { severity: 'ok', text: parts('Access token refreshed', event.rotated && rotated(stored)) }
    case 'token-refresh-failed':
      return {
        severity: event.outcome === 'refused' || event.outcome === 'misconfigured' ? 'critical' : 'watch',
        text: parts(REFRESH_FAILURES[event.outcome], event.why, nextTry(event.retryAt)),
      }
    case 'sign-in-required':
      return {
        severity: 'critical',
        text: parts(event.cause === 'misconfigured' ? 'Key not accepted' : 'Sign in again', event.reason),
      }
    case 'sign-in-due':
      return {
        severity: 'watch',
        text: parts('Sign in again soon', `the sign-in ends at ${clockText(event.endsAt)}`),
      }
    case 'revoked':
      return { severity: 'ok', text: 'Refresh tokens revoked · confirmed by the service' }
    case 'revoke-unconfirmed':
      return {
        severity: 'critical',
        text: parts('Revocation not confirmed', event.reason, nextTry(event.retryAt)),
      }
    case 'service-unreachable':
      return {
        severity: 'watch',
        text: parts(`${event.host} unreachable`, event.why, nextTry(event.retryAt)),
      }
    case 'service-back':
      return { severity: 'ok', text: `${event.host} answers again` }
    case 'storage-problem':
      return { severity: 'critical', text: parts('Storage problem', event.what) }
    case 'window-admitted':
      return {
        severity: event.open > 1 ? 'watch' : 'ok',
        text: parts('A browser window was let in', event.open > 1 && `${event.open} now; see the settings`),
      }
    case 'rate-limited':
      return withRequestId(
        `${event.category} refused (429) · safe to retry at ${clockText(event.retryAt)}`,
        event.requestId,
      )
    case 'slots-exhausted':
      return withRequestId(
        parts(
          `${event.category} refused (429) · no slot free`,
          event.proposal && `could make room: ${proposalWords(event.proposal, event.at)}`,
        ),
        event.requestId,
      )
    case 'stream-opened':
      return {
        severity: 'ok',
        // A first opening has nothing to explain; main then repeats the word.
        text: parts(
          `${streamName(event.category, event.target)} opened`,
          event.reason !== 'opened' && event.reason,
        ),
      }
    case 'stream-restarted':
      return {
        severity: 'watch',
        text: parts(`${streamName(event.category, event.target)} restarted`, event.reason),
      }
    case 'stream-closed':
      return {
        severity: 'unseen',
        text: parts(`${streamName(event.category, event.target)} closed`, event.reason),
      }
    case 'elsewhere':
      return {
        severity: 'watch',
        text: `Others started using ${event.category} (${rateText(event.perSecond)})`,
      }
    case 'elsewhere-ended':
      return {
        severity: 'ok',
        text: `Others stopped using ${event.category} (${rateText(event.perSecond)} for ${sinceText(event.since, event.at)})`,
      }
  }
}

const REFRESH_FAILURES: Readonly<Record<RefreshFailure, string>> = {
  refused: 'Refresh refused · the service no longer accepts this token',
  misconfigured: 'Refresh refused · the API key or its secret is not right',
  later: 'Refresh put off by the service',
  'not-sent': 'Refresh not sent · the sign-in host could not be reached',
  malformed: 'Refresh answer malformed · nothing of it is lost',
  unknown: 'Refresh not confirmed · its answer was lost · the same token is tried again',
}

const rotated = (stored: 'sealed' | 'memory') =>
  stored === 'sealed' ? 'refresh token rotated and sealed' : 'refresh token rotated, kept in memory'

const nextTry = (retryAt: number | undefined) =>
  retryAt === undefined ? undefined : `next try ${clockText(retryAt)}`

const parts = (...texts: readonly (string | false | undefined)[]) => texts.filter(Boolean).join(' · ')

function withRequestId(text: string, requestId: string | undefined): EventSentence {
  return requestId === undefined ? { severity: 'critical', text } : { severity: 'critical', text, requestId }
}
