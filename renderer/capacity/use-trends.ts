import { useEffect, useState } from 'react'
import type { Trends } from '../../app/contract/history.ts'
import { useMirror, useParts, usePausedSince, useSnapshot } from '../state/window-parts.ts'
import { TREND, type TrendPath, trendPaths } from './trend-path.ts'

/** Interval of requests; one is less than a pixel of the small charts. */
const ASK_AGAIN_MS = 10_000

const NONE: ReadonlyMap<string, TrendPath> = new Map()

/** The small charts of all rows by category, fetched at an interval while the window is visible and not paused. */
export function useTrends(): ReadonlyMap<string, TrendPath> {
  const { api, clock, ticker, mirror } = useParts()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const isLive = useMirror(({ link }) => link.kind === 'live')
  const isPaused = usePausedSince() !== undefined
  const [drawn, setDrawn] = useState<{
    readonly of: string
    readonly paths: ReadonlyMap<string, TrendPath>
  }>()

  useEffect(() => {
    if (profile === undefined || !isLive || isPaused) return
    let stopped = false
    let cancel = () => {}
    const draw = (trends: Trends, fromMs: number, toMs: number) => {
      const rows = mirror.getState().snapshots.find((one) => one.profile.id === profile)?.requests ?? []
      setDrawn({ of: profile, paths: trendPaths(trends, rows, fromMs, toMs) })
    }
    const ask = async () => {
      if (document.visibilityState === 'visible') {
        const toMs = Math.round(ticker.nowMs())
        const fromMs = Math.max(0, toMs - TREND.pastMs)
        try {
          const trends = await api.trends({ profile, fromMs, toMs, points: TREND.points })
          if (!stopped) draw(trends, fromMs, toMs)
        } catch {
          // Keeps the previous ones; the banner reports a lost host.
        }
      }
      if (!stopped) cancel = clock.after(ASK_AGAIN_MS, ask)
    }
    void ask()
    return () => {
      stopped = true
      cancel()
    }
  }, [api, clock, ticker, mirror, profile, isLive, isPaused])

  return drawn?.of === profile ? (drawn?.paths ?? NONE) : NONE
}
