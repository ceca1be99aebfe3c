import type { HttpHeaders } from '../../app/service/headers.ts'
import type { HttpStreamListener } from '../../main/ports/ports.ts'
import type { OpenStream } from '../../main/simulator/open-stream.ts'
import type { Answer } from '../../main/simulator/wire.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { VirtualRandom } from './virtual-random.ts'
import { headersOf } from './wire-form.ts'

/** One connection with a stream, including its two ends. */
export class StreamLine {
  readonly #clock: VirtualClock
  readonly #random: VirtualRandom
  readonly #listener: HttpStreamListener
  readonly #gone: () => void
  #stream: OpenStream | undefined
  #cancelTurn: () => void = () => {}
  #cancelTimeout: () => void = () => {}
  /** Whether the client receives nothing more, because it closed the connection or received its end. */
  #deaf = false
  /** Whether no data arrives any more, without any notice of that. */
  #silent = false
  #hungUp = false
  /** Time of the last frame on the monotonic clock. Defined since the head of the response arrived. */
  #heardAtMs: number | undefined

  constructor(clock: VirtualClock, random: VirtualRandom, listener: HttpStreamListener, gone: () => void) {
    this.#clock = clock
    this.#random = random
    this.#listener = listener
    this.#gone = gone
  }

  whenHeard(cancelTimeout: () => void): void {
    this.#cancelTimeout = cancelTimeout
  }

  answer(answer: Answer, downMs: number): void {
    this.#clock.happen(downMs + (answer.delayMs ?? 0), () => {
      if (this.#deaf || this.#silent) return
      this.#cancelTimeout()
      this.#listener.opened(answer.status, headersOf(answer.headers))
      if (!this.#deaf) this.#listener.chunk(new TextEncoder().encode(answer.body))
      this.#end('ended by the service')
    })
  }

  carry(stream: OpenStream, headers: HttpHeaders, downMs: number): void {
    if (this.#hungUp) {
      stream.close()
      return
    }
    this.#stream = stream
    this.#clock.happen(downMs, () => {
      if (this.#deaf || this.#silent) return
      this.#cancelTimeout()
      this.#heardAtMs = this.#clock.monotonicMs()
      this.#listener.opened(200, headers)
    })
    stream.whenMoved(() => this.#turnSoon(downMs))
    this.#turnSoon(downMs)
  }

  /** The client closes its socket. The service notices it after one network delay. */
  hangUp(): void {
    if (this.#hungUp) return
    this.#hungUp = true
    this.#deaf = true
    this.#cancelTimeout()
    this.#gone()
    this.#clock.happen(this.#random.between(5, 60), () => this.#leave())
  }

  lose(why: string): void {
    this.#end(why)
    this.#leave()
  }

  /** A stream's connection dies. The client notices it at once, or never. */
  lineDown(told: boolean): void {
    this.#clock.happen(this.#random.between(5_000, 20_000), () => this.#leave())
    if (told) this.#end('connection lost')
    else this.#silent = true
  }

  #end(why: string): void {
    if (this.#deaf) return
    this.#deaf = true
    this.#cancelTimeout()
    this.#gone()
    this.#listener.ended(why)
  }

  #leave(): void {
    this.#cancelTurn()
    this.#stream?.close()
    this.#stream = undefined
  }

  #turnSoon(downMs: number): void {
    this.#cancelTurn()
    const dueMs = this.#stream?.nextDueMs()
    if (dueMs === undefined) return
    this.#cancelTurn = this.#clock.happen(dueMs - this.#clock.worldMs(), () => this.#turn(downMs))
  }

  #turn(downMs: number): void {
    const pieces = this.#stream?.take(this.#clock.worldMs()) ?? []
    if (pieces.length > 0) {
      this.#clock.happen(downMs, () => {
        for (const piece of pieces) {
          if (this.#deaf || this.#silent) return
          if (piece.kind === 'chunk') this.#hear(piece.bytes)
          else this.#end(piece.kind === 'end' ? 'ended by the service' : 'connection lost')
        }
      })
    }
    this.#turnSoon(downMs)
  }

  silentMs(): number {
    return this.#deaf || this.#heardAtMs === undefined ? 0 : this.#clock.monotonicMs() - this.#heardAtMs
  }

  #hear(bytes: Uint8Array): void {
    this.#heardAtMs = this.#clock.monotonicMs()
    if (bytes.length < 2 || !this.#random.chance(0.05)) {
      this.#listener.chunk(bytes)
      return
    }
    const at = 1 + Math.floor(this.#random.next() * (bytes.length - 1))
    this.#listener.chunk(bytes.subarray(0, at))
    if (!this.#deaf) this.#listener.chunk(bytes.subarray(at))
  }
}
