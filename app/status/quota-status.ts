import type { DeskSummary } from '../contract/desk.ts'
import type { ShortState } from '../contract/events.ts'
import type { Severity } from '../contract/severity.ts'
import type { QuotaState, RequestQuota, RowProblem } from '../contract/snapshot.ts'
import { MINUTE_MS } from '../contract/units.ts'
import { isWholeRefill } from '../quota/replenishment.ts'
import { CRITICAL_SECONDS } from '../quota/state.ts'
import { mayBeEmpty } from '../quota/verdict.ts'
import { coarseSinceText, countdownText, OUTDATED_AFTER_MS } from './durations.ts'
import { clockText, minuteText } from './moments.ts'
import { problemStatus, shownProblem } from './problem-status.ts'
import { rateRangeText } from './rates.ts'

/**
 * The status of one request quota, the same in the whole app. This file alone decides state, severity and
 * label.
 *
 * Each surface chooses the width, and whether to show times of day or countdowns.
 */
export interface QuotaStatus {
  readonly state: QuotaState
  readonly severity: Severity
  /**
   * One word for each state, see `STATE_LABELS`. An ok row that may be empty is `MEASURING`. For responses
   * without quota headers, see `problemStatus`.
   */
  readonly label: string
  /** When to retry after the 429. Epoch ms. */
  readonly untilMs?: number
  /**
   * The text next to the label: a countdown, a time range or a share of the limit. Empty if the label is
   * enough.
   */
  readonly note: string
}

export const STATE_LABELS: Readonly<Record<QuotaState, string>> = {
  ok: 'ok',
  watch: 'watch',
  low: 'low',
  'running-out': 'running out',
  empty: 'empty',
  blocked: '429',
  'not-checked': 'not checked',
}

/** Label of an ok row while its level may be 0, in place of `ok`. */
export const MEASURING = 'measuring'

/** The state of a row at `nowMs`, epoch ms: `row.state`, unless the pushed data is too old. */
export function stateAt(quota: RequestQuota, nowMs: number): QuotaState {
  if (nowMs - quota.asOf <= OUTDATED_AFTER_MS) return quota.state
  // A 429 applies until its end, however old the row is.
  return quota.state === 'blocked' && (quota.blockedUntil ?? 0) > nowMs ? 'blocked' : 'not-checked'
}

/** State, severity, label and countdown of a row at `nowMs`, epoch ms. */
export function quotaStatus(quota: RequestQuota, nowMs: number): QuotaStatus {
  const state = stateAt(quota, nowMs)
  const label = STATE_LABELS[state]
  const problem = refusedProblem(quota, nowMs)
  if (problem !== undefined) return { state, ...problemStatus(problem) }
  const as = (severity: Severity, note = ''): QuotaStatus => ({ state, severity, label, note })
  switch (state) {
    case 'ok':
      return mayBeEmpty(quota) ? { ...as('unknown'), label: MEASURING } : as('ok')
    case 'watch':
      return as('watch', emptyText(quota, nowMs))
    case 'low':
      return as('warning', shareLeftText(quota))
    case 'running-out':
      return as(
        shortSeverity(state, quota.emptyAt, nowMs),
        isRecovering(quota) ? 'recovering' : emptyText(quota, nowMs),
      )
    case 'empty':
      return as('critical')
    case 'blocked': {
      if (usesWholeRefill(quota)) return as('critical', UNTIL_OTHERS_SLOW)
      const { blockedUntil: untilMs } = quota
      return untilMs === undefined
        ? as('critical')
        : { ...as('critical', retryText(untilMs, nowMs)), untilMs }
    }
    case 'not-checked':
      return as('unknown')
  }
}

/**
 * The text next to the label in a table: usually the note. After a 429, it is the time until the next try,
 * such as `in 40 s`. If that time is unknown, it is the number of 429s so far, such as `×12`.
 */
export function rowNote(quota: RequestQuota, nowMs: number): string {
  const { state, note, untilMs } = quotaStatus(quota, nowMs)
  if (state !== 'blocked') return note
  if (untilMs !== undefined) return untilMs > nowMs ? `in ${note}` : note
  return quota.rejected > 1 ? `×${quota.rejected}` : ''
}

/**
 * Severity of a row that is short of requests. `emptyAt` is the estimated time at which it runs out, epoch
 * ms.
 */
export function shortSeverity(state: ShortState, emptyAt: number | undefined, nowMs: number): Severity {
  if (state === 'empty') return 'critical'
  const isNear = emptyAt !== undefined && emptyAt - nowMs <= CRITICAL_SECONDS * 1000
  return state === 'running-out' && isNear ? 'critical' : 'warning'
}

/**
 * The problem that a row shows in place of its state. `undefined` without a problem, or if the state itself
 * needs attention.
 */
export function refusedProblem(quota: RequestQuota, nowMs: number): RowProblem | undefined {
  const state = stateAt(quota, nowMs)
  return state === 'ok' || state === 'not-checked' ? shownProblem(quota, nowMs) : undefined
}

/**
 * Whether all numbers of a row are outdated: it is not checked, or its checks are rejected. The history then
 * has no level, because an estimate is not a measured level.
 */
export function isUnchecked(quota: RequestQuota, nowMs: number): boolean {
  const status = refusedProblem(quota, nowMs)?.status
  return stateAt(quota, nowMs) === 'not-checked' || status === 401 || status === 403
}

/** Shown for a row that might already be empty, but might also never run out. */
const ANY_MOMENT = 'any moment'

/**
 * When the row runs out, the same in the whole app:
 * - `14:33–14:36`: the usual case. `14:33` if both times are in one minute.
 * - `by 14:36`: the row might be empty already.
 * - `14:33 or later`: the row might never run out.
 * - `as early as 14:33`: a watched row.
 * - `within 10 min`: the row runs out only if use increases.
 */
export function emptyText({ emptyFrom, emptyTo, emptyAt, state }: RequestQuota, nowMs: number): string {
  const fromMs = emptyFrom ?? emptyAt
  // An earlier version sends only the most likely time.
  const toMs = emptyFrom === undefined ? emptyAt : emptyTo
  if (fromMs === undefined) return 'within 10 min'
  if (state === 'watch') return `as early as ${minuteText(fromMs)}`
  if (toMs === undefined) return fromMs <= nowMs ? ANY_MOMENT : `${minuteText(fromMs)} or later`
  const endMs = Math.max(toMs, nowMs)
  // A deadline is rounded up: if it is 14:32:40, the row is surely empty by 14:33, but perhaps not by 14:32.
  if (fromMs <= nowMs) return `by ${minuteText(Math.ceil(endMs / MINUTE_MS) * MINUTE_MS)}`
  const [from, to] = [minuteText(fromMs), minuteText(endMs)]
  return from === to ? from : `${from}–${to}`
}

/** `emptyText` as part of a sentence: `runs out 14:33–14:36`, `runs out at 14:33 or later`. */
export function runsOutText(row: RequestQuota, nowMs: number): string {
  const when = emptyText(row, nowMs)
  if (when === ANY_MOMENT) return 'is about to run out'
  if (when.startsWith('within') || when.startsWith('as early')) return `may run out ${when}`
  return `runs out ${/^\d\d:\d\d(?!–)/.test(when) ? 'at ' : ''}${when}`
}

/** What ends 429s that continue because others use the whole refill. */
export const OTHERS_SLOW = 'others slow down'

/** Replaces a countdown while 429s continue because others use the whole refill. */
export const UNTIL_OTHERS_SLOW = `until ${OTHERS_SLOW}`

/** `UNTIL_OTHERS_SLOW` with `429` before it, for a text such as `Calls get 429 until others slow down.` */
export const GETS_429 = `429 ${UNTIL_OTHERS_SLOW}`

/** `40 s`, `now`: time until a rate-limited request can be retried. */
export function retryText(blockedUntilMs: number, nowMs: number): string {
  return blockedUntilMs <= nowMs ? 'now' : countdownText(blockedUntilMs - nowMs, 'up')
}

/** Both bounds in per cent of the limit, rounded down: `13–84 %`, or `17 %` if they are equal. */
export function shareLeftText({ low, high, limit }: Bounds): string {
  const percent = (requests: number) => (limit > 0 ? Math.floor((requests / limit) * 100) : 0)
  const [least, most] = [percent(low), percent(high)]
  return least === most ? `${least} %` : `${least}–${most} %`
}

/**
 * `38`, the lower bound of the requests left. `60–95` if the bounds differ by more than a tenth of the limit.
 */
export const surelyLeftText = (quota: Bounds): string =>
  isRange(quota) ? `${quota.low}–${quota.high}` : String(quota.low)

/** Age at which a header counts as old. Milliseconds. */
export const STALE_AFTER_MS = 120_000

/** Whether a row's last header is old at `nowMs`, epoch ms. */
export function isStale(quota: Pick<RequestQuota, 'source' | 'observedAt'>, nowMs: number): boolean {
  if (quota.source === 'default' || quota.observedAt === undefined) return false
  return nowMs - quota.observedAt > STALE_AFTER_MS
}

/** A number is shown as a range if `high − low` exceeds this share of the limit. */
const RANGE_FROM = 0.1
const isRange = ({ low, high, limit }: Bounds) => high - low > limit * RANGE_FROM

/** Whether the upper bound of a low row is above the row's threshold. The row is then perhaps not low. */
export const isPerhapsLow = (row: RequestQuota): boolean =>
  isRange(row) && row.high > row.threshold * row.limit

type Bounds = Pick<RequestQuota, 'low' | 'high' | 'limit'>

/**
 * The estimated level: `38`, or `60–95` if the interval is wider than a tenth of the limit. `–` without a
 * header.
 *
 * The number begins with `~` if the last header is older than two minutes. For an unchecked row, it is the
 * level in the last header, after the word `was`.
 */
export function leftParts(quota: RequestQuota, nowMs: number) {
  if (quota.source === 'default') return { number: '–' }
  const { low, high, remaining, seen = remaining } = quota
  if (isUnchecked(quota, nowMs)) return { word: 'was', number: String(seen) }
  const number = isRange(quota) ? `${low}–${high}` : String(remaining)
  return { number: isStale(quota, nowMs) ? `~${number}` : number }
}

/** `leftParts` as one text: `38`, `was 294`. */
export function leftText(quota: RequestQuota, nowMs: number): string {
  const { word, number } = leftParts(quota, nowMs)
  return word === undefined ? number : `${word} ${number}`
}

/**
 * Age of the last header: `12 s`, `104 s`, or `4 min ago` if the header is old. `documented` if no header has
 * arrived, because the service's documented numbers are shown.
 */
export function ageText(quota: RequestQuota, nowMs: number): string {
  if (quota.source === 'default' || quota.observedAt === undefined) return 'documented'
  return isStale(quota, nowMs)
    ? `${coarseSinceText(quota.observedAt, nowMs)} ago`
    : `${Math.max(0, Math.floor((nowMs - quota.observedAt) / 1000))} s`
}

/**
 * When the row is full again if all use stops: `full`, a time of day, or a duration. `–` if the row is
 * unchecked or perhaps does not refill. `?` if unknown.
 */
export function fullText(quota: RequestQuota, nowMs: number, as: 'clock' | 'countdown' = 'clock'): string {
  if (isUnchecked(quota, nowMs) || isDraining(quota)) return UNCHECKED
  const { fullAt, remaining, limit } = quota
  // If the level is a range, the quota is perhaps not full, and the time when it will be full is unknown.
  if (remaining >= limit || (fullAt !== undefined && fullAt <= nowMs)) return isRange(quota) ? '?' : 'full'
  if (fullAt === undefined) return '?'
  return as === 'clock' ? clockText(fullAt) : countdownText(fullAt - nowMs, 'up')
}

/**
 * Whether the row perhaps does not refill: use may exceed the refill, or the row gets 429s and others use the
 * whole refill.
 */
function isDraining(quota: RequestQuota): boolean {
  return quota.state === 'blocked'
    ? usesWholeRefill(quota)
    : quota.model === 'rolling' && (quota.emptyFrom ?? quota.emptyAt) !== undefined
}

/** `12 s`, `now`. Empty if no check is planned. */
export function nextCheckText({ nextCheckAt }: RequestQuota, nowMs: number): string {
  if (nextCheckAt === undefined) return ''
  const leftMs = nextCheckAt - nowMs
  if (leftMs <= 0) return 'now'
  const minutes = Math.ceil(leftMs / 60_000)
  return leftMs >= 60_000 && minutes < 60 ? `${minutes} min` : countdownText(leftMs, 'up')
}

/** Replaces the numbers of an unchecked row. */
const UNCHECKED = '–'

/** Own use in requests per second: `0.4`, `0`. `?` if unknown, `–` for an unchecked row. */
export function ownText({ use, state }: RequestQuota): string {
  if (state === 'not-checked') return UNCHECKED
  return use === null ? '?' : rateRangeText(use.own, use.own)
}

/**
 * Requests per second of the desk's other machines: `0.4`, or `0` without a desk. For `?` and `–`, see
 * `ownText`. Also `–` while this machine works alone or the desk refuses it.
 */
export function deskText({ use, state }: RequestQuota, desk: DeskSummary | undefined): string {
  if (state === 'not-checked' || (desk !== undefined && desk.state !== 'joined')) return UNCHECKED
  return use === null ? '?' : rateRangeText(use.desk ?? 0, use.desk ?? 0)
}

/** Others' use as an interval, requests per second: `1.2–1.3`, `0`. For `?` and `–`, see `ownText`. */
export function othersText({ use, state }: RequestQuota): string {
  if (state === 'not-checked') return UNCHECKED
  if (use === null) return '?'
  return rateRangeText(othersAtLeast(use), use.elsewhereHigh ?? use.elsewhere)
}

/**
 * `a poller, every 5 s, since 08:01`. With several calls per poll, `3 calls every 10 s` or `3 or more calls`.
 */
export function pollerText(poller: NonNullable<RequestQuota['poller']>): string {
  const { everySeconds, calls, mayBeMore, since } = poller
  const polls = calls === 1 ? '' : `${calls}${mayBeMore ? ' or more' : ''} calls `
  return `a poller, ${polls}every ${everySeconds} s, since ${minuteText(since)}`
}

const othersAtLeast = (use: NonNullable<RequestQuota['use']>): number => use.elsewhereLow ?? use.elsewhere

/**
 * Whether a row is recovering: the refill exceeds use, even at the high end of others' use. Its label may
 * still be `running out`, because labels change with a delay.
 */
export function isRecovering({ emptyAt, emptyFrom, use, model, limit, period }: RequestQuota): boolean {
  if ((emptyFrom ?? emptyAt) !== undefined || use === null || model !== 'rolling') return false
  return use.own + (use.desk ?? 0) + (use.elsewhereHigh ?? use.elsewhere) < limit / period
}

/** Whether others alone use the whole refill: headers show it, or tries get 429s with Remaining 0. */
export function usesWholeRefill(row: RequestQuota): boolean {
  return row.nextTryAt !== undefined || isRefill(row, row.use?.elsewhere)
}

/**
 * Whether the whole refill is certainly used, mostly by others. Adds own and desk requests to the low end of
 * others' use.
 */
export function surelyUsesWholeRefill(row: RequestQuota): boolean {
  if (row.nextTryAt !== undefined) return true
  if (row.use === null) return false
  const [others, counted] = [othersAtLeast(row.use), row.use.own + (row.use.desk ?? 0)]
  return others > counted && isRefill(row, others + counted)
}

const isRefill = ({ model, limit, period }: RequestQuota, perSecond: number | undefined): boolean =>
  perSecond !== undefined && model === 'rolling' && period > 0 && isWholeRefill(perSecond, limit, period)
