import { z } from 'zod'
import { TIME_ZONES, type TimeZone } from '../../app/contract/units.ts'
import { showTimesIn } from '../../app/status/moments.ts'
import { JsonFile } from './json-file.ts'
import type { Saved } from './storage-error.ts'

const schema = z.object({ zone: z.enum(TIME_ZONES) })

/**
 * The zone of every time of day that this process shows or tells, stored in `times.json` of the data folder. Without a
 * folder it is held in memory only.
 */
export class ShownTimes {
  readonly #file: JsonFile<z.output<typeof schema>> | undefined
  readonly #listeners = new Set<(zone: TimeZone) => void>()
  #zone: TimeZone = 'local'

  /** Shows times in the stored zone from now on. `problem`: called where the file cannot be read. */
  constructor(folder: string | undefined, nowMs: number, problem: (sentence: string) => void) {
    const what = 'Time settings'
    this.#file = folder === undefined ? undefined : new JsonFile({ folder, name: 'times', what, schema })
    this.#show(this.#file?.read(undefined, nowMs, problem)?.zone ?? 'local')
  }

  get zone(): TimeZone {
    return this.#zone
  }

  /** Applies a zone, also where it cannot be stored. */
  set(zone: TimeZone): Saved {
    this.#show(zone)
    for (const listener of this.#listeners) listener(zone)
    return this.#file?.write({ zone }) ?? { ok: true }
  }

  /** Calls `listener` with each zone that is set. Returns the unsubscribe function. */
  onChange(listener: (zone: TimeZone) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #show(zone: TimeZone): void {
    this.#zone = zone
    showTimesIn(zone)
  }
}
