import type { Health } from '../contract/key-health.ts'
import { mostUrgent, type Severity } from '../contract/severity.ts'
import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { doubtfulRows, shownRows } from '../quota/verdict.ts'
import { coarseSinceText, sinceText } from '../status/durations.ts'
import { unansweredRows } from '../status/problem-status.ts'
import {
  leftText,
  othersText,
  STALE_AFTER_MS,
  STATE_LABELS,
  shareLeftText,
  stateAt,
} from '../status/quota-status.ts'
import { countText, listText } from '../status/rates.ts'
import { type Condition, conditionsOf, freshestMs, isStopped, judgedRows } from './evaluate.ts'
import { ASPECTS, type Aspect, CONDITIONS } from './kinds.ts'
import { type Message, messageOf } from './messages.ts'
import { type Remedy, remedyOf } from './remedies.ts'

/** A root condition of a key with its words. */
export interface Finding extends Condition, Message {
  readonly aspect: Aspect
  readonly remedy?: Remedy
}

/**
 * What is wrong with a key at `nowMs`, epoch ms: the root causes, the headline's first. Empty where all is
 * well.
 */
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
 * How one API key is, the same on every surface: the words of its root cause, or that it is ok.
 *
 * Pure. A surface chooses which parts it has room for, and clock or countdown.
 */
export interface KeyStatus extends Message {
  readonly severity: Severity
  readonly subject?: string
  /** The row that it is about; of a key that is ok, its tightest. */
  readonly row?: RequestQuota
  /** How many root causes there are besides this one. */
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

/** The same for programs. */
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

/** What is said of rows that are ok now, where too little is known of others' use to say for how long. */
const SO_FAR = `${STATE_LABELS.ok} so far`

function okStatus(snapshot: Snapshot, nowMs: number): Omit<KeyStatus, 'others'> {
  const rows = judgedRows(snapshot, nowMs)
  const [tightest] = rows
  const doubtful = doubtfulRows(rows)
  const unchecked = uncheckedRows(snapshot, nowMs)
  const unanswered = unansweredRows(snapshot, nowMs)
  const which = unchecked.length === 0 && unanswered.length === 0 ? '' : 'checked '
  const note =
    tightest === undefined ? '' : `tightest: ${tightest.row.category} ${shareLeftText(tightest.row)}`
  const words = { text: '', action: '', note, moment: note }
  const detail = [
    doubtSentence(doubtful),
    tightest &&
      `Tightest: ${tightest.row.category}, ${leftText(tightest.row, nowMs)} of ${tightest.row.limit} left.`,
    namedSentence('Not checked', unchecked),
    namedSentence('No number in the last answer', unanswered),
  ]
  return {
    ...words,
    ...(doubtful.length === 0
      ? {
          severity: 'ok',
          label: STATE_LABELS.ok,
          name: STATE_LABELS.ok,
          title: `No ${which}quota runs out within 10 min.`,
        }
      : { severity: 'unknown', label: SO_FAR, name: SO_FAR, title: `All ${which}quotas look fine so far.` }),
    detail: detail.filter(Boolean).join(' '),
    ...(tightest && { row: tightest.row }),
  }
}

/** `Still measuring other traffic: Positions (0–5.9/s).`; empty where it is known. */
function doubtSentence(rows: readonly RequestQuota[]): string {
  if (rows.length === 0) return ''
  const named = rows.map((row) =>
    row.use === null ? row.category : `${row.category} (${othersText(row)}/s)`,
  )
  const which = rows.length > MAX_NAMED ? countText(rows.length, 'quota') : listText(named)
  return `Still measuring other traffic: ${which}.`
}

/** The sentence a trader looks for, what to do about it, and why. */
export interface Headline {
  readonly severity: Severity
  readonly headline: string
  readonly detail: string
}

/** The headline of a key at `nowMs`, epoch ms, in one line: its root cause, and which others there are. */
export function headline(snapshot: Snapshot, nowMs: number): Headline {
  const [, ...others] = keyFindings(snapshot, nowMs)
  const { severity, title, text, action, detail } = keyStatus(snapshot, nowMs)
  return {
    severity,
    headline: [title, text, alsoSentence(others)].filter(Boolean).join(' '),
    detail: [action, detail].filter(Boolean).join(' '),
  }
}

/** Rows that a header spoke of once, and none lately enough to say what is left. */
function uncheckedRows(snapshot: Snapshot, nowMs: number): readonly RequestQuota[] {
  return shownRows(snapshot.requests).filter(
    (row) => row.source !== 'default' && stateAt(row, nowMs) === 'not-checked',
  )
}

/** `Not checked: Positions.`; empty where there is none. */
function namedSentence(what: string, rows: readonly RequestQuota[]): string {
  if (rows.length === 0) return ''
  if (rows.length > MAX_NAMED) return `${what}: ${countText(rows.length, 'quota')}.`
  return `${what}: ${listText(rows.map(({ category }) => category))}.`
}

/** How many others are named beside the first. */
const MAX_NAMED = 3

/** `Also: Positions 429, Option Chain Stream full.`; empty where there is no other. */
function alsoSentence(others: readonly Finding[]): string {
  if (others.length === 0) return ''
  const more = others.length > MAX_NAMED ? `, +${others.length - MAX_NAMED} more` : ''
  return `Also: ${others
    .slice(0, MAX_NAMED)
    .map(({ name }) => name)
    .join(', ')}${more}.`
}

/** What a screen reader is told: changes of state, not each step of a countdown. */
export function spokenText(snapshot: Snapshot, nowMs: number): string {
  const [worst] = keyFindings(snapshot, nowMs)
  return worst === undefined ? okStatus(snapshot, nowMs).title : `${worst.name}.`
}

/** One part of the key's health in a word or two: `Streams 1 silent`. */
export interface AspectStatus {
  readonly aspect: Aspect
  readonly name: string
  readonly severity: Severity
  readonly label: string
}

const ASPECT_NAMES: Readonly<Record<Aspect, string>> = {
  'sign-in': 'Sign-in',
  service: 'Service',
  streams: 'Streams',
  slots: 'Slots',
  quotas: 'Quotas',
  data: 'Data',
}

/**
 * Every part of the key's health at `nowMs`, epoch ms, the healthy ones too. Of a key that cannot call none
 * is ok.
 */
export function aspectStatuses(snapshot: Snapshot, nowMs: number): readonly AspectStatus[] {
  const conditions = conditionsOf(snapshot, nowMs)
  const { roots, consequences } = conditions
  const stopped = isStopped(conditions)
  return ASPECTS.map((aspect) => {
    const isOf = ({ kind }: Condition) => CONDITIONS[kind].aspect === aspect
    // A consequence is no state of its own where nothing could be asked.
    const of = [...roots.filter(isOf), ...(stopped ? [] : consequences.filter(isOf))]
    const worst = mostUrgent(of)
    const name = ASPECT_NAMES[aspect]
    if (worst === undefined || worst.kind === 'not-checked')
      return { aspect, name, ...withoutCondition(aspect, snapshot, stopped, nowMs) }
    const { label } = messageOf(worst, snapshot, nowMs)
    const count = of.filter(({ kind }) => kind === worst.kind).length
    return { aspect, name, severity: worst.severity, label: aspect === 'slots' ? `${count} ${label}` : label }
  })
}

function withoutCondition(
  aspect: Aspect,
  snapshot: Snapshot,
  stopped: boolean,
  nowMs: number,
): Pick<AspectStatus, 'severity' | 'label'> {
  const { streams, slots } = snapshot
  const unchecked = { severity: 'unknown', label: STATE_LABELS['not-checked'] } as const
  switch (aspect) {
    case 'data':
      return dataAge(snapshot, nowMs)
    case 'streams':
      if (streams.length === 0) return { severity: 'unknown', label: 'none' }
      if (streams.every(({ state }) => state === 'closed')) return { severity: 'unknown', label: 'closed' }
      return stopped && !streams.some(({ state }) => state === 'live')
        ? { severity: 'unknown', label: 'paused' }
        : { severity: 'ok', label: STATE_LABELS.ok }
    case 'slots':
      return stopped || slots.every(({ source }) => source === 'default')
        ? { severity: 'unknown', label: stopped ? unchecked.label : 'not observed' }
        : { severity: 'ok', label: STATE_LABELS.ok }
    case 'quotas': {
      const rows = judgedRows(snapshot, nowMs)
      if (stopped || rows.length === 0) return unchecked
      return doubtfulRows(rows).length > 0
        ? { severity: 'unknown', label: SO_FAR }
        : { severity: 'ok', label: STATE_LABELS.ok }
    }
    case 'sign-in':
      // Both hosts are one condition, of the service.
      return snapshot.signInHost === undefined
        ? { severity: 'ok', label: STATE_LABELS.ok }
        : { severity: 'critical', label: 'unreachable' }
    case 'service':
      return stopped || !snapshot.service.reachable ? unchecked : { severity: 'ok', label: STATE_LABELS.ok }
  }
}

function dataAge(snapshot: Snapshot, nowMs: number): Pick<AspectStatus, 'severity' | 'label'> {
  const freshest = freshestMs(snapshot, nowMs)
  if (freshest === undefined) return { severity: 'unknown', label: 'none yet' }
  return nowMs - freshest > STALE_AFTER_MS
    ? { severity: 'unknown', label: `${coarseSinceText(freshest, nowMs)} old` }
    : { severity: 'ok', label: `${sinceText(freshest, nowMs)} old` }
}
