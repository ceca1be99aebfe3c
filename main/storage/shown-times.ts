import { z } from 'zod'
import { TIME_ZONES, type TimeZone } from '../../app/contract/units.ts'
import { showTimesIn } from '../../app/status/moments.ts'
import { JsonFile } from './json-file.ts'
import type { Saved } from './storage-error.ts'

const schema = z.object({ zone: z.enum(TIME_ZONES) })

/**
 * The time zone in which this process shows times of day. Stored in `times.json` of the data folder. Without
 * a folder, the zone is only in memory.
 */
export class ShownTimes {
  readonly #file: JsonFile<z.output<typeof schema>>
  readonly #listeners = new Set<(zone: TimeZone) => void>()
  #zone: TimeZone = 'local'

  /** Applies the stored zone. `problem` is called if the file cannot be read. */
  constructor(folder: string | undefined, nowMs: number, problem: (sentence: string) => void) {
    this.#file = new JsonFile({ folder, name: 'times', what: 'Time settings', schema })
    this.#show(this.#file.read(undefined, nowMs, problem)?.zone ?? 'local')
  }

  get zone(): TimeZone {
    return this.#zone
  }

  /** Applies a zone, even if it cannot be stored. */
  set(zone: TimeZone): Saved {
    this.#show(zone)
    for (const listener of this.#listeners) listener(zone)
    return this.#file.write({ zone })
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
