import type { RefreshFailure } from '../../contract/events.ts'
import { isOfWholeKey } from '../../contract/events.ts'
import type { Severity } from '../../contract/severity.ts'
import type { RefreshSummary } from '../../contract/snapshot.ts'
import type { StreamProposal } from '../../contract/streams.ts'
import { streamCategoryName } from '../../service/stream-kinds.ts'
import { sinceText } from '../../status/durations.ts'
import { problemStatus } from '../../status/problem-status.ts'
import { STATE_LABELS, shortSeverity, UNTIL_OTHERS_SLOW } from '../../status/quota-status.ts'
import { countText, rateRangeText, rateText } from '../../status/rates.ts'
import { capitalised } from '../../status/sentences.ts'
import { proposalName } from '../../status/stream-status.ts'
import { refreshStatus, SIGN_IN_ENDS_SOON, signInEndSeverity } from '../../status/token-status.ts'
import {
  type EventStyle,
  fewText,
  type Kind,
  moment,
  nextTry,
  type Of,
  type Said,
  until,
  type Words,
} from './event-words.ts'
import { historyWords, problemAdvice, problemTitle } from './problems.ts'
import { STREAM_EVENTS } from './stream-events.ts'

/**
 * The text of each kind of event. `app/contract/events.ts` defines the start and end of lasting conditions.
 */
export const EVENTS: { readonly [K in Kind]: Words<Of<K>> } = {
  'token-refreshed': {
    of: 'tokens',
    say: ({ rotated, expiresAt, at }, { stored, as }) => [
      'ok',
      'Access token renewed',
      rotated ? rotatedText(stored) : `valid ${until(expiresAt, at, as)}`,
    ],
  },
  'token-refresh-failed': {
    of: 'tokens',
    say: ({ outcome, why, retryAt, at }, { as }) => {
      const isFinal = outcome === 'refused' || outcome === 'misconfigured'
      return [isFinal ? 'critical' : 'warning', ...REFRESH_FAILURES[outcome], why, nextTry(retryAt, at, as)]
    },
    over: ({ why }) => why ?? '',
  },
  'sign-in-required': {
    of: 'tokens',
    say: ({ kind, cause, at, reason }) => [
      ...ofRefresh({ state: kind, ...(cause && { cause }) }, at),
      reason,
    ],
  },
  'signed-in': { of: 'tokens', say: () => ['ok', 'Signed in'] },
  'sign-in-due': {
    of: 'tokens',
    say: ({ endsAt, at }, { as }) => [
      signInEndSeverity(endsAt, at),
      capitalised(SIGN_IN_ENDS_SOON),
      moment(endsAt, at, as),
    ],
  },
  revoked: { of: 'tokens', say: () => ['ok', 'Tokens revoked', 'confirmed by the service'] },
  'revoke-unconfirmed': {
    of: 'tokens',
    say: ({ kind, reason, retryAt, at }, { as }) => [
      ...ofRefresh({ state: kind }, at),
      reason,
      nextTry(retryAt, at, as),
    ],
    over: ({ reason }) => reason,
  },
  'service-unreachable': {
    of: 'service',
    // The text has no retry time, because the event is reported only once and the time would soon be
    // outdated.
    say: ({ host, why, serves }) => [
      ...(serves === 'calls'
        ? (['critical', 'Service unreachable'] as const)
        : (['warning', 'Sign-in host unreachable'] as const)),
      host,
      why,
      'retrying',
    ],
    over: ({ host, why }) => (why === undefined ? host : `${host} · ${why}`),
  },
  'service-back': { of: 'service', say: ({ host }) => ['ok', `${host} responds again`] },
  'storage-problem': {
    of: 'service',
    say: ({ what, failure, unsaved }) =>
      unsaved !== undefined
        ? ['critical', 'Refresh token not saved', what]
        : failure === undefined
          ? ['critical', 'Storage problem', what]
          : ['warning', 'History paused', historyWords(failure).why],
  },
  'storage-ok': {
    of: 'service',
    say: ({ since, at, unsaved }) =>
      unsaved === undefined
        ? ['ok', 'History resumed', `paused for ${sinceText(since, at)}`]
        : ['ok', 'Refresh token saved', `after ${sinceText(since, at)} in memory only`],
  },
  'window-admitted': {
    of: 'service',
    say: ({ open }) => [
      open > 1 ? 'warning' : 'ok',
      'Browser window connected',
      open > 1 ? `${open} windows are connected; check the settings` : 'the only one',
    ],
  },
  'rate-limited': {
    of: 'quotas',
    say: ({ category, retryAt, nextTryAt, at }, { as, othersTakeAll }) => [
      'critical',
      `429 on ${category}`,
      nextTryAt === undefined && !othersTakeAll?.has(category)
        ? `safe to retry ${moment(retryAt, at, as)}`
        : UNTIL_OTHERS_SLOW,
    ],
    over: ({ before: { othersLow, othersHigh } = { othersLow: undefined, othersHigh: undefined } }) =>
      othersLow === undefined || othersHigh === undefined
        ? ''
        : `others ${rateRangeText(othersLow / 60, othersHigh / 60)}/s`,
    alike: ({ category }) => category,
  },
  'rate-limit-over': {
    of: 'quotas',
    say: ({ category, refused, since, at }) => [
      'ok',
      `${category} responds again`,
      `429 ×${refused} in ${sinceText(since, at)}`,
    ],
  },
  'quota-short': {
    of: 'quotas',
    say: (event) => [
      shortSeverity(event.state, event.emptyAt, event.at),
      `${event.category} ${STATE_LABELS[event.state]}`,
      shortDetail(event),
    ],
    alike: ({ state }) => state,
    many: (events) => [
      `${countText(events.length, 'quota')} ${STATE_LABELS[events[0].state]}`,
      categoriesText(events),
    ],
  },
  'quota-short-ended': {
    of: 'quotas',
    say: ({ category, state, since, at }) => [
      'ok',
      `${category} recovered`,
      `${STATE_LABELS[state]} for ${sinceText(since, at)}`,
    ],
    many: (events) => [`${countText(events.length, 'quota')} recovered`, categoriesText(events)],
  },
  'requests-refused': {
    of: 'service',
    say: (event) => [
      event.status === 401 && !event.alone ? 'critical' : problemStatus(event).severity,
      problemTitle(isOfWholeKey(event.status) && !event.alone ? undefined : event.category, event),
      quoted(event),
      problemAdvice([event.category], event).replace(/\.$/, ''),
    ],
    over: quoted,
    alike: ({ status }) => status,
    many: (events) => [
      events[0].status >= 400
        ? `${countText(events.length, 'quota')} rejected (${events[0].status})`
        : `${countText(events.length, 'quota')} without rate-limit headers`,
      categoriesText(events),
    ],
  },
  'requests-answered': {
    of: 'service',
    say: ({ category, status, since, at }) => [
      'ok',
      `${isOfWholeKey(status) ? 'The service' : category} responds normally again`,
      `after ${status} for ${sinceText(since, at)}`,
    ],
    alike: ({ status }) => status,
    many: (events) => [
      `${countText(events.length, 'quota')} respond normally again`,
      `after ${events[0].status}: ${categoriesText(events)}`,
    ],
  },
  'slots-exhausted': {
    of: 'quotas',
    say: ({ category, proposal, at }) => [
      'warning',
      `${streamCategoryName(category)}: all slots in use`,
      proposal === undefined ? 'a stream is waiting' : `quietest: ${proposalText(proposal, at)}`,
    ],
    over: () => '',
    alike: ({ category }) => category,
  },
  'slots-free': {
    of: 'quotas',
    say: ({ category, since, at }) => [
      'ok',
      `${streamCategoryName(category)}: no stream is waiting`,
      `full for ${sinceText(since, at)}`,
    ],
  },
  ...STREAM_EVENTS,
  elsewhere: {
    of: 'quotas',
    // The text has no rate, because the first header that shows others' use is too little to measure it. The
    // row shows the current rate.
    say: ({ category }) => ['warning', `Others active on ${category}`],
    over: ({ perSecond }, [end]) =>
      `${rateText(end?.kind === 'elsewhere-ended' ? end.perSecond : perSecond)} on average`,
    many: (events) => [`Others active on ${countText(events.length, 'quota')}`, categoriesText(events)],
  },
  'elsewhere-ended': {
    of: 'quotas',
    say: ({ category, perSecond, since, at }) => [
      'ok',
      `Others stopped using ${category}`,
      `${rateText(perSecond)} for ${sinceText(since, at)}`,
    ],
    many: (events) => [`Others stopped using ${countText(events.length, 'quota')}`, busiestText(events)],
  },
  'program-refused': {
    of: 'quotas',
    say: ({ program, category, retryAt, at }, { as }) => [
      'warning',
      `${program} timed out in the queue`,
      category,
      retryAt !== undefined && `next slot ${moment(retryAt, at, as).replace(/^at /, '')}`,
    ],
    alike: ({ program }) => program,
    many: (events) => [
      `${events[0].program} timed out in the queue`,
      `${countText(events.length, 'quota')}: ${categoriesText(events)}`,
    ],
  },
  'program-cut': { of: 'service', say: ({ program }) => ['unknown', `Program ${program} removed`] },
  'desk-member-joined': { of: 'service', say: ({ name }) => ['ok', `${name} joined the desk`] },
  'desk-member-left': { of: 'service', say: ({ name }) => ['unknown', `${name} left the desk`] },
  'desk-member-lost': { of: 'service', say: ({ name }) => ['watch', `${name} doesn’t respond`] },
  'desk-dispatcher': { of: 'service', say: ({ name }) => ['ok', `${name} dispatches the desk’s queue`] },
  'desk-alone': {
    of: 'service',
    say: ({ why, reachable, refusal }) =>
      reachable ? ['watch', why.replace(/\.$/, '')] : ['warning', deskTitle(refusal), why.replace(/\.$/, '')],
  },
  'desk-back': {
    of: 'service',
    say: ({ since, at, left }) =>
      left ? ['unknown', 'Left the desk'] : ['ok', 'On the desk again', `after ${sinceText(since, at)}`],
  },
  'gateway-on': { of: 'service', say: ({ url }) => ['ok', 'Gateway on', `at ${url}`] },
  'orders-allowed': { of: 'service', say: () => ['ok', 'Orders allowed'] },
  'orders-stopped': { of: 'service', say: ({ why }) => ['warning', 'Orders stopped', why] },
  'order-unknown': {
    of: 'service',
    say: ({ program }) => ['critical', 'Order outcome unknown', program, 'looking it up'],
  },
  'order-resolved': { of: 'service', say: ({ state, orderId }) => RESOLVED[state](orderId) },
  'gateway-off': { of: 'service', say: ({ why }) => ['unknown', 'Gateway off', why] },
}

const deskTitle = (refusal: Of<'desk-alone'>['refusal']): string =>
  refusal === undefined
    ? 'Desk unreachable'
    : refusal.startsWith('update-')
      ? 'Versions differ on the desk'
      : 'No longer on the desk'

const RESOLVED: Readonly<Record<Of<'order-resolved'>['state'], (orderId: string | undefined) => Said>> = {
  found: (orderId) => ['warning', 'Order found', orderId !== undefined && `as order ${orderId}`],
  'not-found': () => ['critical', 'Order not found', 'after 60 s; check your broker'],
  ambiguous: () => ['critical', 'Several orders match', 'check your broker'],
}

const REFRESH_FAILURES: Readonly<Record<RefreshFailure, readonly [string, string?]>> = {
  refused: ['Refresh token rejected', 'sign in again'],
  misconfigured: ['API key rejected', 'check the key and its secret'],
  later: ['Token renewal failing', 'the sign-in host asks to wait'],
  'not-sent': ['Token renewal failing', 'sign-in host unreachable'],
  malformed: ['Token renewal failing', 'unreadable response'],
  unknown: ['Token renewal failing', 'response lost; retrying with the same token'],
}

/** The text of an event that changes the refresh token's state, with the new state's severity and label. */
function ofRefresh(
  refresh: Pick<RefreshSummary, 'state' | 'cause'>,
  atMs: number,
): readonly [Severity, string] {
  const { severity, label } = refreshStatus(refresh, atMs)
  return [severity, capitalised(label)]
}

const STORED = { sealed: ', saved', memory: ', in memory' } as const

const rotatedText = (stored: EventStyle['stored']): string =>
  `refresh token rotated${stored === undefined ? '' : STORED[stored]}`

/**
 * The detail about a quota that is running out or empty: who uses it up, and its refill. For a low row: how
 * much is left.
 */
function shortDetail({ state, remaining, limit, othersLow, othersHigh, refill }: Of<'quota-short'>): string {
  if (state === 'low') return `began with ${remaining} of ${limit} left`
  if (othersLow === undefined || othersHigh === undefined) return 'still measuring others'
  if (state === 'empty' && refill !== undefined && othersLow >= refill) return 'others use the whole refill'
  const refills = refill === undefined ? '' : `, refill ${refill}/s`
  const others = rateRangeText(othersLow, othersHigh)
  return `began with ${others === '0' ? 'no use by others' : `others ${others}/s`}${refills}`
}

function quoted({ message, status }: Of<'requests-refused'>): string {
  return message !== undefined && status >= 400 ? `“${message}”` : ''
}

/** The stream to close, with its age and rate: `Depth quotes · MSFT, open for 2 h 14 min, 0.4/s`. */
function proposalText(proposal: StreamProposal, nowMs: number): string {
  const rate = rateText(proposal.framesPerSecond)
  const open = sinceText(proposal.openedAt, nowMs)
  return `${proposalName(proposal)}, open for ${open}, ${rate === '—' ? 'silent' : rate}`
}

const categoriesText = (events: readonly { readonly category: string }[]): string =>
  fewText(events.map(({ category }) => category))

const busiestText = ([first]: readonly [
  { readonly category: string; readonly perSecond: number },
  ...unknown[],
]) => `most: ${first.category} ${rateText(first.perSecond)}`
