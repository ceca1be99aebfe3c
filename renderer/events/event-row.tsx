import { memo } from 'react'
import type { IncidentLine } from '../../app/status/incident-log.ts'
import { clockText, weekdayText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { useCopy } from '../hooks/use-copy.ts'
import sheet from './events.module.css'
import { type RefusalCard, refusalCard, supportText } from './refusal-card.ts'
import { RequestId } from './request-id.tsx'

const css = classesOf(sheet)

interface EventRowProps {
  readonly line: IncidentLine
  /** False for an event of another day, whose date is shown. */
  readonly isToday: boolean
}

export const EventRow = memo(
  function EventRow({ line, isToday }: EventRowProps) {
    const { severity, text, requestId, at, isOpen } = line
    const iso = new Date(at).toISOString()
    const card = refusalCard(line)
    return (
      <li className={css('event')} data-event={line.events[0].kind} data-open={isOpen}>
        <time dateTime={iso} title={iso}>
          {isToday ? clockText(at) : weekdayText(at)}
        </time>
        <Shape severity={severity} />
        {card === undefined ? (
          <div>
            <span>{text}</span>
            {isOpen && <em className={css('open')}> · open</em>}
          </div>
        ) : (
          <details>
            <summary>{text}</summary>
            <Card card={card} />
          </details>
        )}
        {requestId !== undefined && <RequestId id={requestId} />}
      </li>
    )
  },
  // Lines are made anew with each event; what a line shows changes rarely.
  (before, after) =>
    before.isToday === after.isToday &&
    before.line.text === after.line.text &&
    before.line.isOpen === after.line.isOpen &&
    before.line.events.length === after.line.events.length,
)

/** What was known when a 429 came, to be read or sent to the provider's support. */
function Card({ card }: { readonly card: RefusalCard }) {
  const copy = useCopy()
  const text = supportText(card)
  return (
    <div className={css('card')}>
      <dl>
        {card.facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <button type="button" className={css('tool')} onClick={() => copy(text, 'Copied for support.', text)}>
        Copy for support
      </button>
    </div>
  )
}
