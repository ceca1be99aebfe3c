import { z } from 'zod'
import { JsonFile } from './json-file.ts'
import type { SettingsStore } from './settings-store.ts'
import type { Saved } from './storage-error.ts'

const SCHEMA_VERSION = 1

/** A value unknown to this version, such as a newer one's, reads as the default and stays in the file. */
const values = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** A person agreed to store keys although nothing on this system hides them. */
  storeUnprotected: z.boolean().catch(false),
})

const stored = z.record(z.string(), z.unknown())
type Stored = Readonly<z.output<typeof stored>>

export type PreferenceValues = z.output<typeof values>

export interface PreferencesOpening {
  readonly preferences: Preferences
  /** One line for a person, when the file could not be read. */
  readonly notice?: string
}

/**
 * `preferences.json`: what a person chose in any host; no secret.
 *
 * Not stored by electron-store, which hosts without Electron lack and which on a full disk replaces a good file by a
 * truncated one.
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

  /** Keys unknown to this version stay. */
  change(changes: Partial<PreferenceValues>): Saved {
    const { schemaVersion: before } = this.#stored
    const schemaVersion = typeof before === 'number' ? Math.max(before, SCHEMA_VERSION) : SCHEMA_VERSION
    const next = { ...this.#stored, ...changes, schemaVersion }
    const written = this.#file.write(next)
    if (written.ok) this.#stored = next
    return written
  }
}

/** Never throws: a file that cannot be read is set aside, and the defaults apply. */
export function openPreferences(folder: string, nowMs: number): PreferencesOpening {
  const file = new JsonFile<Stored>({ folder, name: 'preferences', what: 'preferences', schema: stored })
  let notice: string | undefined
  const found = file.read({}, nowMs, (sentence) => {
    notice = sentence
  })
  return { preferences: new Preferences(file, found), ...(notice !== undefined && { notice }) }
}
