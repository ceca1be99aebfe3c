import { useState } from 'react'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { incidentLines } from '../../app/status/incident-log.ts'
import { startOfToday } from '../../app/status/moments.ts'
import { countText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { unanswered } from '../hooks/use-asked.ts'
import { useCopy } from '../hooks/use-copy.ts'
import { useMirror, useMoment, useParts, useSnapshot } from '../state/window-parts.ts'
import { EVENT_FILTER_LABELS, EVENT_FILTERS, type EventFilter, passes } from './event-filter.ts'
import { EventRow } from './event-row.tsx'
import { eventText } from './event-text.ts'
import sheet from './events.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** Maximum number of events drawn; more are stored, for other profiles. */
const MAX_SHOWN = 100
const MAX_PAST = 400

export function EventList() {
  const events = useMirror((mirror) => mirror.events)
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const stored = useSnapshot((snapshot) => snapshot.refresh.stored) ?? 'memory'
  const [filter, setFilter] = useState<EventFilter>('all')
  const copy = useCopy()
  const { live } = useParts()
  const past = usePastEvents(profile)
  const dayStartMs = useMoment(({ nowMs }) => startOfToday(nowMs))
  const ofRun = events.filter((event) => event.profile === profile)
  const ofProfile = [...ofRun.slice(0, MAX_SHOWN), ...past.events]
  const shown = ofProfile.filter((event) => passes(event, filter)).slice(0, MAX_SHOWN + MAX_PAST)
  const all = incidentLines(shown, { stored })
  const open = all.filter(({ isOpen }) => isOpen).length
  const lines = filter === 'open' ? all.filter(({ isOpen }) => isOpen) : all
  const copyAll = () => {
    const text = eventText(shown, stored)
    copy(text, `${countText(shown.length, 'event')} copied.`, text)
  }
  return (
    <section className={css('part')} aria-labelledby="events-title">
      <div className={css('head', 'joined')}>
        <h2 id="events-title">Events</h2>
        <span>{open === 0 ? 'newest first' : `newest first · ${open} open`}</span>
        <span className={css('tools')}>
          <select
            id="event-filter"
            className={css('filter')}
            aria-label="Show events"
            value={filter}
            onChange={(event) => setFilter(EVENT_FILTERS.find((one) => one === event.target.value) ?? 'all')}
          >
            {EVENT_FILTERS.map((one) => (
              <option key={one} value={one}>
                {EVENT_FILTER_LABELS[one]}
              </option>
            ))}
          </select>
          {past.state !== 'asked' && (
            <button
              type="button"
              className={css('tool')}
              title="What happened before this run, up to a week"
              disabled={past.state === 'asking'}
              onClick={() => past.load(ofRun.at(-1)?.at ?? Math.round(live.ticker.nowMs()))}
            >
              Earlier
            </button>
          )}
          <button
            type="button"
            className={css('tool')}
            aria-label="Copy the events shown"
            disabled={shown.length === 0}
            onClick={copyAll}
          >
            Copy
          </button>
        </span>
      </div>
      {/* A scrolling list needs its own focus for the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <ol className={css('list')} aria-label="Events" tabIndex={0}>
        {lines.map((line) => (
          // `seq` restarts with each run of the app.
          <EventRow
            key={`${line.events[0].at} ${line.events[0].seq}`}
            line={line}
            isToday={line.at >= dayStartMs}
          />
        ))}
        {lines.length === 0 && (
          <li className={css('empty')}>
            {ofProfile.length === 0
              ? 'Nothing has happened yet.'
              : filter === 'open'
                ? 'Nothing lasts.'
                : 'None of this kind.'}
          </li>
        )}
      </ol>
    </section>
  )
}

const STEP_MS = 7 * 86_400_000

interface PastEvents {
  /** Earlier events, newest first. */
  readonly events: readonly LoggedEvent[]
  readonly state: 'not-asked' | 'asking' | 'asked'
  load(beforeMs: number): void
}

/** Loads last week's events before this run from the history, on request. */
function usePastEvents(profile: string | undefined): PastEvents {
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
