import { z } from 'zod/mini'
import { boundedText, categoryName, type Immutable, number, ofProfile, profileId, text } from './fields.ts'
import { command, nothing, push } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import type { Thresholds } from './units.ts'

/** The severities of alerts, the most urgent first: what may become a problem, and what is not known, is none. */
export const ALERT_SEVERITIES = ['critical', 'warning', 'ok'] as const
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number]

/** An alert as it is kept over a restart. */
export const alertSchema = z.object({
  /** Of this episode: the next one of the same condition has another. */
  id: text,
  profile: text,
  /** A kind of condition (app/conditions/kinds.ts), or `capacity-back`. */
  kind: text,
  /** An earlier version stored `info`, which reads as `ok`. */
  severity: z.pipe(
    z.transform((value) => (value === 'info' ? 'ok' : value)),
    z.enum(ALERT_SEVERITIES),
  ),
  /** The category; empty for what concerns the whole key. */
  subject: text,
  /** When the condition began and when it was said. Epoch ms. */
  since: number,
  at: number,
  title: text,
  body: text,
  /** A person has seen it: it is not shown as new, and not said again before it was over. */
  dismissed: z.boolean(),
})

/** One episode that was said and is not over. */
export interface Alert extends Immutable<z.output<typeof alertSchema>> {}

/** An alert whose cause has ended. */
export interface ClosedAlert extends Alert {
  /** Epoch ms. */
  readonly endedAt: number
}

/** The alert as a person is told of it, by notification, sound or a line in a terminal. */
export interface Announcement {
  /** The alert's id, or that of a group; each id is announced once. */
  readonly id: string
  readonly severity: AlertSeverity
  readonly title: string
  readonly body: string
}

const timeOfDay = z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/))

/** When alerts are announced by notification, sound and bell. Times of day are `HH:MM`, in the zone of all times of day. */
export const alertPreferences = z.object({
  /** Nothing is announced until then, epoch ms. */
  snoozedUntil: z.optional(z.number().check(z.gte(0))),
  quietHours: z.optional(z.object({ from: timeOfDay, to: timeOfDay })),
  /** Whether critical alerts are announced during a snooze and quiet hours too. */
  urgentBypass: z.boolean(),
})

export interface AlertPreferences extends Immutable<z.output<typeof alertPreferences>> {}

const { snoozedUntil, quietHours, urgentBypass } = alertPreferences.shape
const alertPreferencesChange = z.strictObject({
  snoozedUntil: z.nullish(snoozedUntil),
  quietHours: z.nullish(quietHours),
  urgentBypass: z.optional(urgentBypass),
})

/** What is to be different: `null` takes a snooze or quiet hours away, and what is left out stays as it is. */
export interface AlertPreferencesChange extends Immutable<z.output<typeof alertPreferencesChange>> {}

export const DEFAULT_ALERT_PREFERENCES: AlertPreferences = { urgentBypass: true }

/** What the app says by itself. */
export const alertsContract = {
  /** Open episodes, the worst first. */
  alerts: command(nothing).returning<readonly Alert[]>(),
  /** Seen: not shown as new, and not said again before it was over. */
  dismissAlert: command(z.strictObject({ id: boundedText(400) })).returning<Outcome>(),
  alertThresholds: command(ofProfile).returning<Thresholds>(),
  /** `below` is a share of the limit and 0 turns the alert off; without one the default is back. */
  setAlertThreshold: command(
    z.strictObject({
      profile: profileId,
      /** Without one it is that of every row that has none of its own. */
      category: z.optional(categoryName),
      below: z.optional(z.number().check(z.gte(0), z.lte(1))),
    }),
  ).returning<Thresholds>(),

  /** Alerts of this run whose cause has ended, latest first, at most 200. */
  closedAlerts: command(nothing).returning<readonly ClosedAlert[]>(),
  alertPreferences: command(nothing).returning<AlertPreferences>(),
  /** What is left out stays as it is, so that two windows do not undo each other's changes. */
  setAlertPreferences: command(alertPreferencesChange).returning<AlertPreferences>(),

  /** All open episodes, after each change. */
  alertsChanged: push<readonly Alert[]>(),
  /** An alert to be told now: a window sounds it, and shows a notification where its host cannot. */
  alertAnnounced: push<Announcement>(),
} as const
