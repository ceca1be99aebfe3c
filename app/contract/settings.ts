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
  /** Whether Headroom asks by itself where no header came lately. */
  probesEnabled: z.boolean(),
  /** Share of each quota that probes may spend in any of its periods, 0 to 1. */
  budgetFraction: from(BUDGET_FRACTION),
  /** What probes ask about where a category needs a symbol. */
  symbol: boundedText(40),
  /** Seconds between probes of a category, overriding the budget for it; 0 never probes it. A change replaces them all. */
  everySeconds: z
    .record(categoryName, seconds)
    .check(z.refine((intervals) => Object.keys(intervals).length <= MAX_INTERVALS)),
  /** After a 429, one request as soon as one has come back (service 7 asks to wait until all have). */
  trialAfterStep: z.boolean(),
  /** After so long a rotating refresh token may be refused (service 8.4). */
  rotationMinutes: from(ROTATION_MINUTES),
})

/** What a person may set of one connected key. Each change holds at once. */
export interface KeySettings extends Immutable<z.output<typeof keySettings>> {}

const changes = z.partial(keySettings).shape
const settingsChange = z.strictObject(changes)

/** What is to be different; what is left out stays as it is. */
export interface KeySettingsChange extends Immutable<z.output<typeof settingsChange>> {}

/** The settings that hold, and how long they do. */
export interface CurrentKeySettings {
  readonly settings: KeySettings
  /** As the snapshot's: a snapshot with a later one knows of a change that is not in here. */
  readonly settingsAt?: number
  /** Whether they are still there after a restart. */
  readonly kept: 'stored' | 'until-exit'
  /** The categories that probes ask about, and an interval may be set for. */
  readonly probed: readonly string[]
}

/** What a person may set of one connected key, and for all keys and surfaces. */
export const settingsContract = {
  keySettings: command(ofProfile).returning<Outcome<CurrentKeySettings>>(),
  /** What is left out stays as it is. Refused whole where a part of it cannot be, or cannot be stored. */
  setKeySettings: command(z.strictObject({ profile: profileId, ...changes })).returning<
    Outcome<CurrentKeySettings>
  >(),

  /** The zone of every time of day: in windows, the tray, notifications and a terminal. */
  timeZone: command(nothing).returning<TimeZone>(),
  /** Applies immediately, also where it cannot be stored; the error then says so. */
  setTimeZone: command(z.strictObject({ zone: z.enum(TIME_ZONES) })).returning<Outcome>(),
  timeZoneChanged: push<TimeZone>(),
} as const
