import { useEffect, useState } from 'react'
import { useMirror, useParts } from '../state/window-parts.ts'

interface Repeated<Answer> {
  /**
   * The request. A stable function from `useCallback`, because a new function is called immediately. After a
   * result of `undefined`, the last response stays.
   */
  readonly ask: () => Promise<Answer | undefined>
  readonly isOn: boolean
  /** Milliseconds from a response to the next request. If `undefined`, there is only one request. */
  readonly everyMs: number | undefined
}

/**
 * Sends a request at an interval while the window is visible and its host connected. Returns the last
 * response to the current `ask`. An earlier `ask` may have been about another key or row, so its response is
 * never returned. After a failed request, the last response stays. The banner reports a lost host.
 */
export function useRepeated<Answer>({ ask, isOn, everyMs }: Repeated<Answer>): Answer | undefined {
  const { clock } = useParts()
  const isLive = useMirror((mirror) => mirror.link.kind === 'live')
  const [last, setLast] = useState<{ readonly of: typeof ask; readonly answer: Answer }>()
  useEffect(() => {
    if (!isOn || !isLive) return
    let stopped = false
    let cancel = () => {}
    const again = async () => {
      if (document.visibilityState === 'visible') {
        try {
          const answer = await ask()
          if (answer !== undefined && !stopped) setLast({ of: ask, answer })
        } catch {
          // A failed request is ignored, because the next one may succeed.
        }
      }
      if (!stopped && everyMs !== undefined) cancel = clock.after(everyMs, again)
    }
    void again()
    return () => {
      stopped = true
      cancel()
    }
  }, [clock, ask, isOn, isLive, everyMs])
  return last?.of === ask ? last.answer : undefined
}
