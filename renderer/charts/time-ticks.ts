import { startOfToday } from '../../app/status/moments.ts'

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
export function timeTicks({
  fromMs,
  nowMs,
  toMs,
  tickMs,
  widthPixels,
  labelPixels,
}: TimeSpan): readonly number[] {
  const pixels = (durationMs: number) => (durationMs / (toMs - fromMs)) * widthPixels
  const multiple =
    MULTIPLES.find((one) => pixels(one * tickMs) >= labelPixels) ?? MULTIPLES[MULTIPLES.length - 1]
  const stepMs = tickMs * (multiple ?? 1)
  const midnightMs = startOfToday(nowMs)
  const first = midnightMs + Math.ceil((fromMs - midnightMs) / stepMs) * stepMs
  const count = Math.max(0, Math.floor((toMs - first) / stepMs) + 1)
  const steps = Array.from({ length: count }, (_, index) => first + index * stepMs)
  return [...steps.filter((at) => pixels(Math.abs(at - nowMs)) >= labelPixels), nowMs].sort((a, b) => a - b)
}
