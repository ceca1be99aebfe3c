import type { Patience } from './kinds.ts'

/**
 * The reading of one condition. `asOfMs`: epoch ms of its evidence, which for an estimate is older than the reading.
 *
 * `between` is inside the band of the hysteresis, and `stale` is without evidence: neither starts nor ends an episode.
 */
export type Reading =
  | { readonly kind: 'bad' | 'good'; readonly asOfMs: number }
  | { readonly kind: 'between' | 'stale' }
  /** Its subject no longer exists. */
  | { readonly kind: 'gone' }

export type Episode =
  | { readonly kind: 'armed' }
  | { readonly kind: 'pending'; readonly sinceMs: number }
  | {
      readonly kind: 'raised'
      readonly sinceMs: number
      readonly raisedAtMs: number
      /** When the latest evidence against it is from: what is not newer cannot be good news. */
      readonly badAsOfMs: number
      readonly goodSinceMs?: number
    }
  /** Ended without a good reading: only a good reading arms it again. */
  | { readonly kind: 'disarmed' }

export const ARMED: Episode = { kind: 'armed' }

export interface Step {
  readonly episode: Episode
  readonly effect?: 'raise' | 'withdraw-recovered' | 'withdraw-gone'
}

/**
 * The next state of an episode after one reading.
 *
 * Each episode is raised at most once and withdrawn at most once, in this order; between two of one condition there
 * was a good reading whose evidence is newer than the last bad one.
 */
export function nextEpisode(episode: Episode, reading: Reading, nowMs: number, patience: Patience): Step {
  switch (episode.kind) {
    case 'armed':
      return reading.kind === 'bad' ? begun(nowMs, nowMs, reading.asOfMs, patience) : { episode }
    case 'pending':
      return reading.kind === 'bad'
        ? begun(episode.sinceMs, nowMs, reading.asOfMs, patience)
        : { episode: ARMED }
    case 'disarmed':
      return reading.kind === 'good' ? { episode: ARMED } : { episode }
    case 'raised':
      return nextRaised(episode, reading, nowMs, patience)
  }
}

function begun(sinceMs: number, nowMs: number, badAsOfMs: number, { holdMs }: Patience): Step {
  if (nowMs - sinceMs < holdMs) return { episode: { kind: 'pending', sinceMs } }
  return { episode: { kind: 'raised', sinceMs, raisedAtMs: nowMs, badAsOfMs }, effect: 'raise' }
}

function nextRaised(
  episode: Extract<Episode, { kind: 'raised' }>,
  reading: Reading,
  nowMs: number,
  { recoverMs }: Patience,
): Step {
  const { goodSinceMs, ...still } = episode
  switch (reading.kind) {
    case 'bad':
      return { episode: { ...still, badAsOfMs: Math.max(still.badAsOfMs, reading.asOfMs) } }
    case 'between':
    case 'stale':
      return { episode: still }
    case 'good': {
      if (reading.asOfMs <= episode.badAsOfMs) return { episode: still }
      const sinceMs = goodSinceMs ?? nowMs
      if (nowMs - sinceMs < recoverMs) return { episode: { ...still, goodSinceMs: sinceMs } }
      return { episode: ARMED, effect: 'withdraw-recovered' }
    }
    case 'gone':
      return { episode: { kind: 'disarmed' }, effect: 'withdraw-gone' }
  }
}
