import { join } from 'node:path'
import { z } from 'zod'
import { DEFAULT_THRESHOLDS, type Thresholds } from '../../app/quota/thresholds.ts'
import { readSettings } from '../storage/settings-file.ts'
import { writeWhole } from '../storage/write-whole.ts'

const share = z.number().min(0).max(1)
const file = z.object({
  profiles: z.record(z.string(), z.object({ below: share, perCategory: z.record(z.string(), share) })),
})

/** Each profile's thresholds, in `alerts.json` of the data folder. A file that cannot be read means the defaults. */
export class ThresholdFile {
  readonly #folder: string | undefined
  readonly #problem: (sentence: string) => void
  readonly #profiles: Map<string, Thresholds>

  /** Without a folder it remembers for as long as it lives. */
  constructor(folder: string | undefined, nowMs: number, problem: (sentence: string) => void) {
    this.#folder = folder
    this.#problem = problem
    this.#profiles = new Map(folder === undefined ? [] : Object.entries(read(folder, nowMs, problem)))
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
    if (this.#folder === undefined) return
    const text = JSON.stringify({ profiles: Object.fromEntries(this.#profiles) }, null, 2)
    const written = writeWhole(join(this.#folder, 'alerts.json'), `${text}\n`)
    if (!written.ok) {
      this.#problem(`Alert thresholds could not be kept (${written.why}); they apply until Headroom ends`)
    }
  }
}

function changed(before: Thresholds, category: string | undefined, below: number | undefined): Thresholds {
  if (category === undefined) return { ...before, below: below ?? DEFAULT_THRESHOLDS.below }
  const { [category]: _, ...others } = before.perCategory
  return { ...before, perCategory: below === undefined ? others : { ...others, [category]: below } }
}

function read(
  folder: string,
  nowMs: number,
  problem: (sentence: string) => void,
): Readonly<Record<string, Thresholds>> {
  const reading = readSettings({ folder, name: 'alerts', what: 'Alert thresholds', schema: file }, nowMs)
  switch (reading.kind) {
    case 'read':
      return reading.value.profiles
    case 'missing':
      return {}
    case 'unusable':
      problem(reading.notice)
      return {}
  }
}
