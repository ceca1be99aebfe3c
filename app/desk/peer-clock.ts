/**
 * By how much two monotonic clocks may drift apart. A crystal is within 100 ppm, and a clock that is being
 * corrected is up to 500 ppm off. Both on either side, rounded down to what adds one millisecond a second.
 */
const MAX_DRIFT = 0.001
/** Bounds may contradict each other by this much because of rounding, in milliseconds. */
const ROUNDING_MS = 0.001
/** Largest uncertainty of a sending time in milliseconds, used while nothing better is known. */
const MAX_UNCERTAINTY_MS = 60_000

/** A moment on this machine's monotonic clock, in milliseconds, known within two bounds. */
export interface MomentRange {
  readonly fromMs: number
  readonly toMs: number
}

/** A bound of the offset at one moment. It becomes weaker by the possible drift since then. */
interface Bound {
  readonly offsetMs: number
  readonly atMs: number
}

/**
 * What is known of the monotonic clock of another machine. No wall clock is compared.
 *
 * The offset is this clock minus the peer's. A message is not received before it was sent, so the offset is
 * at most reception minus sending of each message from the peer. It is at least sending minus reception of
 * each message to the peer. The bounds are as far apart as the smallest round trip. A message that was held
 * up, by the network or by a frozen machine, moves neither bound and is dated correctly.
 *
 * Messages are passed in the order in which the peer sent them. All times are in milliseconds: `sentMs` and
 * `receivedMs` on this clock, `peerSentMs` and `peerReceivedMs` on the peer's.
 */
export class PeerClock {
  #most: Bound | undefined
  #least: Bound | undefined
  /** What was sent before this moment proves nothing, because a clock stood still since then. */
  #provenFromMs = Number.NEGATIVE_INFINITY

  /** A message from the peer arrived. */
  received(peerSentMs: number, receivedMs: number): void {
    const offsetMs = receivedMs - peerSentMs
    const bound = { offsetMs, atMs: receivedMs }
    const least = this.#leastAt(receivedMs)
    if (least !== undefined && offsetMs < least - ROUNDING_MS) {
      // This machine slept: its clock stood still, so older knowledge is wrong.
      this.#most = bound
      this.#least = undefined
      this.#provenFromMs = receivedMs
      return
    }
    const most = this.#mostAt(receivedMs)
    if (most === undefined || offsetMs < most) this.#most = bound
  }

  /**
   * The peer confirmed, in a message that arrived at `nowMs` and has been passed to `received`, when a
   * message of this machine arrived there.
   */
  confirmed(sentMs: number, peerReceivedMs: number, message: { peerSentMs: number; nowMs: number }): void {
    if (sentMs < this.#provenFromMs) return
    const { nowMs } = message
    const bound = { offsetMs: sentMs - peerReceivedMs, atMs: sentMs }
    const most = this.#mostAt(nowMs)
    const offsetMs = bound.offsetMs - MAX_DRIFT * (nowMs - sentMs)
    if (most !== undefined && offsetMs > most + ROUNDING_MS) {
      // The peer slept: the old upper bound is too low. This message's own is valid.
      this.#most = { offsetMs: nowMs - message.peerSentMs, atMs: nowMs }
      this.#least = bound
      return
    }
    const least = this.#leastAt(nowMs)
    if (least === undefined || offsetMs > least) this.#least = bound
  }

  /** When the message that was passed to `received` last was sent. It contains the true moment. */
  sentAt(peerSentMs: number, nowMs: number): MomentRange {
    const most = this.#mostAt(nowMs) ?? nowMs - peerSentMs
    const least = this.#leastAt(nowMs) ?? most - MAX_UNCERTAINTY_MS
    return { fromMs: peerSentMs + least, toMs: Math.min(nowMs, peerSentMs + most) }
  }

  /** The smallest round trip that is known, in milliseconds; absent until one is. */
  roundTripMs(nowMs: number): number | undefined {
    const [most, least] = [this.#mostAt(nowMs), this.#leastAt(nowMs)]
    return most === undefined || least === undefined ? undefined : Math.max(0, most - least)
  }

  #mostAt(nowMs: number): number | undefined {
    return this.#most && this.#most.offsetMs + MAX_DRIFT * (nowMs - this.#most.atMs)
  }

  #leastAt(nowMs: number): number | undefined {
    return this.#least && this.#least.offsetMs - MAX_DRIFT * (nowMs - this.#least.atMs)
  }
}
