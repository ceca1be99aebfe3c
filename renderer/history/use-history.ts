import { useEffect, useState } from 'react'
import type { History } from '../../app/contract/history.ts'
import type { ChartRange } from '../state/view-state.ts'
import { useMirror, useParts, usePausedSince } from '../state/window-parts.ts'
import { RANGES } from './ranges.ts'

/** Maximum number of points per request. */
const MAX_POINTS = 300

interface Asked {
  readonly of: string
  readonly history: History
}

/** The history of one category, fetched at the range's interval while the window is visible and not paused. */
export function useHistory(
  profile: string | undefined,
  category: string | undefined,
  range: ChartRange,
): History | undefined {
  const { api, clock, ticker } = useParts()
  const isLive = useMirror((mirror) => mirror.link.kind === 'live')
  const isPaused = usePausedSince() !== undefined
  const [asked, setAsked] = useState<Asked>()
  const of = `${profile}\n${category}\n${range}`

  useEffect(() => {
    if (profile === undefined || category === undefined || !isLive) return
    const { pastMs, askAgainMs } = RANGES[range]
    let stopped = false
    let cancel = () => {}
    const ask = async () => {
      if (document.visibilityState === 'visible') {
        const toMs = Math.round(ticker.nowMs())
        const query = { profile, category, fromMs: Math.max(0, toMs - pastMs), toMs, points: MAX_POINTS }
        try {
          const history = await api.history(query)
          if (!stopped) setAsked({ of: `${profile}\n${category}\n${range}`, history })
        } catch {
          // Keeps the previous points; the banner reports a lost host.
        }
      }
      // A paused window fetches once, because the person may choose another row or range.
      if (!stopped && !isPaused) cancel = clock.after(askAgainMs, ask)
    }
    void ask()
    return () => {
      stopped = true
      cancel()
    }
  }, [api, clock, ticker, profile, category, range, isLive, isPaused])

  // Ignores the answer for another row.
  return asked?.of === of ? asked.history : undefined
}
