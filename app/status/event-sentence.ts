import type { LoggedEvent, RefreshFailure } from '../contract/events.ts'
import type { RefreshSummary } from '../contract/snapshot.ts'
import type { StreamProposal } from '../contract/streams.ts'
import { isOfWholeKey } from '../quota/row-problems.ts'
import { sinceText, untilText } from './durations.ts'
import { gatewayStatus } from './gateway-status.ts'
import { clockText } from './moments.ts'
import { problemAdvice, problemSentence, problemStatus } from './problem-status.ts'
import { rateText } from './rates.ts'
import { capitalised } from './sentences.ts'
import type { Severity } from './severity.ts'
import { proposalName, streamName, streamStatus } from './stream-status.ts'
import { refreshStatus, SIGN_IN_ENDS_SOON, signInEndSeverity } from './token-status.ts'

export interface EventSentence {
  readonly severity: Severity
  readonly text: string
  /** What the provider's support asks for. */
  readonly requestId?: string
}

export interface EventStyle {
  /** Where a rotated token went; absent where that is not known. */
  readonly stored?: 'sealed' | 'memory'
  /** A moment to come as a time of day, or as the time from the event until then. */
  readonly as?: 'clock' | 'countdown'
}

/** The severity of an event and one sentence on it, for every surface. Pure: the same event gives the same text. */
export function eventSentence(event: LoggedEvent, { stored, as = 'clock' }: EventStyle = {}): EventSentence {
  const nextTry = (retryAt: number | undefined) =>
    retryAt !== undefined && `next try ${moment(retryAt, event.at, as)}`
  switch (event.kind) {
    case 'token-refreshed':
      return { severity: 'ok', text: parts('Access token refreshed', event.rotated && rotated(stored)) }
    case 'token-refresh-failed':
      return {
        severity: event.outcome === 'refused' || event.outcome === 'misconfigured' ? 'critical' : 'watch',
        text: parts(REFRESH_FAILURES[event.outcome], event.why, nextTry(event.retryAt)),
      }
    case 'sign-in-required':
      return ofRefresh(
        { state: event.kind, ...(event.cause && { cause: event.cause }) },
        event.at,
        event.reason,
      )
    case 'signed-in':
      return { severity: 'ok', text: 'Signed in again' }
    case 'sign-in-due':
      return {
        severity: signInEndSeverity(event.endsAt, event.at),
        text: parts(capitalised(SIGN_IN_ENDS_SOON), `the sign-in ends ${moment(event.endsAt, event.at, as)}`),
      }
    case 'revoked':
      return { severity: 'ok', text: 'Refresh tokens revoked · confirmed by the service' }
    case 'revoke-unconfirmed':
      return ofRefresh({ state: event.kind }, event.at, event.reason, nextTry(event.retryAt))
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
        `${event.category} refused (429) · safe to retry ${moment(event.retryAt, event.at, as)}`,
        event.requestId,
      )
    case 'requests-refused': {
      const { category, status, message } = event
      return {
        severity: problemStatus(event).severity,
        text: parts(
          withoutStop(problemSentence(category, event)),
          message !== undefined && status >= 400 && `“${message}”`,
          withoutStop(problemAdvice(category, event)),
        ),
      }
    }
    case 'requests-answered':
      return {
        severity: 'ok',
        text: parts(
          isOfWholeKey(event.status)
            ? 'The service answers with numbers again'
            : `${event.category} answers again`,
          `after ${event.status} for ${sinceText(event.since, event.at)}`,
        ),
      }
    case 'slots-exhausted':
      return withRequestId(
        parts(
          `${event.category} refused (429) · no slot free`,
          event.proposal && `could make room: ${proposalText(event.proposal, event.at)}`,
        ),
        event.requestId,
      )
    case 'stream-opened':
      return {
        severity: 'ok',
        // A first opening has nothing to explain; main then repeats the word.
        text:
          event.reason === NO_SLOT_LIMIT
            ? `${streamName(event)} opened (${event.reason})`
            : parts(`${streamName(event)} opened`, event.reason !== 'opened' && event.reason),
      }
    case 'stream-restarted':
      return {
        severity: 'watch',
        text: `${streamName(event)} ${streamChange('restarted', event.reason)}`,
      }
    case 'stream-closed':
      return {
        severity: 'unseen',
        text: `${streamName(event)} ${streamChange('closed', event.reason)}`,
      }
    case 'stream-silent':
      return {
        severity: STALE.severity,
        text: `${streamName(event)} ${STALE.label} · last data at ${clockText(event.since)}`,
      }
    case 'stream-resumed':
      return {
        severity: 'ok',
        text: `${streamName(event)} brings data again · silent for ${sinceText(event.since, event.at)}`,
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
    case 'program-refused':
      return {
        severity: 'watch',
        text: parts(
          `${event.program} refused in ${event.category} by Headroom, before the service would`,
          event.retryAt !== undefined && `its turn comes ${moment(event.retryAt, event.at, as)}`,
        ),
      }
    case 'program-cut':
      return { severity: 'unseen', text: `Program ${event.program} cut off` }
    case 'gateway-on':
      return { severity: 'ok', text: gatewayStatus({ state: 'serving', url: event.url }).text }
    case 'gateway-off':
      return { severity: 'unseen', text: parts(gatewayStatus({ state: 'off' }).text, event.why) }
  }
}

/** What is said of a stream of a kind whose slots the service does not count. */
export const NO_SLOT_LIMIT = 'no slot limit'

const STALE = streamStatus({ state: 'stale' })

/** `closed · no answer in time`, or `closed by you`: a reason may say the verb itself. */
export const streamChange = (verb: 'restarted' | 'closed', reason: string): string =>
  reason.startsWith(verb) ? reason : parts(verb, reason)

const REFRESH_FAILURES: Readonly<Record<RefreshFailure, string>> = {
  refused: 'Refresh refused · the service no longer accepts this token',
  misconfigured: 'Refresh refused · the API key or its secret is not right',
  later: 'Refresh put off by the service',
  'not-sent': 'Refresh not sent · the sign-in host could not be reached',
  malformed: 'Unreadable refresh answer · your sign-in is intact',
  unknown: 'Refresh not confirmed · its answer was lost · the same token is tried again',
}

/** An event that is the beginning of a state of the refresh token: it has the state's severity and label. */
function ofRefresh(
  refresh: Pick<RefreshSummary, 'state' | 'cause'>,
  atMs: number,
  ...more: readonly (string | false | undefined)[]
): EventSentence {
  const { severity, label } = refreshStatus(refresh, atMs)
  return { severity, text: parts(capitalised(label), ...more) }
}

function rotated(stored: EventStyle['stored']): string {
  switch (stored) {
    case 'sealed':
      return 'refresh token rotated and sealed'
    case 'memory':
      return 'refresh token rotated, kept in memory'
    case undefined:
      return 'refresh token rotated'
  }
}

const moment = (momentMs: number, atMs: number, as: 'clock' | 'countdown') =>
  as === 'clock' ? `at ${clockText(momentMs)}` : `in ${untilText(momentMs, atMs)}`

const withoutStop = (text: string) => text.replace(/\.$/, '')

const parts = (...texts: readonly (string | false | undefined)[]) => texts.filter(Boolean).join(' · ')

function withRequestId(text: string, requestId: string | undefined): EventSentence {
  return requestId === undefined ? { severity: 'critical', text } : { severity: 'critical', text, requestId }
}

/** `Depth quotes · MSFT, open for 2 h 14 min, 0.4/s`: enough to judge whether that stream can be given up. */
export function proposalText(proposal: StreamProposal, nowMs: number): string {
  const { openedAt, framesPerSecond } = proposal
  const rate = rateText(framesPerSecond)
  return `${proposalName(proposal)}, open for ${sinceText(openedAt, nowMs)}, ${rate === '—' ? 'silent' : rate}`
}
