import type { Profile } from '../ports/profile.ts'
import { JsonFile } from '../storage/json-file.ts'
import type { Saved } from '../storage/storage-error.ts'
import { keySettings, keySettingsOf, type StoredKeySettings } from './profile-record.ts'

/**
 * A person's settings for the built-in simulator: `simulator.json`. They apply at each start, although the
 * simulator then has a new key.
 */
export class SimulatorSettings {
  /** One line for the person if the file could not be read. */
  readonly notice: string | undefined
  readonly #file: JsonFile<StoredKeySettings>
  #chosen: StoredKeySettings | undefined

  constructor(folder: string, nowMs: number) {
    const what = "the built-in simulator's settings"
    this.#file = new JsonFile({ folder, name: 'simulator', what, schema: keySettings })
    let notice: string | undefined
    this.#chosen = this.#file.read(undefined, nowMs, (sentence) => {
      notice = sentence
    })
    this.notice = notice
  }

  /** Whether a person allowed orders. If so, the token of the next simulator needs the scope for orders. */
  get mayTrade(): boolean {
    return this.#chosen?.orders === 'on'
  }

  chosenFor(profile: Profile): Profile {
    return { ...profile, ...this.#chosen }
  }

  keep(profile: Profile): Saved {
    const chosen = keySettingsOf(profile)
    const written = this.#file.write(chosen)
    if (written.ok) this.#chosen = chosen
    return written
  }
}
