import type { LoggedEvent } from '../../app/contract/events.ts'
import type { History, ProgramHistory, RecordedUses, Report, SlotSample } from '../../app/contract/history.ts'
import { minMaxColumns, thinnedMoments } from '../../app/history/columns.ts'
import type { RecordedStretch } from '../../app/history/usual-day.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { Clock, Log } from '../ports/ports.ts'
import { type Saved, type StorageFailure, storageFailure } from '../storage/storage-error.ts'
import {
  CompactionTime,
  compactSlice,
  DEFAULT_RETENTION,
  newestTrusted,
  type Retention,
  retentionFile,
} from './compaction.ts'
import type { Entry, HistoryFile } from './history-file.ts'
import { type ProgramQuery, programHistoryOf, recordedUsesOf, reportFrom } from './recorded-use.ts'
import { historyBytes, historySentence, ReplaceableFile } from './replaceable-file.ts'

export interface HistoryStoreDeps {
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /**
   * Called when the file can't be used. Called again only if the file has worked in between. `failure` is set
   * if the problem lasts.
   */
  readonly problem: (sentence: string, failure?: StorageFailure) => void
  readonly retention?: Retention
}

/** The state of the history file, as the window shows it. */
export type StorageStatus =
  | { readonly kind: 'ok'; readonly bytes: number; readonly rawMs: number; readonly rollupMs: number }
  | {
      readonly kind: 'failing'
      readonly failure: StorageFailure
      readonly waiting: number
      readonly lost: number
    }

/** Flush interval in milliseconds. A kill -9 loses only entries of the last second. */
export const FLUSH_MS = 500
/**
 * Maximum number of queued entries while the file can't be written. A busy key adds this many in a few
 * minutes.
 */
const MAX_WAITING = 20_000
const COMPACT_EVERY_MS = 60_000
const COMPACT_GAP_MS = 20
export const MAX_STORED_EVENTS = 5_000

/**
 * Samples and events in `history.db`.
 *
 * Methods neither block nor throw, because a damaged file must not affect monitoring. Entries are queued
 * until the next flush, or longer while the file fails. Beyond `MAX_WAITING`, the oldest entries are dropped.
 */
export class HistoryStore {
  readonly #deps: HistoryStoreDeps
  readonly #kept: ReplaceableFile
  #retention: Retention
  readonly #compactionTime = new CompactionTime()
  #waiting: Entry[] = []
  #lost = 0
  #failure: StorageFailure | undefined
  #failures = 0
  #cancelFlush: (() => void) | undefined
  #cancelCompaction: () => void = () => {}
  #isClosed = false

  constructor(deps: HistoryStoreDeps) {
    this.#deps = deps
    this.#kept = new ReplaceableFile(deps)
    this.#retention =
      deps.retention ?? retentionFile(deps.folder).read(DEFAULT_RETENTION, deps.clock.wallMs(), deps.problem)
    this.#open()
    this.#compactIn(COMPACT_EVERY_MS)
  }

  add(entry: Entry): void {
    if (this.#isClosed) return
    this.#waiting.push(entry)
    if (this.#waiting.length > MAX_WAITING) {
      // A tenth of the queue is dropped at once, because one large splice is faster than one for each entry.
      this.#waiting.splice(0, MAX_WAITING / 10)
      this.#lost += MAX_WAITING / 10
    }
    if (this.#cancelFlush === undefined) this.#flushIn(FLUSH_MS)
  }

  /**
   * At most `points` points for a chart: the lows and highs of its columns. `undefined` while the file fails.
   */
  query(
    profile: string,
    category: string,
    fromMs: number,
    toMs: number,
    points: number,
  ): History | undefined {
    return this.#read((file) => historyOf(file, profile, category, fromMs, toMs, points))
  }

  /** A report for whole minutes, with its actual `from` and `to`. `undefined` while the file fails. */
  report(profile: string, fromMs: number, toMs: number): Report | undefined {
    return this.#read((file) => reportFrom(file, profile, fromMs, toMs))
  }

  /**
   * The minutes with at least one request, by quota row and by program behind the gateway. `undefined` while
   * the file fails.
   */
  recordedUses(profile: string, fromMs: number, toMs: number): RecordedUses | undefined {
    return this.#read((file) => recordedUsesOf(file, profile, fromMs, toMs))
  }

  /** See `HistoryFile.stretches`. `undefined` while the file fails. */
  stretches(
    profile: string,
    category: string,
    fromMs: number,
    toMs: number,
  ): readonly RecordedStretch[] | undefined {
    return this.#read((file) => file.stretches(profile, category, fromMs, toMs))
  }

  /** The last `MAX_STORED_EVENTS` events of the interval, oldest first. `undefined` while the file fails. */
  events(profile: string, fromMs: number, toMs: number): readonly LoggedEvent[] | undefined {
    return this.#read((file) => file.events(profile, fromMs, toMs, MAX_STORED_EVENTS))
  }

  /**
   * Requests in a category over time, made by each program behind the gateway, the whole app, the desk's
   * other machines, and others. The interval is divided into at most `columns` columns of whole minutes.
   * `undefined` while the file fails.
   */
  programHistory(profile: string, category: string, query: ProgramQuery): ProgramHistory | undefined {
    return this.#read((file) => programHistoryOf(file, profile, category, query))
  }

  slots(profile: string, category: string, fromMs: number, toMs: number): readonly SlotSample[] | undefined {
    return this.#read((file) => file.slots(profile, category, fromMs, toMs))
  }

  openAlerts(): readonly string[] {
    return this.#read((file) => file.openAlerts()) ?? []
  }

  /** Why the file can't be written. `undefined` while it can be written. */
  get failure(): StorageFailure | undefined {
    return this.#failure
  }

  status(): StorageStatus {
    if (this.#failure !== undefined || !this.#kept.file)
      return {
        kind: 'failing',
        failure: this.#failure ?? 'other',
        waiting: this.#waiting.length,
        lost: this.#lost,
      }
    const { rawMs, rollupMs } = this.#retention
    return { kind: 'ok', bytes: historyBytes(this.#deps.folder), rawMs, rollupMs }
  }

  /** Stores retention times. They apply from the next compaction. */
  setRetention(retention: Retention): Saved {
    const written = retentionFile(this.#deps.folder).write(retention)
    if (written.ok) this.#retention = retention
    return written
  }

  /** Writes all queued entries now. */
  flush(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    this.#kept.closeIfRemoved()
    if (!this.#kept.file) this.#open()
    // After a failure, even an empty queue is written. This shows whether the file works again.
    if (!this.#kept.file || (this.#waiting.length === 0 && this.#failure === undefined)) return
    try {
      this.#kept.file.write(this.#waiting, this.#deps.clock.wallMs())
      this.#waiting = []
      this.#recovered()
    } catch (error) {
      this.#failed(error)
    }
  }

  close(): void {
    if (this.#isClosed) return
    this.flush()
    this.#isClosed = true
    this.#cancelFlush?.()
    this.#cancelCompaction()
    this.#kept.close()
  }

  #open(): void {
    const opened = this.#kept.open()
    if (opened.kind === 'failed') this.#failing(opened.failure, opened.cause)
    else if (opened.kind === 'opened' && this.#waiting.length === 0) this.#recovered()
  }

  #read<T>(run: (file: HistoryFile) => T): T | undefined {
    if (this.#waiting.length > 0 && this.#failure === undefined) this.flush()
    if (!this.#kept.file || this.#failure !== undefined) return undefined
    try {
      return run(this.#kept.file)
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }

  #failed(error: unknown): void {
    const failure = storageFailure(error)
    if (failure === 'corrupt') {
      const replaced = this.#kept.replace(failure)
      if (replaced.kind === 'failed') this.#failing(replaced.failure, replaced.cause)
      if (this.#waiting.length > 0 && !this.#isClosed && this.#cancelFlush === undefined)
        this.#flushIn(FLUSH_MS)
      return
    }
    this.#failing(failure, error)
  }

  #failing(failure: StorageFailure, cause: unknown): void {
    if (this.#failure === undefined) {
      this.#deps.problem(historySentence(failure), failure)
      this.#deps.log.note('the history file failed', { failure, cause })
    }
    this.#failure = failure
    if (this.#isClosed) return
    this.#retry()
  }

  #retry(): void {
    this.#failures += 1
    this.#flushIn(retryDelayMs(RETRY.history, this.#failures, 0))
  }

  #recovered(): void {
    this.#failures = 0
    if (this.#failure === undefined) return
    this.#deps.log.note('the history file works again', { lost: this.#lost })
    this.#failure = undefined
    this.#lost = 0
  }

  #flushIn(ms: number): void {
    this.#cancelFlush?.()
    this.#cancelFlush = this.#deps.clock.after(ms, () => this.flush())
  }

  #compactIn(ms: number): void {
    this.#cancelCompaction = this.#deps.clock.after(ms, () => this.#compact())
  }

  #compact(): void {
    let more = false
    // Queued entries are written first. If they were written later, they would replace the minutes that are
    // closed below.
    if (this.#waiting.length > 0 && this.#failure === undefined) this.flush()
    try {
      const file = this.#failure === undefined ? this.#kept.file : undefined
      const nowMs = this.#deps.clock.wallMs()
      // Completes the rollups of ended minutes even without new entries, because compaction deletes the
      // samples of these minutes.
      file?.write([], nowMs)
      if (file !== undefined) {
        const atMs = this.#compactionTime.at(nowMs, this.#deps.clock.monotonicMs(), () =>
          newestTrusted(file.database, nowMs),
        )
        more = compactSlice(file.database, this.#retention, atMs)
      }
    } catch (error) {
      this.#failed(error)
    }
    if (!this.#isClosed) this.#compactIn(more ? COMPACT_GAP_MS : COMPACT_EVERY_MS)
  }
}

/** The lows and highs of each pixel column, and the times of 429s. Each list has at most `points` items. */
function historyOf(
  file: HistoryFile,
  profile: string,
  category: string,
  fromMs: number,
  toMs: number,
  points: number,
): History {
  const columnMs = (toMs - fromMs) / Math.max(1, Math.floor(points / 2))
  const stretches = file.extents(profile, category, fromMs, toMs, columnMs)
  const rejectedAt = stretches
    .filter(({ rejected }) => rejected > 0)
    .map(({ atMs, endMs }) => Math.round((atMs + endMs) / 2))
  const since = file.since(profile, category)
  return {
    ...(since !== undefined && { since }),
    points: minMaxColumns(stretches, fromMs, toMs, points),
    rejectedAt: thinnedMoments(rejectedAt, fromMs, toMs, points),
  }
}
