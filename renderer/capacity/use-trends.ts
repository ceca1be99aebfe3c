import { useCallback } from 'react'
import { useRepeated } from '../hooks/use-repeated.ts'
import { useParts, usePausedSince, useSnapshot } from '../state/window-parts.ts'
import { TREND, type TrendPath, trendPaths } from './trend-path.ts'

/** Interval of requests, in milliseconds. In this time, a small chart moves by less than a pixel. */
const ASK_AGAIN_MS = 10_000

const NONE: ReadonlyMap<string, TrendPath> = new Map()

export function useTrends(): ReadonlyMap<string, TrendPath> {
  const { api, ticker, mirror } = useParts()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const isPaused = usePausedSince() !== undefined
  const ask = useCallback(async () => {
    if (profile === undefined) return undefined
    const toMs = Math.round(ticker.nowMs())
    const fromMs = Math.max(0, toMs - TREND.pastMs)
    const trends = await api.trends({ profile, fromMs, toMs, points: TREND.points })
    const rows = mirror.getState().snapshots.find((one) => one.profile.id === profile)?.requests ?? []
    return trendPaths(trends, rows, fromMs, toMs)
  }, [api, ticker, mirror, profile])
  const isOn = profile !== undefined && !isPaused
  return useRepeated({ ask, isOn, everyMs: ASK_AGAIN_MS }) ?? NONE
}
