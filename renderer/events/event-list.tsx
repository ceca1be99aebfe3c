import { memo, useState } from 'react'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { Shape } from '../theme/shape.tsx'
import { useCopy } from '../view/use-copy.ts'
import { useMirror, useSnapshot } from '../view/window-parts.ts'
import { eventSentence } from '../words/event-sentence.ts'
import { clockWords } from '../words/moments.ts'
import { countWords } from '../words/rates.ts'
import { EVENT_FILTER_WORDS, EVENT_FILTERS, type EventFilter, passes } from './event-filter.ts'
import { eventText } from './event-text.ts'
import sheet from './events.module.css'
import { RequestId } from './request-id.tsx'

const css = classesOf({ ...controlsSheet, ...sheet })

/** What the list draws; the rest is kept for when newer ones are not of this profile. */
const MOST_SHOWN = 100

export function EventList() {
  const events = useMirror((mirror) => mirror.events)
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const stored = useSnapshot((snapshot) => snapshot.refresh.stored) ?? 'memory'
  const [filter, setFilter] = useState<EventFilter>('all')
  const copy = useCopy()
  const ofProfile = events.filter((event) => event.profile === profile)
  const shown = ofProfile.filter((event) => passes(event, filter)).slice(0, MOST_SHOWN)
  const copyAll = () => {
    const text = eventText(shown, stored)
    copy(text, `${countWords(shown.length, 'event')} copied.`, text)
  }
  return (
    <section className={css('part')} aria-labelledby="events-title">
      <div className={css('head', 'joined')}>
        <h2 id="events-title">Events</h2>
        <span>newest first</span>
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
                {EVENT_FILTER_WORDS[one]}
              </option>
            ))}
          </select>
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
      {/* A list that scrolls is reached by keyboard through its own focus. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <ol className={css('list')} aria-label="Events" tabIndex={0}>
        {shown.map((event) => (
          <EventRow key={event.seq} event={event} stored={stored} />
        ))}
        {shown.length === 0 && (
          <li className={css('empty')}>
            {ofProfile.length === 0 ? 'Nothing has happened yet.' : 'None of this kind.'}
          </li>
        )}
      </ol>
    </section>
  )
}

interface EventRowProps {
  readonly event: LoggedEvent
  readonly stored: 'sealed' | 'memory'
}

const EventRow = memo(function EventRow({ event, stored }: EventRowProps) {
  const { severity, text, requestId } = eventSentence(event, stored)
  return (
    <li className={css('event')} data-event={event.kind}>
      <time dateTime={new Date(event.at).toISOString()}>{clockWords(event.at)}</time>
      <Shape severity={severity} />
      <span>{text}</span>
      {requestId !== undefined && <RequestId id={requestId} />}
    </li>
  )
})
