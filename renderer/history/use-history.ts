import { useCallback } from 'react'
import type { History } from '../../app/contract/history.ts'
import { RANGES } from '../charts/ranges.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import type { ChartRange } from '../state/view-state.ts'
import { useParts, usePausedSince } from '../state/window-parts.ts'

/** Maximum number of points per request. */
const MAX_POINTS = 300

/**
 * The history of one category. Fetched at the range's interval while the window is visible and not paused.
 */
export function useHistory(
  profile: string | undefined,
  category: string | undefined,
  range: ChartRange,
): History | undefined {
  const { api, ticker } = useParts()
  const isPaused = usePausedSince() !== undefined
  const { pastMs, askAgainMs } = RANGES[range]
  const ask = useCallback(async () => {
    if (profile === undefined || category === undefined) return undefined
    const toMs = Math.round(ticker.nowMs())
    return api.history({ profile, category, fromMs: Math.max(0, toMs - pastMs), toMs, points: MAX_POINTS })
  }, [api, ticker, profile, category, pastMs])
  return useRepeated({
    ask,
    isOn: profile !== undefined && category !== undefined,
    // A paused window fetches once for each row and range that a person chooses.
    everyMs: isPaused ? undefined : askAgainMs,
  })
}
