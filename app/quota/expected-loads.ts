import type { UsualLoad } from '../contract/history.ts'

/**
 * A load begins within three minutes of its usual time: that is how finely its time is known. Milliseconds.
 */
const ONSET = { steps: 3, everyMs: 60_000 } as const
/** Share of a load's chance with which it has begun after the last step: it may also come late. */
const BEGUN = 0.9

/** The start of a usual load. */
interface Onset {
  readonly atMs: number
  readonly perSecond: number
  /** Probability that it starts at that time, 0 to 1. */
  readonly chance: number
}

/** A row before a load. Levels in requests, rates in requests per second. */
interface BeforeLoad {
  readonly level: number
  readonly limit: number
  /** Change of the level without others. */
  readonly gain: number
  /** Others' rate. */
  readonly others: number
}

/**
 * The usual loads of one quota today, as a prior of others' use: how likely a jump is at which time, and to
 * which rate.
 *
 * It only adds jumps to a higher rate, so it widens bounds and warns earlier, and never narrows what headers
 * allow. Two headers after a load's usual start outweigh it.
 */
export class ExpectedLoads {
  #loads: readonly UsualLoad[] = []
  #onsets: readonly Onset[] = []

  set(loads: readonly UsualLoad[]): void {
    if (loads === this.#loads) return
    this.#loads = loads
    this.#onsets = loads.flatMap(({ atMs, perSecond, chance }) =>
      Array.from({ length: ONSET.steps }, (_, step) => ({
        atMs: atMs + step * ONSET.everyMs,
        perSecond,
        chance: 1 - (1 - BEGUN * chance) ** (1 / ONSET.steps),
      })),
    )
  }

  get isEmpty(): boolean {
    return this.#loads.length === 0
  }

  /** The starts after `fromMs` and up to `toMs`, epoch ms. */
  between(fromMs: number, toMs: number): readonly Onset[] {
    if (this.#onsets.length === 0) return this.#onsets
    return this.#onsets.filter(({ atMs }) => atMs > fromMs && atMs <= toMs)
  }

  /** The chance, 0 to 1, that a load that has yet to start empties the row within `horizonSeconds`. */
  emptyChance(row: BeforeLoad, nowMs: number, horizonSeconds: number): number {
    let most = 0
    for (const load of this.#loads) {
      const seconds = emptyAfter(load, row, nowMs)
      if (seconds !== undefined && seconds <= horizonSeconds) most = Math.max(most, load.chance)
    }
    return most
  }

  /** The next load within `withinSeconds` that would empty the row. */
  ahead(row: BeforeLoad, nowMs: number, withinSeconds: number): UsualLoad | undefined {
    return this.#loads.find(
      (load) => load.atMs - nowMs <= withinSeconds * 1000 && emptyAfter(load, row, nowMs) !== undefined,
    )
  }
}

/**
 * Seconds until a load has emptied the row; `undefined` where it has started, or does not empty it.
 *
 * The level changes by gain − others until the load starts, and by gain − load for as long as its requests
 * last.
 */
function emptyAfter(load: UsualLoad, { level, limit, gain, others }: BeforeLoad, nowMs: number) {
  const wait = (load.atMs - nowMs) / 1000
  const drain = load.perSecond - gain
  if (wait <= 0 || drain <= 0) return undefined
  const levelThen = Math.max(0, Math.min(limit, level + (gain - others) * wait))
  const seconds = levelThen / drain
  return seconds <= load.requests / load.perSecond ? wait + seconds : undefined
}
