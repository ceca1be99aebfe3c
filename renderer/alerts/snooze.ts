import { HOUR_MS } from '../../app/contract/units.ts'
import { hourOfToday, minuteText } from '../../app/status/moments.ts'

/** An offered end of a snooze, epoch ms. */
export interface SnoozeChoice {
  readonly label: string
  readonly untilMs: number
}

const QUARTER_MS = 15 * 60_000
/** Close of the regular session on the displayed clock, offered if still to come today. */
const CLOSE_HOUR = 16

/** Possible ends of a snooze at `nowMs`: in 15 minutes, in an hour, and at 16:00 if that is later today. */
export function snoozeChoices(nowMs: number): readonly SnoozeChoice[] {
  const closeMs = hourOfToday(nowMs, CLOSE_HOUR)
  return [
    { label: '15 min', untilMs: nowMs + QUARTER_MS },
    { label: '1 h', untilMs: nowMs + HOUR_MS },
    ...(closeMs > nowMs ? [{ label: `until ${minuteText(closeMs)}`, untilMs: closeMs }] : []),
  ]
}
