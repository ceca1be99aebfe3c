import type { UsualLoad } from '../contract/history.ts'
import type { LoadStart } from './learned.ts'
import { isSameTimeOfDay, LoadStarts } from './load-starts.ts'
import type { PossibleLoad } from './others-use.ts'

/**
 * The probability of a load is added in `steps` equal parts over the time in which the load may start. If
 * only the record shows the start, this time is `recordedMs` long. The record is exact to three minutes.
 */
const ONSET = { steps: 3, recordedMs: 120_000 } as const
/**
 * A load stays listed for this time after its usual start, so that a check just after the start can still be
 * planned.
 */
const SHOWN_SECONDS = 30
/**
 * The probability that a usual load starts at one of the `ONSET` steps, as a share of the load's total
 * probability. The rest is the probability that the load starts after the last step.
 */
const BEGUN = 0.9

/**
 * One of the times at which a usual load may start. `chance`: probability that the load starts at this time
 * if it has not started before.
 */
interface Onset extends PossibleLoad {
  readonly atMs: number
}

/** A row before a load starts. Levels in requests, rates in requests per second. */
interface BeforeLoad {
  readonly level: number
  readonly limit: number
  /** Change of the level if others make no requests, in requests per second. */
  readonly gain: number
  readonly others: number
  /** The fixed window, which ends in `leftSeconds`. Absent if the quota refills gradually. */
  readonly window?: { readonly leftSeconds: number; readonly periodSeconds: number }
}

/** A usual load today, and the range of times in which it starts. */
interface TodaysLoad extends UsualLoad {
  /** Epoch ms. `atMs` is the earliest start, `latestMs` the latest. */
  readonly latestMs: number
  readonly lastsSeconds: number
  /** Whether headers of earlier days showed the start. If not, only the record shows it. */
  readonly isTimed: boolean
}

/**
 * The usual loads of one quota today, as a prior for others' use. The prior gives, for each time, the
 * probability that others' rate jumps, and the new rate.
 *
 * The prior only adds jumps to higher rates. It may widen bounds and make warnings earlier. It never rules
 * out a rate that headers leave possible. Two headers after a load's usual start outweigh the prior.
 */
export class ExpectedLoads {
  #recorded: readonly UsualLoad[] = []
  #loads: readonly TodaysLoad[] = []
  #onsets: readonly Onset[] = []
  readonly #starts = new LoadStarts()

  set(loads: readonly UsualLoad[]): void {
    if (loads === this.#recorded) return
    this.#recorded = loads
    this.#time()
  }

  /** Starts of usual loads on earlier days, for `restore` in a later run of the app. */
  get starts(): readonly LoadStart[] {
    return this.#starts.all
  }

  restore(starts: readonly LoadStart[]): void {
    this.#starts.restore(starts)
    this.#time()
  }

  /** Learns from a header when a usual load starts: see `LoadStarts.header`. */
  header(...interval: Parameters<LoadStarts['header']>): void {
    if (this.isEmpty) return
    const start = this.#starts.header(...interval)
    if (start && this.#recorded.some(({ atMs }) => isSameTimeOfDay(atMs, start.atMs)))
      this.#starts.keep(start)
  }

  /** Called when others' use since the last header is unknown. */
  restart(): void {
    this.#starts.restart()
  }

  #time(): void {
    this.#loads = this.#recorded.map((load) => {
      const { atMs, perSecond, requests } = load
      const window = this.#starts.windowOf(atMs)
      return {
        ...load,
        atMs: window?.fromMs ?? atMs,
        latestMs: window?.toMs ?? atMs + ONSET.recordedMs,
        perSecond: Math.max(perSecond, window?.perSecond ?? 0),
        lastsSeconds: requests / perSecond,
        isTimed: window !== undefined,
      }
    })
    this.#onsets = this.#loads.flatMap(({ atMs, latestMs, perSecond, lastsSeconds, chance }) =>
      Array.from({ length: ONSET.steps }, (_, step) => ({
        atMs: atMs + (step * (latestMs - atMs)) / (ONSET.steps - 1),
        perSecond,
        lastsSeconds,
        chance: 1 - (1 - BEGUN * chance) ** (1 / ONSET.steps),
      })),
    )
  }

  get isEmpty(): boolean {
    return this.#loads.length === 0
  }

  /** The onsets after `fromMs`, up to and including `toMs`. Both times are epoch ms. */
  between(fromMs: number, toMs: number): readonly Onset[] {
    if (this.#onsets.length === 0) return this.#onsets
    return this.#onsets.filter(({ atMs }) => atMs > fromMs && atMs <= toMs)
  }

  /**
   * The chance, 0 to 1, that a usual load empties the row within `horizonSeconds`. Considers loads whose
   * usual start is still ahead. Of the loads that would empty the row, only the likeliest counts.
   */
  emptyChance(row: BeforeLoad, nowMs: number, horizonSeconds: number): number {
    let most = 0
    for (const load of this.#loads) {
      const seconds = emptyAfter(load, row, nowMs)
      if (seconds !== undefined && seconds <= horizonSeconds) most = Math.max(most, load.chance)
    }
    return most
  }

  /**
   * The chance, 0 to 1, that a usual load starts about now and empties the row within `horizonSeconds`. Such
   * a load counts as present use from the earliest to the latest start that headers of earlier days showed.
   */
  dueChance(row: BeforeLoad, nowMs: number, horizonSeconds: number): number {
    let most = 0
    for (const load of this.#loads) {
      if (!load.isTimed || nowMs < load.atMs || nowMs > load.latestMs) continue
      const seconds = emptyAfter(load, row, nowMs, (load.latestMs - load.atMs) / 1000 + 1)
      if (seconds !== undefined && seconds <= horizonSeconds) most = Math.max(most, BEGUN * load.chance)
    }
    return most
  }

  /** The next load that starts within `withinSeconds` and would empty the row. */
  ahead(row: BeforeLoad, nowMs: number, withinSeconds: number): UsualLoad | undefined {
    return this.#loads.find(
      (load) =>
        load.atMs - nowMs <= withinSeconds * 1000 &&
        emptyAfter(load, row, nowMs, SHOWN_SECONDS) !== undefined,
    )
  }
}

/**
 * Seconds until a load empties the row. `undefined` if the load would not empty the row, or if its usual
 * start was at least `startedSeconds` ago.
 *
 * Until the load starts, the level changes by gain − others. From then on, the level changes by gain − load,
 * until the load has made all its requests. If a fixed window ends before that, the next one starts full.
 */
function emptyAfter(
  { atMs, perSecond, lastsSeconds }: TodaysLoad,
  row: BeforeLoad,
  nowMs: number,
  startedSeconds = 0,
) {
  const wait = Math.max(0, (atMs - nowMs) / 1000)
  const drain = perSecond - row.gain
  if (nowMs >= atMs + startedSeconds * 1000 || drain <= 0) return undefined
  const { level, leftSeconds, periodSeconds } = atStart(row, wait)
  const seconds = level / drain
  if (seconds <= Math.min(lastsSeconds, leftSeconds)) return wait + seconds
  const again = row.limit / drain
  return again <= Math.min(lastsSeconds - leftSeconds, periodSeconds) ? wait + leftSeconds + again : undefined
}

/**
 * The level when a load starts in `wait` seconds, and how long the quota's window lasts from then on. Each
 * later window is assumed to begin when the one before ends.
 */
function atStart({ level, limit, gain, others, window }: BeforeLoad, wait: number) {
  const after = (from: number, seconds: number) =>
    Math.max(0, Math.min(limit, from + (gain - others) * seconds))
  const { leftSeconds, periodSeconds } = window ?? NO_WINDOW
  if (wait < leftSeconds) return { level: after(level, wait), leftSeconds: leftSeconds - wait, periodSeconds }
  const since = (wait - leftSeconds) % periodSeconds
  return { level: after(limit, since), leftSeconds: periodSeconds - since, periodSeconds }
}

/** A quota that refills gradually never becomes full at once. */
const NO_WINDOW = { leftSeconds: Number.POSITIVE_INFINITY, periodSeconds: Number.POSITIVE_INFINITY }
