import type { ProgramSummary } from '../../app/contract/snapshot.ts'
import { waitText } from '../../app/status/durations.ts'
import { programState } from '../../app/status/gateway-status.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import dialogSheet from '../components/dialog.module.css'

const css = classesOf({ ...controlsSheet, ...dialogSheet })

interface ProgramTableProps {
  readonly programs: readonly ProgramSummary[]
  /** Whether a command is under way. */
  readonly waiting: boolean
  cut(name: string): void
}

/** The programs of one key, with what each does now. */
export function ProgramTable({ programs, waiting, cut }: ProgramTableProps) {
  if (programs.length === 0) return <p>No program uses this key yet.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard through its own focus
    <section className={css('across')} aria-label="Programs" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Program</th>
            <th scope="col">Key</th>
            <th scope="col">Class</th>
            <th scope="col">Weight</th>
            <th scope="col">Forwarded</th>
            <th scope="col">Per second, last minute</th>
            <th scope="col">Waiting</th>
            <th scope="col">Refused</th>
            <th scope="col">Streams</th>
            <th scope="col">Now</th>
            <th scope="col">Access</th>
          </tr>
        </thead>
        <tbody>
          {programs.map((program) => (
            <tr key={program.id} title={usedText(program)}>
              <th scope="row">
                {program.name}
                {program.process !== undefined && <div className={css('hint')}>{program.process}</div>}
              </th>
              <td>…{program.keyEnding}</td>
              <td>{program.class}</td>
              <td>{program.weight}</td>
              <td>{program.forwarded}</td>
              <td>{program.perSecond.toFixed(2)}</td>
              <td>{waitingText(program)}</td>
              <td>{program.refused}</td>
              <td>{program.streams}</td>
              <td>{programState(program)}</td>
              <td>
                <button
                  type="button"
                  className={css('button')}
                  disabled={waiting}
                  aria-label={`Cut off ${program.name}`}
                  onClick={() => cut(program.name)}
                >
                  Cut off
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const waitingText = ({ waiting, longestWaitMs }: ProgramSummary): string =>
  waiting === 0 ? '0' : `${waiting}, ${waitText(longestWaitMs)}`

/** What it used, by category: `Accounts 12, Positions 3 (2 waiting)`. */
const usedText = ({ use }: ProgramSummary): string =>
  use
    .map(
      ({ category, forwarded, waiting }) =>
        `${category} ${forwarded}${waiting > 0 ? ` (${waiting} waiting)` : ''}`,
    )
    .join(', ')
