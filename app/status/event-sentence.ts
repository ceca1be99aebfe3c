import type { LoggedEvent, RefreshFailure } from '../contract/events.ts'
import type { Severity } from '../contract/severity.ts'
import type { RefreshSummary } from '../contract/snapshot.ts'
import type { StreamProposal } from '../contract/streams.ts'
import { isOfWholeKey } from '../quota/row-problems.ts'
import { sinceText, untilText } from './durations.ts'
import { gatewayStatus } from './gateway-status.ts'
import { clockText } from './moments.ts'
import { problemAdvice, problemStatus, problemTitle } from './problem-status.ts'
import { STATE_LABELS, shortSeverity, UNTIL_OTHERS_SLOW } from './quota-status.ts'
import { rateRangeText, rateText } from './rates.ts'
import { capitalised } from './sentences.ts'
import { reasonBeside, reconnectedFacts, streamChange } from './stream-changes.ts'
import { proposalName, streamKindName, streamStatus } from './stream-status.ts'
import { refreshStatus, SIGN_IN_ENDS_SOON, signInEndSeverity } from './token-status.ts'

/** What is said of an event: in two lines where there is room for them, else as one sentence. */
export interface EventSentence {
  readonly severity: Severity
  /** What happened to whom: `Positions refused (429)`. */
  readonly title: string
  /** What follows from it or belongs to it: `safe to retry at 14:31:52`. Empty where the title says it all. */
  readonly detail: string
  /** Title and detail. */
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

/** Title and detail of an event with its severity, for every surface. Pure: the same event gives the same text. */
export function eventSentence(event: LoggedEvent, { stored, as = 'clock' }: EventStyle = {}): EventSentence {
  const nextTry = (retryAt: number | undefined) =>
    retryAt !== undefined && `next try ${moment(retryAt, event.at, as)}`
  switch (event.kind) {
    case 'token-refreshed':
      return said(
        'ok',
        'Access token refreshed',
        event.rotated ? rotated(stored) : `valid ${until(event.expiresAt, event.at, as)}`,
      )
    case 'token-refresh-failed':
      return said(
        event.outcome === 'refused' || event.outcome === 'misconfigured' ? 'critical' : 'warning',
        ...REFRESH_FAILURES[event.outcome],
        event.why,
        nextTry(event.retryAt),
      )
    case 'sign-in-required':
      return ofRefresh(
        { state: event.kind, ...(event.cause && { cause: event.cause }) },
        event.at,
        event.reason,
      )
    case 'signed-in':
      return said('ok', 'Signed in again')
    case 'sign-in-due':
      return said(
        signInEndSeverity(event.endsAt, event.at),
        capitalised(SIGN_IN_ENDS_SOON),
        moment(event.endsAt, event.at, as),
      )
    case 'revoked':
      return said('ok', 'Refresh tokens revoked', 'confirmed by the service')
    case 'revoke-unconfirmed':
      return ofRefresh({ state: event.kind }, event.at, event.reason, nextTry(event.retryAt))
    case 'service-unreachable':
      return said('warning', `${event.host} unreachable`, event.why, nextTry(event.retryAt))
    case 'service-back':
      return said('ok', `${event.host} answers again`)
    case 'storage-problem':
      return said('critical', 'Storage problem', event.what)
    case 'window-admitted':
      return said(
        event.open > 1 ? 'warning' : 'ok',
        'A browser window was let in',
        event.open > 1 ? `${event.open} now; see the settings` : 'the only one now',
      )
    case 'rate-limited':
      return withRequestId(
        said(
          'critical',
          refusedTitle(event.category),
          event.nextTryAt === undefined
            ? `safe to retry ${moment(event.retryAt, event.at, as)}`
            : UNTIL_OTHERS_SLOW,
        ),
        event.requestId,
      )
    case 'rate-limit-over':
      return said(
        'ok',
        `${event.category} answers again`,
        `${refusedCountText(event.refused)} with 429 in ${sinceText(event.since, event.at)}`,
      )
    case 'quota-short':
      return said(
        shortSeverity(event.state, event.emptyAt, event.at),
        `${event.category} ${STATE_LABELS[event.state]}`,
        shortDetail(event),
      )
    case 'quota-short-ended':
      return said(
        'ok',
        `${event.category} no longer ${STATE_LABELS[event.state]}`,
        `${STATE_LABELS[event.state]} for ${sinceText(event.since, event.at)}`,
      )
    case 'requests-refused': {
      const { category, message, status } = event
      return said(
        problemStatus(event).severity,
        problemTitle(isOfWholeKey(status) ? undefined : category, event),
        message !== undefined && status >= 400 && `“${message}”`,
        withoutStop(problemAdvice(category, event)),
      )
    }
    case 'requests-answered':
      return said(
        'ok',
        isOfWholeKey(event.status)
          ? 'The service answers with numbers again'
          : `${event.category} answers again`,
        `after ${event.status} for ${sinceText(event.since, event.at)}`,
      )
    case 'slots-exhausted':
      return withRequestId(
        said(
          'warning',
          refusedTitle(event.category),
          'no slot free',
          event.proposal && `could make room: ${proposalText(event.proposal, event.at)}`,
        ),
        event.requestId,
      )
    case 'stream-opened':
      // A first opening has nothing to explain; main then repeats the word.
      return said(
        'ok',
        `${streamKindName(event)} opened`,
        event.target,
        event.reason !== 'opened' && event.reason,
      )
    case 'stream-restarted':
      return said(
        'ok',
        streamChange(streamKindName(event), 'reconnected', event.reason),
        event.target,
        ...reconnectedFacts(event),
      )
    case 'stream-closed':
      return said(
        'unknown',
        streamChange(streamKindName(event), 'closed', event.reason),
        event.target,
        reasonBeside('closed', event.reason),
      )
    case 'stream-silent':
      return said(
        STALE.severity,
        `${streamKindName(event)} ${STALE.label}`,
        event.target,
        `last data at ${clockText(event.since)}`,
      )
    case 'stream-resumed':
      return said(
        'ok',
        `${streamKindName(event)} brings data again`,
        event.target,
        `silent for ${sinceText(event.since, event.at)}`,
      )
    case 'elsewhere':
      return said('warning', `Others active on ${event.category}`, `${rateText(event.perSecond)} at first`)
    case 'elsewhere-ended':
      return said(
        'ok',
        `Others stopped using ${event.category}`,
        `${rateText(event.perSecond)} for ${sinceText(event.since, event.at)}`,
      )
    case 'program-refused':
      return said(
        'warning',
        `${event.program} refused by Headroom`,
        event.category,
        event.retryAt !== undefined && `its turn comes ${moment(event.retryAt, event.at, as)}`,
      )
    case 'program-cut':
      return said('unknown', `Program ${event.program} cut off`)
    case 'gateway-on':
      return said('ok', SERVING, `at ${event.url}`)
    case 'gateway-off':
      return said('unknown', gatewayStatus({ state: 'off' }).text, event.why)
  }
}

const SERVING = 'The gateway serves programs'
const STALE = streamStatus({ state: 'stale' })

const said = (
  severity: Severity,
  title: string,
  ...details: readonly (string | false | undefined)[]
): EventSentence => sentenceOf(severity, title, details.filter(Boolean).join(' · '))

/** A title and its detail, with the sentence that is made of both. */
export const sentenceOf = (severity: Severity, title: string, detail: string): EventSentence => ({
  severity,
  title,
  detail,
  text: detail === '' ? title : `${title} · ${detail}`,
})

const refusedTitle = (category: string): string => `${category} refused (429)`

/** `1 refused`, `3 refused`: requests that were answered with 429. */
export const refusedCountText = (count: number): string => `${count} refused`

const REFRESH_FAILURES: Readonly<Record<RefreshFailure, readonly [string, string?]>> = {
  refused: ['Refresh refused', 'the service no longer accepts this token'],
  misconfigured: ['Refresh refused', 'the API key or its secret is not right'],
  later: ['Refresh put off by the service'],
  'not-sent': ['Refresh not sent', 'the sign-in host could not be reached'],
  malformed: ['Unreadable refresh answer', 'your sign-in is intact'],
  unknown: ['Refresh not confirmed', 'its answer was lost · the same token is tried again'],
}

/** An event that is the beginning of a state of the refresh token: it has the state's severity and label. */
function ofRefresh(
  refresh: Pick<RefreshSummary, 'state' | 'cause'>,
  atMs: number,
  ...more: readonly (string | false | undefined)[]
): EventSentence {
  const { severity, label } = refreshStatus(refresh, atMs)
  return said(severity, capitalised(label), ...more)
}

function rotated(stored: EventStyle['stored']): string {
  switch (stored) {
    case 'sealed':
      return 'refresh token rotated, saved'
    case 'memory':
      return 'refresh token rotated, in memory'
    case undefined:
      return 'refresh token rotated'
  }
}

type Short = Extract<LoggedEvent, { kind: 'quota-short' }>

/** Who makes it short beside what comes back; of a low row how much is left. */
function shortDetail({ state, remaining, limit, othersLow, othersHigh, refill }: Short): string {
  if (state === 'low') return `${remaining} of ${limit} left`
  if (othersLow === undefined || othersHigh === undefined) return 'use by others not known'
  if (state === 'empty' && refill !== undefined && othersLow >= refill) return 'others use all it refills'
  const refills = refill === undefined ? '' : `, refill ${refill}/s`
  const others = rateRangeText(othersLow, othersHigh)
  return `${others === '0' ? 'no use by others' : `others ${others}/s`}${refills}`
}

const moment = (momentMs: number, atMs: number, as: 'clock' | 'countdown') =>
  as === 'clock' ? `at ${clockText(momentMs)}` : `in ${untilText(momentMs, atMs)}`

const until = (momentMs: number, atMs: number, as: 'clock' | 'countdown') =>
  as === 'clock' ? `until ${clockText(momentMs)}` : `for ${untilText(momentMs, atMs)}`

const withoutStop = (text: string) => text.replace(/\.$/, '')

function withRequestId(sentence: EventSentence, requestId: string | undefined): EventSentence {
  return requestId === undefined ? sentence : { ...sentence, requestId }
}

/** `Depth quotes · MSFT, open for 2 h 14 min, 0.4/s`: enough to judge whether that stream can be given up. */
export function proposalText(proposal: StreamProposal, nowMs: number): string {
  const { openedAt, framesPerSecond } = proposal
  const rate = rateText(framesPerSecond)
  return `${proposalName(proposal)}, open for ${sinceText(openedAt, nowMs)}, ${rate === '—' ? 'silent' : rate}`
}
