import { keyStatus } from '../../app/conditions/key-status.ts'
import { mostUrgent, type Severity } from '../../app/contract/severity.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { leftText } from '../../app/status/quota-status.ts'
import { type BarParts, barParts } from '../capacity/bar-parts.ts'

/** The line of the strip: the most severe status of all keys, and its countdown. */
export interface StripText {
  readonly severity: Severity
  /** The name of the state. A symbol for this state is shown next to it. */
  readonly label: string
  readonly name: string
  /** The remaining requests, as text and as parts of a bar. Absent if the status is not about a row. */
  readonly left?: string
  readonly bar?: BarParts
  /** The text at the end of the line: a countdown or another fact. */
  readonly note: string
  /** Number of conditions, of all keys, that the line does not show. */
  readonly more: number
}

/** The key that the line is about: the first key with the highest severity. `nowMs` is epoch ms. */
export const stripKey = (snapshots: readonly Snapshot[], nowMs: number): Snapshot | undefined =>
  mostUrgent(snapshots.map((snapshot) => ({ snapshot, severity: keyStatus(snapshot, nowMs).severity })))
    ?.snapshot

export function stripText(snapshots: readonly Snapshot[], nowMs: number): StripText {
  const key = stripKey(snapshots, nowMs)
  if (key === undefined)
    return { severity: 'unknown', label: '', name: 'No key connected', note: '', more: 0 }
  const text = textOf(key, nowMs)
  const found = snapshots.reduce((sum, snapshot) => sum + textOf(snapshot, nowMs).more, 0)
  return { ...text, more: found - Math.min(1, text.more) }
}

/** The strip's text for one key. `more` counts all findings of the key, including the displayed one. */
function textOf(snapshot: Snapshot, nowMs: number): StripText {
  const status = keyStatus(snapshot, nowMs)
  const { severity, subject, label, note, row, name, others } = status
  const more = label === name && others === 0 ? 0 : others + 1
  if (subject === undefined || row === undefined) {
    return { severity, label, name, note: note || snapshot.profile.name, more }
  }
  return {
    severity,
    label,
    name: subject,
    left: leftText(row, nowMs),
    bar: barParts(row),
    note: [label, note].filter(Boolean).join(' '),
    more,
  }
}
