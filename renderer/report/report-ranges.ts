import { HOUR_MS } from '../../app/contract/units.ts'
import { startOfToday } from '../../app/status/moments.ts'

export const REPORT_RANGES = ['1 h', 'today', '24 h', '7 d', '30 d'] as const
export type ReportRange = (typeof REPORT_RANGES)[number]

export const REPORT_RANGE_LABELS: Readonly<Record<ReportRange, string>> = {
  '1 h': 'Last hour',
  today: 'Today',
  '24 h': 'Last 24 hours',
  '7 d': 'Last 7 days',
  '30 d': 'Last 30 days',
}

/** The start of a range that ends at `nowMs`. Today begins at midnight in the displayed zone. */
export function reportStart(range: ReportRange, nowMs: number): number {
  switch (range) {
    case '1 h':
      return nowMs - HOUR_MS
    case 'today':
      return startOfToday(nowMs)
    case '24 h':
      return nowMs - 24 * HOUR_MS
    case '7 d':
      return nowMs - 7 * 24 * HOUR_MS
    case '30 d':
      return nowMs - 30 * 24 * HOUR_MS
  }
}
