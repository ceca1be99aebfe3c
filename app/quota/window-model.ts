/**
 * The window of a quota, as its headers show it: which of two models applies, which levels are possible, and
 * when a fixed window ends.
 *
 * A rolling interval refills `limit / period` per second, and the header Reset is the time until the quota is
 * full (service 8.3.1, 8.3.2). A fixed window refills nothing until its end. Then the quota is full again,
 * except for later requests (service 8.3.5).
 *
 * The estimator (`level-bounds.ts`) and the gateway (`app/gateway/bucket-bound.ts`) both use this file. Times
 * are milliseconds on one clock. Levels are requests and need not be whole.
 */

/** Requests per period. */
export interface WindowSize {
  readonly limit: number
  readonly periodMs: number
  /** Maximum relative error of the clock that measures all times. Default: 0. */
  readonly clockError?: number
}

/** The known state of a quota's window. */
interface WindowModel {
  readonly model: 'rolling' | 'fixed'
  /** The last window that a header showed. It may have ended. Only of the fixed model. */
  readonly window: FixedWindow | undefined
}

/** One header with the send and receive times of its request. */
export interface Shown {
  readonly remaining: number
  readonly resetSeconds: number | undefined
  readonly sentAtMs: number
  readonly nowMs: number
}

/** Resolution of the service's clock. Milliseconds. */
export const CLOCK_STEP_MS = 1
/**
 * Maximum relative error of this machine's clock. A crystal may be off by 100 ppm, and a correction may add
 * 500 ppm. The service's clock is assumed to be exact.
 */
export const MAX_CLOCK_ERROR = 0.0006
/** Maximum advance of this machine's clock while the service's clock advances by `ms`. */
export const longest = (ms: number): number => ms * (1 + MAX_CLOCK_ERROR)
/**
 * Services round their clocks, so bounds contradict each other only if they differ by more than this many
 * requests.
 */
export const TOLERANCE = 0.05

/** The header Reset is a whole number of seconds, rounded up. */
const ROUNDING_SECONDS = 1

/**
 * Whether a rolling interval can show this Reset header together with this Remaining header.
 *
 * In a rolling interval, Reset is the time until the quota is full, `ceil((limit − level) × period / limit)`,
 * and Remaining is `floor(level)` (service 2.2, 8.3.2). `lastedSeconds`: how long the request was in flight.
 * Differences that jitter explains are allowed.
 */
export function rollingAllows(
  limit: number,
  periodSeconds: number,
  remaining: number,
  resetSeconds: number,
  lastedSeconds: number,
): boolean {
  const secondsPerRequest = periodSeconds / limit
  const tolerance = ROUNDING_SECONDS + lastedSeconds
  const most = Math.ceil((limit - remaining) * secondsPerRequest) + tolerance
  const least = Math.floor((limit - Math.min(limit, remaining + 1)) * secondsPerRequest) - tolerance
  return resetSeconds >= least && resetSeconds <= most
}

/**
 * The range of possible levels at the time when the service wrote a header of a rolling interval. The header
 * Remaining is the level, rounded down. If refilling one request takes longer than a second, the header Reset
 * also shows the level's fraction.
 */
export function rollingShows(
  limit: number,
  periodSeconds: number,
  remaining: number,
  resetSeconds: number | undefined,
): { readonly least: number; readonly most: number } {
  const most = Math.min(limit, remaining + 1)
  if (resetSeconds === undefined) return { least: remaining, most }
  const perSecond = limit / periodSeconds
  const fromReset = {
    least: limit - resetSeconds * perSecond,
    most: limit - (resetSeconds - ROUNDING_SECONDS) * perSecond,
  }
  if (fromReset.least > most + TOLERANCE || fromReset.most < remaining - TOLERANCE) {
    return { least: remaining, most }
  }
  const least = Math.min(most, Math.max(remaining, fromReset.least))
  return { least, most: Math.max(least, Math.min(most, fromReset.most)) }
}

/**
 * The range of times in which a fixed window ends. A header shows only a range, because its Reset is a whole
 * number of seconds, rounded up.
 */
export interface FixedWindow {
  readonly endsEarliestMs: number
  readonly endsLatestMs: number
}

/**
 * The window that a header with `resetSeconds` shows. The header's request was in flight from `sentAtMs` to
 * `nowMs`. `clockError`: see `WindowSize`.
 */
export function fixedWindowOf(
  { resetSeconds, sentAtMs, nowMs }: Omit<Shown, 'remaining'> & { readonly resetSeconds: number },
  clockError = 0,
): FixedWindow {
  const earliestMs = (resetSeconds - ROUNDING_SECONDS) * 1000
  return {
    endsEarliestMs: sentAtMs + earliestMs * (1 - clockError) - CLOCK_STEP_MS,
    endsLatestMs: nowMs + resetSeconds * 1000 * (1 + clockError) + CLOCK_STEP_MS,
  }
}

/** How a header's window relates to the known one. */
export type WindowStep = 'same' | 'later' | 'earlier' | 'impossible'

/**
 * Whether two headers may describe windows of one bucket.
 *
 * A window starts at a request and lasts one period (service 8.3.5), so the ends of two windows are at least
 * a period apart. If the ends in two headers are closer but not equal, the interval is rolling. The header
 * Reset is then the time until the quota is full, which changes.
 */
export function windowStep(known: FixedWindow, shown: FixedWindow, periodMs: number): WindowStep {
  const slackMs = ROUNDING_SECONDS * 1000
  if (
    shown.endsEarliestMs <= known.endsLatestMs + slackMs &&
    known.endsEarliestMs <= shown.endsLatestMs + slackMs
  ) {
    return 'same'
  }
  if (shown.endsLatestMs + slackMs >= known.endsEarliestMs + periodMs) return 'later'
  if (known.endsLatestMs + slackMs >= shown.endsEarliestMs + periodMs) return 'earlier'
  return 'impossible'
}

/**
 * Intersects the ranges that two headers show for one window. If they contradict each other, `known` applies.
 */
export function narrowed(known: FixedWindow, shown: FixedWindow): FixedWindow {
  const endsEarliestMs = Math.max(known.endsEarliestMs, shown.endsEarliestMs)
  const endsLatestMs = Math.min(known.endsLatestMs, shown.endsLatestMs)
  return endsEarliestMs <= endsLatestMs ? { endsEarliestMs, endsLatestMs } : known
}

/** Refill in requests per millisecond. 0 in a fixed window. */
export const gainPerMsOf = (model: WindowModel['model'], limit: number, periodMs: number): number =>
  model === 'rolling' ? limit / periodMs : 0

const ROLLING: WindowModel = { model: 'rolling', window: undefined }

/**
 * The model after a header with Reset, and the window that the header shows. `undefined` for a header of an
 * earlier window, which shows nothing about the present one.
 */
export function modelAfter(
  known: WindowModel,
  header: Shown & { readonly resetSeconds: number },
  { limit, periodMs, clockError }: WindowSize,
): WindowModel | undefined {
  const { remaining, resetSeconds, sentAtMs, nowMs } = header
  const shown = fixedWindowOf(header, clockError)
  const rolls = rollingAllows(limit, periodMs / 1000, remaining, resetSeconds, (nowMs - sentAtMs) / 1000)
  if (known.model === 'rolling') return rolls ? ROLLING : { model: 'fixed', window: shown }
  const { window } = known
  const step = window ? windowStep(window, shown, periodMs) : 'later'
  if (step === 'impossible' && rolls) return ROLLING
  if (step === 'earlier') return undefined
  return { model: 'fixed', window: window && step === 'same' ? narrowed(window, shown) : shown }
}

/**
 * The range of levels that a header allows. When the service wrote the header, the level was between `least`
 * and `mostThen`. Now the level is at most `most`.
 */
export function levelsShown(
  { model, window }: WindowModel,
  { remaining, resetSeconds, sentAtMs, nowMs }: Shown,
  { limit, periodMs }: WindowSize,
): { readonly least: number; readonly mostThen: number; readonly most: number } {
  if (model === 'fixed') {
    const mayHaveEnded = window !== undefined && nowMs >= window.endsEarliestMs
    return { least: remaining, mostThen: remaining, most: mayHaveEnded ? limit : remaining }
  }
  const { least, most } = rollingShows(limit, periodMs / 1000, remaining, resetSeconds)
  const grown = (nowMs - sentAtMs + CLOCK_STEP_MS) * gainPerMsOf(model, limit, periodMs)
  return { least, mostThen: most, most: Math.min(limit, most + grown) }
}

/** A window that opened at an unknown time between two times. It lasts one period (service 8.3.5). */
export const assumedWindow = (
  afterMs: number,
  beforeMs: number,
  { periodMs, clockError = 0 }: Omit<WindowSize, 'limit'>,
): FixedWindow => ({
  endsEarliestMs: afterMs + periodMs * (1 - clockError) - CLOCK_STEP_MS,
  endsLatestMs: beforeMs + periodMs * (1 + clockError) + CLOCK_STEP_MS,
})

/**
 * The known window after the clock was uncertain from `fromMs` to `toMs`. The window's latest end moves by
 * the length of that interval, but at most to one period after `toMs`.
 */
export function doubtedWindow(
  window: FixedWindow | undefined,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  periodMs: number,
): FixedWindow | undefined {
  if (window === undefined || window.endsLatestMs <= fromMs) return window
  const endsLatestMs = Math.min(window.endsLatestMs + (toMs - fromMs), toMs + periodMs)
  return { ...window, endsLatestMs }
}
