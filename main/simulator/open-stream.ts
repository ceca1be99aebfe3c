import type { Payload } from './rules/payloads-market.ts'
import { END_SNAPSHOT, type Frames, heartbeat } from './rules/stream-frames.ts'
import type { StreamPiece } from './wire.ts'

/**
 * How a stream ends: with an optional last line and, `lingerMs` later, the end of the body or a socket reset.
 */
export interface Ending {
  readonly atMs: number
  readonly lastLine?: string
  readonly lingerMs: number
  readonly how: 'end' | 'reset'
}

export interface StreamTraits {
  readonly heartbeatMs: number
  /** Milliseconds between messages. With Infinity, only the opening frames and heartbeats are sent. */
  readonly gapMs: number
  readonly ending?: Ending
  /** Evaluated for every frame, so that a fault can also affect an open stream. */
  readonly silent: () => boolean
  readonly split: () => boolean
  readonly chance: () => number
}

export interface StreamPlace {
  readonly id: string
  readonly category: string
  /** Called once, however the stream ends. */
  readonly closed: () => void
}

const SPLIT_GAP_MS = 20
const MAX_SPLIT_BYTES = 200
/**
 * Maximum lateness of a message, in milliseconds. Messages missed during a longer sleep of the machine are
 * skipped.
 */
const CATCH_UP_MS = 10_000

type Phase =
  | { readonly kind: 'running' }
  /** The last line has been sent. The stream ends at `endsAtMs`. */
  | { readonly kind: 'ending'; readonly endsAtMs: number; readonly how: Ending['how'] }
  | { readonly kind: 'over' }

/**
 * An open stream that is polled for due pieces, in real or virtual time. A piece is computed only when it is
 * taken.
 */
export class OpenStream {
  readonly id: string
  readonly category: string
  readonly openedAtMs: number
  readonly #frames: Frames
  readonly #traits: StreamTraits
  readonly #closed: () => void
  #ending: Ending | undefined
  #phase: Phase = { kind: 'running' }
  #opened = false
  #nextMessageMs: number
  #heartbeatDueMs: number
  #messages = 0
  #heartbeats = 0
  /** Bytes that wait to be sent in small chunks. */
  #held: Uint8Array = new Uint8Array()
  #heldDueMs = Number.POSITIVE_INFINITY
  #moved: () => void = () => undefined

  constructor(place: StreamPlace, frames: Frames, traits: StreamTraits, atMs: number) {
    this.id = place.id
    this.category = place.category
    this.openedAtMs = atMs
    this.#closed = place.closed
    this.#frames = frames
    this.#traits = traits
    this.#ending = traits.ending
    this.#nextMessageMs = atMs + traits.gapMs
    this.#heartbeatDueMs = atMs + traits.heartbeatMs
  }

  /** When the next piece is due. `undefined` after the end. */
  nextDueMs(): number | undefined {
    switch (this.#phase.kind) {
      case 'over':
        return undefined
      case 'ending':
        return Math.min(this.#phase.endsAtMs, this.#heldDueMs)
      case 'running':
        return this.#opened
          ? Math.min(
              this.#nextMessageMs,
              this.#heartbeatDueMs,
              this.#heldDueMs,
              this.#changeDueMs(),
              this.#ending?.atMs ?? Number.POSITIVE_INFINITY,
            )
          : this.openedAtMs
    }
  }

  /** Returns all pieces due up to `atMs`, in order. */
  take(atMs: number): readonly StreamPiece[] {
    const pieces: StreamPiece[] = []
    for (;;) {
      const dueMs = this.nextDueMs()
      if (dueMs === undefined || dueMs > atMs) return pieces
      pieces.push(...this.#step(dueMs, atMs))
    }
  }

  /** Frees the slot immediately. Call this when the client has disconnected. */
  close(): void {
    if (this.#phase.kind === 'over') return
    this.#phase = { kind: 'over' }
    this.#closed()
  }

  /** Sets a callback for changes of `nextDueMs` that `take` does not cause, such as a cut from outside. */
  whenMoved(moved: () => void): void {
    this.#moved = moved
  }

  /** Notifies the stream of a change from outside, such as a new order. Pieces may now be due. */
  wake(): void {
    this.#moved()
  }

  /** Ends the stream from outside, as the service does. */
  cut(ending: Ending): void {
    if (this.#phase.kind !== 'running') return
    this.#ending = ending
    this.#moved()
  }

  #step(dueMs: number, atMs: number): readonly StreamPiece[] {
    if (this.#phase.kind === 'ending' && dueMs >= this.#phase.endsAtMs) return this.#finish(this.#phase.how)
    if (this.#heldDueMs <= dueMs) return this.#sendHeld(dueMs)
    if (!this.#opened) {
      this.#opened = true
      return this.#say(this.#frames.opening(dueMs), dueMs)
    }
    const ending = this.#ending
    if (ending !== undefined && ending.atMs <= dueMs) return this.#startEnding(ending, dueMs)
    if (this.#changeDueMs() <= dueMs) {
      const changed = this.#frames.changed?.(dueMs) ?? []
      return changed.length === 0 ? [] : this.#say(changed, dueMs)
    }
    const saidAtMs = atMs - dueMs > CATCH_UP_MS ? atMs : dueMs
    if (this.#nextMessageMs <= dueMs) {
      this.#nextMessageMs = saidAtMs + this.#traits.gapMs
      const message = this.#frames.message(this.#messages++, saidAtMs)
      return message === undefined ? [] : this.#say([message], saidAtMs)
    }
    this.#heartbeats += 1
    return this.#say([heartbeat(this.#heartbeats, saidAtMs)], saidAtMs)
  }

  #changeDueMs(): number {
    return this.#frames.nextChangeMs?.() ?? Number.POSITIVE_INFINITY
  }

  #startEnding(ending: Ending, dueMs: number): readonly StreamPiece[] {
    this.#phase = { kind: 'ending', endsAtMs: dueMs + ending.lingerMs, how: ending.how }
    if (ending.lastLine !== undefined) return this.#send(`${ending.lastLine}${this.#frames.lineEnd}`, dueMs)
    if (ending.how === 'end') return []
    // A cut stream ends with half a frame, which a client must not treat as a complete frame.
    const frame = JSON.stringify(this.#frames.message(this.#messages, dueMs) ?? END_SNAPSHOT)
    return this.#send(frame.slice(0, frame.length / 2), dueMs)
  }

  #finish(how: Ending['how']): readonly StreamPiece[] {
    const rest = this.#held
    this.close()
    return rest.length === 0 ? [{ kind: how }] : [{ kind: 'chunk', bytes: rest }, { kind: how }]
  }

  #say(payloads: readonly Payload[], dueMs: number): readonly StreamPiece[] {
    this.#heartbeatDueMs = dueMs + this.#traits.heartbeatMs
    if (this.#traits.silent() || payloads.length === 0) return []
    const lines = payloads.map((payload) => JSON.stringify(payload) + this.#frames.lineEnd)
    return this.#send(lines.join(''), dueMs)
  }

  #send(text: string, dueMs: number): readonly StreamPiece[] {
    const bytes = Buffer.from(text)
    if (!this.#traits.split() && this.#held.length === 0) return [{ kind: 'chunk', bytes }]
    this.#held = Buffer.concat([this.#held, bytes])
    if (this.#heldDueMs === Number.POSITIVE_INFINITY) this.#heldDueMs = dueMs
    return []
  }

  #sendHeld(dueMs: number): readonly StreamPiece[] {
    // The more bytes wait, the larger the next chunk can be. Otherwise a fast stream would fall further and
    // further behind.
    const most = Math.max(MAX_SPLIT_BYTES, this.#held.length / 4)
    const size = this.#traits.split() ? 1 + Math.floor(this.#traits.chance() * most) : this.#held.length
    const bytes = this.#held.subarray(0, size)
    this.#held = this.#held.subarray(size)
    this.#heldDueMs = this.#held.length === 0 ? Number.POSITIVE_INFINITY : dueMs + SPLIT_GAP_MS
    return [{ kind: 'chunk', bytes }]
  }
}
