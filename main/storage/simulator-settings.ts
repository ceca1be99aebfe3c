import { join } from 'node:path'
import type { Profile } from '../monitor/profile.ts'
import { type ChosenSettings, chosenOf, chosenSettings } from '../vault/profile-record.ts'
import { readSettings } from './settings-file.ts'
import { type WholeWrite, writeWhole } from './write-whole.ts'

/** What a person chose for the built-in simulator, whose key is new at each start: `simulator.json`. */
export class SimulatorSettings {
  /** One line for a person, when the file could not be read. */
  readonly notice: string | undefined
  readonly #folder: string
  #chosen: ChosenSettings | undefined

  constructor(folder: string, nowMs: number) {
    const what = "the built-in simulator's settings"
    const reading = readSettings({ folder, name: 'simulator', what, schema: chosenSettings }, nowMs)
    this.#folder = folder
    this.#chosen = reading.kind === 'read' ? reading.value : undefined
    this.notice = reading.kind === 'unusable' ? reading.notice : undefined
  }

  chosenFor(profile: Profile): Profile {
    return { ...profile, ...this.#chosen }
  }

  keep(profile: Profile): WholeWrite {
    const chosen = chosenOf(profile)
    const text = JSON.stringify(chosen, null, 2)
    const written = writeWhole(join(this.#folder, 'simulator.json'), `${text}\n`)
    if (written.ok) this.#chosen = chosen
    return written
  }
}
