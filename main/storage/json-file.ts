import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../app/service/json.ts'
import { setAside } from './set-aside.ts'
import { SAVED, type Saved } from './storage-error.ts'
import { systemErrorCode, systemErrorText } from './system-error.ts'
import { writeWhole } from './write-whole.ts'

export interface JsonFileOptions<T> {
  /** Without a folder, values last as long as the process. */
  readonly folder: string | undefined
  /** Without the extension: `alerts` for `alerts.json`. */
  readonly name: string
  /** The subject of sentences about problems, such as `Alert thresholds`. */
  readonly what: string
  readonly schema: z.core.$ZodType<T>
  /** Maximum length of the file in characters. A longer file counts as damaged. */
  readonly maxLength?: number
  /** Written as the file's `schemaVersion`. A file with a higher number is from a newer version. */
  readonly schemaVersion?: number
}

/** Maximum size of a file in bytes, a thousand times our largest file. A larger file counts as damaged. */
const MAX_BYTES = 16 << 20

const versioned = z.looseObject({ schemaVersion: z.int() })

/** A small JSON file of the data folder, validated when read and replaced as a whole when written. */
export class JsonFile<T> {
  readonly #options: JsonFileOptions<T>
  /**
   * When reading the file failed, epoch ms. `undefined` if it was read. An unread file must not be replaced,
   * because its content is unknown.
   */
  #unreadAtMs: number | undefined

  constructor(options: JsonFileOptions<T>) {
    this.#options = options
  }

  /**
   * The file's value, or `fallback` if the file is missing or unreadable. Never throws.
   *
   * `onProblem` is called with one sentence for a person if the file can't be read. A damaged file is set
   * aside.
   */
  read<F>(fallback: F, nowMs: number, onProblem: (sentence: string) => void): T | F {
    const { folder, name, schema, what, maxLength = Number.POSITIVE_INFINITY } = this.#options
    if (folder === undefined) return fallback
    const path = join(folder, `${name}.json`)
    let text: string
    try {
      text = statSync(path).size <= MAX_BYTES ? readFileSync(path, 'utf8') : ''
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') {
        this.#unreadAtMs = nowMs
        onProblem(`${what}: can't read the file (${systemErrorText(error)}); defaults are used`)
      }
      return fallback
    }
    const json = text.length <= maxLength ? parseJson(text) : undefined
    const parsed = z.safeParse(schema, json)
    if (parsed.success) return parsed.data
    onProblem(this.#setAside(folder, this.#isNewer(json) ? 'newer' : 'corrupt', nowMs))
    return fallback
  }

  write(value: T): Saved {
    const { folder, name } = this.#options
    if (folder === undefined) return SAVED
    if (this.#unreadAtMs !== undefined) {
      try {
        setAside({ folder, name, extension: '.json', why: 'unread' }, this.#unreadAtMs)
      } catch (error) {
        if (systemErrorCode(error) !== 'ENOENT') return { ok: false, why: systemErrorText(error) }
      }
      this.#unreadAtMs = undefined
    }
    return writeWhole(join(folder, `${name}.json`), `${JSON.stringify(value, null, 2)}\n`)
  }

  #isNewer(json: unknown): boolean {
    const { schemaVersion = Number.POSITIVE_INFINITY } = this.#options
    const found = versioned.safeParse(json)
    return found.success && found.data.schemaVersion > schemaVersion
  }

  #setAside(folder: string, state: 'newer' | 'corrupt', nowMs: number): string {
    const { name, what } = this.#options
    try {
      const aside = setAside({ folder, name, extension: '.json', why: state }, nowMs)
      return state === 'newer'
        ? `${what}: the file was written by a newer version of Headroom and renamed to ${aside}; defaults are used`
        : `${what}: the file is damaged and was renamed to ${aside}; defaults are used`
    } catch (error) {
      const why = systemErrorText(error)
      return `${what}: the file is damaged, and renaming it failed (${why}); defaults are used`
    }
  }
}
