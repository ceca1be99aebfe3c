import { z } from 'zod/mini'
import type { LoggedEvent } from './events.ts'
import { categoryName, profileId } from './fields.ts'
import { command, nothing } from './ipc.ts'
import type { Outcome } from './outcome.ts'
import { DAY_MS, HOUR_MS } from './units.ts'

const epochMs = z.number().check(z.gte(0), z.lte(8_640_000_000_000_000))

/** Epoch milliseconds, the end included. */
const interval = { profile: profileId, fromMs: epochMs, toMs: epochMs }

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

export interface HistoryPoint {
  readonly at: number
  readonly remaining: number
  readonly source: 'header' | 'modelled'
  /** What was surely and possibly left, as it was known then; the last quarter of an hour only. */
  readonly low?: number
  readonly high?: number
  /** Requests per second of this app and of others, as estimated then; the last quarter of an hour only. */
  readonly own?: number
  readonly elsewhere?: number
}

/** How one row's quota went. */
export interface History {
  readonly points: readonly HistoryPoint[]
  /** When 429s happened, in the asked interval. */
  readonly rejectedAt: readonly number[]
  /** Since when this row is recorded, epoch ms; absent where nothing is. */
  readonly since?: number
}

/** One look at the stream slots of a category. These are not counts: they hold until the next look. */
export interface SlotSample {
  readonly atMs: number
  readonly limit: number
  readonly own: number
  readonly elsewhere: number
  readonly free: number
}

/** Requests of one program in a row of stretches of equal length. */
export interface ProgramUseHistory {
  readonly program: string
  readonly requests: readonly number[]
}

/** Who used what between two moments. Times are epoch milliseconds, durations milliseconds. */
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
  /** The part of `own` that each program behind the gateway made, busiest first; absent where none did. */
  readonly programs?: readonly ProgramReport[]
  readonly elsewhere: number
  /** 429s of the request rate, those told as events included. */
  readonly rejected: number
  /** Lowest level by headers, or estimated where none came. */
  readonly lowest: number
  readonly nearMs: number
  /** For how much of the interval the level was known. What is not known is not near, nor far. */
  readonly knownMs: number
}

export interface ProgramReport {
  readonly program: string
  readonly requests: number
}

export interface SlotReport {
  readonly category: string
  readonly limit: number
  /** Streams that were refused for want of a slot. */
  readonly refused: number
  readonly mostOwn: number
  readonly mostElsewhere: number
  readonly leastFree: number
}

/** Requests of each program behind the gateway, and of all others, in one category, from `from`, epoch ms, on, by stretches of `resolutionMs`. */
export interface ProgramHistory {
  readonly from: number
  /** Whole minutes. */
  readonly resolutionMs: number
  readonly programs: readonly ProgramUseHistory[]
  /** Requests of this app, those of programs among them, by the same stretches. */
  readonly own: readonly number[]
  /** Requests of others on the key, by the same stretches: an estimate. */
  readonly elsewhere: readonly number[]
}

/** The level of each row over a while, oldest first: `[epoch ms, requests left]`, at most `points` a row. */
export type Trends = Readonly<Record<string, readonly (readonly [atMs: number, remaining: number])[]>>

/** One recorded minute of a row: its start, and requests of this app and of others, which are an estimate. */
export type RecordedUse = readonly [atMs: number, own: number, elsewhere: number]

/** Requests of one program behind the gateway in one category, a minute each; part of what the row names as own. */
export interface RecordedProgramUse {
  readonly program: string
  readonly category: string
  readonly minutes: readonly (readonly [atMs: number, requests: number])[]
}

/** What was recorded of a key by the minute. */
export interface RecordedUses {
  /** By category. */
  readonly rows: Readonly<Record<string, readonly RecordedUse[]>>
  readonly programs: readonly RecordedProgramUse[]
}

const historyQuery = z.strictObject({
  profile: profileId,
  category: categoryName,
  fromMs: z.number().check(z.nonnegative()),
  toMs: z.number().check(z.nonnegative()),
  /** At most this many points come back; 300 is what a chart draws well. */
  points: z.int().check(z.gte(2), z.lte(300)),
})

/** What the app remembers of a key: charts, reports, past events, and the file that they are kept in. */
export const historyContract = {
  history: command(historyQuery).returning<History>(),
  /** The part of own requests that each program behind the gateway made; none where no history is kept. */
  programHistory: command(
    z.strictObject({
      ...interval,
      category: categoryName,
      columns: z.int().check(z.gte(1), z.lte(300)),
    }),
  ).returning<ProgramHistory>(),
  /** The small charts of all rows of a key, by category; rows without a point are left out. */
  trends: command(
    z.strictObject({ ...interval, points: z.int().check(z.gte(2), z.lte(64)) }),
  ).returning<Trends>(),
  /** The whole minutes of the interval that had any use; two days at most. */
  recordedUses: command(
    z.strictObject(interval).check(z.refine(({ fromMs, toMs }) => toMs - fromMs <= 2 * DAY_MS)),
  ).returning<RecordedUses>(),
  /** Who used what, of whole minutes: the answer says from when to when. */
  report: command(z.strictObject(interval)).returning<Report>(),
  exportFile: command(z.strictObject({ ...interval, what: z.enum(EXPORTS) })).returning<
    Outcome<{ readonly file: ExportedFile }>
  >(),
  /** Oldest first, the latest 5000 of the interval; `events` is for those of this run. */
  pastEvents: command(z.strictObject(interval)).returning<readonly LoggedEvent[]>(),
  /** Each look at the slots that differed from the one before, and the one that held at `fromMs`. */
  slotHistory: command(z.strictObject({ ...interval, category: categoryName })).returning<
    readonly SlotSample[]
  >(),
  storage: command(nothing).returning<StorageSummary>(),
  /** Raw samples an hour to 14 days, minutes and events a day to a year. */
  setRetention: command(
    z.strictObject({
      rawMs: z.number().check(z.gte(HOUR_MS), z.lte(14 * DAY_MS)),
      rollupMs: z.number().check(z.gte(DAY_MS), z.lte(366 * DAY_MS)),
    }),
  ).returning<Outcome>(),
} as const
