import type { Retention, StorageSummary } from '../../app/contract/history.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { Clock, Log } from '../ports/ports.ts'
import { type Saved, type StorageFailure, storageFailure } from '../storage/storage-error.ts'
import {
  CompactionTime,
  compactSlice,
  DEFAULT_RETENTION,
  newestTrusted,
  retentionFile,
} from './compaction.ts'
import type { Entry, HistoryFile } from './history-file.ts'
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
    this.#retention = retentionFile(deps.folder).read(DEFAULT_RETENTION, deps.clock.wallMs(), deps.problem)
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

  /** Reads from the file, after all queued entries have been written. `undefined` while the file fails. */
  read<T>(run: (file: HistoryFile) => T): T | undefined {
    if (this.#waiting.length > 0 && this.#failure === undefined) this.flush()
    if (!this.#kept.file || this.#failure !== undefined) return undefined
    try {
      return run(this.#kept.file)
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }

  /** Why the file can't be written. `undefined` while it can be written. */
  get failure(): StorageFailure | undefined {
    return this.#failure
  }

  status(): StorageSummary {
    if (this.#failure === undefined && this.#kept.file)
      return { kind: 'ok', bytes: historyBytes(this.#deps.folder), ...this.#retention }
    const failure = this.#failure ?? 'other'
    return { kind: 'failing', failure, waiting: this.#waiting.length, lost: this.#lost }
  }

  /** Stores retention times. They apply from the next compaction. */
  setRetention(retention: Retention): Saved {
    const written = retentionFile(this.#deps.folder).write(retention)
    if (written.ok) this.#retention = retention
    return written
  }

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
