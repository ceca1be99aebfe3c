import type { ServerResponse } from 'node:http'
import { type Behind, ReaderQueue, type Wanted } from '../../app/streams/reader-queue.ts'
import type { SharedFrame, SharedState } from '../../app/streams/shared-state.ts'
import type { StreamAddress } from '../../app/streams/stream-address.ts'
import type { Clock } from '../ports/ports.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { endStream } from './answer-relay.ts'
import type { Program } from './programs.ts'

/** Frames are joined into one write of at most this size. */
const MAX_WRITE_BYTES = 64 << 10
/** Number of queued frames at which a write begins, even before all frames of a chunk are queued. */
const MAX_WRITE_FRAMES = 128

/** A program's subscription to a shared stream: its reply, and the data still to be written. */
export class StreamReader {
  readonly program: Program
  readonly reply: ServerResponse
  readonly address: StreamAddress
  sinceMs: number
  /**
   * When the reader's wait for the stream ends, in epoch ms. If the clock changes, the hub moves this time
   * and `sinceMs`.
   */
  waitsUntilMs: number
  /** Called once, when the reader's connection has ended. */
  onGone: () => void = () => {}
  /** Ends the reader's wait for the stream to be opened. */
  leaveTurn: () => void = () => {}
  readonly #max: Behind | undefined
  #queue: ReaderQueue | undefined
  #isBlocked = false

  constructor(
    { program, reply }: Pick<AdmittedRequest, 'program' | 'reply'>,
    address: StreamAddress,
    times: { readonly sinceMs: number; readonly waitsUntilMs: number },
    max?: Behind,
  ) {
    this.program = program
    this.reply = reply
    this.address = address
    this.sinceMs = times.sinceMs
    this.waitsUntilMs = times.waitsUntilMs
    this.#max = max
    reply.on('close', () => this.onGone())
    reply.on('drain', () => {
      this.#isBlocked = false
      this.#write()
    })
  }

  get isGone(): boolean {
    return this.reply.destroyed || this.reply.writableEnded
  }

  /** Whether the reader can no longer catch up. */
  get isLost(): boolean {
    return this.#queue?.isLost === true
  }

  /** Begins the reader's response with the current state. `headers`: name, value, name, value. */
  begin(headers: readonly string[], state: SharedState): void {
    const { symbols } = this.address
    const wants: Wanted | undefined = symbols && ((symbol) => symbol === undefined || symbols.has(symbol))
    this.#queue = new ReaderQueue(state, wants, this.#max)
    this.#queue.join()
    // Keeps Node from adding its own Date or other headers to the service's response.
    this.reply.sendDate = false
    this.reply.writeHead(200, [...headers])
    // Without frames, the head is sent alone. Otherwise it is sent with the first frames.
    if (this.#queue.behind === 0) this.reply.flushHeaders()
    this.#write()
  }

  hear(frames: readonly SharedFrame[]): void {
    for (const frame of frames) {
      this.#queue?.push(frame)
      // Writes before all frames are queued, because one chunk can have more frames than a reader may be
      // behind.
      if (this.#queue !== undefined && this.#queue.behind >= MAX_WRITE_FRAMES) this.#write()
    }
    this.#write()
  }

  /** Switches to another stream that has everything the reader requested. */
  moveTo(state: SharedState): void {
    this.#queue?.moveTo(state)
    this.#write()
  }

  end(line: Uint8Array | undefined, clock: Pick<Clock, 'after'>): void {
    endStream(this.reply, line, clock)
  }

  #write(): void {
    if (this.isGone) return
    for (;;) {
      if (this.#isBlocked) return
      const bytes = this.#next()
      if (bytes === undefined) return
      this.#isBlocked = !this.reply.write(bytes)
    }
  }

  #next(): Uint8Array | undefined {
    const first = this.#queue?.take()
    if (first === undefined || first.length >= MAX_WRITE_BYTES) return first
    const parts = [first]
    let length = first.length
    while (length < MAX_WRITE_BYTES) {
      const next = this.#queue?.take()
      if (next === undefined) break
      parts.push(next)
      length += next.length
    }
    return parts.length === 1 ? first : Buffer.concat(parts)
  }
}
