import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DEFAULT_THRESHOLDS, type Thresholds } from '../../app/alerts/thresholds.ts'
import { writeWhole } from '../data/write-whole.ts'

const share = z.number().min(0).max(1)
const file = z.object({
  profiles: z.record(z.string(), z.object({ below: share, perCategory: z.record(z.string(), share) })),
})

/** Each profile's thresholds, in `alerts.json` of the data folder. A file that cannot be read means the defaults. */
export class ThresholdFile {
  readonly #path: string | undefined
  readonly #profiles: Map<string, Thresholds>

  /** Without a folder it remembers for as long as it lives. */
  constructor(folder: string | undefined) {
    this.#path = folder === undefined ? undefined : join(folder, 'alerts.json')
    this.#profiles = new Map(Object.entries(this.#path === undefined ? {} : read(this.#path)))
  }

  of(profile: string): Thresholds {
    return this.#profiles.get(profile) ?? DEFAULT_THRESHOLDS
  }

  /** `below` of 0 turns the alert off; `undefined` takes the row's own threshold away again. */
  set(profile: string, category: string | undefined, below: number | undefined): Thresholds {
    const before = this.of(profile)
    const next = changed(before, category, below)
    this.#profiles.set(profile, next)
    this.#write()
    return next
  }

  /** The id of a disconnected key may be another key's tomorrow. */
  forget(profile: string): void {
    if (this.#profiles.delete(profile)) this.#write()
  }

  #write(): void {
    if (this.#path === undefined) return
    const text = JSON.stringify({ profiles: Object.fromEntries(this.#profiles) }, null, 2)
    writeWhole(this.#path, `${text}\n`)
  }
}

function changed(before: Thresholds, category: string | undefined, below: number | undefined): Thresholds {
  if (category === undefined) return { ...before, below: below ?? DEFAULT_THRESHOLDS.below }
  const { [category]: _, ...others } = before.perCategory
  return { ...before, perCategory: below === undefined ? others : { ...others, [category]: below } }
}

function read(path: string): Readonly<Record<string, Thresholds>> {
  try {
    return file.parse(JSON.parse(readFileSync(path, 'utf8'))).profiles
  } catch {
    return {} // not there yet, or not ours: nothing in it hurts to lose
  }
}
