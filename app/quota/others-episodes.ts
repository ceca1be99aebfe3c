import type { KeyReport } from '../contract/events.ts'
import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './replenishment.ts'

/** Share of the refill under which use by others is not reported. */
const NOTABLE_SHARE = 0.02
/** Requests per second under which it is not reported either: it would be shown as none. */
const MIN_PER_SECOND = 0.05
/** How long use stays under both before it has ended; a pause between two scans is shorter. */
const ENDED_AFTER_MS = 60_000

interface Episode {
  readonly sinceMs: number
  /** Requests counted since, by the rate and the time between looks. */
  requests: number
  lookedAtMs: number
  quietSinceMs: number | undefined
}

type Row = Pick<RequestQuota, 'category' | 'limit' | 'period' | 'use' | 'observedAt'>

/**
 * Use by others as episodes, at most one a row at a time: reported at its start and at its end.
 *
 * An episode starts only where a header proved use, and ends only where a header came after the use fell:
 * silence between two headers says nothing about what others do.
 */
export class OthersEpisodes {
  readonly #open = new Map<string, Episode>()

  /** Takes a header that proved use by others since the one before. `nowMs`: epoch ms. */
  proved(row: Row, nowMs: number): KeyReport | undefined {
    const perSecond = row.use?.elsewhere ?? 0
    if (this.#open.has(row.category) || perSecond < leastOf(row)) return undefined
    this.#open.set(row.category, { sinceMs: nowMs, requests: 0, lookedAtMs: nowMs, quietSinceMs: undefined })
    return { kind: 'elsewhere', category: row.category, perSecond: hundredths(perSecond) }
  }

  /** Takes a row between headers, to find the end of an episode. */
  looked(row: Row, nowMs: number): KeyReport | undefined {
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

const hundredths = (perSecond: number): number => Math.round(perSecond * 100) / 100
