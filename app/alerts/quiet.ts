import { type Aspect, CONDITION_KINDS, CONDITIONS } from '../conditions/kinds.ts'
import type { AlertPreferences, AlertPreferencesChange } from '../contract/alerts.ts'
import type { DeskSummary } from '../contract/desk.ts'
import type { Severity } from '../contract/severity.ts'
import { minuteOfDay } from '../status/moments.ts'

const MINUTES_A_DAY = 1440

/** Minutes since midnight. `time` is `HH:MM`. */
const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/**
 * Whether quiet hours apply at `nowMs`, epoch ms, in the displayed zone. They may extend past midnight.
 * `from` is inclusive, `to` exclusive.
 */
export function isQuietHour({ quietHours }: Pick<AlertPreferences, 'quietHours'>, nowMs: number): boolean {
  if (quietHours === undefined) return false
  const minute = minuteOfDay(nowMs)
  const from = minuteOf(quietHours.from)
  const length = (minuteOf(quietHours.to) - from + MINUTES_A_DAY) % MINUTES_A_DAY
  return (minute - from + MINUTES_A_DAY) % MINUTES_A_DAY < length
}

/**
 * Whether an alert is announced at `nowMs` (epoch ms) by notification, sound and bell.
 *
 * A snooze or quiet hours silence an alert, unless it is critical and `urgentBypass` is set. The list of open
 * alerts shows silent alerts too.
 */
export function mayAnnounce(preferences: AlertPreferences, severity: Severity, nowMs: number): boolean {
  const { snoozedUntil = 0, urgentBypass } = preferences
  const isQuiet = nowMs < snoozedUntil || isQuietHour(preferences, nowMs)
  return !isQuiet || (urgentBypass && severity === 'critical')
}

/** Aspects that are the same on all machines of a desk, because quotas and slots belong to the key. */
const DESK_ASPECTS: readonly Aspect[] = ['quotas', 'slots']

/**
 * Whether another machine of the desk announces an alert. `kind`: a kind of condition, or `capacity-back`. An
 * alert about this machine alone, such as a full disk, is announced by this machine.
 */
export function isAnnouncedElsewhere(kind: string, desk: DeskSummary | undefined): boolean {
  if (desk?.state !== 'joined' || desk.announces === undefined) return false
  if (desk.members.some(({ id, self }) => self && id === desk.announces)) return false
  const condition = CONDITION_KINDS.find((one) => one === kind)
  return condition === undefined || DESK_ASPECTS.includes(CONDITIONS[condition].aspect)
}

/** The preferences after a change. `null` removes a preference; omitted ones stay unchanged. */
export function changedPreferences(
  before: AlertPreferences,
  { snoozedUntil, quietHours, urgentBypass }: AlertPreferencesChange,
): AlertPreferences {
  const snooze = snoozedUntil === undefined ? before.snoozedUntil : snoozedUntil
  const quiet = quietHours === undefined ? before.quietHours : quietHours
  return {
    urgentBypass: urgentBypass ?? before.urgentBypass,
    ...(typeof snooze === 'number' && { snoozedUntil: snooze }),
    ...(quiet && { quietHours: quiet }),
  }
}
