import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { systemErrorText } from './system-error.ts'

export type SettingsReading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'missing' }
  /** Damaged, or closed to us: `notice` is one line for a person, and the defaults apply. */
  | { readonly kind: 'unusable'; readonly notice: string }

export interface SettingsFile<T> {
  readonly folder: string
  /** `alerts` for `alerts.json`. */
  readonly name: string
  /** What the file holds, in the plural, as a sentence begins with it. */
  readonly what: string
  readonly schema: z.ZodType<T>
}

/** Never fails: a damaged file is set aside whole under a name of its own, so that the next write destroys nothing. */
export function readSettings<T>(file: SettingsFile<T>, nowMs: number): SettingsReading<T> {
  const path = join(file.folder, `${file.name}.json`)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { kind: 'missing' }
    return {
      kind: 'unusable',
      notice: `${file.what} cannot be read (${systemErrorText(error)}); starting with the defaults`,
    }
  }
  const parsed = file.schema.safeParse(json(text))
  return parsed.success
    ? { kind: 'read', value: parsed.data }
    : { kind: 'unusable', notice: setAside(file, path, nowMs) }
}

/** `undefined`, which no JSON is, for what is none. */
function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function setAside({ folder, name, what }: SettingsFile<unknown>, path: string, nowMs: number): string {
  const aside = `${name}.corrupt-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}.json`
  try {
    renameSync(path, join(folder, aside))
    return `${what} were damaged and are kept as ${aside}; starting with the defaults`
  } catch (error) {
    const why = systemErrorText(error)
    return `${what} are damaged and could not be set aside (${why}); starting with the defaults`
  }
}
