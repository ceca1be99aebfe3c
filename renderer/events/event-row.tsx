import { memo } from 'react'
import type { IncidentLine, IncidentPart } from '../../app/conditions/incidents.ts'
import { lengthText } from '../../app/status/durations.ts'
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
  /** False for an event of another day, which gets a date. */
  readonly isToday: boolean
}

/**
 * Number of characters that fit next to the times in one row, measured in the narrowest column that does not
 * wrap text.
 */
const FITTING = 38

export const EventRow = memo(
  function EventRow({ line, isToday }: EventRowProps) {
    const { severity, at, endedAt, isOpen, events } = line
    const moment = (ms: number) => (isToday ? clockText(ms) : weekdayText(ms))
    const more = moreOf(line)
    return (
      <li className={css('event', isOpen && 'lasting')} data-event={events[0].kind} data-open={isOpen}>
        <i className={css('rail')} data-severity={severity} aria-hidden="true" />
        <span className={css('when')} data-severity={severity}>
          <Time at={at} text={moment(at)} />
          {isOpen && <span className={css('open')}>open</span>}
          {endedAt !== undefined && <Time at={endedAt} text={moment(endedAt)} />}
        </span>
        <span className={css('mark')}>
          <Shape severity={severity} label={isOpen || endedAt === undefined ? stateLabel(line) : undefined} />
        </span>
        {more === undefined ? (
          <div className={css('what', isLong(line) && 'long')}>
            <Words line={line} />
          </div>
        ) : (
          <details className={css('what', isLong(line) && 'long')}>
            <summary>
              <Words line={line} canUnfold />
            </summary>
            {more.card && <Card card={more.card} />}
            {line.parts && <Parts parts={line.parts} />}
            {more.requestIds.map((id) => (
              <RequestId key={id} id={id} whole />
            ))}
          </details>
        )}
      </li>
    )
  },
  // Compares the content, because each event recreates all lines but rarely changes their content.
  (before, after) =>
    before.isToday === after.isToday &&
    before.line.text === after.line.text &&
    before.line.severity === after.line.severity &&
    before.line.isOpen === after.line.isOpen &&
    before.line.endedAt === after.line.endedAt &&
    before.line.events.length === after.line.events.length,
)

/**
 * State label of the quota that a line is about. `undefined` if the line is about anything else. The label
 * selects the line's symbol.
 */
function stateLabel({ events: [first] }: IncidentLine): string | undefined {
  if (first.kind === 'rate-limited') return STATE_LABELS.blocked
  return first.kind === 'quota-short' ? STATE_LABELS[first.state] : undefined
}

/** Whether a line needs more than two rows. Such a line is wrapped, so that nothing is cut off. */
function isLong({ title, detail, at, endedAt }: IncidentLine): boolean {
  const length = endedAt === undefined ? 0 : lengthText(endedAt - at).length + 1
  return title.length > FITTING || detail.length + length > FITTING
}

/** The expanded content of a line, if its two rows do not show everything. */
function moreOf(line: IncidentLine) {
  const { parts, requestId } = line
  const card = refusalCard(line)
  if (card === undefined && parts === undefined && requestId === undefined) return undefined
  return { card, requestIds: card?.requestIds ?? (requestId === undefined ? [] : [requestId]) }
}

function Words({ line, canUnfold = false }: { readonly line: IncidentLine; readonly canUnfold?: boolean }) {
  const { title, detail, at, endedAt } = line
  return (
    <>
      <b className={css('title')}>
        <span>{title}</span>
        {canUnfold && <i className={css('unfold')} aria-hidden="true" />}
      </b>{' '}
      <span className={css('second')}>
        <span className={css('detail')}>{detail}</span>{' '}
        {endedAt !== undefined && <span className={css('length')}>{lengthText(endedAt - at)}</span>}
      </span>
    </>
  )
}

function Parts({ parts }: { readonly parts: readonly IncidentPart[] }) {
  return (
    <ul className={css('parts')}>
      {parts.map(({ at, text }) => (
        <li key={`${at} ${text}`} data-part>
          <Time at={at} text={clockText(at)} /> <span>{text}</span>
        </li>
      ))}
    </ul>
  )
}

function Time({ at, text }: { readonly at: number; readonly text: string }) {
  const iso = new Date(at).toISOString()
  return (
    <time dateTime={iso} title={iso}>
      {text}
    </time>
  )
}

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
      <button
        type="button"
        className={css('tab', 'tool')}
        onClick={() => copy(text, 'Copied for support.', text)}
      >
        Copy for support
      </button>
    </div>
  )
}
