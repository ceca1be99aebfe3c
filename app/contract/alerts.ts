import { z } from 'zod/mini'
import { boundedText, categoryName, type Immutable, number, ofProfile, profileId, text } from './fields.ts'
import { command, nothing, push } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import type { Thresholds } from './units.ts'

/** Severities of alerts, most urgent first. `watch` and `unknown` cause no alert. */
export const ALERT_SEVERITIES = ['critical', 'warning', 'ok'] as const
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number]

/** An alert as stored across restarts. */
export const alertSchema = z.object({
  /** Id of the alert. If the condition ends and then occurs again, the new alert gets another id. */
  id: text,
  profile: text,
  /** A kind of condition (app/conditions/kinds.ts), or `capacity-back`. */
  kind: text,
  /** Earlier versions stored `info`. It is read as `ok`. */
  severity: z.pipe(
    z.transform((value) => (value === 'info' ? 'ok' : value)),
    z.enum(ALERT_SEVERITIES),
  ),
  /** The category. Empty for an alert of the whole key. */
  subject: text,
  /** When the condition began and when it was announced, epoch ms. */
  since: number,
  at: number,
  title: text,
  body: text,
  /** Whether a person has seen the alert. It is then no longer announced or shown as new. */
  dismissed: z.boolean(),
})

/** An announced alert whose condition still holds. */
export interface Alert extends Immutable<z.output<typeof alertSchema>> {}

/** An alert whose condition has ended. */
export interface ClosedAlert extends Alert {
  /** Epoch ms. */
  readonly endedAt: number
}

/** An alert to announce by a notification, a sound or a line in a terminal. */
export interface Announcement {
  /** Id of the alert or of its group. Each id is announced once. */
  readonly id: string
  readonly severity: AlertSeverity
  readonly title: string
  readonly body: string
}

const timeOfDay = z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/))

/** How and when alerts are announced. Times of day are `HH:MM`, in the selected time zone. */
export const alertPreferences = z.object({
  /** Time until which nothing is announced, epoch ms. */
  snoozedUntil: z.optional(z.number().check(z.gte(0))),
  quietHours: z.optional(z.object({ from: timeOfDay, to: timeOfDay })),
  /** Whether critical alerts ignore a snooze and quiet hours. */
  urgentBypass: z.boolean(),
})

export interface AlertPreferences extends Immutable<z.output<typeof alertPreferences>> {}

const { snoozedUntil, quietHours, urgentBypass } = alertPreferences.shape
const alertPreferencesChange = z.strictObject({
  snoozedUntil: z.nullish(snoozedUntil),
  quietHours: z.nullish(quietHours),
  urgentBypass: z.optional(urgentBypass),
})

/** Requested changes. `null` removes a snooze or quiet hours. Omitted fields stay unchanged. */
export interface AlertPreferencesChange extends Immutable<z.output<typeof alertPreferencesChange>> {}

export const DEFAULT_ALERT_PREFERENCES: AlertPreferences = { urgentBypass: true }

export const alertsContract = {
  /** Open alerts, worst first. */
  alerts: command(nothing).returning<readonly Alert[]>(),
  /** Marks an alert as seen. */
  dismissAlert: command(z.strictObject({ id: boundedText(400) })).returning<Outcome>(),
  alertThresholds: command(ofProfile).returning<Thresholds>(),
  /** `below` is a share of the limit. 0 turns the alert off. Without `below`, the default applies again. */
  setAlertThreshold: command(
    z.strictObject({
      profile: profileId,
      /** Category of the row. If absent, the threshold applies to every row without its own threshold. */
      category: z.optional(categoryName),
      below: z.optional(z.number().check(z.gte(0), z.lte(1))),
    }),
  ).returning<Thresholds>(),

  /** Alerts that ended during this run of the app, latest first, at most 200. */
  closedAlerts: command(nothing).returning<readonly ClosedAlert[]>(),
  alertPreferences: command(nothing).returning<AlertPreferences>(),
  /** Omitted fields stay unchanged, so that two app windows can't undo each other's changes. */
  setAlertPreferences: command(alertPreferencesChange).returning<AlertPreferences>(),

  /** All open alerts, sent after each change. */
  alertsChanged: push<readonly Alert[]>(),
  /**
   * An alert to announce now. The window plays the alert's sound. If the host can't show notifications, the
   * window also shows a notification.
   */
  alertAnnounced: push<Announcement>(),
} as const
