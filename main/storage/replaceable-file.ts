import { HistoryFile } from '../history/history-file.ts'
import type { Clock, Log } from '../ports/ports.ts'
import { openHistoryFile, setHistoryAside } from './open-sqlite-file.ts'
import { type StorageFailure, storageFailure, storageSentence } from './storage-failure.ts'

export interface ReplaceableFileDeps {
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  readonly problem: (sentence: string) => void
}

export type FileOpening =
  | { readonly kind: 'opened' }
  /** It was damaged: a new one, with nothing in it, took its place. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'failed'; readonly failure: StorageFailure; readonly cause: unknown }

/** A disk that damages each new file too is not given more of them. */
const MAX_REPLACED = 3

/** `history.db` while it can be used. One that is damaged is kept under another name, and a new one is begun. */
export class ReplaceableFile {
  readonly #deps: ReplaceableFileDeps
  #file: HistoryFile | undefined
  #replaced = 0

  constructor(deps: ReplaceableFileDeps) {
    this.#deps = deps
  }

  get file(): HistoryFile | undefined {
    return this.#file
  }

  open(): FileOpening {
    const { folder, clock } = this.#deps
    const opening = openHistoryFile(folder, clock.wallMs())
    if (opening.kind === 'failed') return opening
    if (opening.setAside) this.#tell(opening.setAside.failure, opening.setAside.name)
    try {
      const file = new HistoryFile(opening.database)
      file.catchUp(clock.wallMs())
      this.#file = file
      return { kind: 'opened' }
    } catch (error) {
      this.#file = undefined
      if (opening.database.isOpen) opening.database.close()
      const failure = storageFailure(error)
      if (failure === 'corrupt' && !opening.setAside) return this.replace(failure)
      return { kind: 'failed', failure, cause: error }
    }
  }

  /** Sets the file aside and begins a new one. */
  replace(failure: StorageFailure): FileOpening {
    const { folder, clock } = this.#deps
    this.close()
    this.#replaced += 1
    if (this.#replaced > MAX_REPLACED) return { kind: 'failed', failure, cause: undefined }
    try {
      const name = setHistoryAside(folder, clock.wallMs(), failure)
      const opening = openHistoryFile(folder, clock.wallMs())
      if (opening.kind === 'failed') return opening
      this.#file = new HistoryFile(opening.database)
      this.#tell(failure, name)
      return { kind: 'replaced' }
    } catch (error) {
      return { kind: 'failed', failure: storageFailure(error), cause: error }
    }
  }

  close(): void {
    try {
      this.#file?.close()
    } catch (error) {
      this.#deps.log.note('the history file could not be closed', { cause: error })
    }
    this.#file = undefined
  }

  #tell(failure: StorageFailure, name: string): void {
    this.#deps.problem(storageSentence(failure, name))
    this.#deps.log.note('the history file was set aside', { failure, name })
  }
}
