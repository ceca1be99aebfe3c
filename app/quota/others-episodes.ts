import type { KeyReport } from '../contract/events.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { hundredths } from './rates.ts'
import { replenishedPerSecond } from './replenishment.ts'

/** Use by others below this share of the refill is not reported. */
const NOTABLE_SHARE = 0.02
/** Minimum rate of use that is reported, in requests per second. A lower rate would be shown as 0. */
const MIN_PER_SECOND = 0.05
/**
 * Time in milliseconds for which use must stay below both thresholds before an episode ends. A scanner's
 * pause between two scans is shorter and does not end an episode.
 */
const ENDED_AFTER_MS = 60_000

interface Episode {
  readonly sinceMs: number
  /** Requests so far: the rate multiplied by time, summed over all readings. */
  requests: number
  lookedAtMs: number
  quietSinceMs: number | undefined
}

type Row = Pick<RequestQuota, 'category' | 'limit' | 'period' | 'use' | 'observedAt'>

/**
 * Splits use by others into episodes, at most one at a time per row, and reports when each starts and ends.
 *
 * A header that proves use by others starts an episode. Between headers, others' use is unknown. So an
 * episode ends only after a header has shown that their use fell.
 */
export class OthersEpisodes {
  readonly #open = new Map<string, Episode>()

  /** Handles a header that proved use by others since the previous one. `nowMs`: epoch ms. */
  proved(row: Row, nowMs: number): KeyReport | undefined {
    const perSecond = row.use?.elsewhere ?? 0
    if (this.#open.has(row.category) || perSecond < leastOf(row)) return undefined
    this.#open.set(row.category, { sinceMs: nowMs, requests: 0, lookedAtMs: nowMs, quietSinceMs: undefined })
    return { kind: 'elsewhere', category: row.category, perSecond: hundredths(perSecond) }
  }

  /** Checks a row between headers, to detect the end of an episode. */
  evaluate(row: Row, nowMs: number): KeyReport | undefined {
    const episode = this.#open.get(row.category)
    if (episode === undefined || row.use === null) return undefined
    const { elsewhere } = row.use
    if (elsewhere >= leastOf(row)) {
      episode.requests += elsewhere * Math.max(0, (nowMs - episode.lookedAtMs) / 1000)
      episode.quietSinceMs = undefined
    } else episode.quietSinceMs ??= nowMs
    episode.lookedAtMs = nowMs
    const { quietSinceMs, sinceMs } = episode
    if (quietSinceMs === undefined || nowMs - quietSinceMs < ENDED_AFTER_MS) return undefined
    if ((row.observedAt ?? 0) < quietSinceMs) return undefined
    this.#open.delete(row.category)
    const seconds = Math.max(1, (quietSinceMs - sinceMs) / 1000)
    const mean = hundredths(episode.requests / seconds)
    return { kind: 'elsewhere-ended', category: row.category, perSecond: mean }
  }
}

function leastOf({ limit, period }: Row): number {
  return Math.max(MIN_PER_SECOND, NOTABLE_SHARE * replenishedPerSecond(limit, period))
}
