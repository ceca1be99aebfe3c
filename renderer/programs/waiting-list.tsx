import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import { untilText, waitText } from '../../app/status/durations.ts'
import { countText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import dialogSheet from '../components/dialog.module.css'
import { useShown } from '../state/window-parts.ts'
import { waitingRows } from './waiting-rows.ts'

const css = classesOf({ ...controlsSheet, ...dialogSheet })

/** Which programs wait for which quota, how long they have, and when the next of each goes: in order of turn. */
export function WaitingList({ programs }: { readonly programs: readonly ProgramSummary[] }) {
  const nowMs = useShown((_, now) => Math.floor(now / 1000) * 1000) ?? 0
  const rows = waitingRows(programs)
  if (rows.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard through its own focus
    <section className={css('across')} aria-label="Waiting now" tabIndex={0}>
      <h3>
        Waiting now,{' '}
        {countText(
          rows.reduce((sum, { waiting }) => sum + waiting, 0),
          'request',
        )}
      </h3>
      <table>
        <thead>
          <tr>
            <th scope="col">Quota</th>
            <th scope="col">Program</th>
            <th scope="col">Waiting</th>
            <th scope="col">Longest</th>
            <th scope="col">Next turn, as things are</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ program, category, waiting, longestWaitMs, nextTurnAt }) => (
            <tr key={`${program} ${category}`}>
              <th scope="row">{category}</th>
              <td>{program}</td>
              <td>{waiting}</td>
              <td>{waitText(longestWaitMs)}</td>
              <td>
                {nextTurnAt === undefined
                  ? '—'
                  : nextTurnAt <= nowMs
                    ? 'now'
                    : `in ${untilText(nextTurnAt, nowMs)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
