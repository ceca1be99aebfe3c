import { z } from 'zod/mini'
import type { LoggedEvent } from './events.ts'
import { categoryName, profileId } from './fields.ts'
import { command, nothing } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import { DAY_MS, HOUR_MS } from './units.ts'

const epochMs = z.number().check(z.gte(0), z.lte(8_640_000_000_000_000))

/** Start and end of an interval, epoch ms, both included. */
const interval = { profile: profileId, fromMs: epochMs, toMs: epochMs }

const EXPORTS = ['report-csv', 'report-json', 'incident'] as const
export type ExportKind = (typeof EXPORTS)[number]

/** A file for a person to save. */
export interface ExportedFile {
  readonly name: string
  readonly mediaType: string
  readonly text: string
}

/** State of the history file. `memory` means that nothing is stored. */
export type StorageSummary =
  | { readonly kind: 'ok'; readonly bytes: number; readonly rawMs: number; readonly rollupMs: number }
  | { readonly kind: 'failing'; readonly failure: string; readonly waiting: number; readonly lost: number }
  | { readonly kind: 'memory' }

export interface HistoryPoint {
  readonly at: number
  readonly remaining: number
  readonly source: 'header' | 'modelled'
  /** Bounds of the requests left, as known at that time. Present only for the last 15 minutes. */
  readonly low?: number
  readonly high?: number
  /**
   * Estimated requests per second of this app and of others at that time. Present only for the last 15
   * minutes.
   */
  readonly own?: number
  readonly elsewhere?: number
  /** Requests per second of the desk's other machines. Absent without a desk. */
  readonly desk?: number
}

/** The history of one row's quota. */
export interface History {
  readonly points: readonly HistoryPoint[]
  /** Times of 429s in the requested interval. */
  readonly rejectedAt: readonly number[]
  /** When recording of this row began, epoch ms. Absent if nothing is recorded yet. */
  readonly since?: number
  /** The usual level in the interval. Absent with fewer than five recorded days. */
  readonly usual?: UsualLevels
}

/** Usual levels of a quota, oldest first: epoch ms and requests. */
export type UsualLevels = readonly (readonly [atMs: number, level: number])[]

/** A load that occurs on most days. */
export interface UsualLoad {
  /** Start and end, epoch ms. */
  readonly atMs: number
  readonly untilMs: number
  readonly requests: number
  /**
   * Requests per second in the load's busiest three minutes, or more if the level fell faster as the load
   * began.
   */
  readonly perSecond: number
  /** Chance that the load occurs, 0 to 1. */
  readonly chance: number
}

/** One sample of a category's stream slots, valid until the next sample. */
export interface SlotSample {
  readonly atMs: number
  readonly limit: number
  readonly own: number
  /** Slots used by others. Includes the desk's other machines. */
  readonly elsewhere: number
  readonly free: number
}

/** Requests of one program in consecutive intervals of equal length. */
export interface ProgramUseHistory {
  readonly program: string
  readonly requests: readonly number[]
}

/** How a key's quotas and slots were used in an interval. Times are epoch ms. Durations are milliseconds. */
export interface Report {
  readonly profile: string
  readonly from: number
  readonly to: number
  /** Busiest first. */
  readonly requests: readonly RequestReport[]
  readonly slots: readonly SlotReport[]
  readonly tokens: { readonly refreshed: number; readonly failed: number; readonly signInRequired: number }
  readonly streams: { readonly opened: number; readonly restarted: number; readonly closed: number }
  readonly unreachable: number
}

export interface RequestReport {
  readonly category: string
  readonly limit: number
  readonly own: number
  /** The requests in `own`, by program behind the gateway, busiest first. Absent if none. */
  readonly programs?: readonly ProgramReport[]
  readonly elsewhere: number
  /** Requests of the desk's other machines. Absent if none. */
  readonly desk?: number
  /** The requests in `desk`, by machine, busiest first. Absent if none. */
  readonly machines?: readonly MachineReport[]
  /** Number of 429s because of the request rate. */
  readonly rejected: number
  /** Lowest level in headers. Without headers, the lowest estimate. */
  readonly lowest: number
  readonly nearMs: number
  /** Time for which the level was known, in ms. Includes `nearMs`. */
  readonly knownMs: number
}

export interface ProgramReport {
  readonly program: string
  readonly requests: number
}

export interface MachineReport {
  /** The machine's name. */
  readonly machine: string
  readonly requests: number
}

export interface SlotReport {
  readonly category: string
  readonly limit: number
  /** Streams rejected for lack of a slot. */
  readonly refused: number
  readonly mostOwn: number
  readonly mostElsewhere: number
  readonly leastFree: number
}

/**
 * Requests of programs, this app, others and the desk's other machines in one category.
 *
 * The intervals have a length of `resolutionMs` and start at `from` (epoch ms).
 */
export interface ProgramHistory {
  readonly from: number
  /** Whole minutes. */
  readonly resolutionMs: number
  readonly programs: readonly ProgramUseHistory[]
  /** Requests of this app, programs included, in the same intervals. */
  readonly own: readonly number[]
  /** Estimated requests of others on the key, in the same intervals. */
  readonly elsewhere: readonly number[]
  /** Requests of the desk's other machines, in the same intervals. Absent if none. */
  readonly desk?: readonly number[]
}

/** Levels of each row as `[epoch ms, requests left]`, oldest first. Each row has at most `points` levels. */
export type Trends = Readonly<Record<string, readonly (readonly [atMs: number, remaining: number])[]>>

/**
 * One recorded minute of a row. `own`: this app's requests. `elsewhere`: requests of the desk's other
 * machines, plus an estimate of others' requests. `desk`: requests of the desk's other machines alone, absent
 * if there are none.
 */
export type RecordedUse = readonly [atMs: number, own: number, elsewhere: number, desk?: number]

/** One program's requests per minute in one category. The row's own requests include them. */
export interface RecordedProgramUse {
  readonly program: string
  readonly category: string
  readonly minutes: readonly (readonly [atMs: number, requests: number])[]
}

/** Recorded use of a key by minute. */
export interface RecordedUses {
  readonly rows: Readonly<Record<string, readonly RecordedUse[]>>
  readonly programs: readonly RecordedProgramUse[]
}

const historyQuery = z.strictObject({
  profile: profileId,
  category: categoryName,
  fromMs: z.number().check(z.nonnegative()),
  toMs: z.number().check(z.nonnegative()),
  /** Maximum number of returned points. */
  points: z.int().check(z.gte(2), z.lte(300)),
})

/**
 * How long rows are stored, in milliseconds. Samples are kept for at least an hour, so that they are rolled
 * up first. Rollups, slots and events are kept for at most a year, which limits the file's size.
 */
export const retention = z.object({
  rawMs: z.number().check(z.gte(HOUR_MS), z.lte(14 * DAY_MS)),
  rollupMs: z.number().check(z.gte(DAY_MS), z.lte(366 * DAY_MS)),
})
export type Retention = Readonly<z.output<typeof retention>>

export const historyContract = {
  history: command(historyQuery).returning<History>(),
  /** Requests over time in one category, by sender. Empty if no history is stored. */
  programHistory: command(
    z.strictObject({
      ...interval,
      category: categoryName,
      columns: z.int().check(z.gte(1), z.lte(300)),
    }),
  ).returning<ProgramHistory>(),
  /** Levels for the small charts of a key, by category. Empty rows are omitted. */
  trends: command(
    z.strictObject({ ...interval, points: z.int().check(z.gte(2), z.lte(64)) }),
  ).returning<Trends>(),
  /** Recorded minutes with any use. The interval may be at most two days long. */
  recordedUses: command(
    z.strictObject(interval).check(z.refine(({ fromMs, toMs }) => toMs - fromMs <= 2 * DAY_MS)),
  ).returning<RecordedUses>(),
  /** Reports the use in an interval. The response contains the interval, rounded to whole minutes. */
  report: command(z.strictObject(interval)).returning<Report>(),
  exportFile: command(z.strictObject({ ...interval, what: z.enum(EXPORTS) })).returning<
    Outcome<{ readonly file: ExportedFile }>
  >(),
  /** The latest 5,000 events of the interval, oldest first. Includes events of earlier runs of the app. */
  pastEvents: command(z.strictObject(interval)).returning<readonly LoggedEvent[]>(),
  /** Slot samples that differ from the previous sample, and the sample that is valid at `fromMs`. */
  slotHistory: command(z.strictObject({ ...interval, category: categoryName })).returning<
    readonly SlotSample[]
  >(),
  storage: command(nothing).returning<StorageSummary>(),
  setRetention: command(z.strictObject(retention.shape)).returning<Outcome>(),
} as const
