import { createHash } from 'node:crypto'
import { z } from 'zod'
import { STREAM_KINDS, type StreamRequest } from '../../app/service/stream-kinds.ts'
import type { Profile } from '../ports/profile.ts'
import { JsonFile } from '../storage/json-file.ts'
import type { Saved } from '../storage/storage-error.ts'

/** The pinned streams of one profile. */
export type Pins = ReturnType<PinnedStreams['of']>

const MAX_PROFILES = 64
const MAX_PINS = 200
const MAX_FILE_LENGTH = 1 << 20

const request = z.object({
  kind: z.enum(STREAM_KINDS),
  target: z.string().min(1).max(512),
  options: z.record(z.string().max(32), z.string().max(64)).default({}),
})
const entry = z.object({ owner: z.string(), pins: z.array(z.unknown()) })
/** A plain list comes from an earlier version, which did not store the owner. */
const stored = z.object({ profiles: z.record(z.string(), z.union([entry, z.array(z.unknown())])) })
type Entry = z.output<typeof entry>
type Stored = z.output<typeof stored>

/**
 * The key that owns pins. The id alone does not identify the key. Another key may get the same id after a key
 * is removed, or at the next start if the key was only in memory.
 */
export interface PinOwner extends Pick<Profile, 'id' | 'environment' | 'authUrl' | 'baseUrl' | 'clientId'> {
  /** Whether the key is stored beyond this run of the app. If not, its pins are not stored either. */
  readonly isKept: () => boolean
}

/**
 * The streams to open again at the next start, by API key and host. Stored in `pinned-streams.json` in the
 * data folder.
 *
 * Targets contain account ids, which must not reach another broker or key. So the file is private, and only
 * the key that wrote an entry can read it. A damaged file is renamed, and its pins are lost. A pin that this
 * version can't read stays in the file but is not opened.
 */
export class PinnedStreams {
  readonly #file: JsonFile<Stored>
  #profiles: Stored['profiles']
  /** The pins of keys that are only in memory. */
  readonly #unkept = new Map<string, { readonly owner: PinOwner; readonly pins: readonly unknown[] }>()

  constructor(folder: string, nowMs: number) {
    const what = 'Pinned streams'
    const maxLength = MAX_FILE_LENGTH
    this.#file = new JsonFile({ folder, name: 'pinned-streams', what, schema: stored, maxLength })
    this.#profiles = this.#file.read({ profiles: {} }, nowMs, () => {}).profiles
  }

  of(owner: PinOwner) {
    return {
      read: (): readonly StreamRequest[] =>
        this.#entriesOf(owner).flatMap((pin) => request.safeParse(pin).data ?? []),
      write: (requests: readonly StreamRequest[]): Saved => {
        const unread = this.#entriesOf(owner).filter((pin) => !request.safeParse(pin).success)
        return this.#keep(owner, [...requests, ...unread].slice(0, MAX_PINS))
      },
      /**
       * Removes the pins, including pins stored by other versions, so that no account id of a removed key
       * remains.
       */
      forget: (): Saved => this.#keep(owner, []),
    }
  }

  /** Stores the pins of keys that were only in memory and are now stored. */
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

  #keep(owner: PinOwner, pins: readonly unknown[]): Saved {
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
    const written = this.#file.write({ profiles: next })
    if (written.ok) this.#profiles = next
    return written
  }
}

/**
 * A digest of the owner. The built-in simulator has a constant digest, because its port changes at each
 * start.
 */
export function markOf({ environment, authUrl, baseUrl, clientId }: PinOwner): string {
  if (environment === 'simulator') return 'simulator'
  return createHash('sha256')
    .update(JSON.stringify([authUrl, baseUrl, clientId]))
    .digest('base64url')
}
