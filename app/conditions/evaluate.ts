import { type Severity, urgencyOf } from '../contract/severity.ts'
import type { ProgramSummary, RequestQuota, Snapshot, StreamSummary } from '../contract/snapshot.ts'
import { type JudgedRow, worstFirst } from '../quota/verdict.ts'
import { SILENT_AFTER_MS } from '../service/stream-kinds.ts'
import { pushedMs } from '../status/durations.ts'
import { isServiceAway, type KeyProblem, keyProblems } from '../status/problem-status.ts'
import { isStale, quotaStatus, stateAt, usesWholeRefill } from '../status/quota-status.ts'
import { waitsForSlot } from '../status/stream-status.ts'
import { hasExpired, SIGN_IN_ENDING, signInEndSeverity } from '../status/token-status.ts'
import { CONDITION_KINDS, CONDITIONS, type ConditionKind, explains, kindRow } from './kinds.ts'

/** A problem or noteworthy fact about a key. Its text is in `messages/`. */
export interface Condition {
  readonly kind: ConditionKind
  readonly severity: Severity
  /** The quota or group of slots concerned. Absent if the condition concerns the whole key. */
  readonly subject?: string
  /** When the condition began, epoch ms. Absent if unknown. */
  readonly since?: number
  readonly row?: RequestQuota
  /** The problem behind the condition. Present only if responses lacked quota headers. */
  readonly problem?: KeyProblem
}

/** Everything wrong with a key, as root conditions and their consequences. */
export interface KeyConditions {
  /**
   * Conditions that no other condition explains. The most severe comes first. Equally severe conditions are
   * in the order of `CONDITIONS`.
   */
  readonly roots: readonly Condition[]
  /** Conditions that a root explains. */
  readonly consequences: readonly Condition[]
}

/**
 * A stream with at least this many restarts in ten minutes counts as restarting. An occasional planned
 * restart is normal (service 12).
 */
const OFTEN = 3
/**
 * A shortage counts as own use if Headroom and its programs account for at least this share of the quota's
 * use.
 */
const MOSTLY_OWN = 0.5

/** The conditions of a key at `nowMs`, epoch ms, on the clock of the snapshot's `at`. */
export function conditionsOf(snapshot: Snapshot, nowMs: number): KeyConditions {
  const all = [
    ...storageConditions(snapshot),
    ...signInConditions(snapshot, nowMs),
    ...hostConditions(snapshot, nowMs),
    ...answerConditions(snapshot, nowMs),
    ...streamConditions(snapshot, nowMs),
    ...rowConditions(snapshot, nowMs),
    ...dataConditions(snapshot, nowMs),
    ...ownConditions(snapshot, nowMs),
  ]
  const isExplained = (one: Condition) => all.some((cause) => isCauseOf(cause, one))
  return {
    roots: all.filter((one) => !isExplained(one)).sort(worstConditionFirst),
    consequences: all.filter(isExplained).sort(worstConditionFirst),
  }
}

/** Whether all calls fail. If so, no part of the key can be reported as fine. */
export function isStopped({ roots }: KeyConditions): boolean {
  return roots.some(({ kind }) => CONDITIONS[kind].stopsCalls)
}

/** Whether one condition causes another. An empty or absent `subject` means the whole key. */
export function isCauseOf(
  { kind, subject, problem }: Pick<Condition, 'kind' | 'subject' | 'problem'>,
  one: { readonly kind: string; readonly subject?: string },
): boolean {
  if (!explains(kind, one.kind)) return false
  if (!one.subject) return true
  if (problem !== undefined && !problem.isWhole) return problem.categories.includes(one.subject)
  return !subject || subject === one.subject
}

const RANK = new Map(CONDITION_KINDS.map((kind, at) => [kind, at]))
const rankOf = ({ kind }: Condition) => RANK.get(kind) ?? 0
const worstConditionFirst = (a: Condition, b: Condition) =>
  urgencyOf(b.severity) - urgencyOf(a.severity) || rankOf(a) - rankOf(b)

function storageConditions({ keystore, refresh }: Snapshot): readonly Condition[] {
  switch (keystore) {
    case 'ok':
    case 'memory':
      return []
    case 'record-corrupt':
      return [{ kind: 'keys-damaged', severity: 'critical' }]
    case 'waiting':
    case 'no-passphrase':
      return [{ kind: 'keys-locked', severity: 'critical' }]
    case 'unreadable':
      return [{ kind: 'keys-unreadable', severity: 'critical' }]
    case 'key-changed':
      return [{ kind: 'keys-sealed-elsewhere', severity: 'critical' }]
    case 'unavailable':
      return [{ kind: 'keyring-away', severity: 'warning' }]
    case 'unprotected':
      return refresh.stored === 'sealed' ? [] : [{ kind: 'keyring-unprotected', severity: 'warning' }]
  }
}

const SIGNED_OUT = { kind: 'signed-out', severity: 'critical' } as const

function signInConditions(snapshot: Snapshot, nowMs: number): readonly Condition[] {
  const { refresh, access } = snapshot
  switch (refresh.state) {
    case 'none':
      return [SIGNED_OUT]
    case 'sign-in-required':
      if (refresh.cause === 'locked') return []
      if (refresh.cause === 'misconfigured') return [{ kind: 'key-rejected', severity: 'critical' }]
      return [{ ...SIGNED_OUT, ...sinceOf(refresh.revokedAt) }]
    case 'revoked': {
      // A revocation by the person at this machine is no problem. A revocation on another machine is
      // unexpected here.
      const isHere = refresh.revokedBy === undefined
      const how = isHere ? { kind: 'revoked' as const, severity: 'ok' as const } : SIGNED_OUT
      return [{ ...how, ...sinceOf(refresh.revokedAt) }]
    }
    case 'revoking':
      return [{ kind: 'revoking', severity: 'warning' }]
    case 'revoke-unconfirmed':
      return [{ kind: 'revocation-unconfirmed', severity: 'critical' }]
    case 'unconfirmed':
      // The first refresh takes a moment and is no problem.
      return access.state === 'refreshing' ? [] : [{ kind: 'renewal-failing', severity: 'warning' }]
    case 'valid':
      break
  }
  const { endsAt } = refresh
  const ends: readonly Condition[] =
    endsAt === undefined || endsAt - nowMs > SIGN_IN_ENDING.watchMs
      ? []
      : [{ kind: 'sign-in-ends', severity: signInEndSeverity(endsAt, nowMs) }]
  if (!hasExpired(snapshot.access, pushedMs(snapshot, nowMs))) return ends
  return [...ends, { kind: 'renewal-failing', severity: 'critical' }]
}

const sinceOf = (since: number | undefined) => (since === undefined ? {} : { since })

function hostConditions(snapshot: Snapshot, nowMs: number): readonly Condition[] {
  const { service, signInHost } = snapshot
  const isAway = isServiceAway(service)
  if (signInHost === undefined) {
    return isAway ? [{ kind: 'service-unreachable', severity: 'critical', ...sinceOf(service.since) }] : []
  }
  const { since } = signInHost
  if (isAway)
    return [
      { kind: 'hosts-unreachable', severity: 'critical', since: Math.min(since, service.since ?? since) },
    ]
  // The service may reject a token before it expires. While the sign-in host is unreachable, Headroom can't
  // get another token.
  const isRejected = keyProblems(snapshot, nowMs).some(
    ({ problem, isWhole }) => problem.status === 401 && isWhole,
  )
  return hasExpired(snapshot.access, nowMs) || snapshot.access.state === 'none' || isRejected
    ? [{ kind: 'sign-in-host-gone', severity: 'critical', since }]
    : [{ kind: 'sign-in-host-unreachable', severity: 'warning', since }]
}

/**
 * Conditions from responses without quota headers. The cause is the token, the service or a row. A 401 during
 * a refresh does not count, because the refresh may replace the rejected token.
 */
function answerConditions(snapshot: Snapshot, nowMs: number): readonly Condition[] {
  const problems = keyProblems(snapshot, nowMs).filter(
    ({ problem }) => problem.status !== 401 || snapshot.access.state !== 'refreshing',
  )
  return problems.map((problem): Condition => {
    const { status, since } = problem.problem
    const common = { since, problem }
    const [category] = problem.categories
    const subject = problem.isWhole ? {} : { subject: category }
    if (status === 401 && problem.isWhole) return { ...common, kind: 'token-rejected', severity: 'critical' }
    // A 403 is a single condition, however many rows it affects.
    if (status === 403) return { ...common, kind: 'permission-missing', severity: 'warning' }
    if (status >= 500) {
      return problem.isWhole
        ? { ...common, kind: 'service-failing', severity: 'critical' }
        : { ...common, ...subject, kind: 'quota-failing', severity: 'warning' }
    }
    if (status >= 400) return { ...common, ...subject, kind: 'check-rejected', severity: 'warning' }
    return { ...common, ...subject, kind: 'no-headers', severity: 'warning' }
  })
}

/** The streams of a key, sorted by whether they receive data. A waiting stream is not silent. */
export interface StreamsHeard {
  readonly silent: readonly StreamSummary[]
  /** Streams that were open, have received no frame for a while, and have not reopened yet. */
  readonly missed: readonly StreamSummary[]
  /** Streams that wait, but not for a slot, and have never received a frame. */
  readonly unheard: readonly StreamSummary[]
  /** Streams that wait for a slot. */
  readonly queued: readonly StreamSummary[]
  readonly restarting: readonly StreamSummary[]
  /** All streams except those that a person or a program closed. */
  readonly wanted: readonly StreamSummary[]
}

/** Sorts the streams of a key by whether they receive data at `nowMs`, epoch ms. */
export function streamsHeard(snapshot: Snapshot, nowMs: number): StreamsHeard {
  const atMs = pushedMs(snapshot, nowMs)
  const wanted = snapshot.streams.filter(({ state }) => state !== 'closed')
  const isMissed = ({ state, lastFrameAt, reasonCode }: StreamSummary) =>
    (state === 'waiting' || state === 'opening') &&
    reasonCode !== 'no-slot' &&
    lastFrameAt !== undefined &&
    atMs - lastFrameAt >= SILENT_AFTER_MS
  return {
    wanted,
    silent: wanted.filter(({ state }) => state === 'stale'),
    missed: wanted.filter(isMissed),
    unheard: wanted.filter(
      (stream) => stream.state === 'waiting' && stream.lastFrameAt === undefined && !waitsForSlot(stream),
    ),
    restarting: wanted.filter(({ recentRestarts = 0 }) => recentRestarts >= OFTEN),
    queued: wanted.filter(waitsForSlot),
  }
}

function streamConditions(snapshot: Snapshot, nowMs: number): readonly Condition[] {
  const { silent, missed, unheard, queued, restarting, wanted } = streamsHeard(snapshot, nowMs)
  const quiet = [...silent, ...missed]
  const since = latestOf(quiet.map(({ lastFrameAt }) => lastFrameAt))
  const heard = wanted.length - quiet.length - unheard.length - queued.length
  const found: Condition[] = []
  if (quiet.length > 0 && heard === 0)
    found.push({ kind: 'no-stream-data', severity: 'critical', ...sinceOf(since) })
  if (silent.length > 0) found.push({ kind: 'streams-silent', severity: 'warning', ...sinceOf(since) })
  if (missed.length + queued.length > 0)
    found.push({ kind: 'streams-waiting', severity: 'warning', ...sinceOf(since) })
  if (restarting.length > 0) found.push({ kind: 'streams-restarting', severity: 'warning' })
  return found
}

/**
 * Two streams of one slot group: the open stream with the lowest rate, and a stream that waits for a slot.
 * `undefined` if either is missing.
 */
export function replacementOf(
  category: string | undefined,
  { streams }: Snapshot,
): { readonly quietest: StreamSummary; readonly waiting: StreamSummary } | undefined {
  const of = streams.filter((stream) => stream.category === category)
  const waiting = of.find(waitsForSlot)
  const [quietest] = of
    .filter(({ state }) => state === 'live' || state === 'stale')
    .toSorted((a, b) => a.framesPerSecond - b.framesPerSecond)
  return quietest && waiting && { quietest, waiting }
}

/** The latest of the known times. `undefined` if none is known. */
function latestOf(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

const KIND_OF = {
  blocked: 'rate-limited',
  empty: 'empty',
  'running-out': 'running-out',
  low: 'low',
  watch: 'watch',
} as const

function rowConditions(snapshot: Snapshot, nowMs: number): readonly Condition[] {
  return judgedRows(snapshot, nowMs).flatMap(({ row, state }): readonly Condition[] => {
    if (state === 'not-checked') return []
    const { severity } = quotaStatus(row, nowMs)
    const common = { subject: row.category, row, severity }
    const isAhead = row.usualLoad !== undefined && row.usualLoad.at > nowMs
    const usual: readonly Condition[] = isAhead ? [{ ...common, kind: 'usual-load', severity: 'watch' }] : []
    if (state === 'ok') return usual
    const effect: Condition = { ...common, kind: KIND_OF[state] }
    if (state === 'watch') return [...usual, effect]
    if (state === 'low') return [effect]
    if (usesWholeRefill(row)) return [{ ...common, kind: 'others-use-refill' }, effect]
    if (state === 'running-out' && isMostlyOwn(row)) return [{ ...common, kind: 'own-use' }, effect]
    return [effect]
  })
}

/** Whether Headroom and its programs account for at least half of a quota's use. */
export const isMostlyOwn = ({ use }: RequestQuota): boolean =>
  use !== null && use.total > 0 && use.own >= use.total * MOSTLY_OWN

/** The gateway's program that uses most of a quota. `undefined` if no program uses any. */
export function busiestProgram(
  { use }: RequestQuota,
  { programs = [] }: Pick<Snapshot, 'programs'>,
): ProgramSummary | undefined {
  const [most] = Object.entries(use?.programs ?? {}).toSorted(([, a], [, b]) => b - a)
  return most && programs.find(({ id }) => id === most[0])
}

/** Rows with current information, worst first. */
export function judgedRows(snapshot: Snapshot, nowMs: number): readonly JudgedRow[] {
  return worstFirst(snapshot.requests.map((row) => ({ row, state: stateAt(row, nowMs) })))
}

/**
 * Whether the last header or the lower bound proves that a row has recovered from a condition of `kind`.
 * False for an unchecked row, because its level is unknown.
 */
export function hasRecovered(kind: string, row: RequestQuota, nowMs: number): boolean {
  if (stateAt(row, nowMs) === 'not-checked') return false
  if (kind === 'others-use-refill' || kind === 'own-use') return true
  const wanted = kind === 'low' ? row.threshold * row.limit : 1
  return row.low >= wanted || (row.source === 'header' && !isStale(row, nowMs) && row.remaining >= wanted)
}

/** The time of the newest header of any row, epoch ms. `undefined` before the first header. */
export const freshestMs = ({ requests }: Snapshot): number | undefined =>
  latestOf(requests.map(({ observedAt }) => observedAt))

/** Conditions of all kinds that have a `detect` function. */
function ownConditions(snapshot: Snapshot, nowMs: number): readonly Condition[] {
  return CONDITION_KINDS.flatMap((kind) =>
    (kindRow(kind)?.detect?.(snapshot, nowMs) ?? []).map((found) => ({ kind, ...found })),
  )
}

function dataConditions(snapshot: Snapshot, nowMs: number): readonly Condition[] {
  const [tightest] = judgedRows(snapshot, nowMs)
  if (tightest === undefined) {
    // If rows are unchecked because responses have no quota headers, that problem is already a condition.
    return keyProblems(snapshot, nowMs).length > 0 ? [] : [{ kind: 'not-checked', severity: 'unknown' }]
  }
  const { row } = tightest
  if (!isStale(row, nowMs)) return []
  return [{ kind: 'not-checked', severity: 'unknown', row }]
}
