import { HOUR_MS, MINUTE_MS } from '../../app/contract/units.ts'
import type { ChartRange } from '../state/view-state.ts'

/** Parameters of one range of the chart. Times are milliseconds. */
export interface RangeFacts {
  readonly pastMs: number
  /** Duration of the forecast, in milliseconds. */
  readonly aheadMs: number
  readonly tickMs: number
  /** How often the range's data is requested, in milliseconds. A long range changes slowly. */
  readonly askAgainMs: number
  readonly words: string
  /** Whether each column is drawn from its lowest to its highest value. */
  readonly asBand: boolean
}

/** Stages of the shortest range as it grows, each with its time span and tick interval. Milliseconds. */
const GROWING = [
  { pastMs: 2 * MINUTE_MS, tickMs: MINUTE_MS / 2 },
  { pastMs: 3 * MINUTE_MS, tickMs: MINUTE_MS },
  { pastMs: 5 * MINUTE_MS, tickMs: MINUTE_MS },
  { pastMs: 8 * MINUTE_MS, tickMs: 2 * MINUTE_MS },
  { pastMs: 10 * MINUTE_MS, tickMs: 2 * MINUTE_MS },
] as const

/**
 * The parameters of a range. `sinceMs` is when the recording began, or `undefined` if nothing is recorded
 * yet.
 *
 * The shortest range grows with the data in steps from 2 to 15 minutes, so that it is neither mostly empty
 * nor always moving.
 */
export function shownRange(range: ChartRange, sinceMs: number | undefined, nowMs: number): RangeFacts {
  const whole = RANGES[range]
  if (range !== '15 min') return whole
  const recordedMs = sinceMs === undefined ? 0 : nowMs - sinceMs
  const grown = GROWING.find(({ pastMs }) => recordedMs <= pastMs)
  if (grown === undefined) return whole
  const share = grown.pastMs / whole.pastMs
  return {
    ...whole,
    ...grown,
    aheadMs: Math.max(MINUTE_MS, whole.aheadMs * share),
    words: `last ${grown.pastMs / MINUTE_MS} minutes`,
  }
}

export const RANGES: Readonly<Record<ChartRange, RangeFacts>> = {
  '15 min': {
    pastMs: 15 * MINUTE_MS,
    aheadMs: 5 * MINUTE_MS,
    tickMs: 2 * MINUTE_MS,
    askAgainMs: 3000,
    words: 'last 15 minutes',
    asBand: false,
  },
  '1 h': {
    pastMs: HOUR_MS,
    aheadMs: 10 * MINUTE_MS,
    tickMs: 10 * MINUTE_MS,
    askAgainMs: 10_000,
    words: 'last hour',
    asBand: true,
  },
  '24 h': {
    pastMs: 24 * HOUR_MS,
    aheadMs: 0,
    tickMs: 4 * HOUR_MS,
    askAgainMs: 60_000,
    words: 'last 24 hours',
    asBand: true,
  },
  '7 d': {
    pastMs: 7 * 24 * HOUR_MS,
    aheadMs: 0,
    tickMs: 24 * HOUR_MS,
    askAgainMs: 120_000,
    words: 'last 7 days',
    asBand: true,
  },
}
