import { useEffect, useState } from 'react'
import type { History } from '../../app/contract/contract.ts'
import { useMirror, useParts } from '../view/window-parts.ts'
import { PAST_MS } from './series.ts'

const ASK_AGAIN_MS = 3000
/** What a chart of this width can show. */
const MOST_POINTS = 300

interface Asked {
  readonly of: string
  readonly history: History
}

/** The last 15 minutes of one category, asked again every 3 s while somebody can see them. */
export function useHistory(profile: string | undefined, category: string | undefined): History | undefined {
  const { api, clock, ticker } = useParts()
  const isLive = useMirror((mirror) => mirror.link.kind === 'live')
  const [asked, setAsked] = useState<Asked>()
  const of = `${profile}\n${category}`

  useEffect(() => {
    if (profile === undefined || category === undefined || !isLive) return
    let stopped = false
    let cancel = () => {}
    const ask = async () => {
      if (document.visibilityState === 'visible') {
        const toMs = Math.round(ticker.nowMs())
        const query = { profile, category, fromMs: Math.max(0, toMs - PAST_MS), toMs, points: MOST_POINTS }
        try {
          const history = await api.history(query)
          if (!stopped) setAsked({ of: `${profile}\n${category}`, history })
        } catch {
          // The chart keeps what it has; the banner says when the host is gone.
        }
      }
      if (!stopped) cancel = clock.after(ASK_AGAIN_MS, ask)
    }
    void ask()
    return () => {
      stopped = true
      cancel()
    }
  }, [api, clock, ticker, profile, category, isLive])

  // What was asked of another row is not this row's past.
  return asked?.of === of ? asked.history : undefined
}
