import { createHash } from 'node:crypto'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { STREAM_KINDS, type StreamRequest } from '../../app/service/streams.ts'
import type { Profile } from '../monitor/profile.ts'
import { type WholeWrite, writeWhole } from '../storage/write-whole.ts'

/** The pinned streams of one profile. */
export interface Pins {
  read(): readonly StreamRequest[]
  write(requests: readonly StreamRequest[]): WholeWrite
  /** With whatever another version left there: the key is forgotten, and its account ids with it. */
  forget(): WholeWrite
}

const MAX_PROFILES = 64
const MAX_PINS = 200
const LONGEST_FILE_BYTES = 1 << 20

const request = z.object({
  kind: z.enum(STREAM_KINDS),
  target: z.string().min(1).max(512),
  options: z.record(z.string().max(32), z.string().max(64)).default({}),
})
const entry = z.object({ owner: z.string(), pins: z.array(z.unknown()) })
/** A bare list is of a version that did not say whose the pins were. */
const stored = z.object({ profiles: z.record(z.string(), z.union([entry, z.array(z.unknown())])) })
type Entry = z.output<typeof entry>
type Stored = z.output<typeof stored>['profiles']

/** Whose pins are asked for: ids are given again once a key was forgotten, or was in memory only. */
export interface PinOwner extends Pick<Profile, 'id' | 'environment' | 'authUrl' | 'baseUrl' | 'clientId'> {
  /** Whether the key outlives the process: otherwise its pins do not, either. */
  readonly isKept: () => boolean
}

/**
 * Which streams are opened again at the next start, by API key and host: `pinned-streams.json` in the data folder.
 *
 * Targets hold account ids, which are nothing to another broker or another key, so the file is the owner's alone and
 * an entry is read by no other key under the same id. Nothing here hurts to lose: a damaged file is set aside and pins
 * start empty. A pin that this version cannot read, say of a newer one, is kept and not opened.
 */
export class PinnedStreams {
  readonly #file: string
  #profiles: Stored
  /** Of keys that are in memory only. */
  readonly #unkept = new Map<string, { readonly owner: PinOwner; readonly pins: readonly unknown[] }>()

  constructor(folder: string) {
    this.#file = join(folder, 'pinned-streams.json')
    this.#profiles = read(this.#file)
  }

  of(owner: PinOwner): Pins {
    return {
      read: () => this.#entriesOf(owner).flatMap((pin) => request.safeParse(pin).data ?? []),
      write: (requests) => {
        const unread = this.#entriesOf(owner).filter((pin) => !request.safeParse(pin).success)
        return this.#keep(owner, [...requests, ...unread].slice(0, MAX_PINS))
      },
      forget: () => this.#keep(owner, []),
    }
  }

  /** Writes the pins of keys that were in memory only, and are kept by now. */
  flush(): void {
    for (const { owner, pins } of [...this.#unkept.values()]) if (owner.isKept()) this.#keep(owner, pins)
  }

  #entriesOf(owner: PinOwner): readonly unknown[] {
    const unkept = this.#unkept.get(owner.id)
    if (unkept !== undefined) return markOf(unkept.owner) === markOf(owner) ? unkept.pins : []
    const found = Object.hasOwn(this.#profiles, owner.id) ? this.#profiles[owner.id] : undefined
    if (found === undefined || !owner.isKept()) return []
    if (Array.isArray(found)) return found
    return found.owner === markOf(owner) ? found.pins : []
  }

  #keep(owner: PinOwner, pins: readonly unknown[]): WholeWrite {
    const { id } = owner
    if (!owner.isKept() && pins.length > 0) {
      this.#unkept.set(id, { owner, pins })
      return { ok: true }
    }
    this.#unkept.delete(id)
    if (pins.length === 0 && !Object.hasOwn(this.#profiles, id)) return { ok: true }
    const others = Object.entries(this.#profiles).filter(([other]) => other !== id)
    const own: [string, Entry][] = pins.length > 0 ? [[id, { owner: markOf(owner), pins: [...pins] }]] : []
    const next = Object.fromEntries([...others.slice(1 - MAX_PROFILES), ...own])
    const written = writeWhole(this.#file, `${JSON.stringify({ profiles: next }, null, 2)}\n`)
    if (written.ok) this.#profiles = next
    return written
  }
}

/** The built-in simulator is on another port at each start. */
function markOf({ environment, authUrl, baseUrl, clientId }: PinOwner): string {
  if (environment === 'simulator') return 'simulator'
  return createHash('sha256')
    .update(JSON.stringify([authUrl, baseUrl, clientId]))
    .digest('base64url')
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
