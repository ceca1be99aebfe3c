import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { type JudgedRow, shownRows, worstFirst } from '../quota/verdict.ts'
import { coarseSinceText } from './durations.ts'
import { clockText, minuteText } from './moments.ts'
import {
  emptyText,
  leftText,
  lowText,
  quotaStatus,
  retryText,
  STATE_LABELS,
  safeSentence,
  shareLeftText,
  stateAt,
  stateSentence,
  usageSentence,
} from './quota-status.ts'
import { countText, listText } from './rates.ts'
import { capitalised } from './sentences.ts'
import type { Severity } from './severity.ts'
import { refreshStatus } from './token-status.ts'

/**
 * How one API key stands, the same on every surface: the sign-in first, then the service, then the worst of its quotas.
 *
 * Pure. A surface chooses which parts it has room for, and clock or countdown.
 */
export interface KeyStatus {
  readonly severity: Severity
  /** What it is about, where that is one quota: its category. */
  readonly category?: string
  /** The state in a word or three: `running out`, `ok`, `Sign in again`. */
  readonly label: string
  /** A countdown, a share, or the tightest quota; empty where the label says it all. For a surface that is redrawn. */
  readonly note: string
  /** The same without a countdown, for a surface that is written once: `until 14:36:05`. */
  readonly moment: string
  /** The row, where it is about one. */
  readonly quota?: RequestQuota
}

/** `nowMs`: epoch ms, on the clock of the snapshot's `at`. */
export function keyStatus(snapshot: Snapshot, nowMs: number): KeyStatus {
  return signInStatus(snapshot, nowMs) ?? serviceStatus(snapshot) ?? quotasStatus(snapshot, nowMs)
}

/** The subject and the label in one: `Positions running out`, `ok`, `Sign in again`. */
export function shortText({ category, label }: KeyStatus): string {
  return category === undefined ? label : `${category} ${label}`
}

function plain(severity: Severity, label: string): KeyStatus {
  return { severity, label, note: '', moment: '' }
}

function signInStatus({ refresh }: Snapshot, nowMs: number): KeyStatus | undefined {
  if (refresh.state === 'valid' || refresh.state === 'unconfirmed') return undefined
  const { severity, label } = refreshStatus(refresh, nowMs)
  return plain(severity, capitalised(label))
}

/** The label of a service that does not answer. */
export const UNREACHABLE = 'Service unreachable'

function serviceStatus({ service }: Snapshot): KeyStatus | undefined {
  return service.reachable ? undefined : plain('watch', UNREACHABLE)
}

function quotasStatus(snapshot: Snapshot, nowMs: number): KeyStatus {
  const [worst] = judged(snapshot, nowMs)
  if (worst === undefined) {
    const newest = newestHeaderMs(snapshot.requests)
    return {
      severity: 'unseen',
      label: STATE_LABELS['not-checked'],
      note: newest === undefined ? NO_DATA : `last data ${coarseSinceText(newest, nowMs)} ago`,
      moment: newest === undefined ? NO_DATA : `last data at ${minuteText(newest)}`,
    }
  }
  const { row } = worst
  const status = quotaStatus(row, nowMs)
  if (status.state === 'ok') {
    const tightest = `tightest: ${row.category} ${shareLeftText(row)}`
    return { severity: 'ok', label: status.label, note: tightest, moment: tightest, quota: row }
  }
  const { severity, label, note } = status
  return { severity, category: row.category, label, note, moment: momentText(row, nowMs), quota: row }
}

/** Where nothing may count down: `until 14:36:05` after a 429, `about 14:35` for an estimate, the share of what is low. */
function momentText(row: RequestQuota, nowMs: number): string {
  const { state, note, untilMs } = quotaStatus(row, nowMs)
  if (state === 'blocked') return untilMs === undefined ? '' : `until ${clockText(untilMs)}`
  if (state !== 'running-out') return note
  return untilMs === undefined || note.startsWith('within') ? note : `about ${minuteText(untilMs)}`
}

/** The rows that say something of now, the worst first. */
function judged(snapshot: Snapshot, nowMs: number): readonly JudgedRow[] {
  return worstFirst(snapshot.requests.map((row) => ({ row, state: stateAt(row, nowMs) })))
}

const NO_DATA = 'no data yet'

function newestHeaderMs(requests: readonly RequestQuota[]): number | undefined {
  let newest: number | undefined
  for (const { observedAt } of requests) {
    if (observedAt !== undefined && (newest === undefined || observedAt > newest)) newest = observedAt
  }
  return newest
}

/** The sentence a trader looks for, what to do about it, and why. */
export interface Headline {
  readonly severity: Severity
  readonly headline: string
  readonly detail: string
}

/**
 * The headline of a key at `nowMs`, epoch ms: what is wrong with the key itself comes before its quotas, and the headline
 * of the quotas is calm only where every row that was checked lately is ok.
 */
export function headline(snapshot: Snapshot, nowMs: number): Headline {
  const quotas = quotasHeadline(snapshot, nowMs)
  const key = signInStatus(snapshot, nowMs) ?? serviceStatus(snapshot)
  return key === undefined
    ? quotas
    : { severity: key.severity, headline: `${key.label}.`, detail: quotas.headline }
}

function quotasHeadline(snapshot: Snapshot, nowMs: number): Headline {
  const rows = judged(snapshot, nowMs)
  const [worst, ...others] = rows
  if (worst === undefined) return noData(snapshot, nowMs)
  const { row, state } = worst
  const { severity } = quotaStatus(row, nowMs)
  const unchecked = uncheckedRows(snapshot, nowMs)
  if (state === 'ok') {
    const which = unchecked.length === 0 ? 'No quota' : 'No checked quota'
    return {
      severity,
      headline: `${which} will run out in the next 10 min.`,
      detail: `${tightestSentence(row, nowMs)}${uncheckedSentence(unchecked)}`,
    }
  }
  const also = alsoSentence(others, unchecked.length === 0, nowMs)
  return {
    severity,
    headline: joined(stateSentence(row, nowMs), also),
    detail: joined(usageSentence(row, nowMs), safeSentence(row, nowMs)),
  }
}

const joined = (...sentences: readonly string[]) => sentences.filter(Boolean).join(' ')

function tightestSentence(row: RequestQuota, nowMs: number): string {
  return `Tightest: ${row.category}, ${leftText(row, nowMs)} of ${row.limit} left.`
}

/** Rows that a header spoke of once, and none lately enough to say what is left. */
function uncheckedRows(snapshot: Snapshot, nowMs: number): readonly RequestQuota[] {
  return shownRows(snapshot.requests).filter(
    (row) => row.source !== 'default' && stateAt(row, nowMs) === 'not-checked',
  )
}

function uncheckedSentence(rows: readonly RequestQuota[]): string {
  if (rows.length === 0) return ''
  if (rows.length > 3) return ` Not checked: ${countText(rows.length, 'quota')}.`
  return ` Not checked: ${listText(rows.map(({ category }) => category))}.`
}

/** How many other quotas are named beside the first. */
const MAX_NAMED = 3

/** `All others are fine.`, or which others are in which state, the worst first. */
function alsoSentence(others: readonly JudgedRow[], allChecked: boolean, nowMs: number): string {
  const bad = others.filter(({ state }) => state !== 'ok')
  if (bad.length === 0) return allChecked ? 'All others are fine.' : 'All others that are checked are fine.'
  const groups = new Map<string, string[]>()
  for (const { row, state } of bad.slice(0, MAX_NAMED)) {
    const group = groups.get(STATE_LABELS[state]) ?? []
    groups.set(STATE_LABELS[state], group)
    group.push(`${row.category}${noteInBrackets(row, nowMs)}`)
  }
  const named = [...groups].map(([label, names]) => `${label}: ${names.join(', ')}`).join('; ')
  const more = bad.length > MAX_NAMED ? `; +${bad.length - MAX_NAMED} more` : ''
  return `Also ${named}${more}.`
}

function noteInBrackets(row: RequestQuota, nowMs: number): string {
  switch (stateAt(row, nowMs)) {
    case 'running-out':
      return ` (${emptyText(row, nowMs)})`
    case 'blocked':
      return row.blockedUntil === undefined ? '' : ` (${retryText(row.blockedUntil, nowMs)})`
    case 'low':
      return ` (${lowText(row)})`
    case 'empty':
    case 'ok':
    case 'not-checked':
      return ''
  }
}

function noData({ requests }: Snapshot, nowMs: number): Headline {
  const newest = newestHeaderMs(requests)
  if (newest === undefined) {
    return {
      severity: 'unseen',
      headline: 'No data yet.',
      detail: 'Limits shown are the documented defaults.',
    }
  }
  return {
    severity: 'unseen',
    headline: `No fresh data. Last header ${coarseSinceText(newest, nowMs)} ago.`,
    detail: 'Numbers since then are estimates.',
  }
}

/** What a screen reader is told: changes of state, not each step of a countdown. */
export function spokenText(snapshot: Snapshot, nowMs: number): string {
  const key = signInStatus(snapshot, nowMs) ?? serviceStatus(snapshot)
  if (key !== undefined) return `${key.label}.`
  const [worst] = judged(snapshot, nowMs)
  if (worst === undefined) {
    return newestHeaderMs(snapshot.requests) === undefined ? 'No data yet.' : 'No fresh data.'
  }
  const { row, state } = worst
  return state === 'ok'
    ? 'No checked quota will run out in the next 10 min.'
    : spokenState(row, STATE_LABELS[state])
}

function spokenState({ category }: RequestQuota, label: string): string {
  return label === STATE_LABELS.blocked ? `${category} was refused (429).` : `${category} is ${label}.`
}
