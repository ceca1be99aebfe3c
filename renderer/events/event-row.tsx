import { memo } from 'react'
import type { LoggedEvent } from '../../app/contract/events.ts'
import { eventSentence } from '../../app/status/event-sentence.ts'
import { clockText, weekdayText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import sheet from './events.module.css'
import { RequestId } from './request-id.tsx'

const css = classesOf(sheet)

interface EventRowProps {
  readonly event: LoggedEvent
  readonly stored: 'sealed' | 'memory'
  /** False for an event of another day, whose date is shown. */
  readonly isToday: boolean
}

export const EventRow = memo(function EventRow({ event, stored, isToday }: EventRowProps) {
  const { severity, text, requestId } = eventSentence(event, { stored })
  const iso = new Date(event.at).toISOString()
  return (
    <li className={css('event')} data-event={event.kind}>
      <time dateTime={iso} title={iso}>
        {isToday ? clockText(event.at) : weekdayText(event.at)}
      </time>
      <Shape severity={severity} />
      <span>{text}</span>
      {requestId !== undefined && <RequestId id={requestId} />}
    </li>
  )
})
