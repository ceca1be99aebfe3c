import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import { untilText, waitText } from '../../app/status/durations.ts'
import { countText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import dialogSheet from '../components/dialog.module.css'
import { useShown } from '../state/window-parts.ts'

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

/** Requests of one program that wait for one quota. */
interface WaitingRow {
  readonly program: string
  readonly category: string
  readonly waiting: number
  readonly longestWaitMs: number
  /** Epoch ms; absent where a host does not say. */
  readonly nextTurnAt: number | undefined
}

/** Who waits for what, the next turn first. */
export function waitingRows(programs: readonly ProgramSummary[]): readonly WaitingRow[] {
  return programs
    .flatMap(({ name, use }) =>
      use
        .filter(({ waiting }) => waiting > 0)
        .map(({ category, waiting, longestWaitMs = 0, nextTurnAt }) => ({
          program: name,
          category,
          waiting,
          longestWaitMs,
          nextTurnAt,
        })),
    )
    .sort((a, b) => (a.nextTurnAt ?? 0) - (b.nextTurnAt ?? 0) || a.program.localeCompare(b.program))
}
