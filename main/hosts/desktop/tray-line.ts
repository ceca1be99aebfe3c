import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { keyStatus, shortText } from '../../../app/status/key-status.ts'
import type { Severity } from '../../../app/status/severity.ts'

/** One profile in a line that stays true without being written again: moments, never countdowns. */
export interface TrayLine {
  readonly severity: Severity
  readonly text: string
}

/** `Positions running out about 14:35`, `ok · tightest: Accounts 61 %`. */
export function trayLine(snapshot: Snapshot): TrayLine {
  const status = keyStatus(snapshot, snapshot.at)
  const { severity, category, moment } = status
  const short = shortText(status)
  if (moment === '') return { severity, text: short }
  return { severity, text: category === undefined ? `${short} · ${moment}` : `${short} ${moment}` }
}
