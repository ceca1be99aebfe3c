import type { ServerResponse } from 'node:http'
import { type Behind, ReaderQueue, type Wanted } from '../../app/streams/reader-queue.ts'
import type { SharedFrame, SharedState } from '../../app/streams/shared-state.ts'
import type { StreamAddress } from '../../app/streams/stream-address.ts'
import type { Clock } from '../ports/ports.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { farewell } from './answer-relay.ts'
import type { Program } from './programs.ts'

/** Frames are joined up to this size before they are written. */
const MAX_WRITE_BYTES = 64 << 10

/** One program's reading of a shared stream: its reply, and what is still to be written to it. */
export class StreamReader {
  readonly program: Program
  readonly reply: ServerResponse
  readonly address: StreamAddress
  sinceMs: number
  /** When it gives up waiting for the stream, in epoch milliseconds. Both move with a clock that was set. */
  patientUntilMs: number
  /** Called once, when its connection has ended. */
  onGone: () => void = () => {}
  readonly #max: Behind | undefined
  #queue: ReaderQueue | undefined
  #isBlocked = false

  constructor(
    { program, reply }: Pick<AdmittedRequest, 'program' | 'reply'>,
    address: StreamAddress,
    times: { readonly sinceMs: number; readonly patientUntilMs: number },
    max?: Behind,
  ) {
    this.program = program
    this.reply = reply
    this.address = address
    this.sinceMs = times.sinceMs
    this.patientUntilMs = times.patientUntilMs
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

  /** Whether it cannot be brought up to date any more. */
  get isLost(): boolean {
    return this.#queue?.isLost === true
  }

  /** Begins its answer with the state as it stands. `headers`: name, value, name, value. */
  begin(headers: readonly string[], state: SharedState): void {
    const { symbols } = this.address
    const wants: Wanted | undefined = symbols && ((symbol) => symbol === undefined || symbols.has(symbol))
    this.#queue = new ReaderQueue(state, wants, this.#max)
    this.#queue.join()
    // Neither Node's own Date nor any other field is added to what the service said.
    this.reply.sendDate = false
    this.reply.writeHead(200, [...headers])
    // The head goes out with the first frames, if there are any.
    if (this.#queue.behind === 0) this.reply.flushHeaders()
    this.#write()
  }

  hear(frames: readonly SharedFrame[]): void {
    for (const frame of frames) this.#queue?.push(frame)
    this.#write()
  }

  /** Goes on with another stream that has all that it asked for. */
  moveTo(state: SharedState): void {
    this.#queue?.moveTo(state)
    this.#write()
  }

  /** See `farewell`. */
  end(line: Uint8Array | undefined, clock: Pick<Clock, 'after'>): void {
    farewell(this.reply, line, clock)
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
