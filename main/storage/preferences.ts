import { z } from 'zod'
import { JsonFile } from './json-file.ts'
import type { Saved } from './storage-error.ts'

const SCHEMA_VERSION = 1

/**
 * The preferences. If a newer version stored a value that is unknown here, the default applies. The stored
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

/** Sets a damaged `preferences.json` aside and reports it, for a host that uses no preference. */
export function checkPreferences(folder: string, nowMs: number, problem: (sentence: string) => void): void {
  fileIn(folder).read({}, nowMs, problem)
}

/**
 * `preferences.json`: a person's choices in any host, without secrets. If the file is unreadable, the
 * defaults apply.
 *
 * electron-store is no alternative. Hosts without Electron lack it, and on a full disk it replaces a good
 * file with a truncated one.
 */
export class Preferences implements SettingsStore<PreferenceValues> {
  readonly #file: JsonFile<Stored>
  #stored: Stored

  /** `problem` is called with one sentence if the file can't be read. */
  constructor(folder: string, nowMs: number, problem: (sentence: string) => void) {
    this.#file = fileIn(folder)
    this.#stored = this.#file.read({}, nowMs, problem)
  }

  read(): PreferenceValues {
    return values.parse(this.#stored)
  }

  /** Changes and stores some values. Values unknown to this version stay in the file. */
  change(changes: Partial<PreferenceValues>): Saved {
    const { schemaVersion: before } = this.#stored
    const schemaVersion = typeof before === 'number' ? Math.max(before, SCHEMA_VERSION) : SCHEMA_VERSION
    const next = { ...this.#stored, ...changes, schemaVersion }
    const written = this.#file.write(next)
    if (written.ok) this.#stored = next
    return written
  }
}

/** Settings that persist between runs, in any storage. */
export interface SettingsStore<T> {
  read(): T
  /**
   * Changes some settings. Unless the implementation says otherwise, the changes apply to this run of the app
   * even if they can't be saved.
   */
  change(changes: Partial<T>): Saved
}
