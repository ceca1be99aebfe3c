import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { STREAM_KINDS, type StreamRequest } from '../../app/service/streams.ts'
import { type WholeWrite, writeWhole } from '../data/write-whole.ts'

/** The pinned streams of one profile. */
export interface Pins {
  read(): readonly StreamRequest[]
  write(requests: readonly StreamRequest[]): WholeWrite
  /** With whatever another version left there: the key is forgotten, and its account ids with it. */
  forget(): WholeWrite
}

const MOST_PROFILES = 64
const MOST_PINS = 200
const LONGEST_FILE_BYTES = 1 << 20

const request = z.object({
  kind: z.enum(STREAM_KINDS),
  target: z.string().min(1).max(512),
  options: z.record(z.string().max(32), z.string().max(64)).default({}),
})
const stored = z.object({ profiles: z.record(z.string(), z.array(z.unknown())) })
type Stored = Readonly<Record<string, readonly unknown[]>>

/**
 * Which streams are opened again at the next start, by profile: `pinned-streams.json` in the data folder.
 *
 * Targets hold account ids, so the file is the owner's alone. Nothing here hurts to lose: a damaged file is set
 * aside and pins start empty. An entry that this version cannot read, say of a newer one, is kept and not opened.
 */
export class PinnedStreams {
  readonly #file: string
  #profiles: Stored

  constructor(folder: string) {
    this.#file = join(folder, 'pinned-streams.json')
    this.#profiles = read(this.#file)
  }

  of(profile: string): Pins {
    return {
      read: () => this.#entriesOf(profile).flatMap((entry) => request.safeParse(entry).data ?? []),
      write: (requests) => {
        const unread = this.#entriesOf(profile).filter((entry) => !request.safeParse(entry).success)
        return this.#keep(profile, [...requests, ...unread].slice(0, MOST_PINS))
      },
      forget: () => this.#keep(profile, []),
    }
  }

  #entriesOf(profile: string): readonly unknown[] {
    return Object.hasOwn(this.#profiles, profile) ? (this.#profiles[profile] ?? []) : []
  }

  #keep(profile: string, entries: readonly unknown[]): WholeWrite {
    if (entries.length === 0 && this.#entriesOf(profile).length === 0) return { ok: true }
    const others = Object.entries(this.#profiles).filter(([id]) => id !== profile)
    const own = entries.length > 0 ? [[profile, entries] as const] : []
    const next = Object.fromEntries([...others.slice(1 - MOST_PROFILES), ...own])
    const written = writeWhole(this.#file, `${JSON.stringify({ profiles: next }, null, 2)}\n`)
    if (written.ok) this.#profiles = next
    return written
  }
}

function read(file: string): Stored {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return {} // not there, or not ours to read: nothing is pinned
  }
  try {
    if (text.length <= LONGEST_FILE_BYTES) return stored.parse(JSON.parse(text)).profiles
  } catch {
    // said by setting it aside
  }
  try {
    renameSync(file, `${file}.corrupt`)
  } catch {
    // the next write replaces it
  }
  return {}
}
