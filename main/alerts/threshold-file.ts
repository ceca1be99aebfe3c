import { z } from 'zod'
import { type AlertPreferences, DEFAULT_ALERT_PREFERENCES } from '../../app/contract/alerts.ts'
import { DEFAULT_THRESHOLDS, type Thresholds } from '../../app/contract/units.ts'
import { JsonFile } from '../storage/json-file.ts'

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/)
const preferences = z.object({
  snoozedUntil: z.number().optional(),
  quietHours: z.object({ from: timeOfDay, to: timeOfDay }).optional(),
  urgentBypass: z.boolean(),
})
const share = z.number().min(0).max(1)
const schema = z.object({
  profiles: z.record(z.string(), z.object({ below: share, perCategory: z.record(z.string(), share) })),
  preferences: preferences.optional().catch(undefined),
})

/**
 * The alert thresholds of each profile and the announcement preferences: `alerts.json` of the data folder. If
 * the file is unreadable, the defaults apply.
 */
export class ThresholdFile {
  readonly #file: JsonFile<z.output<typeof schema>>
  readonly #problem: (sentence: string) => void
  readonly #profiles: Map<string, Thresholds>
  #preferences: AlertPreferences

  /** Without a folder, thresholds are kept only in memory. */
  constructor(folder: string | undefined, nowMs: number, problem: (sentence: string) => void) {
    this.#file = new JsonFile({ folder, name: 'alerts', what: 'Alert thresholds', schema })
    this.#problem = problem
    const stored = this.#file.read(undefined, nowMs, problem)
    this.#profiles = new Map(Object.entries(stored?.profiles ?? {}))
    this.#preferences = stored?.preferences ?? DEFAULT_ALERT_PREFERENCES
  }

  of(profile: string): Thresholds {
    return this.#profiles.get(profile) ?? DEFAULT_THRESHOLDS
  }

  /** Sets a threshold. `below` 0 turns the alert off. An undefined `below` resets the threshold. */
  set(profile: string, category: string | undefined, below: number | undefined): Thresholds {
    const before = this.of(profile)
    const next = changed(before, category, below)
    this.#profiles.set(profile, next)
    this.#write()
    return next
  }

  /** Deletes the thresholds of a disconnected key, because a later key may get the same id. */
  forget(profile: string): void {
    if (this.#profiles.delete(profile)) this.#write()
  }

  /** The announcement preferences for all profiles. */
  get preferences(): AlertPreferences {
    return this.#preferences
  }

  setPreferences(preferences: AlertPreferences): void {
    this.#preferences = preferences
    this.#write()
  }

  #write(): void {
    const profiles = Object.fromEntries(this.#profiles)
    const written = this.#file.write({ profiles, preferences: this.#preferences })
    if (!written.ok) {
      this.#problem(`Alert thresholds could not be saved (${written.why}); they apply until Headroom quits`)
    }
  }
}

function changed(before: Thresholds, category: string | undefined, below: number | undefined): Thresholds {
  if (category === undefined) return { ...before, below: below ?? DEFAULT_THRESHOLDS.below }
  const { [category]: _, ...others } = before.perCategory
  return { ...before, perCategory: below === undefined ? others : { ...others, [category]: below } }
}
