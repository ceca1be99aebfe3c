import { keyStatus } from '../../app/conditions/key-status.ts'
import { mostUrgent } from '../../app/contract/severity.ts'
import type { Snapshot } from '../../app/contract/snapshot.ts'
import { leftText, stateAt } from '../../app/status/quota-status.ts'
import { barParts } from '../capacity/bar-parts.ts'

/** The key that the line is about: the first key with the highest severity. `nowMs` is epoch ms. */
export const stripKey = (snapshots: readonly Snapshot[], nowMs: number): Snapshot | undefined =>
  mostUrgent(snapshots.map((snapshot) => ({ snapshot, severity: keyStatus(snapshot, nowMs).severity })))
    ?.snapshot

/**
 * The line of the strip: the most severe status of all keys, and its countdown. `more` counts the conditions
 * of all keys that the line does not show.
 */
export function stripText(snapshots: readonly Snapshot[], nowMs: number): StripText {
  const key = stripKey(snapshots, nowMs)
  if (key === undefined)
    return { severity: 'unknown', label: '', name: 'No key connected', note: '', more: 0 }
  const text = textOf(key, nowMs)
  const found = snapshots.reduce((sum, snapshot) => sum + textOf(snapshot, nowMs).more, 0)
  return { ...text, more: found - Math.min(1, text.more) }
}

type StripText = ReturnType<typeof textOf>

/** The strip's text for one key. `more` counts all findings of the key, including the displayed one. */
function textOf(snapshot: Snapshot, nowMs: number) {
  const { severity, subject, label, note, row, name, others } = keyStatus(snapshot, nowMs)
  const isRow = subject !== undefined && row !== undefined
  return {
    severity,
    label,
    name: isRow ? subject : name,
    // After a 429 nothing can be sent, so an estimate of what is left would look like an offer.
    ...(isRow && stateAt(row, nowMs) !== 'blocked' && { left: leftText(row, nowMs) }),
    ...(isRow && { bar: barParts(row) }),
    note: isRow ? [label, note].filter(Boolean).join(' ') : note || snapshot.profile.name,
    more: label === name && others === 0 ? 0 : others + 1,
  }
}
