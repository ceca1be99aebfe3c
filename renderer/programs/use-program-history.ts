import { useCallback } from 'react'
import type { ProgramHistory } from '../../app/contract/history.ts'
import { RANGES } from '../charts/ranges.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import { useParts, usePausedSince, useView } from '../state/window-parts.ts'

const MAX_COLUMNS = 60
const ASK_AGAIN_MS = 30_000

/** The history of each program up to `toMs`, and the times of the row's 429s in the same range. Epoch ms. */
export interface AskedHistory extends ProgramHistory {
  readonly toMs: number
  readonly rejectedAt: readonly number[]
}

export function useProgramHistory(profile: string | undefined, category: string): AskedHistory | undefined {
  const { api, ticker } = useParts()
  const range = useView((view) => view.range)
  const isPaused = usePausedSince() !== undefined
  const ask = useCallback(async () => {
    if (profile === undefined) return undefined
    const toMs = Math.round(ticker.nowMs())
    const fromMs = Math.max(0, toMs - RANGES[range].pastMs)
    const interval = { profile, category, fromMs, toMs }
    const [history, { rejectedAt }] = await Promise.all([
      api.programHistory({ ...interval, columns: MAX_COLUMNS }),
      api.history({ ...interval, points: MAX_COLUMNS }),
    ])
    return { ...history, toMs, rejectedAt }
  }, [api, ticker, profile, category, range])
  return useRepeated({
    ask,
    isOn: profile !== undefined,
    everyMs: isPaused ? undefined : ASK_AGAIN_MS,
  })
}
