import { memo, Suspense, useState } from 'react'
import type { IncidentLine, IncidentPart } from '../../app/conditions/incidents.ts'
import { lengthText } from '../../app/status/durations.ts'
import { clockText, weekdayText } from '../../app/status/moments.ts'
import { STATE_LABELS } from '../../app/status/quota-status.ts'
import { classesOf } from '../components/classes.ts'
import { loadedLater } from '../components/loaded-later.ts'
import { Shape } from '../components/shape.tsx'
import sheet from './events.module.css'

const css = classesOf(sheet)

const LineDetails = loadedLater(async () => (await import('./line-details.tsx')).LineDetails)

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
    const [isUnfolded, setUnfolded] = useState(false)
    const moment = (ms: number) => (isToday ? clockText(ms) : weekdayText(ms))
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
        {line.parts === undefined && !hasDetails(line) ? (
          <div className={css('what', isLong(line) && 'long')}>
            <Words line={line} />
          </div>
        ) : (
          <details
            className={css('what', isLong(line) && 'long')}
            onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
          >
            <summary>
              <Words line={line} canUnfold />
            </summary>
            {isUnfolded && hasDetails(line) && (
              <Suspense>
                <LineDetails line={line} />
              </Suspense>
            )}
            {line.parts && <Parts parts={line.parts} />}
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

/** Whether a line has a 429's facts or a request id, which its two rows do not show. */
const hasDetails = ({ events, requestId }: IncidentLine): boolean =>
  requestId !== undefined || events.some(({ kind }) => kind === 'rate-limited')

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
