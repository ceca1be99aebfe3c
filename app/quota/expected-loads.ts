import type { UsualLoad } from '../contract/history.ts'
import type { PossibleLoad } from './others-use.ts'

/**
 * Steps in which a load's probability is added, and their interval in milliseconds. A load begins up to three
 * minutes after its usual time, because usual times have this resolution.
 */
const ONSET = { steps: 3, everyMs: 60_000 } as const
/** How long a load stays listed after its start, so that a check just after the start can be planned. */
const SHOWN_SECONDS = 30
/**
 * Share of a load's probability that is added by the end of the last step. The rest allows for a late load.
 */
const BEGUN = 0.9

/** The start of a usual load. */
interface Onset extends PossibleLoad {
  readonly atMs: number
}

/** A row before a load starts. Levels in requests, rates in requests per second. */
interface BeforeLoad {
  readonly level: number
  readonly limit: number
  /** Change of the level without others' requests. */
  readonly gain: number
  /** Others' rate. */
  readonly others: number
}

/**
 * The usual loads of one quota today, as a prior for others' use. For each time, it gives the probability of
 * a jump and the new rate.
 *
 * The prior only adds jumps to higher rates. It may widen bounds and make warnings earlier. It never rules
 * out what headers leave possible. Two headers after a load's usual start outweigh it.
 */
export class ExpectedLoads {
  #loads: readonly UsualLoad[] = []
  #onsets: readonly Onset[] = []

  set(loads: readonly UsualLoad[]): void {
    if (loads === this.#loads) return
    this.#loads = loads
    this.#onsets = loads.flatMap(({ atMs, perSecond, requests, chance }) =>
      Array.from({ length: ONSET.steps }, (_, step) => ({
        atMs: atMs + step * ONSET.everyMs,
        perSecond,
        lastsSeconds: requests / perSecond,
        chance: 1 - (1 - BEGUN * chance) ** (1 / ONSET.steps),
      })),
    )
  }

  get isEmpty(): boolean {
    return this.#loads.length === 0
  }

  /** The starts after `fromMs`, up to and including `toMs`, epoch ms. */
  between(fromMs: number, toMs: number): readonly Onset[] {
    if (this.#onsets.length === 0) return this.#onsets
    return this.#onsets.filter(({ atMs }) => atMs > fromMs && atMs <= toMs)
  }

  /**
   * The chance, 0 to 1, that a usual load empties the row within `horizonSeconds`. Only the likeliest load
   * that has not started counts.
   */
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
      (load) =>
        load.atMs - nowMs <= withinSeconds * 1000 &&
        emptyAfter(load, row, nowMs, SHOWN_SECONDS) !== undefined,
    )
  }
}

/**
 * Seconds until a load empties the row. `undefined` if it does not, or if its usual start is at least
 * `startedSeconds` ago.
 *
 * Until the load starts, the level changes by gain − others. From then on, it changes by gain − load, until
 * the load has made all its requests.
 */
function emptyAfter(
  load: UsualLoad,
  { level, limit, gain, others }: BeforeLoad,
  nowMs: number,
  startedSeconds = 0,
) {
  const wait = Math.max(0, (load.atMs - nowMs) / 1000)
  const drain = load.perSecond - gain
  if (nowMs >= load.atMs + startedSeconds * 1000 || drain <= 0) return undefined
  const levelThen = Math.max(0, Math.min(limit, level + (gain - others) * wait))
  const seconds = levelThen / drain
  return seconds <= load.requests / load.perSecond ? wait + seconds : undefined
}
