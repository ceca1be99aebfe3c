import { useState } from 'react'
import { PROGRAM_CLASSES } from '../../app/gateway/decisions.ts'
import { PROGRAM_LIMITS } from '../../app/gateway/program-limits.ts'
import { limitOf, type PlannedProgram } from '../../app/plan/plan.ts'
import { planRateText } from '../../app/plan/plan-words.ts'
import { ASSUMED_BURST_SECONDS } from '../../app/plan/running.ts'
import type { PlanVerdict } from '../../app/plan/verdict.ts'
import { durationText } from '../../app/status/durations.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Icon } from '../components/icon.tsx'
import { NumberField } from './number-field.tsx'
import { OthersRow } from './others-row.tsx'
import sheet from './plan.module.css'
import {
  changeOf,
  changesText,
  isChangeable,
  type PlanDraft,
  programAdded,
  programChanged,
  programRemoved,
  rateBefore,
  requestsAdded,
  requestsChanged,
  requestsRemoved,
  streamAdded,
} from './plan-draft.ts'
import { AddStream, StreamsOf } from './streams-of.tsx'
import { Swatch } from './swatch.tsx'

const css = classesOf({ ...controlsSheet, ...sheet })

/** The highest burst that a person may type. */
const MAX_BURST = 100_000
const COLUMNS = 9

interface ProgramsPanelProps {
  readonly draft: PlanDraft
  readonly verdict: PlanVerdict
  change(draft: PlanDraft): void
  reset(): void
  resetRecorded(): Promise<void>
}

/** The programs of a plan with what each asks for, to be changed. */
export function ProgramsPanel({ draft, verdict, change, reset, resetRecorded }: ProgramsPanelProps) {
  const { programs } = draft.plan
  const changes = changesText(draft)
  const isRecorded = draft.base.recordedFromMs !== undefined
  const first = verdict.categories.at(0)?.category ?? Object.keys(draft.plan.limits)[0]
  return (
    <section className={css('panel', 'programs')} aria-labelledby="plan-programs">
      <div className={css('head', 'heading')}>
        <h2 id="plan-programs">Programs and streams</h2>
        <span>{changes === '' ? (isRecorded ? 'as they were recorded' : 'as they run now') : changes}</span>
        <div className={css('tools')}>
          <button type="button" className={css('button', 'small')} onClick={reset}>
            Start from now
          </button>
          <button type="button" className={css('button', 'small')} onClick={() => void resetRecorded()}>
            Start from the last 24 h
          </button>
          <button
            type="button"
            className={css('button', 'small')}
            onClick={() => change(programAdded(draft, first))}
          >
            + Program
          </button>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard through its own focus */}
      <section className={css('scroll')} aria-label="Programs of the plan" tabIndex={0}>
        <table className={css('editor')}>
          <thead>
            <tr>
              <th scope="col">Program</th>
              <th scope="col">Class</th>
              <th scope="col">Weight</th>
              <th scope="col">Category</th>
              <th scope="col">Rate /s</th>
              <th scope="col">Burst</th>
              <th scope="col">Streams</th>
              <th scope="col">Waits ≤</th>
              <td />
            </tr>
          </thead>
          {programs.map((program, at) =>
            isChangeable(program) ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: a program keeps its place while its name is typed
              <ProgramRows key={at} {...{ draft, verdict, program, at, change }} />
            ) : (
              <OthersRow key={program.name} at={at} base={draft.base} />
            ),
          )}
        </table>
        <p className={css('note')}>
          {isRecorded
            ? 'Rates and bursts cover every minute that was recorded of the last 24 h.'
            : `Rates are means of the last minute; their bursts are assumed to be ${ASSUMED_BURST_SECONDS} seconds of the rate until you change them.`}
        </p>
      </section>
    </section>
  )
}

interface ProgramRowsProps {
  readonly draft: PlanDraft
  readonly verdict: PlanVerdict
  readonly program: PlannedProgram
  readonly at: number
  change(draft: PlanDraft): void
}

function ProgramRows({ draft, verdict, program, at, change }: ProgramRowsProps) {
  const [isAdding, setAdding] = useState(false)
  const { name, requests } = program
  const what = changeOf(draft, program)
  const rows = requests.length === 0 ? [undefined] : requests
  return (
    <tbody className={css(what !== 'none' && what)} data-program={name}>
      {rows.map((row, index) => (
        <tr
          key={row?.category ?? 'none'}
          className={css(index === 0 && 'first')}
          data-category={row?.category}
        >
          {index === 0 && (
            <ProgramCells
              draft={draft}
              program={program}
              at={at}
              change={change}
              addStream={() => setAdding(true)}
            />
          )}
          {row === undefined ? (
            <td colSpan={3} className={css('muted')}>
              asks for nothing
            </td>
          ) : (
            <RequestCells draft={draft} name={name} at={index} change={change} />
          )}
          {index === 0 && (
            <td rowSpan={rows.length}>
              <StreamsOf draft={draft} program={program} change={change} />
            </td>
          )}
          <td className={css('number', 'waits')}>{row && waitCell(verdict, name, row.category)}</td>
          <td>
            {row && (
              <button
                type="button"
                className={css('remove')}
                aria-label={`Leave out ${row.category} of ${name}`}
                onClick={() => change(requestsRemoved(draft, name, index))}
              >
                <Icon name="close" />
              </button>
            )}
          </td>
        </tr>
      ))}
      {isAdding && (
        <tr>
          <td colSpan={COLUMNS}>
            <AddStream
              name={name}
              add={(stream) => change(streamAdded(draft, name, stream))}
              close={() => setAdding(false)}
            />
          </td>
        </tr>
      )}
    </tbody>
  )
}

/** Adds a category that the program does not ask for yet. */
function AddCategory({
  draft,
  program: { name, requests },
  change,
}: Omit<ProgramCellsProps, 'at' | 'addStream'>) {
  const free = Object.keys(draft.plan.limits).filter((category) =>
    requests.every((one) => one.category !== category),
  )
  return (
    <select
      className={css('quiet')}
      aria-label={`Add a category to ${name}`}
      value=""
      disabled={free.length === 0}
      onChange={(event) => change(requestsAdded(draft, name, event.target.value))}
    >
      <option value="">+ category</option>
      {free.map((category) => (
        <option key={category}>{category}</option>
      ))}
    </select>
  )
}

interface ProgramCellsProps {
  readonly draft: PlanDraft
  readonly program: PlannedProgram
  readonly at: number
  change(draft: PlanDraft): void
  /** Opens the form that adds a stream. */
  addStream(): void
}

function ProgramCells({ draft, program, at, change, addStream }: ProgramCellsProps) {
  const { name, class: own, weight, requests } = program
  const rowSpan = Math.max(1, requests.length)
  const isAdded = changeOf(draft, program) === 'added'
  return (
    <>
      <th scope="rowgroup" rowSpan={rowSpan}>
        <span className={css('name')}>
          <Swatch name={name} at={at} />
          {isAdded ? (
            <input
              key={name}
              className={css('name-field')}
              aria-label="Name of the program"
              defaultValue={name}
              maxLength={PROGRAM_LIMITS.name}
              onBlur={(event) => change(programChanged(draft, name, { name: event.target.value }))}
            />
          ) : (
            <b>{name}</b>
          )}
          <button
            type="button"
            className={css('remove')}
            aria-label={`Leave out ${name}`}
            onClick={() => change(programRemoved(draft, name))}
          >
            <Icon name="close" />
          </button>
        </span>
        <span className={css('adders')}>
          <AddCategory draft={draft} program={program} change={change} />
          <button
            type="button"
            className={css('quiet')}
            aria-label={`Add a stream to ${name}`}
            onClick={addStream}
          >
            + stream
          </button>
        </span>
      </th>
      <td rowSpan={rowSpan}>
        <select
          aria-label={`Class of ${name}`}
          value={own}
          onChange={(event) => {
            const next = PROGRAM_CLASSES.find((one) => one === event.target.value) ?? own
            change(programChanged(draft, name, { class: next }))
          }}
        >
          {PROGRAM_CLASSES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </td>
      <td rowSpan={rowSpan}>
        <NumberField
          label={`Weight of ${name}`}
          value={weight}
          least={PROGRAM_LIMITS.weight.least}
          most={PROGRAM_LIMITS.weight.most}
          digits={Number.isInteger(weight) ? 0 : 2}
          change={(next) => change(programChanged(draft, name, { weight: next }))}
        />
      </td>
    </>
  )
}

interface RequestCellsProps {
  readonly draft: PlanDraft
  readonly name: string
  readonly at: number
  change(draft: PlanDraft): void
}

function RequestCells({ draft, name, at, change }: RequestCellsProps) {
  const row = draft.plan.programs.find((program) => program.name === name)?.requests[at]
  if (row === undefined) return null
  const { category, perSecond, burst } = row
  const size = limitOf(draft.plan, category)
  // A slider to what comes back; more can be typed.
  const most = Math.max(perSecond, size === undefined ? 1 : size.limit / size.periodSeconds)
  const top = Math.ceil(most * 100) / 100
  const before = rateBefore(draft, name, row)
  return (
    <>
      <td>{category}</td>
      <td>
        <span className={css('rate')}>
          <input
            type="range"
            aria-label={`Rate of ${name}, ${category}`}
            aria-valuetext={planRateText(perSecond)}
            min={0}
            max={top}
            step={0.01}
            value={perSecond}
            onChange={(event) =>
              change(requestsChanged(draft, name, { at, perSecond: Number(event.target.value) }))
            }
          />
          <NumberField
            label={`Requests per second of ${name}, ${category}`}
            value={perSecond}
            least={0}
            most={1000}
            digits={2}
            change={(next) => change(requestsChanged(draft, name, { at, perSecond: next }))}
          />
          {before !== undefined && <span className={css('tag')}>was {before.toFixed(2)}</span>}
        </span>
      </td>
      <td>
        <NumberField
          label={`Burst of ${name}, ${category}`}
          value={burst}
          least={1}
          most={MAX_BURST}
          digits={0}
          change={(next) => change(requestsChanged(draft, name, { at, burst: next }))}
        />
      </td>
    </>
  )
}

/** The worst wait of a program in one category. */
function waitCell({ categories }: PlanVerdict, name: string, category: string): string {
  const wait = categories
    .find((one) => one.category === category)
    ?.waits.find(({ program }) => program === name)
  if (wait === undefined) return ''
  if (wait.worstSeconds === null) return 'no bound'
  return wait.worstSeconds === 0 ? 'never' : durationText(Math.ceil(wait.worstSeconds))
}
