import type { Health } from '../contract/key-health.ts'
import { NO_ORDERS } from '../contract/orders.ts'
import { mostUrgent, type Severity } from '../contract/severity.ts'
import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { doubtfulRows } from '../quota/verdict.ts'
import { coarseSinceText, sinceText } from '../status/durations.ts'
import { STALE_AFTER_MS, STATE_LABELS } from '../status/quota-status.ts'
import { capitalised } from '../status/sentences.ts'
import { type Condition, conditionsOf, freshestMs, isStopped, judgedRows } from './evaluate.ts'
import { ASPECTS, type Aspect, CONDITIONS } from './kinds.ts'
import { messageOf } from './messages/conditions.ts'
import type { Message } from './messages/message.ts'
import { alsoSentence, okStatus, soFarLabel } from './messages/ok.ts'
import { type Remedy, remedyOf } from './remedies.ts'

/** A root condition of a key with its text. */
export interface Finding extends Condition, Message {
  readonly aspect: Aspect
  readonly remedy?: Remedy
}

/** A key's root causes at `nowMs` (epoch ms), the headline first. Empty without problems. */
export function keyFindings(snapshot: Snapshot, nowMs: number): readonly Finding[] {
  return conditionsOf(snapshot, nowMs).roots.map((root) => findingOf(root, snapshot, nowMs))
}

function findingOf(condition: Condition, snapshot: Snapshot, nowMs: number): Finding {
  const remedy = remedyOf(condition, snapshot)
  return {
    ...condition,
    ...messageOf(condition, snapshot, nowMs),
    aspect: CONDITIONS[condition.kind].aspect,
    ...(remedy && { remedy }),
  }
}

/**
 * Status of an API key, the same in the whole app: the text of its root cause, or the text of an ok key.
 *
 * Each surface chooses the parts that fit, and whether to show times of day or countdowns.
 */
export interface KeyStatus extends Message {
  readonly severity: Severity
  readonly subject?: string
  /** The row concerned. For an ok key, the tightest row. */
  readonly row?: RequestQuota
  /** Number of further root causes. */
  readonly others: number
}

/** The state of the key at `nowMs`, epoch ms, on the clock of the snapshot's `at`. */
export function keyStatus(snapshot: Snapshot, nowMs: number): KeyStatus {
  const findings = keyFindings(snapshot, nowMs)
  const [worst] = findings
  return worst === undefined
    ? { ...okStatus(snapshot, nowMs), others: 0 }
    : { ...worst, others: findings.length - 1 }
}

/** The health of a key, for programs. */
export function healthOf(snapshot: Snapshot, nowMs: number): Health {
  const [worst] = keyFindings(snapshot, nowMs)
  const { severity, subject, title, text, action, row } = keyStatus(snapshot, nowMs)
  const until = row?.blockedUntil ?? row?.emptyAt
  return {
    severity,
    cause: worst?.kind ?? 'ok',
    ...(subject !== undefined && { subject }),
    ...(worst?.since !== undefined && { since: worst.since }),
    ...(worst !== undefined && until !== undefined && { until }),
    title: [title, text].filter(Boolean).join(' '),
    action,
    ...(worst?.remedy && { remedy: worst.remedy.kind }),
  }
}

/**
 * The headline of a key at `nowMs`, epoch ms, in one line: its root cause, and the names of further root
 * causes. `detail`: the action, and the reason.
 */
export function headline(snapshot: Snapshot, nowMs: number) {
  const [, ...others] = keyFindings(snapshot, nowMs)
  const { severity, title, text, action, detail } = keyStatus(snapshot, nowMs)
  return {
    severity,
    headline: [title, text, alsoSentence(others)].filter(Boolean).join(' '),
    detail: [action, detail].filter(Boolean).join(' '),
  }
}

/** Text for a screen reader. It changes with the state, not with each step of a countdown. */
export function spokenText(snapshot: Snapshot, nowMs: number): string {
  const [worst] = keyFindings(snapshot, nowMs)
  return worst === undefined ? okStatus(snapshot, nowMs).title : `${worst.name}.`
}

/** One part of the key's health, in one or two words: `Streams 1 silent`. */
export interface AspectStatus {
  readonly aspect: Aspect
  readonly name: string
  readonly severity: Severity
  readonly label: string
}

/**
 * All parts of the key's health at `nowMs`, epoch ms, including healthy ones. If the key cannot make calls,
 * no part is ok. Orders are included after a person has allowed them. The desk is included if there is one.
 */
export function aspectStatuses(snapshot: Snapshot, nowMs: number): readonly AspectStatus[] {
  const conditions = conditionsOf(snapshot, nowMs)
  const { roots, consequences } = conditions
  const stopped = isStopped(conditions)
  const { state, unknown } = snapshot.orders ?? NO_ORDERS
  const absent = new Set<Aspect>([
    ...(state === 'off' && unknown.length === 0 ? (['orders'] as const) : []),
    ...(snapshot.desk === undefined ? (['desk'] as const) : []),
  ])
  return ASPECTS.filter((aspect) => !absent.has(aspect)).map((aspect) => {
    const isOf = ({ kind }: Condition) => CONDITIONS[kind].aspect === aspect
    // While all calls fail, conditions that are only consequences are left out.
    const of = [...roots.filter(isOf), ...(stopped ? [] : consequences.filter(isOf))]
    const worst = mostUrgent(of)
    const name = capitalised(aspect)
    if (worst === undefined || worst.kind === 'not-checked')
      return { aspect, name, ...withoutCondition(aspect, snapshot, stopped, nowMs) }
    const { label } = messageOf(worst, snapshot, nowMs)
    const count = of.filter(({ kind }) => kind === worst.kind).length
    return { aspect, name, severity: worst.severity, label: aspect === 'slots' ? `${count} ${label}` : label }
  })
}

/** A part's severity and label, and its name if it is not the aspect's. */
type ShownPart = Pick<AspectStatus, 'severity' | 'label'> & Partial<Pick<AspectStatus, 'name'>>

function withoutCondition(aspect: Aspect, snapshot: Snapshot, stopped: boolean, nowMs: number): ShownPart {
  const { streams, slots } = snapshot
  const unchecked = { severity: 'unknown', label: STATE_LABELS['not-checked'] } as const
  switch (aspect) {
    case 'orders':
      return { severity: 'ok', label: 'allowed' }
    case 'desk':
      return { severity: 'ok', label: 'joined' }
    case 'data':
      return stopped ? { ...dataAge(snapshot, nowMs), severity: 'unknown' } : dataAge(snapshot, nowMs)
    case 'streams':
      if (streams.length === 0) return { severity: 'unknown', label: 'none' }
      if (streams.every(({ state }) => state === 'closed')) return { severity: 'unknown', label: 'closed' }
      if (!stopped) return { severity: 'ok', label: STATE_LABELS.ok }
      return streams.some(({ state }) => state === 'live')
        ? { severity: 'ok', label: 'still live' }
        : { severity: 'unknown', label: 'paused' }
    case 'slots':
      return stopped || slots.every(({ source }) => source === 'default')
        ? { severity: 'unknown', label: stopped ? unchecked.label : 'not observed' }
        : { severity: 'ok', label: STATE_LABELS.ok }
    case 'quotas': {
      const rows = judgedRows(snapshot, nowMs)
      if (stopped || rows.length === 0) return unchecked
      const doubtful = doubtfulRows(rows)
      return doubtful.length > 0
        ? { severity: 'unknown', label: soFarLabel(doubtful) }
        : { severity: 'ok', label: STATE_LABELS.ok }
    }
    case 'sign-in':
      // `signInHost` is also absent while the service is unreachable. The service's condition then names both
      // hosts.
      return snapshot.signInHost === undefined
        ? { severity: 'ok', label: stopped ? 'valid' : STATE_LABELS.ok }
        : { severity: 'critical', label: 'unreachable' }
    case 'service':
      return stopped || !snapshot.service.reachable ? unchecked : { severity: 'ok', label: STATE_LABELS.ok }
  }
}

/** The age of the newest header. Other rows may be older. */
function dataAge(snapshot: Snapshot, nowMs: number): ShownPart {
  const freshest = freshestMs(snapshot)
  if (freshest === undefined) return { severity: 'unknown', label: 'none yet' }
  const name = 'Quota data'
  return nowMs - freshest > STALE_AFTER_MS
    ? { name, severity: 'unknown', label: `${coarseSinceText(freshest, nowMs)} old` }
    : { name, severity: 'ok', label: `${sinceText(freshest, nowMs)} old` }
}
