import type { ServerResponse } from 'node:http'
import { type AppContract, contract } from '../../../app/contract/contract.ts'
import { type Pushes, pushesThrough } from '../../../app/contract/ipc.ts'
import type { Clock } from '../../ports/ports.ts'
import { heldSnapshots } from '../held-snapshots.ts'

/** The part of `ServerResponse` that a push stream uses. Tests substitute a slow reader. */
export type PushSink = Pick<
  ServerResponse,
  'write' | 'end' | 'destroy' | 'once' | 'writableLength' | 'destroyed' | 'writableEnded'
>

/** Interval in milliseconds at which a blank line is sent to keep the connection alive. */
export const KEEP_ALIVE_MS = 5_000
/** Maximum number of unread bytes. Beyond it, the stream is closed. */
export const MAX_BUFFERED_BYTES = 1_000_000

/**
 * Writes the pushes of one window as lines of JSON to a response that does not end.
 *
 * Memory for a slow reader is limited. Only the latest snapshot of each profile waits. Events are never
 * dropped: if more than `MAX_BUFFERED_BYTES` are unread, the stream is closed. The window reconnects and
 * requests missed events by their `seq`.
 */
export class PushStream {
  readonly #sink: PushSink
  readonly #clock: Clock
  readonly #held: ReturnType<typeof heldSnapshots>
  #isFull = false
  #cancelKeepAlive: () => void = () => {}

  constructor(sink: PushSink, clock: Clock, onClosed: () => void) {
    this.#sink = sink
    this.#clock = clock
    this.#held = heldSnapshots(
      pushesThrough(contract, (channel, value) => this.#write(`${JSON.stringify({ channel, value })}\n`)),
      () => this.#isFull,
    )
    sink.once('close', () => {
      this.#cancelKeepAlive()
      this.#held.clear()
      onClosed()
    })
    // Sends a blank line at once. Otherwise the window's `fetch` would not resolve before the first change.
    this.#keepAlive()
  }

  get pushes(): Pushes<AppContract> {
    return this.#held.pushes
  }

  end(): void {
    this.#cancelKeepAlive()
    if (!this.#sink.writableEnded) this.#sink.end()
  }

  #write(line: string): void {
    if (this.#sink.destroyed || this.#sink.writableEnded) return
    if (this.#sink.writableLength + line.length > MAX_BUFFERED_BYTES) {
      this.#sink.destroy()
      return
    }
    if (this.#sink.write(line) || this.#isFull) return
    this.#isFull = true
    this.#sink.once('drain', () => this.#drained())
  }

  #drained(): void {
    this.#isFull = false
    this.#held.release()
  }

  #keepAlive(): void {
    if (!this.#isFull) this.#write('\n')
    this.#cancelKeepAlive = this.#clock.after(KEEP_ALIVE_MS, () => this.#keepAlive())
  }
}
