import type { KeyObject } from 'node:crypto'
import { PeerClock } from '../../app/desk/peer-clock.ts'
import { RETRY, retryDelayMs } from '../../app/retry/schedules.ts'
import type { Clock, Random } from '../ports/ports.ts'
import type { MemberRun } from './envelope.ts'
import { confirmName, type LinkFrame } from './link-frames.ts'

/**
 * Maximum random delay before a `picture` message is requested, in milliseconds, so that not all members ask
 * at once.
 */
const MAX_ASK_DELAY_MS = 500

export interface PeerParts {
  readonly clock: Clock
  readonly random: Random
  /** Requests the peer's full state (its `picture` message). */
  ask(): void
}

/** Minimum time between two `picture` messages to the same peer, in milliseconds. */
const PICTURE_EVERY_MS = 1_000

/**
 * A run of another member's app that has answered a challenge. The constructor requests the member's full
 * state (its `picture` message).
 */
export class PeerRun {
  readonly run: MemberRun
  readonly key: KeyObject
  readonly clock = new PeerClock()
  readonly #parts: PeerParts
  #counter: number
  #heardMs: number
  /**
   * Number of broadcasts that the peer is known to have sent. If a broadcast was missed, a `picture` message
   * has replaced it or will be requested.
   */
  #broadcasts: number
  #asked = 0
  #cancelAsk: (() => void) | undefined
  #picturedMs = Number.NEGATIVE_INFINITY
  #sample: readonly [peerSentMs: number, receivedMs: number] | undefined

  /** `frame` is the answer to a challenge that was sent at `challengedMs`. */
  constructor(
    proof: { run: MemberRun; key: KeyObject; counter: number; frame: LinkFrame; challengedMs: number },
    parts: PeerParts,
  ) {
    const { frame } = proof
    const nowMs = parts.clock.monotonicMs()
    this.run = proof.run
    this.key = proof.key
    this.#counter = proof.counter
    this.#parts = parts
    this.#heardMs = nowMs
    this.#broadcasts = frame.broadcasts
    this.clock.received(frame.at, nowMs)
    this.clock.confirmed(proof.challengedMs, frame.at, { peerSentMs: frame.at, nowMs })
    this.#missed()
  }

  get heardMs(): number {
    return this.#heardMs
  }

  /** Whether a frame with this counter is new. A repeated frame has an old counter. */
  isNew(counter: number): boolean {
    return counter > this.#counter
  }

  /** Handles the fields that every frame has: its counter and its times. */
  heard(counter: number, frame: LinkFrame, ownRun: string): void {
    const nowMs = this.#parts.clock.monotonicMs()
    this.#counter = counter
    this.#heardMs = nowMs
    this.clock.received(frame.at, nowMs)
    const confirmed = frame.confirms?.[confirmName(ownRun)]
    if (confirmed !== undefined && confirmed[0] <= nowMs)
      this.clock.confirmed(confirmed[0], confirmed[1], { peerSentMs: frame.at, nowMs })
    const [peerSentMs, receivedMs] = this.#sample ?? []
    const isFaster =
      peerSentMs === undefined || receivedMs === undefined || nowMs - frame.at < receivedMs - peerSentMs
    if (isFaster) this.#sample = [frame.at, nowMs]
  }

  /** Detects missed broadcasts. `isBroadcast`: whether the frame itself is a broadcast. */
  counted({ broadcasts }: LinkFrame, isBroadcast: boolean): void {
    const expected = this.#broadcasts + (isBroadcast ? 1 : 0)
    this.#broadcasts = Math.max(this.#broadcasts, broadcasts)
    if (broadcasts > expected) this.#missed()
  }

  /** Called when the peer's `picture` message arrived. It includes all earlier broadcasts. */
  pictured({ broadcasts }: LinkFrame): void {
    this.#broadcasts = Math.max(this.#broadcasts, broadcasts)
    this.#asked = 0
    this.end()
  }

  /**
   * Whether the peer gets the `picture` message that it requested. Requests that follow too soon are ignored.
   */
  mayGetPicture(): boolean {
    const nowMs = this.#parts.clock.monotonicMs()
    if (nowMs - this.#picturedMs < PICTURE_EVERY_MS) return false
    this.#picturedMs = nowMs
    return true
  }

  /**
   * When one message from the peer was sent, and when it arrived here. The peer computes its clock offset
   * from these times. Of all messages since the last call, the message with the shortest transit is used.
   */
  takeSample(): readonly [peerSentMs: number, receivedMs: number] | undefined {
    const sample = this.#sample
    this.#sample = undefined
    return sample
  }

  /** Stops asking for the peer's `picture` message. */
  end(): void {
    this.#cancelAsk?.()
    this.#cancelAsk = undefined
  }

  #missed(): void {
    if (this.#cancelAsk !== undefined) return
    const { clock, random } = this.#parts
    this.#cancelAsk = clock.after(random.next() * MAX_ASK_DELAY_MS, () => this.#ask())
  }

  #ask(): void {
    const { clock, random } = this.#parts
    this.#asked += 1
    this.#parts.ask()
    const waitMs = retryDelayMs(RETRY.deskPicture, this.#asked, random.next())
    this.#cancelAsk = clock.after(waitMs, () => this.#ask())
  }
}
