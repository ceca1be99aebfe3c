import type { RequestQuota, Snapshot } from '../contract/snapshot.ts'
import { doubtfulRows, shownRows } from '../quota/verdict.ts'
import { coarseSinceText, sinceText } from './durations.ts'
import {
  ASPECTS,
  type Aspect,
  type Finding,
  freshestMs,
  judgedRows,
  keyFindings,
  TOO_FEW,
  UNREACHABLE,
} from './key-findings.ts'
import { unansweredRows } from './problem-status.ts'
import { leftText, othersText, STALE_AFTER_MS, STATE_LABELS, shareLeftText, stateAt } from './quota-status.ts'
import { countText, listText } from './rates.ts'
import { mostUrgent, type Severity } from './severity.ts'
import { keystoreTrouble } from './token-status.ts'

/**
 * How one API key is, the same on every surface: the worst of its findings, or that it is ok.
 *
 * Pure. A surface chooses which parts it has room for, and clock or countdown.
 */
export interface KeyStatus extends Omit<Finding, 'aspect'> {
  /** How many findings there are besides this one. */
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

/** The subject and the label in one: `Positions running out`, `ok`, `Sign in again`. */
export function shortText({ subject, label }: Pick<Finding, 'subject' | 'label'>): string {
  return subject === undefined ? label : `${subject} ${label}`
}

/** What is said of rows that are ok now, where too little is known of others' use to say for how long. */
const SO_FAR = `${STATE_LABELS.ok} so far`

function okStatus(snapshot: Snapshot, nowMs: number): Omit<Finding, 'aspect'> {
  const rows = judgedRows(snapshot, nowMs)
  const [tightest] = rows
  const doubtful = doubtfulRows(rows)
  const unchecked = uncheckedRows(snapshot, nowMs)
  const unanswered = unansweredRows(snapshot, nowMs)
  const allChecked = unchecked.length === 0 && unanswered.length === 0
  const status = doubtful.length === 0 ? lastingStatus(allChecked) : soFarStatus(allChecked)
  // Without a row there is a finding: no data yet.
  if (tightest === undefined) return { ...status, note: '', moment: '', action: '', detail: '' }
  const { row } = tightest
  const note = `tightest: ${row.category} ${shareLeftText(row)}`
  return {
    ...status,
    note,
    moment: note,
    action: '',
    detail: `${doubtSentence(doubtful)}Tightest: ${row.category}, ${leftText(row, nowMs)} of ${row.limit} left.${namedSentence('Not checked', unchecked)}${namedSentence('No number in the last answer', unanswered)}`,
    quota: row,
  }
}

type Said = Pick<Finding, 'severity' | 'label' | 'text' | 'sentence'>

function lastingStatus(allChecked: boolean): Said {
  const text = `${allChecked ? 'No quota' : 'No checked quota'} will run out in the next 10 min.`
  return { severity: 'ok', label: STATE_LABELS.ok, text, sentence: text }
}

function soFarStatus(allChecked: boolean): Said {
  const text = `${allChecked ? 'All quotas' : 'All checked quotas'} are ${SO_FAR}.`
  return { severity: 'unknown', label: SO_FAR, text, sentence: text }
}

/** `Others’ use is not known well enough yet: Positions (0–5.9/s).`, with a space after it; empty where it is known. */
function doubtSentence(rows: readonly RequestQuota[]): string {
  if (rows.length === 0) return ''
  const named = rows.map((row) =>
    row.use === null ? row.category : `${row.category} (${othersText(row)}/s)`,
  )
  const which = rows.length > MAX_NAMED ? countText(rows.length, 'quota') : listText(named)
  return `Others’ use is not known well enough yet: ${which}. `
}

/** The sentence a trader looks for, what to do about it, and why. */
export interface Headline {
  readonly severity: Severity
  readonly headline: string
  readonly detail: string
}

/** The headline of a key at `nowMs`, epoch ms, in one line: its worst finding, and which others there are. */
export function headline(snapshot: Snapshot, nowMs: number): Headline {
  const [, ...others] = keyFindings(snapshot, nowMs)
  const { severity, sentence, action, detail, quota } = keyStatus(snapshot, nowMs)
  const isOfQuota = quota !== undefined && stateAt(quota, nowMs) !== 'ok'
  const also = others.length > 0 || isOfQuota ? alsoSentence(others, snapshot, nowMs) : ''
  return {
    severity,
    headline: also === '' ? sentence : `${sentence} ${also}`,
    detail: [action, detail].filter(Boolean).join(' '),
  }
}

/** Rows that a header spoke of once, and none lately enough to say what is left. */
function uncheckedRows(snapshot: Snapshot, nowMs: number): readonly RequestQuota[] {
  return shownRows(snapshot.requests).filter(
    (row) => row.source !== 'default' && stateAt(row, nowMs) === 'not-checked',
  )
}

/** ` Not checked: Positions.`, with a space before it; empty where there is none. */
function namedSentence(what: string, rows: readonly RequestQuota[]): string {
  if (rows.length === 0) return ''
  if (rows.length > MAX_NAMED) return ` ${what}: ${countText(rows.length, 'quota')}.`
  return ` ${what}: ${listText(rows.map(({ category }) => category))}.`
}

/** How many other findings are named beside the first. */
const MAX_NAMED = 3

/** `All others are fine.`, or which others are in which state, the worst first. */
function alsoSentence(others: readonly Finding[], snapshot: Snapshot, nowMs: number): string {
  if (others.length === 0) {
    const isPart = uncheckedRows(snapshot, nowMs).length > 0 || unansweredRows(snapshot, nowMs).length > 0
    const which = isPart ? 'All others that are checked' : 'All others'
    return `${which} are ${doubtfulRows(judgedRows(snapshot, nowMs)).length === 0 ? 'fine' : SO_FAR}.`
  }
  const groups = new Map<string, string[]>()
  for (const { aspect, subject, label, note } of others.slice(0, MAX_NAMED)) {
    const isNamed = subject !== undefined && (aspect === 'quotas' || aspect === 'slots')
    const [name, value] = isNamed
      ? [label, aspect === 'slots' || note === '' ? subject : `${subject} (${note})`]
      : [subject ?? label, subject === undefined ? note : label]
    groups.set(name, [...(groups.get(name) ?? []), value])
  }
  const named = [...groups].map(([name, values]) => [name, values.filter(Boolean).join(', ')])
  const list = named.map(([name, values]) => (values === '' ? name : `${name}: ${values}`)).join('; ')
  const more = others.length > MAX_NAMED ? `; +${others.length - MAX_NAMED} more` : ''
  return `Also ${list}${more}.`
}

/** What a screen reader is told: changes of state, not each step of a countdown. */
export function spokenText(snapshot: Snapshot, nowMs: number): string {
  const [worst] = keyFindings(snapshot, nowMs)
  if (worst === undefined) {
    const isDoubtful = doubtfulRows(judgedRows(snapshot, nowMs)).length > 0
    return (isDoubtful ? soFarStatus(false) : lastingStatus(false)).sentence
  }
  const { aspect, subject, label } = worst
  switch (aspect) {
    case 'quotas':
      return label === STATE_LABELS.blocked ? `${subject} was refused (429).` : `${subject} is ${label}.`
    case 'slots':
      return `${subject} is ${label}.`
    case 'streams':
      return worst.severity === 'critical' ? 'All streams are silent.' : 'Streams are silent.'
    case 'data':
      return worst.sentence === TOO_FEW
        ? TOO_FEW
        : freshestMs(snapshot, nowMs) === undefined
          ? 'No data yet.'
          : 'No fresh data.'
    case 'sign-in':
    case 'service':
      return `${label}.`
  }
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

/** Every part of the key's health at `nowMs`, epoch ms, the healthy ones too. */
export function aspectStatuses(snapshot: Snapshot, nowMs: number): readonly AspectStatus[] {
  const findings = keyFindings(snapshot, nowMs)
  return ASPECTS.map((aspect) => {
    const of = findings.filter((finding) => finding.aspect === aspect)
    const severity = mostUrgent(of)?.severity
    const name = ASPECT_NAMES[aspect]
    if (severity === undefined) return { aspect, name, ...healthy(aspect, snapshot, nowMs) }
    return { aspect, name, severity, label: aspectLabel(of, snapshot, nowMs) }
  })
}

/** The data of a key that no header spoke of. */
const NONE_YET = 'none yet'

function healthy(
  aspect: Aspect,
  snapshot: Snapshot,
  nowMs: number,
): Pick<AspectStatus, 'severity' | 'label'> {
  const { streams } = snapshot
  if (aspect === 'streams' && streams.every(({ state }) => state === 'closed')) {
    return { severity: 'unknown', label: 'none' }
  }
  if (aspect === 'quotas' && judgedRows(snapshot, nowMs).length === 0) {
    return { severity: 'unknown', label: STATE_LABELS['not-checked'] }
  }
  if (aspect === 'quotas' && doubtfulRows(judgedRows(snapshot, nowMs)).length > 0) {
    return { severity: 'unknown', label: SO_FAR }
  }
  if (aspect !== 'data') return { severity: 'ok', label: STATE_LABELS.ok }
  const freshest = freshestMs(snapshot, nowMs)
  if (freshest === undefined) return { severity: 'unknown', label: NONE_YET }
  return { severity: 'ok', label: `${sinceText(freshest, nowMs)} old` }
}

function aspectLabel([first, ...rest]: readonly Finding[], snapshot: Snapshot, nowMs: number): string {
  if (first === undefined) return ''
  switch (first.aspect) {
    case 'sign-in':
      return first.label === keystoreTrouble(snapshot)?.label
        ? 'keyring trouble'
        : first.label.replace(/^Sign-in /, '').toLowerCase()
    case 'service':
      return first.label === UNREACHABLE ? 'unreachable' : first.label.toLowerCase()
    case 'streams':
      return first.label.replace(/ of \d+/, '')
    case 'slots':
      return `${rest.length + 1} ${first.label}`
    case 'quotas':
      return first.label
    case 'data': {
      const freshest = freshestMs(snapshot, nowMs)
      if (freshest === undefined) return NONE_YET
      return nowMs - freshest > STALE_AFTER_MS
        ? `${coarseSinceText(freshest, nowMs)} old`
        : `${sinceText(freshest, nowMs)} old`
    }
  }
}
