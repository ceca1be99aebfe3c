import type { PlannedRequests } from './plan.ts'
import type { Arrival } from './replay.ts'

/** Requests of one category in the minute that starts at `atMs`. An estimated number need not be whole. */
export interface RecordedMinute {
  readonly category: string
  /** Epoch ms. */
  readonly atMs: number
  readonly requests: number
}

const MINUTE_SECONDS = 60
/** Assumed period of a category whose period is unknown. */
const DEFAULT_PERIOD_SECONDS = 300

interface Recording {
  /** Time from the first recorded minute to the end of the recording, in milliseconds. */
  readonly lengthMs: number
  readonly periodSecondsOf: (category: string) => number | undefined
}

/**
 * For each category, a token bucket that allows all recorded requests.
 *
 * Of all such buckets, the chosen one has the smallest rate × period + burst. This sum is the maximum use of
 * the quota in one period. The rate is at least the mean of the whole recording. For even use, it is near
 * that mean. For uneven use, it is near the mean of the busy hours, or it is low and the burst is high.
 *
 * All requests of a minute count as sent at its start, so the burst is never understated. `minutes` must be
 * in chronological order within each category. Minutes without a recording count as quiet. Categories without
 * a request are left out.
 */
export function recordedRequests(
  minutes: Iterable<RecordedMinute>,
  { lengthMs, periodSecondsOf }: Recording,
): readonly PlannedRequests[] {
  return [...Map.groupBy(minutes, ({ category }) => category)].flatMap(([category, own]) => {
    const periodSeconds = periodSecondsOf(category) ?? DEFAULT_PERIOD_SECONDS
    const perSecond = leastRate(own, { lengthSeconds: lengthMs / 1000, periodSeconds })
    return perSecond > 0 ? [{ category, perSecond, burst: Math.ceil(leastBurst(own, perSecond)) }] : []
  })
}

/** Steps of the ternary search. Each step keeps two thirds of the interval. */
const STEPS = 48

/**
 * Finds the rate at which `rate × period + burst` is smallest. The sum is convex in the rate, so a ternary
 * search finds it.
 */
function leastRate(
  minutes: readonly RecordedMinute[],
  { lengthSeconds, periodSeconds }: { readonly lengthSeconds: number; readonly periodSeconds: number },
): number {
  const total = minutes.reduce((sum, { requests }) => sum + requests, 0)
  let low = total / Math.max(lengthSeconds, minutes.length * MINUTE_SECONDS)
  let high = Math.max(...minutes.map(({ requests }) => requests)) / MINUTE_SECONDS
  const taken = (perSecond: number) => perSecond * periodSeconds + leastBurst(minutes, perSecond)
  if (taken(low) <= taken(low + (high - low) / 1e6)) return low
  for (let step = 0; step < STEPS; step += 1) {
    const third = (high - low) / 3
    if (taken(low + third) <= taken(high - third)) high -= third
    else low += third
  }
  return high
}

/**
 * The smallest burst with which a token bucket of rate `perSecond` allows all recorded requests. It is the
 * highest level of a bucket that these requests fill and that drains at `perSecond`.
 */
function leastBurst(minutes: readonly RecordedMinute[], perSecond: number): number {
  let level = 0
  let most = 0
  let beforeMs = Number.NEGATIVE_INFINITY
  for (const { atMs, requests } of minutes) {
    level = Math.max(0, level - (perSecond * (atMs - beforeMs)) / 1000) + requests
    most = Math.max(most, level)
    beforeMs = atMs
  }
  return most
}

/**
 * The recorded requests of one program as arrivals. `fromMs` is the start of the replay, epoch ms.
 *
 * The history has one count per minute and category. The requests of a minute are spread evenly over that
 * minute. If a fraction of a request remains, it is added to the next minute of the same category.
 */
export function recordedArrivals(
  program: string,
  minutes: Iterable<RecordedMinute>,
  fromMs: number,
): readonly Arrival[] {
  const owed = new Map<string, number>()
  const arrivals: Arrival[] = []
  for (const { category, atMs, requests } of minutes) {
    const due = (owed.get(category) ?? 0) + requests
    const whole = Math.floor(due)
    owed.set(category, due - whole)
    for (let at = 0; at < whole; at += 1)
      arrivals.push({
        program,
        category,
        atMs: Math.max(0, atMs - fromMs) + Math.floor((at * MINUTE_SECONDS * 1000) / whole),
      })
  }
  return arrivals
}
