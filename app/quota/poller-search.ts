import type { Poller } from './learned.ts'
import { type Fit, fitOf, type PollerQuota, type Timing } from './poller-fit.ts'
import type { PollerGaps } from './poller-gaps.ts'

/** Shortest and longest period, in seconds, and the maximum number of calls per poll. */
const PERIODS = { least: 0.5, most: 60 } as const
const MAX_CALLS = 60
/**
 * A first search uses only the latest gaps that together have this much evidence, in log-odds. Its grid is as
 * fine as these gaps can resolve.
 */
const FIRST_LOOK = 18
/**
 * Maximum number of periods in the time that the gaps of `FIRST_LOOK` cover. Over more periods, timers of
 * busy programs drift too much.
 */
const MAX_PERIODS = 800
/** A clear timing needs log-odds of at least this value plus the logarithm of the number of tries. */
const CLEAR = 10
/**
 * Like `CLEAR`, but for a timing close to that of a poller that an earlier run of the app found. Such a
 * timing is expected, so less evidence is enough.
 */
const CLEAR_AS_BEFORE = 5
/** Maximum difference between two periods of the same poller, as a share of the period. */
export const SAME_PERIOD = 0.02
/** Log-odds by which the best timing must exceed every different one. */
const CLEAR_OF_OTHERS = 5
/**
 * A poller must explain at least `MIN_GAPS` gaps. Together, these gaps must last at least this many periods.
 */
const MIN_PERIODS = 6
const MIN_GAPS = 12
/**
 * Number of phases tried per period. On a nearly full quota, headers show a request by others only until the
 * quota is full again. So `ofVisible` phases are tried within the time in which the quota refills one
 * request.
 */
const STEPS = { ofPeriod: 16, ofVisible: 6 } as const
/** Number of different timings that are refined at the end. */
const KEPT = 6
/** Number of recent gaps that determine others' rate. */
const RECENT = 24
/** Maximum effect of rounding on the count of others' requests between two headers. */
const ROUNDED = 1.5

export interface FoundTiming extends Timing, Fit {
  /**
   * Whether each poll may have more than `calls` calls. On a nearly full quota, some calls are refilled
   * before a header shows them.
   */
  readonly mayBeMore: boolean
}

/** Others' rate in recent gaps. */
interface Pace {
  readonly perSecond: number
  readonly seconds: number
  /** The second largest number of requests by others in one gap. The largest may be an outlier. */
  readonly mostMissing: number
  /** Minimum number of calls per poll that could explain how far the gaps' counts differ from the mean. */
  readonly leastCalls: number
  /**
   * Whether others leave the quota full at times. Headers then show a poll only until the quota is full
   * again.
   */
  readonly isNearFull: boolean
  /** Time of the latest header that showed a request by others. */
  readonly busyAt: number
}

/** Log-odds, against irregular use, of a timing that explains every gap. No timing can have more. */
export function evidenceIn({ irregular, count }: PollerGaps): number {
  let sum = 0
  for (let at = 0; at < count; at += 1) sum -= Math.log(irregular[at]!)
  return sum
}

/** Minimum evidence, in log-odds, for a search to find a clear timing. `before`: see `searchPoller`. */
export const minEvidence = (before: Poller | undefined): number =>
  before === undefined ? CLEAR + Math.log(1e5) : CLEAR_AS_BEFORE + Math.log(1e2)

/** Whether a timing matches that of a poller. */
export const isNear = ({ period, calls }: Timing, poller: Poller | undefined): poller is Poller =>
  poller?.calls === calls && Math.abs(period - poller.everySeconds) <= SAME_PERIOD * poller.everySeconds

/**
 * Searches near the poller of an earlier run of the app, if any, and then everywhere. Yields numbers of
 * tries: see `searchGrid`.
 */
export function* searchPoller(
  gaps: PollerGaps,
  quota: PollerQuota,
  before: Poller | undefined,
): Generator<number, FoundTiming | undefined> {
  const found = before && (yield* searchGrid(gaps, quota, before))
  if (found !== undefined || evidenceIn(gaps) < minEvidence(undefined)) return found
  return yield* searchGrid(gaps, quota, undefined)
}

/**
 * Tries all timings on a grid, or only those near `before`. Returns the clear timing, if any. After each
 * period, yields the number of timings tried for that period.
 *
 * A wrong timing fails within a few gaps, so the latest gaps are tried first. The steps of period and phase
 * are no finer than these gaps can resolve. The best few timings are then refined over all gaps.
 *
 * A timing is clear if all of these apply:
 * - It covers at least six periods and twelve gaps.
 * - Its odds are at least e^10 times the number of tries (e^5 times near `before`).
 * - Its odds are at least e^5 times those of any different timing.
 */
function* searchGrid(
  gaps: PollerGaps,
  quota: PollerQuota,
  before: Poller | undefined,
): Generator<number, FoundTiming | undefined> {
  const pace = paceIn(gaps)
  const end = gaps.to[gaps.count - 1]!
  const span = end - firstLookFrom(gaps)
  // The gaps are too short for any period. The grid below divides by `span`, so `span` must also be above 0.
  if (span < MIN_PERIODS * PERIODS.least) return undefined
  const kept: FoundTiming[] = []
  let tried = 0
  const [least, most] = before
    ? [(1 - SAME_PERIOD) * before.everySeconds, (1 + SAME_PERIOD) * before.everySeconds]
    : [PERIODS.least, PERIODS.most]
  for (let period = Math.max(least, span / MAX_PERIODS); period <= most; ) {
    const visible = pace.isNearFull ? Math.min(period, 1 / quota.refill) : period
    const step = pace.isNearFull ? visible / STEPS.ofVisible : period / STEPS.ofPeriod
    let tries = 0
    for (const calls of before ? [before.calls] : callsFor(period, pace, quota)) {
      const latest = pace.isNearFull ? pace.busyAt : end
      const earliest = latest - (pace.isNearFull ? Math.min(period, calls / quota.refill) : period)
      for (let phase = latest; phase > earliest; phase -= step) {
        tries += 1
        const timing = { period, phase, calls, mayBeMore: pace.isNearFull && calls > 1 }
        const fit = fitOf(gaps, timing, quota)
        if (fit.logOdds > (kept[KEPT - 1]?.logOdds ?? 0)) keep(kept, { ...timing, ...fit }, span)
      }
    }
    tried += tries
    yield tries
    period += (step * period) / span
  }
  return clearOf(kept, { ...{ gaps, quota, span, tried }, clear: before ? CLEAR_AS_BEFORE : CLEAR })
}

interface Tried {
  readonly gaps: PollerGaps
  readonly quota: PollerQuota
  readonly span: number
  readonly tried: number
  /** See `CLEAR`. */
  readonly clear: number
}

function clearOf(
  kept: readonly FoundTiming[],
  { gaps, quota, span, tried, clear }: Tried,
): FoundTiming | undefined {
  const refined: FoundTiming[] = []
  for (const one of kept) keep(refined, refine(gaps, one, quota, { span, oldest: 0 }), span)
  const first = refined[0]
  if (first === undefined || first.logOdds < clear + Math.log(tried)) return undefined
  for (const one of multiplesOf(first)) keep(refined, refine(gaps, one, quota, { span, oldest: 0 }), span)
  const [best, second] = refined
  if (best === undefined) return undefined
  if (second !== undefined && second.logOdds > best.logOdds - CLEAR_OF_OTHERS) return undefined
  const seconds = gaps.to[gaps.count - 1]! - gaps.from[best.first]!
  const isWithin = best.period >= PERIODS.least && best.period <= PERIODS.most
  const isLong = seconds >= MIN_PERIODS * best.period && gaps.count - best.first >= MIN_GAPS
  return isLong && isWithin ? best : undefined
}

/**
 * Other timings with the same rate: two or three times the period and the calls, or a half or a third of
 * both.
 */
function multiplesOf({ period, phase, calls, mayBeMore }: FoundTiming): readonly FoundTiming[] {
  const unknown = { logOdds: 0, first: 0, latest: 0, mayBeMore }
  return [2, 3].flatMap((times) => [
    ...Array.from({ length: times }, (_, nth) => ({
      ...{ period: period * times, phase: phase - nth * period, calls: calls * times, ...unknown },
    })),
    ...(calls % times === 0 ? [{ period: period / times, phase, calls: calls / times, ...unknown }] : []),
  ])
}

/**
 * Adds a timing to the list, best first. Two timings that stay within a quarter of a period of each other
 * count as the same. Only the better of the two is kept.
 */
function keep(kept: FoundTiming[], one: FoundTiming, span: number): void {
  const isSame = ({ period, calls }: FoundTiming) =>
    calls === one.calls && Math.abs(period - one.period) * span < (period * period) / 4
  const same = kept.findIndex(isSame)
  if (same >= 0) {
    if (kept[same]!.logOdds >= one.logOdds) return
    kept.splice(same, 1)
  }
  const at = kept.findIndex(({ logOdds }) => logOdds < one.logOdds)
  kept.splice(at < 0 ? kept.length : at, 0, one)
  kept.length = Math.min(kept.length, KEPT)
}

/** Improves period and phase in ever smaller steps to maximise the log-odds. */
export function refine(
  gaps: PollerGaps,
  from: FoundTiming,
  quota: PollerQuota,
  { span, oldest }: { readonly span: number; readonly oldest: number },
): FoundTiming {
  let best = from
  const end = gaps.to[gaps.count - 1]!
  for (let share = 1 / 16; share > 1 / 500; share /= 2) {
    const [byPhase, byPeriod] = [share * best.period, (share * best.period * best.period) / span]
    for (const [phases, periods] of AROUND) {
      const period = best.period + periods * byPeriod
      // The phase is the time of the latest poll, so a different period moves only the earlier polls.
      const phase = end - ((end - best.phase) % best.period) + phases * byPhase
      const timing = { ...best, period, phase }
      const fit = fitOf(gaps, timing, quota, oldest)
      if (fit.logOdds > best.logOdds) best = { ...timing, ...fit }
    }
  }
  return best
}

const AROUND = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
  [-1, -1],
  [1, 1],
  [-1, 1],
  [1, -1],
] as const

/** Start, in seconds, of the latest gaps that together have the evidence `FIRST_LOOK`. */
function firstLookFrom({ from, irregular, count }: PollerGaps): number {
  let shown = 0
  for (let at = count - 1; at > 0; at -= 1) {
    shown -= Math.log(irregular[at]!)
    if (shown >= FIRST_LOOK) return from[at]!
  }
  return from[0]!
}

function paceIn(gaps: PollerGaps): Pace {
  let [seconds, missing, nearFull] = [0, 0, 0]
  const first = Math.max(0, gaps.count - RECENT)
  for (let at = first; at < gaps.count; at += 1) {
    nearFull += gaps.nearFull[at]!
    if (gaps.nearFull[at] === 1) continue
    seconds += gaps.to[at]! - gaps.from[at]!
    missing += gaps.missing[at]!
  }
  const perSecond = missing / Math.max(1e-3, seconds)
  const [counts, errors]: number[][] = [[], []]
  for (let at = first; at < gaps.count; at += 1) {
    counts!.push(gaps.missing[at]!)
    if (gaps.nearFull[at] === 0)
      errors!.push(Math.abs(gaps.missing[at]! - perSecond * (gaps.to[at]! - gaps.from[at]!)))
  }
  let busyAt = gaps.count - 1
  while (busyAt > 0 && gaps.missing[busyAt]! < 0.5) busyAt -= 1
  return {
    perSecond,
    seconds,
    mostMissing: Math.round(secondOf(counts!)),
    leastCalls: Math.ceil(secondOf(errors!) - ROUNDED),
    isNearFull: 2 * nearFull >= gaps.count - first,
    busyAt: gaps.to[busyAt]!,
  }
}

const secondOf = (numbers: readonly number[]): number => [...numbers].sort((a, b) => b - a)[1] ?? 0

/**
 * Possible numbers of calls per poll for a period. Between two headers, the number of requests differs from
 * its mean by at most the calls of one poll.
 */
function callsFor(period: number, pace: Pace, { refill }: PollerQuota): readonly number[] {
  const { mostMissing, perSecond, seconds, leastCalls } = pace
  if (pace.isNearFull)
    return [mostMissing, mostMissing + 1].filter(
      (calls) => calls >= 1 && calls <= MAX_CALLS && calls <= refill * period,
    )
  const mean = perSecond * period
  const nearest = Math.round(mean)
  return [nearest - 1, nearest, nearest + 1].filter((calls) => {
    const error = Math.max(0.06 * mean, ((1 + calls) * period) / seconds)
    return calls >= Math.max(1, leastCalls) && calls <= MAX_CALLS && Math.abs(calls - mean) <= error
  })
}
