import type { SharedFrame, SharedState } from './shared-state.ts'

/** How far a reader is behind. */
export interface Behind {
  readonly frames: number
  readonly bytes: number
}

/** How far a reader can fall behind before frames are merged. */
export const MAX_BEHIND: Behind = { frames: 256, bytes: 1 << 20 }

/** Maximum number of pending deletions for one reader. Pending states of stored objects do not count. */
const MAX_ENDINGS = 4_096

/** Whether a reader wants an object with this requested symbol. See `SharedFrame`. */
export type Wanted = (symbol: string | undefined) => boolean

const EVERYTHING: Wanted = () => true

type Source = Pick<
  SharedState,
  'bytesOf' | 'symbolOf' | 'has' | 'keys' | 'size' | 'isComplete' | 'endSnapshot' | 'forgets' | 'provisional'
>

/**
 * The data still to be written to one reader of a shared stream, in bounded memory.
 *
 * A reader that is up to date gets each frame as received. A reader that is new or too far behind first gets
 * the newest state of each object that it lacks. If frames that cannot be merged were skipped, the reader's
 * stream ends: see `isLost`.
 */
export class ReaderQueue {
  #source: Source
  readonly #wants: Wanted
  readonly #max: Behind
  readonly #frames: SharedFrame[] = []
  #first = 0
  #bytes = 0
  /**
   * Objects whose newest state the reader still needs, by key. `undefined` while the reader is up to date. If
   * an object was deleted, its value is the deletion frame.
   */
  #owed: Map<string, Uint8Array | undefined> | undefined
  /** Position of `take` in `#owed`. A new iterator for each call would step over all taken entries again. */
  #nextOwed: MapIterator<[string, Uint8Array | undefined]> | undefined
  #owesEndSnapshot = false
  #isLost = false

  constructor(source: Source, wants: Wanted = EVERYTHING, max: Behind = MAX_BEHIND) {
    this.#source = source
    this.#wants = wants
    this.#max = max
  }

  /** Whether the reader missed frames whose content is not stored. The reader's stream must then end. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Number of pending frames and objects. */
  get behind(): number {
    return this.#frames.length - this.#first + (this.#owed?.size ?? 0) + (this.#owesEndSnapshot ? 1 : 0)
  }

  /** Queues the current state of all objects for a new reader. */
  join(): void {
    this.#owed = new Map()
    this.#nextOwed = undefined
    for (const key of this.#source.keys)
      if (this.#wants(this.#source.symbolOf(key))) this.#owed.set(key, undefined)
    this.#owesEndSnapshot = this.#source.isComplete
  }

  /**
   * Switches to another stream that has all objects of the current one, and queues the objects that differ.
   */
  moveTo(source: Source): void {
    this.#merge()
    const owed = this.#owed ?? new Map<string, Uint8Array | undefined>()
    const former = this.#source
    for (const key of source.keys) {
      if (!this.#wants(source.symbolOf(key))) continue
      if (!sameBytes(former.bytesOf(key), source.bytesOf(key))) owed.set(key, undefined)
    }
    this.#owed = owed
    this.#source = source
  }

  push(frame: SharedFrame): void {
    if (this.#isLost || (frame.kind === 'object' && !this.#wants(frame.symbol))) return
    if (this.#owed !== undefined) {
      this.#owe(this.#owed, frame)
      return
    }
    this.#frames.push(frame)
    this.#bytes += frame.bytes.length
    if (this.#frames.length - this.#first > this.#max.frames || this.#bytes > this.#max.bytes) this.#merge()
  }

  /** The next frame to write. `undefined` if nothing is left. */
  take(): Uint8Array | undefined {
    if (this.#owed !== undefined) {
      this.#nextOwed ??= this.#owed.entries()
      for (let next = this.#nextOwed.next(); next.done !== true; next = this.#nextOwed.next()) {
        const [key, end] = next.value
        this.#owed.delete(key)
        const bytes = end ?? this.#source.bytesOf(key)
        if (bytes !== undefined) return bytes
        if (this.#source.forgets && key !== this.#source.provisional) this.#isLost = true
      }
      this.#owed = undefined
      this.#nextOwed = undefined
      if (this.#owesEndSnapshot) {
        this.#owesEndSnapshot = false
        return this.#source.endSnapshot
      }
    }
    const frame = this.#frames[this.#first]
    if (frame === undefined) return undefined
    this.#first += 1
    this.#bytes -= frame.bytes.length
    if (this.#first === this.#frames.length || this.#first > this.#max.frames) {
      this.#frames.splice(0, this.#first)
      this.#first = 0
    }
    return frame.bytes
  }

  #merge(): void {
    if (this.#owed !== undefined) return
    const owed = new Map<string, Uint8Array | undefined>()
    for (const frame of this.#frames.slice(this.#first)) this.#owe(owed, frame)
    this.#frames.length = 0
    this.#first = 0
    this.#bytes = 0
    this.#owed = owed
  }

  #owe(owed: Map<string, Uint8Array | undefined>, frame: SharedFrame): void {
    switch (frame.kind) {
      case 'object':
        owed.set(frame.key, frame.isDeletion ? frame.bytes : undefined)
        this.#isLost ||= this.#cannotOwe(owed)
        return
      case 'end-snapshot':
        this.#owesEndSnapshot = true
        return
      case 'unmergeable':
        this.#isLost = true
        return
      case 'heartbeat':
        return
    }
  }

  /**
   * Whether the reader can't catch up: a pending object is no longer stored, or too many deletions arrived.
   */
  #cannotOwe(owed: ReadonlyMap<string, Uint8Array | undefined>): boolean {
    if (owed.size > this.#source.size + MAX_ENDINGS) return true
    if (!this.#source.forgets) return false
    for (const key of owed.keys()) if (key !== this.#source.provisional) return !this.#source.has(key)
    return false
  }
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a?.length === b?.length && (a?.every((byte, at) => byte === b?.[at]) ?? true)
}
