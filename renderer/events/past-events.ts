import { useState } from 'react'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { unanswered } from '../hooks/use-asked.ts'
import { useParts } from '../state/window-parts.ts'

const STEP_MS = 7 * 86_400_000

interface PastEvents {
  /** Earlier events, newest first. */
  readonly events: readonly LoggedEvent[]
  readonly state: 'not-asked' | 'asking' | 'asked'
  load(beforeMs: number): void
}

/** Loads last week's events before this run from the history, on request. */
export function usePastEvents(profile: string | undefined): PastEvents {
  const { api, view } = useParts()
  const [asked, setAsked] = useState<{ readonly profile: string; readonly events?: readonly LoggedEvent[] }>()
  const own = asked !== undefined && asked.profile === profile ? asked : undefined
  return {
    events: own?.events ?? [],
    state: own === undefined ? 'not-asked' : own.events === undefined ? 'asking' : 'asked',
    load: (beforeMs) => {
      if (profile === undefined) return
      setAsked({ profile })
      api.pastEvents({ profile, fromMs: Math.max(0, beforeMs - STEP_MS), toMs: beforeMs - 1 }).then(
        (events) => setAsked({ profile, events: events.toReversed() }),
        (error: unknown) => {
          setAsked(undefined)
          view.setState({ notice: unanswered(error) })
        },
      )
    },
  }
}
