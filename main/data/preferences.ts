import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from './write-whole.ts'

const SCHEMA_VERSION = 1

/** A value this version does not know, say from a newer one, reads as the default and stays in the file. */
const values = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** A person agreed to store keys although nothing on this system hides them. */
  storeUnprotected: z.boolean().catch(false),
})

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
  const file = join(folder, 'preferences.json')
  const reading = read(file)
  switch (reading.kind) {
    case 'read':
      return { preferences: new Preferences(file, reading.stored) }
    case 'missing':
      return { preferences: new Preferences(file, {}) }
    case 'corrupt':
      return { preferences: new Preferences(file, {}), notice: setAside(folder, file, nowMs) }
    case 'unreadable':
      return {
        preferences: new Preferences(file, {}),
        notice: `preferences cannot be read (${reading.why}); starting with the defaults`,
      }
  }
}

type Reading =
  | { readonly kind: 'read'; readonly stored: Readonly<Record<string, unknown>> }
  | { readonly kind: 'missing' | 'corrupt' }
  | { readonly kind: 'unreadable'; readonly why: string }

function read(file: string): Reading {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return code === 'ENOENT' ? { kind: 'missing' } : { kind: 'unreadable', why: code }
  }
  try {
    const stored = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text))
    return stored.success ? { kind: 'read', stored: stored.data } : { kind: 'corrupt' }
  } catch {
    return { kind: 'corrupt' } // no JSON
  }
}

function setAside(folder: string, file: string, nowMs: number): string {
  const name = `preferences.corrupt-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}.json`
  try {
    renameSync(file, join(folder, name))
    return `preferences were damaged and are kept as ${name}; starting with the defaults`
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `preferences are damaged and could not be set aside (${why}); starting with the defaults`
  }
}
