import { z } from 'zod'
import { JsonFile } from './json-file.ts'
import type { Saved } from './storage-error.ts'

const SCHEMA_VERSION = 1

/**
 * The preferences. A value unknown to this version, such as a newer one's, reads as the default and stays in
 * the file.
 */
const values = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** Whether the user agreed to store keys on a system that cannot protect them. */
  storeUnprotected: z.boolean().catch(false),
})

const stored = z.record(z.string(), z.unknown())
type Stored = Readonly<z.output<typeof stored>>

export type PreferenceValues = z.output<typeof values>

/** The preferences as read. */
export interface PreferencesOpening {
  readonly preferences: Preferences
  /** One line for the user when the file could not be read. */
  readonly notice?: string
}

/**
 * `preferences.json`: the user's choices in any host, without secrets.
 *
 * Not stored by electron-store, which hosts without Electron lack and which on a full disk replaces a good
 * file by a truncated one.
 */
export class Preferences implements SettingsStore<PreferenceValues> {
  readonly #file: JsonFile<Stored>
  #stored: Stored

  constructor(file: JsonFile<Stored>, stored: Stored) {
    this.#file = file
    this.#stored = stored
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

/** Opens the preferences. Never throws: an unreadable file is set aside, and the defaults apply. */
export function openPreferences(folder: string, nowMs: number): PreferencesOpening {
  const file = new JsonFile<Stored>({ folder, name: 'preferences', what: 'preferences', schema: stored })
  let notice: string | undefined
  const found = file.read({}, nowMs, (sentence) => {
    notice = sentence
  })
  return { preferences: new Preferences(file, found), ...(notice !== undefined && { notice }) }
}

/** Settings that persist between runs, independent of the library that stores them. */
export interface SettingsStore<T> {
  read(): T
  /**
   * Changes some settings. They apply to this run even if they cannot be saved, unless the implementation
   * says otherwise.
   */
  change(changes: Partial<T>): Saved
}
