import type { DeskPart } from '../quota/safe-pace.ts'
import { longest } from '../quota/window-model.ts'
import type { RateReading } from '../service/headers.ts'
import { BucketBound, type Refused } from './bucket-bound.ts'
import { BucketShare, type Refill, ROUNDING, type ShareStart } from './bucket-share.ts'

/**
 * The bound of a bucket that this side may have to share. Without a share and a floor, it equals a
 * `BucketBound`.
 */
export class SharedBound extends BucketBound {
  #share: BucketShare | undefined
  #sharedSinceMs = Number.NEGATIVE_INFINITY
  /** Sending times of requests in flight that were sent under the current share, by id. */
  readonly #sentAtMs = new Map<number, number>()
  /**
   * From this time on, a header releases the parts of sides that no longer respond, unless headers of the
   * last minute show unreported use.
   */
  #releaseFromMs = Number.POSITIVE_INFINITY
  /**
   * End of a fixed window that other members have seen, for the time before this side's own first header. The
   * share does not grow before this end.
   */
  #windowEndsMs: number | undefined
  /** Requests that must remain, as a function of the bucket's refill. */
  floorOf: ((refill: Refill) => number) | undefined

  /** Starts or replaces the share. `undefined`: the whole bucket belongs to this side. */
  setShare(start: ShareStart | undefined, nowMs: number): void {
    this.#share = start && new BucketShare(start, nowMs)
    this.#sharedSinceMs = nowMs
    this.#sentAtMs.clear()
    this.#releaseFromMs = Number.POSITIVE_INFINITY
  }

  get hasShare(): boolean {
    return this.#share !== undefined
  }

  protected override get hasOtherSides(): boolean {
    return this.hasShare
  }

  /** Whether another side may use a part of this bucket, as far as is known. */
  get isSplit(): boolean {
    return this.#share !== undefined && this.#share.fraction <= 1 - ROUNDING
  }

  /** Whether fewer requests are left than `floorOf` requires. Without a share and a header, always false. */
  isScarce(nowMs: number): boolean {
    const left = Math.min(
      this.tokens(nowMs) ?? Number.POSITIVE_INFINITY,
      this.low(nowMs) ?? Number.POSITIVE_INFINITY,
    )
    return left < (this.floorOf?.(this.refill) ?? 0)
  }

  /** False with a share, because a new bucket would not know this side's earlier use of the share. */
  override isForgettable(nowMs: number): boolean {
    return !this.hasShare && super.isForgettable(nowMs)
  }

  /** Number of requests that this side has sent since the bucket was split, excluding those in flight. */
  get sentSince(): number {
    return Math.max(0, (this.#share?.sentSince ?? 0) - this.inFlight)
  }

  /** Records a fixed window that other members have seen. `endsMs`: its latest possible end. */
  windowSeen(endsMs: number): void {
    this.#windowEndsMs = Math.max(this.#windowEndsMs ?? endsMs, endsMs)
    this.assumeFixed(this.#windowEndsMs)
  }

  override get refill(): Refill {
    const refill = super.refill
    const { limit, perMs, meanPerMs, windowEndsMs } = refill
    const isWindow = perMs === 0 || (this.limit === undefined && this.#windowEndsMs !== undefined)
    if (this.#share === undefined || meanPerMs === 0 || !isWindow) return refill
    const endsMs = windowEndsMs ?? this.#windowEndsMs ?? Number.NEGATIVE_INFINITY
    // A window that this side has not seen ends within one period.
    const isKnown = endsMs > this.#sharedSinceMs
    const latestMs = this.#sharedSinceMs + longest(limit / meanPerMs)
    return { ...refill, perMs: 0, windowEndsMs: isKnown ? endsMs : latestMs }
  }

  /** Requests that the share still allows. `undefined` while the whole bucket belongs to this side. */
  tokens(nowMs: number): number | undefined {
    return this.#share?.tokens(this.refill, nowMs)
  }

  /** This side's part of the bucket. */
  part(nowMs: number): DeskPart {
    const tokens = this.tokens(nowMs)
    return { fraction: this.#share?.fraction ?? 1, ...(tokens !== undefined && { tokens }) }
  }

  /**
   * Sets a part of the bucket aside for a side that has stopped responding. That side may use its fraction of
   * the level, and at least `least` requests. Returns the fraction by which this side's share shrinks.
   */
  setAside(
    { fraction, least }: { readonly fraction: number; readonly least: number },
    nowMs: number,
  ): number {
    this.#advanceShare(nowMs)
    const share = this.#share
    const tokens = this.tokens(nowMs) ?? this.low(nowMs) ?? 0
    const available = Math.max(0, tokens)
    const before = share?.fraction ?? 1
    const known = Math.max(fraction, before)
    const level = known > 0 ? available / known : 0
    // If fewer requests are left than all allowances together, the bucket is scarce, so no side has an
    // allowance.
    const aside = Math.min(available, Math.max(least, fraction * level))
    const change = { fraction: -fraction, tokens: -aside, settledFromMs: nowMs }
    if (share === undefined) this.setShare({ fraction: 1, tokens, settledFromMs: nowMs }, nowMs)
    this.#share?.change(change)
    this.#sharedSinceMs = nowMs
    return before - (this.#share?.fraction ?? 0)
  }

  /** Takes back a part that was set aside. Without a share, this side already has the whole bucket. */
  takeBack(part: ShareStart, nowMs: number): void {
    this.#advanceShare(nowMs)
    this.#share?.change(part)
    this.#sharedSinceMs = nowMs
  }

  #advanceShare(nowMs: number): void {
    this.#share?.advance(this.refill, nowMs)
  }

  releaseFrom(atMs: number): void {
    this.#releaseFromMs = atMs
  }

  override sent(id: number, nowMs: number): void {
    this.#advanceShare(nowMs)
    super.sent(id, nowMs)
    if (this.#share === undefined) return
    this.#share.sent(nowMs)
    this.#sentAtMs.set(id, nowMs)
  }

  /**
   * Adds a request in flight that was sent at an unknown earlier time. Its response may be older than other
   * requests that have ended, so the response's header does not raise a share.
   */
  sentEarlier(id: number, nowMs: number): void {
    this.sent(id, nowMs)
    this.#sentAtMs.delete(id)
  }

  override notSent(id: number): number | undefined {
    const sentAtMs = super.notSent(id)
    this.#sentAtMs.delete(id)
    if (sentAtMs !== undefined) this.#share?.notSent()
    return sentAtMs
  }

  override lost(id: number, nowMs: number, laterMs: number): void {
    this.#sentAtMs.delete(id)
    super.lost(id, nowMs, laterMs)
  }

  override answered(id: number, refused: Refused, rate: RateReading | undefined, nowMs: number): boolean {
    this.#advanceShare(nowMs)
    const isAnew = super.answered(id, refused, rate, nowMs)
    const share = this.#share
    if (share === undefined) return isAnew
    const sentAtMs = this.#sentAtMs.get(id)
    this.#sentAtMs.delete(id)
    const low = this.low(nowMs)
    const isHeader = rate?.remaining !== undefined && low !== undefined
    if (!isHeader || sentAtMs === undefined || !share.isSettled(sentAtMs)) return isAnew
    if (nowMs >= this.#releaseFromMs && nowMs - this.othersSeenAtMs > UNREPORTED_MS) {
      share.change({ fraction: 1, tokens: 0, settledFromMs: sentAtMs })
    }
    if (share.fraction > 1 - ROUNDING) {
      // Rounded headers may hide some use by other sides, so the bound from before the split is discarded.
      this.forgetPrevious()
      this.setShare(undefined, nowMs)
    } else share.shown(low, this.refill, nowMs)
    return true
  }

  override allows(level: number, nowMs: number): boolean {
    return super.allows(this.#levelWith(level), nowMs) && this.#shareAllows(level, nowMs)
  }

  override reachesAtMs(level: number, nowMs: number): number | undefined {
    const reachesAtMs = super.reachesAtMs(this.#levelWith(level), nowMs)
    const share = this.#share
    if (share === undefined || reachesAtMs === undefined) return reachesAtMs
    const inMs = share.reachesInMs(this.#tokensFor(share, level), this.refill, nowMs)
    return inMs === undefined ? undefined : Math.max(reachesAtMs, Math.ceil(nowMs + inMs + 1e-6))
  }

  override turnAtMs(level: number, ahead: number, nowMs: number, laterPerMs = 0): number {
    const turnAtMs = super.turnAtMs(this.#levelWith(level), ahead, nowMs, laterPerMs)
    const share = this.#share
    // Before a header has shown the level, most of the share is still unknown.
    if (share === undefined || !share.isShown) return turnAtMs
    const { perMs } = this.refill
    const missing = this.#tokensFor(share, level) + ahead - share.tokens(this.refill, nowMs)
    if (missing <= 0 || perMs <= 0 || share.fraction <= 0) return turnAtMs
    return Math.max(turnAtMs, nowMs + missing / (perMs * share.fraction))
  }

  #shareAllows(level: number, nowMs: number): boolean {
    const share = this.#share
    return share === undefined || share.tokens(this.refill, nowMs) >= this.#tokensFor(share, level)
  }

  /** The level that the whole bucket needs so that the floor remains after a request. */
  #levelWith(level: number): number {
    if (this.floorOf === undefined) return level
    const { refill } = this
    const needed = Math.max(level, 1 + this.floorOf(refill))
    return refill.limit > 0 ? Math.min(refill.limit, needed) : needed
  }

  /**
   * The tokens that a request needs: `level` scaled to the share, and at least the floor. If no header has
   * shown the bucket's level and no other request is in flight, a request needs only the floor.
   */
  #tokensFor(share: BucketShare, level: number): number {
    if (this.limit === undefined) return 1
    const { refill } = this
    const floor = 1 + (this.floorOf?.(refill) ?? 0)
    const isFirst = !share.isShown && this.inFlight === 0
    const needed = isFirst ? floor : Math.max(1 + (level - 1) * share.fraction, floor)
    return Math.max(1, Math.min(refill.limit * share.fraction, needed))
  }
}

/** If headers show no unreported use for this long, no more is expected. Milliseconds. */
const UNREPORTED_MS = 60_000
