import type { RowDetails } from '../../app/contract/quotas.ts'
import { dayAndMinuteText } from '../../app/status/moments.ts'
import { classesOf } from '../components/classes.ts'
import { RequestId } from '../events/request-id.tsx'
import sheet from './details.module.css'

const css = classesOf(sheet)

interface RefusalsProps {
  readonly refusals: RowDetails['refusals']
  readonly nowMs: number
}

/** The row's latest 429 responses, newest first, each with its request id. */
export function Refusals({ refusals, nowMs }: RefusalsProps) {
  return (
    <div className={css('part')}>
      <h3>Latest 429s</h3>
      {refusals.length === 0 ? (
        <p>No 429s since Headroom started.</p>
      ) : (
        <ul className={css('refusals')} aria-label="Latest 429s">
          {refusals.toReversed().map(({ at, requestId }) => (
            <li key={`${at} ${requestId}`}>
              <time dateTime={new Date(at).toISOString()}>{dayAndMinuteText(at, nowMs)}</time>
              {requestId === undefined ? (
                <span className="muted">no request id</span>
              ) : (
                <RequestId id={requestId} whole />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
