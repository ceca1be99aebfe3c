import type { RequestQuota } from '../contract/snapshot.ts'
import { replenishedPerSecond } from './model.ts'

/** Use by others under this share of what the quota refills is not told. */
const NOTABLE_SHARE = 0.02
/** Nor is use that would be shown as none, requests per second. */
const MIN_PER_SECOND = 0.05
/** How long use has to be under that before it has ended: a pause between two scans is no end. */
const ENDED_AFTER_MS = 60_000

export interface OthersTold {
  readonly kind: 'started' | 'ended'
  readonly category: string
  /** Requests per second: as it starts, or the mean from start to end. */
  readonly perSecond: number
  /** When it started, epoch ms. */
  readonly sinceMs: number
}

interface Episode {
  readonly sinceMs: number
  /** Requests counted since, by the rate and the time between looks. */
  requests: number
  lookedAtMs: number
  quietSinceMs: number | undefined
}

type Row = Pick<RequestQuota, 'category' | 'limit' | 'period' | 'use' | 'observedAt'>

/**
 * Use by others as episodes, one at a time for each row: told once when it starts and once when it ends.
 *
 * An episode starts only where a header proved use, and ends only where a header came after the use fell: silence
 * between two headers says nothing about what others do.
 */
export class OthersEpisodes {
  readonly #open = new Map<string, Episode>()

  /** A header of this row proved that others made requests since the one before. `nowMs`: epoch ms. */
  proved(row: Row, nowMs: number): OthersTold | undefined {
    const perSecond = row.use?.elsewhere ?? 0
    if (this.#open.has(row.category) || perSecond < leastOf(row)) return undefined
    this.#open.set(row.category, { sinceMs: nowMs, requests: 0, lookedAtMs: nowMs, quietSinceMs: undefined })
    return { kind: 'started', category: row.category, perSecond, sinceMs: nowMs }
  }

  /** A look at a row now and then, for the ends. */
  looked(row: Row, nowMs: number): OthersTold | undefined {
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
    return { kind: 'ended', category: row.category, perSecond: episode.requests / seconds, sinceMs }
  }
}

function leastOf({ limit, period }: Row): number {
  return Math.max(MIN_PER_SECOND, NOTABLE_SHARE * replenishedPerSecond(limit, period))
}
