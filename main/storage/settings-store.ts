import type { Saved } from './storage-error.ts'

/** Settings that are kept between runs, independent of the library that stores them. */
export interface SettingsStore<T> {
  read(): T
  /**
   * Changes some settings. They apply to this run even where they cannot be saved, unless the implementation says
   * otherwise.
   */
  change(changes: Partial<T>): Saved
}
