import { z } from 'zod'
import { JsonFile } from './json-file.ts'
import type { Saved } from './storage-error.ts'

const SCHEMA_VERSION = 1

/**
 * The preferences. If this version does not know a value, such as a newer one's, the default applies and the
 * value stays in the file.
 */
const values = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** Whether the person agreed to store keys on a system that cannot protect them. */
  storeUnprotected: z.boolean().catch(false),
})

const stored = z.record(z.string(), z.unknown())
type Stored = Readonly<z.output<typeof stored>>

export type PreferenceValues = z.output<typeof values>

const fileIn = (folder: string) =>
  new JsonFile({ folder, name: 'preferences', what: 'preferences', schema: stored })

/** Reports and sets aside a damaged `preferences.json`, for a host that does not use any of them. */
export function checkPreferences(folder: string, nowMs: number, problem: (sentence: string) => void): void {
  fileIn(folder).read({}, nowMs, problem)
}

/**
 * `preferences.json`: a person's choices in any host, without secrets. If it is unreadable, the defaults
 * apply.
 *
 * electron-store is not used, because hosts without Electron lack it, and because it replaces a good file
 * with a truncated one on a full disk.
 */
export class Preferences implements SettingsStore<PreferenceValues> {
  readonly #file: JsonFile<Stored>
  #stored: Stored

  /** `problem`: called with one sentence if the file can't be read. */
  constructor(folder: string, nowMs: number, problem: (sentence: string) => void) {
    this.#file = fileIn(folder)
    this.#stored = this.#file.read({}, nowMs, problem)
  }

  read(): PreferenceValues {
    return values.parse(this.#stored)
  }

  /** Changes and stores some values. Keys unknown to this version stay in the file. */
  change(changes: Partial<PreferenceValues>): Saved {
    const { schemaVersion: before } = this.#stored
    const schemaVersion = typeof before === 'number' ? Math.max(before, SCHEMA_VERSION) : SCHEMA_VERSION
    const next = { ...this.#stored, ...changes, schemaVersion }
    const written = this.#file.write(next)
    if (written.ok) this.#stored = next
    return written
  }
}

/** Settings that persist between runs, whichever library stores them. */
export interface SettingsStore<T> {
  read(): T
  /**
   * Changes some settings. They apply to this run even if they cannot be saved, unless the implementation
   * says otherwise.
   */
  change(changes: Partial<T>): Saved
}
