import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import { DESK_NAME } from '../../app/plan/running.ts'
import { countText } from '../../app/status/rates.ts'
import { waitingGroups } from '../../app/status/waiting-now.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { Swatch } from '../components/swatch.tsx'
import { ScrollBox } from '../components/table.tsx'
import { useShownValue } from '../state/window-parts.ts'
import sheet from './programs.module.css'
import listSheet from './waiting-list.module.css'

const css = classesOf({ ...sheet, ...listSheet })

/**
 * Waiting requests by quota, in the order in which they will be sent. Shows when they are expected to be
 * sent, and how much of the maximum wait will then have passed. `programs` are this machine's programs. The
 * snapshot has the programs of the desk's other machines.
 */
export function WaitingList({ programs }: { readonly programs: readonly ProgramSummary[] }) {
  const groups = useShownValue((snapshot, nowMs) => waitingGroups({ ...snapshot, programs }, nowMs)) ?? []
  const count = groups.flatMap(({ rows }) => rows).reduce((sum, { waiting }) => sum + waiting, 0)
  return (
    <section className="panel" aria-labelledby="waiting-heading">
      <div className="head">
        <h2 id="waiting-heading">Waiting now</h2>
        <span>{count === 0 ? 'nothing' : `${countText(count, 'request')}, in queue order`}</span>
      </div>
      <ScrollBox label="Waiting now, list">
        {count === 0 && <p className={css('note')}>Nothing is waiting. Queued requests appear here.</p>}
        {groups.map(({ category, severity, label, why, rows }) => (
          <section key={category} aria-label={category}>
            <h3 className={css('quota')} data-severity={severity}>
              <Shape severity={severity} label={label} /> {category}{' '}
              <span className={css('word', 'why')}>{[label, why].filter(Boolean).join(', ')}</span>
            </h3>
            <ol className={css('turns')}>
              {rows.map((row) => (
                <li key={`${row.machine ?? ''}/${row.program}`}>
                  <Swatch name={row.machine === undefined ? row.program : DESK_NAME} at={row.at} />
                  <span>
                    <b>{row.program}</b> {row.machine !== undefined && <small>{row.machine}</small>}{' '}
                    {row.waiting > 1 && <small>{row.waiting} requests</small>}
                  </span>
                  <b className={css('when')}>{row.turns}</b>
                  {row.waitUsed === undefined ? <i /> : <WaitUsed used={row.waitUsed} />}
                  <small>
                    {row.maxWait === undefined ? `longest ${row.longest}` : `waits up to ${row.maxWait}`}
                  </small>
                </li>
              ))}
            </ol>
          </section>
        ))}
      </ScrollBox>
    </section>
  )
}

/** A bar for the share of the maximum wait that will have passed when the next request is sent. */
export function WaitUsed({ used }: { readonly used: number }) {
  return (
    <i
      className={css('wait-bar', 'track')}
      data-severity={used > 0.9 ? 'warning' : 'ok'}
      title={`${Math.round(100 * used)} % of its maximum wait`}
    >
      <i style={{ width: `${100 * used}%` }} />
    </i>
  )
}
