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
