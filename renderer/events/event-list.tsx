import { memo } from 'react'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { Shape } from '../theme/shape.tsx'
import { useMirror, useParts, useSnapshot } from '../view/window-parts.ts'
import { eventSentence } from '../words/event-sentence.ts'
import { clockWords } from '../words/moments.ts'
import sheet from './events.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

/** What the list draws; the rest is kept for when newer ones are not of this profile. */
const MOST_SHOWN = 100

export function EventList() {
  const events = useMirror((mirror) => mirror.events)
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const stored = useSnapshot((snapshot) => snapshot.refresh.stored) ?? 'memory'
  const shown = events.filter((event) => event.profile === profile).slice(0, MOST_SHOWN)
  return (
    <section className={css('part')} aria-labelledby="events-title">
      <div className={css('head', 'joined')}>
        <h2 id="events-title">Events</h2>
        <span>newest first</span>
      </div>
      {/* A list that scrolls is reached by keyboard through its own focus. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <ol className={css('list')} aria-label="Events" tabIndex={0}>
        {shown.map((event) => (
          <EventRow key={event.seq} event={event} stored={stored} />
        ))}
        {shown.length === 0 && <li className={css('empty')}>Nothing has happened yet.</li>}
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

/** Shortened to its ends; a click copies all of it, for the provider's support. */
function RequestId({ id }: { readonly id: string }) {
  const { view } = useParts()
  const copy = () => {
    const failed = () => view.setState({ notice: `The request id is ${id}` })
    // No clipboard without a secure origin or a permission: then the person copies by hand.
    if (navigator.clipboard === undefined) failed()
    else navigator.clipboard.writeText(id).catch(failed)
  }
  return (
    <button
      type="button"
      className={css('id')}
      title={`${id} · copy`}
      aria-label={`Copy request id ${id}`}
      onClick={copy}
    >
      {id.length > 10 ? `${id.slice(0, 4)}…${id.slice(-2)}` : id}
    </button>
  )
}
