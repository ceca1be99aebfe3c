import { useCallback } from 'react'
import type { ProgramHistory } from '../../app/contract/history.ts'
import { RANGES } from '../history/ranges.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import { useParts, useView } from '../state/window-parts.ts'

const MAX_COLUMNS = 60
const ASK_AGAIN_MS = 30_000

/** A history by program, and the moment that it ends at, epoch ms. */
export interface AskedHistory extends ProgramHistory {
  readonly toMs: number
}

/** Requests of each program behind the gateway in one category over the chart's range; asked again every half minute. */
export function useProgramHistory(profile: string | undefined, category: string): AskedHistory | undefined {
  const { api, ticker } = useParts()
  const range = useView((view) => view.range)
  const ask = useCallback(async () => {
    if (profile === undefined) return undefined
    const toMs = Math.round(ticker.nowMs())
    const fromMs = Math.max(0, toMs - RANGES[range].pastMs)
    const history = await api.programHistory({ profile, category, fromMs, toMs, columns: MAX_COLUMNS })
    return { ...history, toMs }
  }, [api, ticker, profile, category, range])
  return useRepeated({ ask, isOn: profile !== undefined, everyMs: ASK_AGAIN_MS })?.answer
}
