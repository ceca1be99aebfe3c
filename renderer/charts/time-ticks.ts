import { HOUR_MS } from '../../app/contract/units.ts'
import { clockAheadMs, startOfToday } from '../../app/status/moments.ts'

/** The time axis of a chart, and its width. Times are epoch ms. */
export interface TimeSpan {
  readonly fromMs: number
  readonly nowMs: number
  readonly toMs: number
  /** Minimum interval between two ticks, in milliseconds. */
  readonly tickMs: number
  readonly widthPixels: number
  /** Width of a label including its margin. */
  readonly labelPixels: number
}

/** Multiples of the minimum interval that make readable steps. */
const MULTIPLES = [1, 2, 3, 5, 10, 20] as const

/**
 * The ticks of a time axis, oldest first: as many round times of the displayed zone as fit. The present time
 * has a tick too, and the other ticks leave room for it.
 */
export function timeTicks(axis: TimeSpan): readonly number[] {
  const { fromMs, nowMs, toMs, tickMs, widthPixels, labelPixels } = axis
  const pixels = (durationMs: number) => (durationMs / (toMs - fromMs)) * widthPixels
  const multiple =
    MULTIPLES.find((one) => pixels(one * tickMs) >= labelPixels) ?? MULTIPLES[MULTIPLES.length - 1]
  const stepMs = tickMs * (multiple ?? 1)
  const steps = roundTimes(fromMs, toMs, stepMs)
  return [...steps.filter((at) => pixels(Math.abs(at - nowMs)) >= labelPixels), nowMs].sort((a, b) => a - b)
}

/** Full hours of the displayed zone from `fromMs` to `toMs`, epoch ms. At most 13. */
export function hourTicks(fromMs: number, toMs: number): readonly number[] {
  return roundTimes(fromMs, toMs, HOUR_MS * Math.max(1, Math.ceil((toMs - fromMs) / (12 * HOUR_MS))))
}

/**
 * The times from `fromMs` to `toMs` at which the clock of the displayed zone shows a multiple of `stepMs`
 * since midnight. If the clock changes between two of them, their interval is shorter or longer by that
 * change. A time that the clock skips is left out.
 */
function roundTimes(fromMs: number, toMs: number, stepMs: number): readonly number[] {
  const midnightMs = startOfToday(toMs)
  const first = Math.floor((fromMs - midnightMs) / stepMs)
  const last = Math.floor((toMs - midnightMs) / stepMs) + 1
  const wanted = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * stepMs)
  return wanted.flatMap((sinceMidnightMs) => {
    const offMs = (at: number) => clockAheadMs(at, sinceMidnightMs) % stepMs
    const guessMs = midnightMs + sinceMidnightMs
    const at = guessMs - offMs(guessMs)
    return at >= fromMs && at <= toMs && offMs(at) === 0 ? at : []
  })
}
