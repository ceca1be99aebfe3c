import { DAY_MS } from '../../app/contract/units.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { Clock, Log } from '../ports/ports.ts'
import { SAVED, type Saved, type StorageFailure, storageFailure } from '../storage/storage-error.ts'
import { type HashedEntry, type JournalFile, openJournalFile, type Settlement } from './journal-file.ts'

export interface JournalDeps {
  /** Absent without a data folder. Then there is no journal. */
  readonly folder: string | undefined
  readonly clock: Clock
  readonly log: Log
  /** Called with one sentence if the file was damaged. */
  readonly problem: (sentence: string) => void
  /** Called with the reason when the journal fails, and with `undefined` when it works again. */
  readonly changed: (why: string | undefined) => void
}

/** How long entries are kept, in milliseconds. */
const KEPT_MS = 30 * DAY_MS
const PRUNE_EVERY_MS = DAY_MS / 24

/**
 * The journal of orders in `orders.db`. Each order is written and flushed before it is sent.
 *
 * While the process runs, no outcome is lost. An outcome that can't be written stays in memory. It is written
 * with the next order, or as soon as the disk allows.
 */
export class Journal {
  readonly #deps: JournalDeps
  #file: JournalFile | undefined
  #failure: StorageFailure | 'no-folder' | undefined
  #failures = 0
  /** Settlements that are not written yet, by entry id. */
  readonly #unwritten = new Map<string, Settlement>()
  readonly #undismissed = new Set<string>()
  #former: readonly HashedEntry[] | undefined
  /**
   * Entries that are not settled, by id, as last written. They are restored if the file was removed or
   * replaced.
   */
  readonly #held = new Map<string, HashedEntry>()
  /** Whether the file was opened since the last write. */
  #isOpenedAnew = false
  /** Cancels the next retry. Absent if no retry is due. */
  #cancelRetry: (() => void) | undefined
  #cancelPruning: () => void = () => {}
  #isClosed = false

  constructor(deps: JournalDeps) {
    this.#deps = deps
    this.#opened()
    this.#prune()
  }

  /** Why nothing can be written, as the end of a sentence. `undefined` if writing works. */
  get why(): string | undefined {
    return this.#failure && WORDS[this.#failure]
  }

  /** Writes an order before it is sent. If this fails, the order must not be sent. */
  insert(entry: HashedEntry): Saved {
    const isWritten = this.#write((file) => file.insert(entry))
    if (isWritten) this.#held.set(entry.id, entry)
    return isWritten ? SAVED : { ok: false, why: this.why ?? WORDS.other }
  }

  /** Writes the outcome of an order, now or as soon as possible. */
  settle(id: string, settlement: Settlement): void {
    this.settleAll([[id, settlement]])
  }

  /** Like `settle`, with one flush for all. */
  settleAll(ended: Iterable<readonly [id: string, settlement: Settlement]>): void {
    for (const [id, settlement] of ended)
      this.#unwritten.set(id, { ...this.#unwritten.get(id), ...settlement })
    this.#write(() => {})
  }

  dismiss(...ids: readonly string[]): void {
    for (const id of ids) this.#undismissed.add(id)
    this.#write(() => {})
  }

  /** Entries in the interval, oldest first. `undefined` while the file can't be read. */
  between(fromMs: number, toMs: number): readonly HashedEntry[] | undefined {
    return this.#read((file) => file.between(fromMs, toMs))?.map((entry) => this.#newest(entry))
  }

  /**
   * Entries of earlier runs of the app: those that are not settled, and those of the minute before the file
   * was read. `undefined` until then.
   */
  get former(): readonly HashedEntry[] | undefined {
    return this.#former
  }

  count(...of: Parameters<JournalFile['count']>): number | undefined {
    return this.#read((file) => file.count(...of))
  }

  /** Opens a file that failed and writes everything pending, if possible. */
  retry(): void {
    this.#write(() => {})
  }

  close(): void {
    if (this.#isClosed) return
    this.#write(() => {})
    this.#isClosed = true
    this.#cancelRetry?.()
    this.#cancelPruning()
    this.#closeFile()
  }

  #newest(entry: HashedEntry): HashedEntry {
    const isDismissed = entry.isDismissed || this.#undismissed.has(entry.id)
    return { ...entry, ...this.#unwritten.get(entry.id), isDismissed }
  }

  /** Runs one transaction, which also writes everything pending. */
  #write(run: (file: JournalFile) => void): boolean {
    try {
      const file = this.#opened()
      if (file === undefined) return false
      file.write(() => {
        if (this.#isOpenedAnew) for (const entry of this.#held.values()) file.restore(entry)
        for (const [id, settlement] of this.#unwritten) file.settle(id, settlement)
        for (const id of this.#undismissed) file.dismiss(id)
        run(file)
      })
      // A deleted file accepts writes, but they are lost when the process ends.
      if (!file.isInPlace()) throw new Error('the journal was removed or replaced')
      this.#written()
      this.#worked()
      return true
    } catch (error) {
      this.#closeFile()
      this.#failed(storageFailure(error), error)
      return false
    }
  }

  #written(): void {
    this.#isOpenedAnew = false
    for (const id of new Set([...this.#unwritten.keys(), ...this.#undismissed])) {
      const held = this.#held.get(id)
      if (held === undefined) continue
      const newest = this.#newest(held)
      if (hasEnded(newest)) this.#held.delete(id)
      else this.#held.set(id, newest)
    }
    this.#unwritten.clear()
    this.#undismissed.clear()
  }

  #read<T>(run: (file: JournalFile) => T): T | undefined {
    // Only a retry or an order reopens a file that failed. A read does not.
    if (this.#file === undefined && this.#failure !== undefined) return undefined
    try {
      this.#opened()
      // A recreated file lacks the entries of the removed file, so they are written again first.
      if (this.#isOpenedAnew && !this.#write(() => {})) return undefined
      return this.#file && run(this.#file)
    } catch (error) {
      this.#failed(storageFailure(error), error)
      return undefined
    }
  }

  #opened(): JournalFile | undefined {
    const { folder, clock, problem, log } = this.#deps
    if (this.#isClosed) return undefined
    if (this.#file?.isInPlace() === false) this.#closeFile()
    if (this.#file !== undefined) return this.#file
    if (folder === undefined) {
      this.#failure = 'no-folder'
      return undefined
    }
    const opening = openJournalFile(folder, clock.wallMs())
    if (opening.kind === 'failed') {
      this.#failed(opening.failure, opening.cause)
      return undefined
    }
    if (opening.aside !== undefined) {
      problem(
        `The order journal was damaged and renamed to ${opening.aside}. Check your orders at the broker.`,
      )
      log.note('the order journal was set aside', { name: opening.aside })
    }
    this.#file = opening.file
    this.#isOpenedAnew = true
    if (this.#former === undefined) {
      this.#former = opening.entries
      for (const entry of opening.entries) if (!hasEnded(entry)) this.#held.set(entry.id, entry)
    }
    return opening.file
  }

  #closeFile(): void {
    try {
      this.#file?.close()
    } catch (cause) {
      this.#deps.log.note('closing the order journal failed', { cause })
    }
    this.#file = undefined
  }

  #failed(failure: StorageFailure, cause: unknown): void {
    const isNews = this.#failure !== failure
    this.#failure = failure
    if (!this.#isClosed) this.#cancelRetry ??= this.#retryLater()
    if (!isNews) return
    this.#deps.log.note('the order journal failed', { failure, cause })
    this.#deps.changed(this.why)
  }

  /** Tries to write later, even if nothing is pending. This shows whether orders may be sent again. */
  #retryLater(): () => void {
    this.#failures += 1
    return this.#deps.clock.after(retryDelayMs(RETRY.orderJournal, this.#failures, 0), () => {
      this.#cancelRetry = undefined
      this.retry()
    })
  }

  #worked(): void {
    this.#failures = 0
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    this.#deps.log.note('the order journal works again')
    this.#deps.changed(undefined)
  }

  #prune(): void {
    const { clock } = this.#deps
    this.#write((file) => file.prune(clock.wallMs() - KEPT_MS))
    if (!this.#isClosed) this.#cancelPruning = clock.after(PRUNE_EVERY_MS, () => this.#prune())
  }
}

/**
 * Whether an order is settled. Its outcome is certain, or a person has dismissed the result of its lookup.
 */
export const hasEnded = ({ outcome, isDismissed }: HashedEntry): boolean =>
  outcome === 'answered' ||
  outcome === 'not-sent' ||
  (isDismissed && outcome !== 'sent' && outcome !== 'looking')

/** Why orders are stopped, as the end of a sentence. */
const WORDS: Readonly<Record<StorageFailure | 'no-folder', string>> = {
  full: 'the disk is full',
  locked: 'another program has locked the order journal',
  corrupt: 'the order journal is damaged',
  newer: 'the order journal was written by a newer version of Headroom',
  'not-allowed': "the order journal can't be written",
  other: 'the order journal failed; see the log',
  'no-folder': 'there is no data folder for the order journal',
}
