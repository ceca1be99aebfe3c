import { LOW_THRESHOLD, MINUTE_MS } from '../contract/units.ts'
import { byTrust, HOLD_MS, type Sample, type SampleSource } from './sample.ts'

/** Summary of an interval's samples, enough for a chart and for a report. */
export interface Rollup {
  /** Start of the interval: a minute, a quarter of an hour or an hour. */
  readonly atMs: number
  /** Lowest and highest level. Estimates count only if there is no header. */
  readonly low: number
  readonly high: number
  /** Whether the lowest level came before the highest one. A chart draws them in this order. */
  readonly lowFirst: boolean
  readonly limit: number
  /** `header` if any sample was a header. */
  readonly source: SampleSource
  readonly own: number
  readonly elsewhere: number
  readonly rejected: number
  /** Milliseconds with a known level, and milliseconds with a low level. */
  readonly knownMs: number
  readonly nearMs: number
}

/** Start of the interval of `lengthMs` that contains `atMs`, epoch ms. */
export const startOf = (atMs: number, lengthMs: number): number => Math.floor(atMs / lengthMs) * lengthMs

/** Merges a later rollup into an earlier one. The result has the earlier start. */
export function merged(earlier: Rollup, later: Rollup): Rollup {
  return {
    atMs: earlier.atMs,
    ...mergedLevels(earlier, later),
    limit: later.limit,
    own: earlier.own + later.own,
    elsewhere: earlier.elsewhere + later.elsewhere,
    rejected: earlier.rejected + later.rejected,
    knownMs: earlier.knownMs + later.knownMs,
    nearMs: earlier.nearMs + later.nearMs,
  }
}

type Levels = Pick<Rollup, 'low' | 'high' | 'lowFirst' | 'source'>

function mergedLevels(earlier: Levels, later: Levels): Levels {
  const trust = byTrust(earlier.source, later.source)
  if (trust !== 0) {
    const { low, high, lowFirst, source } = trust > 0 ? earlier : later
    return { low, high, lowFirst, source }
  }
  const lowIsEarlier = earlier.low <= later.low
  const highIsEarlier = earlier.high >= later.high
  return {
    low: Math.min(earlier.low, later.low),
    high: Math.max(earlier.high, later.high),
    lowFirst:
      lowIsEarlier === highIsEarlier ? (lowIsEarlier ? earlier.lowFirst : later.lowFirst) : lowIsEarlier,
    source: earlier.source,
  }
}

const isNear = ({ remaining, limit }: Sample): boolean => remaining < limit * LOW_THRESHOLD

/**
 * Turns one bucket's samples, in order of time, into one `Rollup` per minute.
 *
 * The same samples always give the same minutes. So a minute that was lost because the process was killed can
 * be rebuilt.
 */
export class MinuteBuilder {
  #open: Rollup | undefined
  #last: Sample | undefined

  /** Returns the minute that this sample completes, if any. An out-of-order sample joins the open minute. */
  add(sample: Sample): Rollup | undefined {
    const startMs = startOf(sample.atMs, MINUTE_MS)
    const closed = this.#open && startMs > this.#open.atMs ? this.closeAt(startMs) : undefined
    const one: Rollup = {
      atMs: startMs,
      low: sample.remaining,
      high: sample.remaining,
      lowFirst: true,
      limit: sample.limit,
      source: sample.source,
      own: sample.own,
      elsewhere: sample.elsewhere,
      rejected: sample.rejected,
      ...this.#heldFor(this.#open?.atMs ?? startMs, sample.atMs),
    }
    this.#open = this.#open ? merged(this.#open, one) : one
    if (!this.#last || sample.atMs >= this.#last.atMs) this.#last = sample
    return closed
  }

  /**
   * Continues from a stored sample whose minute is already complete. The sample may still be valid in the
   * next minute.
   */
  resume(sample: Sample): void {
    this.#last = sample
  }

  /** Closes the open minute if it has ended by `nowMs`, even without a later sample. */
  closeAt(nowMs: number): Rollup | undefined {
    const open = this.#open
    if (!open || nowMs < open.atMs + MINUTE_MS) return undefined
    this.#open = undefined
    return this.#extended(open, open.atMs + MINUTE_MS)
  }

  /** The open minute as known at `nowMs`. */
  openAt(nowMs: number): Rollup | undefined {
    return this.#open && this.#extended(this.#open, Math.min(nowMs, this.#open.atMs + MINUTE_MS))
  }

  #extended(open: Rollup, toMs: number): Rollup {
    const { knownMs, nearMs } = this.#heldFor(open.atMs, toMs)
    return { ...open, knownMs: open.knownMs + knownMs, nearMs: open.nearMs + nearMs }
  }

  /** How long the last sample was valid between `fromMs` and `toMs`. */
  #heldFor(fromMs: number, toMs: number): Pick<Rollup, 'knownMs' | 'nearMs'> {
    const last = this.#last
    if (!last || last.source === 'default') return { knownMs: 0, nearMs: 0 }
    const knownMs = Math.max(0, Math.min(toMs, last.atMs + HOLD_MS) - Math.max(fromMs, last.atMs))
    return { knownMs, nearMs: isNear(last) ? knownMs : 0 }
  }
}
