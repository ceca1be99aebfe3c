import { memo } from 'react'
import { sinceText } from '../../app/status/durations.ts'
import type { IncidentLine } from '../../app/status/incident-log.ts'
import { clockText, weekdayText } from '../../app/status/moments.ts'
import { STATE_LABELS } from '../../app/status/quota-status.ts'
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
    const { severity, text, requestId, at, endedAt, isOpen } = line
    const moment = (ms: number) => (isToday ? clockText(ms) : weekdayText(ms))
    const card = refusalCard(line)
    return (
      <li
        className={css('event', isOpen && 'lasting', severity)}
        data-event={line.events[0].kind}
        data-open={isOpen}
      >
        <span className={css('when')}>
          <Time at={at} text={moment(at)} />
          {isOpen && <span className={css('open')}>open</span>}
          {endedAt !== undefined && <Time at={endedAt} text={moment(endedAt)} />}
        </span>
        <Shape
          severity={severity}
          {...(line.events[0].kind === 'rate-limited' && { label: STATE_LABELS.blocked })}
        />
        {card === undefined ? (
          <span>{text}</span>
        ) : (
          <details>
            <summary>{text}</summary>
            <Card card={card} />
          </details>
        )}
        {requestId !== undefined && <RequestId id={requestId} />}
        {endedAt !== undefined && <span className={css('lasted')}>{sinceText(at, endedAt)}</span>}
      </li>
    )
  },
  // Lines are made anew with each event; what a line shows changes rarely.
  (before, after) =>
    before.isToday === after.isToday &&
    before.line.text === after.line.text &&
    before.line.isOpen === after.line.isOpen &&
    before.line.endedAt === after.line.endedAt &&
    before.line.events.length === after.line.events.length,
)

function Time({ at, text }: { readonly at: number; readonly text: string }) {
  const iso = new Date(at).toISOString()
  return (
    <time dateTime={iso} title={iso}>
      {text}
    </time>
  )
}

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
