import { useEffect } from 'react'
import type { ViewState } from '../state/view-state.ts'
import { useParts } from '../state/window-parts.ts'

/** Time for which a page or a dialog waits for its code, in milliseconds. */
const LOADS_WITHIN_MS = 3_000

interface LoadingPartProps {
  /**
   * The view to return to if the code does not arrive. Without the code, the page or dialog has no way back.
   */
  readonly wayBack: Partial<ViewState>
}

/** The fallback of a page or dialog whose code is being loaded. */
export function LoadingPart({ wayBack }: LoadingPartProps) {
  const { clock, view } = useParts()
  useEffect(() => clock.after(LOADS_WITHIN_MS, () => view.setState(wayBack)), [clock, view, wayBack])
  return null
}
