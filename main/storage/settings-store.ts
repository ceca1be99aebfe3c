import type { Saved } from './storage-error.ts'

/** Settings kept between runs, by whatever library stores them. */
export interface SettingsStore<T> {
  read(): T
  /** The changes apply to this run also where they cannot be saved, unless the implementation says otherwise. */
  change(changes: Partial<T>): Saved
}
