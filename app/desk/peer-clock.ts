import { MAX_CLOCK_ERROR } from '../quota/window-model.ts'

/** Maximum relative drift between two monotonic clocks, if one is fast and the other is slow. */
const MAX_DRIFT = (1 + MAX_CLOCK_ERROR) / (1 - MAX_CLOCK_ERROR) - 1
/** Because of rounding, two bounds may contradict each other by at most this much. Milliseconds. */
const ROUNDING_MS = 0.001
/** Assumed uncertainty of a sending time while there is no lower bound. Milliseconds. */
const MAX_UNCERTAINTY_MS = 60_000

/** The earliest and latest possible value of a time on this machine's monotonic clock. Milliseconds. */
export interface MomentRange {
  readonly fromMs: number
  readonly toMs: number
}

/** A bound on the offset at `atMs`. At a later time, the bound is weaker, because the clocks may drift. */
interface Bound {
  readonly offsetMs: number
  readonly atMs: number
}

/**
 * Estimates the offset between this machine's monotonic clock and a peer's. Wall clocks are not compared.
 *
 * The offset is this clock minus the peer's clock. A message can't arrive before it was sent. So each message
 * from the peer gives an upper bound: arrival time here minus sending time there. Each message to the peer
 * gives a lower bound: sending time here minus arrival time there. The bounds are as far apart as the
 * smallest round trip. A message that the network or a frozen machine delays moves neither bound, so the
 * computed sending time stays correct.
 *
 * Messages are passed in the order in which the peer sent them. All times are in milliseconds: `sentMs` and
 * `receivedMs` on this clock, `peerSentMs` and `peerReceivedMs` on the peer's.
 */
export class PeerClock {
  #most: Bound | undefined
  #least: Bound | undefined
  /** Messages that were sent before this time give no bound, because this machine slept since then. */
  #provenFromMs = Number.NEGATIVE_INFINITY

  /** Handles a message from the peer. */
  received(peerSentMs: number, receivedMs: number): void {
    const offsetMs = receivedMs - peerSentMs
    const bound = { offsetMs, atMs: receivedMs }
    const least = this.#leastAt(receivedMs)
    if (least !== undefined && offsetMs < least - ROUNDING_MS) {
      // This machine slept and its clock stood still, so earlier bounds are wrong.
      this.#most = bound
      this.#least = undefined
      this.#provenFromMs = receivedMs
      return
    }
    const most = this.#mostAt(receivedMs)
    if (most === undefined || offsetMs < most) this.#most = bound
  }

  /**
   * Handles the peer's confirmation that the message sent at `sentMs` arrived there at `peerReceivedMs`.
   * `message` is the message with the confirmation. It must have been passed to `received` first.
   */
  confirmed(sentMs: number, peerReceivedMs: number, message: { peerSentMs: number; nowMs: number }): void {
    if (sentMs < this.#provenFromMs) return
    const { nowMs } = message
    const bound = { offsetMs: sentMs - peerReceivedMs, atMs: sentMs }
    const most = this.#mostAt(nowMs)
    const offsetMs = bound.offsetMs - MAX_DRIFT * (nowMs - sentMs)
    if (most !== undefined && offsetMs > most + ROUNDING_MS) {
      // The peer slept, so the old upper bound on the clock offset is too low. The new one comes from the
      // confirming message.
      this.#most = { offsetMs: nowMs - message.peerSentMs, atMs: nowMs }
      this.#least = bound
      return
    }
    const least = this.#leastAt(nowMs)
    if (least === undefined || offsetMs > least) this.#least = bound
  }

  /** The earliest and latest possible sending time of a message. Call `received` with the message first. */
  sentAt(peerSentMs: number, nowMs: number): MomentRange {
    const most = this.#mostAt(nowMs) ?? nowMs - peerSentMs
    const least = this.#leastAt(nowMs) ?? most - MAX_UNCERTAINTY_MS
    return { fromMs: peerSentMs + least, toMs: Math.min(nowMs, peerSentMs + most) }
  }

  #mostAt(nowMs: number): number | undefined {
    return this.#most && this.#most.offsetMs + MAX_DRIFT * (nowMs - this.#most.atMs)
  }

  #leastAt(nowMs: number): number | undefined {
    return this.#least && this.#least.offsetMs - MAX_DRIFT * (nowMs - this.#least.atMs)
  }
}
