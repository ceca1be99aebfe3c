import { useEffect } from 'react'
import { useShown } from '../view/window-parts.ts'
import { spokenVerdict } from '../words/verdict-sentence.ts'

/** So that a tab in the background says what the window would. */
export function Title() {
  const verdict = useShown((snapshot) =>
    snapshot.verdict.kind === 'unknown'
      ? 'Headroom'
      : `${spokenVerdict(snapshot).replace(/\.$/, '')} · Headroom`,
  )
  useEffect(() => {
    document.title = verdict ?? 'Headroom'
  }, [verdict])
  return null
}
