import { z } from 'zod/mini'
import { boundedText, categoryName, type Immutable, ofProfile, profileId } from './fields.ts'
import { command, nothing, push } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import {
  BUDGET_FRACTION,
  EVERY_SECONDS,
  isWithin,
  type Range,
  ROTATION_MINUTES,
  TIME_ZONES,
  type TimeZone,
} from './units.ts'

const MAX_INTERVALS = 32

const from = ({ least, most }: Range) => z.number().check(z.gte(least), z.lte(most))
const seconds = z.number().check(z.refine((value) => value === 0 || isWithin(EVERY_SECONDS, value)))

const keySettings = z.object({
  /** Whether Headroom sends checks when no header has arrived recently. */
  probesEnabled: z.boolean(),
  /** Maximum share of a quota that checks may use in one period of the quota, 0 to 1. */
  budgetFraction: from(BUDGET_FRACTION),
  /** Symbol for the checks of categories that need a symbol. */
  symbol: boundedText(40),
  /**
   * Seconds between checks of a category. Replaces the interval that follows from the budget. 0 means never.
   * A change replaces the whole map.
   */
  everySeconds: z
    .record(categoryName, seconds)
    .check(z.refine((intervals) => Object.keys(intervals).length <= MAX_INTERVALS)),
  /**
   * Whether to send one request after a 429 as soon as the quota has refilled by one request. Service 7
   * recommends waiting for the full reset.
   */
  trialAfterStep: z.boolean(),
  /** Time after which a rotating refresh token may be rejected (service 8.4). */
  rotationMinutes: from(ROTATION_MINUTES),
})

/** A person's settings of one connected key. Changes apply immediately. */
export interface KeySettings extends Immutable<z.output<typeof keySettings>> {}

const changes = z.partial(keySettings).shape
const settingsChange = z.strictObject(changes)

/** Requested changes. Omitted fields stay unchanged. */
export interface KeySettingsChange extends Immutable<z.output<typeof settingsChange>> {}

/** The current settings, and whether they persist. */
export interface CurrentKeySettings {
  readonly settings: KeySettings
  /** The snapshot's `settingsAt`. A snapshot with a later value has newer settings. */
  readonly settingsAt?: number
  /** Whether the settings survive a restart. */
  readonly kept: 'stored' | 'until-exit'
  /** Categories with checks. A person can set their intervals. */
  readonly probed: readonly string[]
}

export const settingsContract = {
  keySettings: command(ofProfile).returning<Outcome<CurrentKeySettings>>(),
  /**
   * Omitted fields stay unchanged. If any part is invalid or can't be stored, the whole change is rejected.
   */
  setKeySettings: command(z.strictObject({ profile: profileId, ...changes })).returning<
    Outcome<CurrentKeySettings>
  >(),

  /** Zone of all times of day in app windows, the tray, notifications and a terminal. */
  timeZone: command(nothing).returning<TimeZone>(),
  /** Applies immediately. If the zone cannot be stored, the response is an error. */
  setTimeZone: command(z.strictObject({ zone: z.enum(TIME_ZONES) })).returning<Outcome>(),
  timeZoneChanged: push<TimeZone>(),
} as const
