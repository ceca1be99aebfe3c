import { z } from 'zod/mini'
import type { Alert } from '../alerts/alert.ts'
import type { Report } from '../history/report.ts'
import type { SlotSample } from '../history/sample.ts'
import type { Thresholds } from '../quota/thresholds.ts'
import type { Outcome } from './contract.ts'
import type { LoggedEvent } from './events.ts'
import { command, nothing, type Parse, push } from './ipc.ts'

const parsedBy =
  <S extends z.ZodMiniType>(schema: S): Parse<z.output<S>> =>
  (value) =>
    schema.parse(value)

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))
const profile = text(64)
const epochMs = z.number().check(z.gte(0), z.lte(8_640_000_000_000_000))

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Epoch milliseconds, the end included. */
const interval = { profile, fromMs: epochMs, toMs: epochMs }

const EXPORTS = ['report-csv', 'report-json', 'incident'] as const
export type ExportKind = (typeof EXPORTS)[number]

/** A file for a person to save. */
export interface ExportedFile {
  readonly name: string
  readonly mediaType: string
  readonly text: string
}

/** How the history file is doing; `memory` where nothing is kept. */
export type StorageSummary =
  | { readonly kind: 'ok'; readonly bytes: number; readonly rawMs: number; readonly rollupMs: number }
  | { readonly kind: 'failing'; readonly failure: string; readonly waiting: number; readonly lost: number }
  | { readonly kind: 'memory' }

/** What the app remembers, and what it says by itself. */
export const memoryContract = {
  /** Who used what, of whole minutes: the answer says from when to when. */
  report: command(parsedBy(z.strictObject(interval))).returning<Report>(),
  exportFile: command(parsedBy(z.strictObject({ ...interval, what: z.enum(EXPORTS) }))).returning<
    Outcome<{ readonly file: ExportedFile }>
  >(),
  /** Oldest first, the latest 5000 of the interval; `events` is for those of this run. */
  pastEvents: command(parsedBy(z.strictObject(interval))).returning<readonly LoggedEvent[]>(),
  /** Each look at the slots that differed from the one before, and the one that held at `fromMs`. */
  slotHistory: command(parsedBy(z.strictObject({ ...interval, category: text(128) }))).returning<
    readonly SlotSample[]
  >(),
  storage: command(nothing).returning<StorageSummary>(),
  /** Raw samples an hour to 14 days, minutes and events a day to a year. */
  setRetention: command(
    parsedBy(
      z.strictObject({
        rawMs: z.number().check(z.gte(HOUR_MS), z.lte(14 * DAY_MS)),
        rollupMs: z.number().check(z.gte(DAY_MS), z.lte(366 * DAY_MS)),
      }),
    ),
  ).returning<Outcome>(),

  /** Open episodes, latest first. */
  alerts: command(nothing).returning<readonly Alert[]>(),
  /** Seen: not shown as new, and not said again before it was over. */
  dismissAlert: command(parsedBy(z.strictObject({ id: text(400) }))).returning<Outcome>(),
  alertThresholds: command(parsedBy(z.strictObject({ profile }))).returning<Thresholds>(),
  /** `below` is a share of the limit and 0 turns the alert off; without one the default is back. */
  setAlertThreshold: command(
    parsedBy(
      z.strictObject({
        profile,
        /** Without one it is that of every row that has none of its own. */
        category: z.optional(text(128)),
        below: z.optional(z.number().check(z.gte(0), z.lte(1))),
      }),
    ),
  ).returning<Thresholds>(),

  /** All open episodes, after each change. */
  alertsChanged: push<readonly Alert[]>(),
} as const
