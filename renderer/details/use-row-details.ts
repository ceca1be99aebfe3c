import { useEffect, useState } from 'react'
import type { RowDetails } from '../../app/contract/quotas.ts'
import { useMirror, useParts, usePausedSince } from '../state/window-parts.ts'

const ASK_AGAIN_MS = 2000

/** Details of one row, fetched while the details panel is open. */
export function useRowDetails(profile: string | undefined, category: string): RowDetails | undefined {
  const { api, clock } = useParts()
  const isLive = useMirror((mirror) => mirror.link.kind === 'live')
  const isPaused = usePausedSince() !== undefined
  const [details, setDetails] = useState<RowDetails>()
  useEffect(() => {
    if (profile === undefined || !isLive || isPaused) return
    let stopped = false
    let cancel = () => {}
    const ask = async () => {
      try {
        const isSeen = document.visibilityState === 'visible'
        const answer = isSeen ? await api.rowDetails({ profile, category }) : undefined
        if (answer?.ok === true && !stopped) setDetails(answer.details)
      } catch {
        // Keeps the former details; the banner reports a lost host.
      }
      if (!stopped) cancel = clock.after(ASK_AGAIN_MS, ask)
    }
    void ask()
    return () => {
      stopped = true
      cancel()
    }
  }, [api, clock, profile, category, isLive, isPaused])
  return details
}
