import { useCallback, useMemo } from 'react'
import type { RecordedProgramUse } from '../../app/contract/history.ts'
import { MINUTE_MS } from '../../app/contract/units.ts'
import { useRepeated } from '../hooks/use-repeated.ts'
import { useParts } from '../state/window-parts.ts'

const MINUTES = 15
const ASK_AGAIN_MS = 30_000

/**
 * Each program's requests per minute in the last 15 whole minutes, oldest first. Empty if none were recorded.
 */
export function useRecentUse(profile: string): ReadonlyMap<string, readonly number[]> | undefined {
  const { api, ticker } = useParts()
  const ask = useCallback(async () => {
    const toMs = Math.floor(ticker.nowMs() / MINUTE_MS) * MINUTE_MS
    const fromMs = Math.max(0, toMs - MINUTES * MINUTE_MS)
    const { programs } = await api.recordedUses({ profile, fromMs, toMs })
    return { fromMs, programs }
  }, [api, ticker, profile])
  const answer = useRepeated({ ask, isOn: true, everyMs: ASK_AGAIN_MS })
  return useMemo(() => answer && byMinute(answer.programs, answer.fromMs), [answer])
}

/** Each program's requests in all categories together, by minute from `fromMs` on. */
export function byMinute(programs: readonly RecordedProgramUse[], fromMs: number) {
  const found = new Map<string, number[]>()
  for (const { program, minutes } of programs) {
    const counts = found.get(program) ?? new Array<number>(MINUTES).fill(0)
    for (const [atMs, requests] of minutes) {
      const at = Math.round((atMs - fromMs) / MINUTE_MS)
      if (at >= 0 && at < MINUTES) counts[at] = (counts[at] ?? 0) + requests
    }
    found.set(program, counts)
  }
  return found
}
