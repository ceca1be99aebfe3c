import { join } from 'node:path'
import { z } from 'zod'
import { readSettings } from './settings-file.ts'
import { writeWhole } from './write-whole.ts'

const SCHEMA_VERSION = 1

/** A value this version does not know, say from a newer one, reads as the default and stays in the file. */
const values = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** A person agreed to store keys although nothing on this system hides them. */
  storeUnprotected: z.boolean().catch(false),
})

const stored = z.record(z.string(), z.unknown())

export type PreferenceValues = z.output<typeof values>

export interface PreferencesOpening {
  readonly preferences: Preferences
  /** One line for a person, when the file could not be read. */
  readonly notice?: string
}

export type PreferencesWrite = { readonly ok: true } | { readonly ok: false; readonly why: string }

/**
 * What a person chose; nothing that hurts to lose, and no secret.
 *
 * Not electron-store nor the library under it: those replace a good file by a truncated one on a full disk.
 */
export class Preferences {
  readonly #file: string
  #stored: Readonly<Record<string, unknown>>

  constructor(file: string, stored: Readonly<Record<string, unknown>>) {
    this.#file = file
    this.#stored = stored
  }

  get values(): PreferenceValues {
    return values.parse(this.#stored)
  }

  /** Keeps every key it does not know. */
  change(changes: Partial<PreferenceValues>): PreferencesWrite {
    const { schemaVersion: before } = this.#stored
    const schemaVersion = typeof before === 'number' ? Math.max(before, SCHEMA_VERSION) : SCHEMA_VERSION
    const next = { ...this.#stored, ...changes, schemaVersion }
    const written = writeWhole(this.#file, `${JSON.stringify(next, null, 2)}\n`)
    if (written.ok) this.#stored = next
    return written
  }
}

/** Never fails: a file that cannot be read is set aside under a name of its own, and the defaults apply. */
export function openPreferences(folder: string, nowMs: number): PreferencesOpening {
  const reading = readSettings({ folder, name: 'preferences', what: 'preferences', schema: stored }, nowMs)
  const file = join(folder, 'preferences.json')
  switch (reading.kind) {
    case 'read':
      return { preferences: new Preferences(file, reading.value) }
    case 'missing':
      return { preferences: new Preferences(file, {}) }
    case 'unusable':
      return { preferences: new Preferences(file, {}), notice: reading.notice }
  }
}
