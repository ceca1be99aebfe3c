import { useCallback } from 'react'
import type { Outcome } from '../../app/contract/outcome.ts'
import { useParts } from '../state/window-parts.ts'
import { unanswered } from './use-asked.ts'

/** Runs a command outside of dialogs and shows its error as the window's notice. */
export function useCommand(): (ask: () => Promise<Outcome>) => void {
  const { view } = useParts()
  return useCallback(
    (ask) => {
      view.setState({ notice: undefined })
      ask().then(
        (outcome) => {
          if (!outcome.ok) view.setState({ notice: outcome.message })
        },
        (error: unknown) => view.setState({ notice: unanswered(error) }),
      )
    },
    [view],
  )
}
