import { isOfWholeKey } from '../contract/events.ts'
import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { emptyAtWith } from '../quota/safe-pace.ts'
import { scopeOf } from '../service/categories.ts'
import { durationText, pushedMs } from './durations.ts'
import { clockText, dayAndMinuteText } from './moments.ts'
import { isServiceAway, keyProblems } from './problem-status.ts'
import {
  isUnchecked,
  OTHERS_SLOW,
  refusedProblem,
  retryText,
  stateAt,
  surelyUsesWholeRefill,
  usesWholeRefill,
} from './quota-status.ts'
import { hasExpired } from './token-status.ts'

/**
 * The rate that the quota can sustain: `1 per 1.9 s`, or `none` if others use the whole refill. After a 429:
 * `in 40 s`. Until the rate is known: `?`.
 */
export function safePaceText(quota: RequestQuota, nowMs: number): string {
  const state = stateAt(quota, nowMs)
  if (state === 'blocked') {
    if (usesWholeRefill(quota)) return 'none'
    if (quota.blockedUntil === undefined || quota.blockedUntil <= nowMs) return 'retry now'
    return `in ${retryText(quota.blockedUntil, nowMs)}`
  }
  if (isUnchecked(quota, nowMs) || quota.safe === undefined) return '?'
  return paceText(quota.safe.everySeconds)
}

/** How many requests can be sent now, and the text that follows this number in a table. */
export interface Allowance {
  readonly burst?: number
  readonly text: string
  /** What ends a 429: `14:36:05`, or `others slow down`. Absent if a call may succeed now. */
  readonly until?: string
}

/**
 * How many requests can be sent now, and a text: `226` and `now, then 1 per 1.2 s`. For a fixed window, the
 * text is `now, or 1 per 1.2 s`.
 *
 * Without a number:
 * - After a 429: `none until 14:36:05`, or `none until others slow down`.
 * - Until others' use is known: `measuring`.
 * - For an unchecked row: the reason, which depends on `key`.
 */
export function allowanceOf(quota: RequestQuota, nowMs: number, key?: KeyStanding): Allowance {
  const { safe, blockedUntil, model } = quota
  if (isUnchecked(quota, nowMs)) return { text: uncheckedText(quota, nowMs, key) }
  if (stateAt(quota, nowMs) === 'blocked') {
    const isOver = blockedUntil === undefined || blockedUntil <= nowMs
    if (isOver && !usesWholeRefill(quota)) return { text: 'retry now' }
    const until = usesWholeRefill(quota) ? OTHERS_SLOW : clockText(blockedUntil ?? nowMs)
    return { text: `none until ${until}`, until }
  }
  if (safe === undefined) return { text: 'measuring' }
  const { burst, everySeconds } = safe
  return { burst, text: `now, ${model === 'fixed' ? 'or' : 'then'} ${paceText(everySeconds)}` }
}

/** The parts of a snapshot that decide whether calls of a key can succeed. */
export type KeyStanding = Pick<Snapshot, 'at' | 'refresh' | 'access' | 'service' | 'requests'>

/**
 * Why a row is not checked, such as `paused until sign-in`, `needs ReadAccount`, `calls get 401`, `calls
 * fail: no response`, or `checks get 404`. Without a known reason: `last header 14:02`.
 */
function uncheckedText(quota: RequestQuota, nowMs: number, key: KeyStanding | undefined): string {
  const state = key?.refresh.state
  if (state === 'revoked' || state === 'revoking' || state === 'revoke-unconfirmed') return 'signed out here'
  if (state === 'sign-in-required' || state === 'none') return 'paused until sign-in'
  const { observedAt, category } = quota
  const problem = refusedProblem(quota, nowMs)
  if (problem?.status === 403) return `needs ${scopeOf(category)}`
  if (problem !== undefined && problem.status < 400)
    return `no headers since ${dayAndMinuteText(problem.since, nowMs)}`
  if (key !== undefined && isServiceAway(key.service)) return 'calls fail: no response'
  if (key !== undefined && hasExpired(key.access, pushedMs(key, nowMs))) return 'calls fail: access expired'
  const ofKey =
    key && keyProblems(key, nowMs).find(({ isWhole, problem: { status } }) => isWhole && status >= 400)
  const { status } = problem ?? ofKey?.problem ?? {}
  if (status !== undefined) return `${isOfWholeKey(status) ? 'calls' : 'checks'} get ${status}`
  return observedAt === undefined ? '' : `last header ${dayAndMinuteText(observedAt, nowMs)}`
}

/** A pace as text: `1 per 1.9 s`, or `12 per s` if it is above ten per second. `none` for `null`. */
export function paceText(everySeconds: number | null): string {
  if (everySeconds === null) return 'none'
  if (everySeconds < 0.1) return `${Math.floor(1 / everySeconds)} per s`
  // Rounded up, because a faster pace is not safe.
  const tenths = Math.ceil(everySeconds * 10 - 1e-9)
  return tenths < 1000 ? `1 per ${(tenths / 10).toFixed(1)} s` : `1 per ${Math.ceil(everySeconds)} s`
}

/**
 * The safe pace and the burst: `1 per 1.9 s, 36 at once above the gateway’s reserve`, or `none: others use
 * the whole refill`.
 */
export function safeFactText(quota: RequestQuota, nowMs: number): string {
  const pace = safePaceText(quota, nowMs)
  if (quota.safe === undefined || pace === '?' || stateAt(quota, nowMs) === 'blocked') return pace
  const { everySeconds, burst } = quota.safe
  const instead = quota.model === 'fixed' ? ' instead' : ''
  const atOnce = burst === 0 ? '' : `, ${burst} at once${instead} above the gateway’s reserve`
  return `${everySeconds === null ? `none: ${whoTakesAll(quota)}` : pace}${atOnce}`
}

/**
 * Who uses the whole refill:
 * - `others use …`: even the low end of others' use reaches the refill.
 * - `others and the desk may use …`: others alone do not reach the refill, but the desk's other machines use
 *   some of it.
 * - `others may use …`: any other case.
 */
export function whoTakesAll(quota: RequestQuota): string {
  if (surelyUsesWholeRefill(quota)) return 'others use the whole refill'
  const isWithDesk = (quota.use?.desk ?? 0) > 0 && !usesWholeRefill(quota)
  return `${isWithDesk ? 'others and the desk' : 'others'} may use the whole refill`
}

/** `whatIfText` shows a time of day only if it is at most this number of periods from now. */
const WHAT_IF_PERIODS = 12

/**
 * When a row would run out with `addedPerSecond` more requests per second: `lasts`, `empty now`, or `empty at
 * 14:52:10 at the earliest`. If the time is unknown, the text gives the reason.
 */
export function whatIfText(quota: RequestQuota, addedPerSecond: number, nowMs: number): string {
  const state = stateAt(quota, nowMs)
  if (state === 'not-checked') return 'unknown: no level was measured'
  if (state === 'blocked') return 'unknown until the 429 ends'
  if (state === 'empty') return 'empty now'
  // Computed for the snapshot's time, so that the result changes only with a new snapshot.
  const atMs = emptyAtWith(quota, addedPerSecond, quota.asOf)
  if (atMs === 'not-known') return 'unknown: still measuring others'
  if (atMs === 'lasts') return 'lasts'
  if (atMs - nowMs > WHAT_IF_PERIODS * quota.period * 1000) {
    return `lasts more than ${durationText(WHAT_IF_PERIODS * quota.period)}`
  }
  return atMs <= nowMs ? 'empty now' : `empty at ${clockText(atMs)} at the earliest`
}
