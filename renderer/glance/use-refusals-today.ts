import { useEffect, useMemo, useState } from 'react'
import { refusalsSince } from '../../app/conditions/glance.ts'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { startOfToday } from '../../app/status/moments.ts'
import { useMirror, useMoment, useParts } from '../state/window-parts.ts'

/**
 * Each key's 429s since midnight in the displayed zone, from the history and this run. A key without a
 * history response is left out.
 */
export function useRefusalsToday(): Readonly<Record<string, number>> {
  const { api, live } = useParts()
  const fromMs = useMoment(({ nowMs }) => startOfToday(nowMs))
  const profiles = useMirror(({ snapshots }) => snapshots.map(({ profile }) => profile.id).join('\n'))
  const ofRun = useMirror(({ events }) => events)
  const [past, setPast] = useState<Readonly<Record<string, readonly LoggedEvent[]>>>({})
  useEffect(() => {
    let stopped = false
    for (const profile of profiles.split('\n').filter(Boolean)) {
      api.pastEvents({ profile, fromMs, toMs: Math.max(fromMs + 1, Math.round(live.ticker.nowMs())) }).then(
        (events) => !stopped && setPast((before) => ({ ...before, [profile]: events })),
        // Its cell stays empty, and the link reports a lost host.
        () => {},
      )
    }
    return () => {
      stopped = true
    }
  }, [api, live, fromMs, profiles])
  return useMemo(
    () =>
      Object.fromEntries(
        Object.entries(past).map(([profile, events]) => [
          profile,
          refusalsSince([...events, ...ofRun], profile, fromMs),
        ]),
      ),
    [past, ofRun, fromMs],
  )
}
