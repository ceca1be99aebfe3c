import { memo, useRef, useState } from 'react'
import { PROGRAM_CLASSES, PROGRAM_LIMITS } from '../../app/contract/programs.ts'
import { limitOf, type Plan, type PlannedProgram, type PlannedRequests } from '../../app/plan/plan.ts'
import { planRateText, recordedText } from '../../app/plan/plan-words.ts'
import { ASSUMED_BURST_SECONDS } from '../../app/plan/running.ts'
import type { PlanVerdict } from '../../app/plan/verdict.ts'
import { durationText } from '../../app/status/durations.ts'
import { classesOf } from '../components/classes.ts'
import { Button, IconButton, Select } from '../components/controls.tsx'
import { Swatch } from '../components/swatch.tsx'
import { ColumnHeads, Columns, SideScroll } from '../components/table.tsx'
import {
  type ChangeDraft,
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
} from '../state/plan-draft.ts'
import { NumberField } from './number-field.tsx'
import { OthersRow } from './others-row.tsx'
import planSheet from './plan.module.css'
import sheet from './plan-programs.module.css'
import { AddStream, StreamsOf } from './streams-of.tsx'
import { RECORDED_MS } from './use-day.ts'

const css = classesOf({ ...planSheet, ...sheet })

/** Maximum burst that a person can enter. */
const MAX_BURST = 100_000
const COLUMNS = 9
/** Text for a row whose requests never wait. */
const NEVER = 'never'

interface ProgramsPanelProps {
  readonly draft: PlanDraft
  readonly verdict: PlanVerdict
  readonly change: ChangeDraft
  reset(): void
  resetRecorded(): Promise<void>
  openFile(file: File): Promise<void>
}

export function ProgramsPanel(props: ProgramsPanelProps) {
  const { draft, verdict, change, reset, resetRecorded, openFile } = props
  const chooser = useRef<HTMLInputElement>(null)
  const { programs } = draft.plan
  const changes = changesText(draft)
  const isRecorded = draft.base.recordedFromMs !== undefined
  const first = verdict.categories.at(0)?.category ?? Object.keys(draft.plan.limits)[0]
  return (
    <section className={css('panel', 'programs')} aria-labelledby="plan-programs">
      <div className={css('head', 'heading')}>
        <h2 id="plan-programs">Programs and streams</h2>
        <span className="cut">
          {changes === '' ? (isRecorded ? 'as they were recorded' : 'as they run now') : changes}
        </span>
        <div className={css('tools')}>
          <Button look={css('small')} onClick={reset}>
            Start from now
          </Button>
          <Button look={css('small')} onClick={() => void resetRecorded()}>
            Start from the last 24 h
          </Button>
          <Button look={css('small')} onClick={() => chooser.current?.click()}>
            Open a plan…
          </Button>
          <input
            ref={chooser}
            type="file"
            hidden
            accept=".json,application/json"
            data-testid="plan-file"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) void openFile(file)
              // The input is cleared. Otherwise the same file could not be chosen again after a correction.
              target.value = ''
            }}
          />
          <Button look={css('small')} onClick={() => change((now) => programAdded(now, first))}>
            + Program
          </Button>
        </div>
      </div>
      <SideScroll label="Programs of the plan">
        <table className={css('headed', 'editor')}>
          <Columns widths={[150, 114, 50, 130, 'var(--rate-column)', 56, undefined, 62, 30]} />
          <thead>
            <tr>
              <ColumnHeads
                names={['Program', 'Class', 'Weight', 'Category', 'Rate /s', 'Burst', 'Streams', 'Waits ≤']}
              />
              <td />
            </tr>
          </thead>
          {programs.map((program, at) =>
            isChangeable(program) ? (
              <ProgramRows
                // biome-ignore lint/suspicious/noArrayIndexKey: rows stay in place during typing
                key={at}
                added={draft.added}
                base={draft.base}
                limits={draft.plan.limits}
                program={program}
                at={at}
                waits={waitsOf(verdict, program)}
                change={change}
              />
            ) : (
              <OthersRow key={program.name} at={at} base={draft.base} />
            ),
          )}
        </table>
      </SideScroll>
      <p className={css('note', 'foot')}>
        {isRecorded
          ? `Rates and bursts come from the recording: ${recordedText(draft.base.recordedMinutes ?? 0, RECORDED_MS)}.`
          : `Rates are averages over the last minute. Assumed bursts: ${ASSUMED_BURST_SECONDS} seconds of requests at that rate.`}
      </p>
    </section>
  )
}

interface ProgramRowsProps extends Pick<PlanDraft, 'added' | 'base'> {
  readonly limits: Plan['limits']
  readonly program: PlannedProgram
  readonly at: number
  /** The worst-case wait in each row of a program, in words. */
  readonly waits: readonly string[]
  readonly change: ChangeDraft
}

const isSameProgram = ({ waits, ...one }: ProgramRowsProps, { waits: others, ...other }: ProgramRowsProps) =>
  waits.join('\n') === others.join('\n') &&
  (Object.keys(one) as (keyof typeof one)[]).every((name) => Object.is(one[name], other[name]))

/** Renders only if the program or its waits changed. A dragged rate changes only one of many programs. */
const ProgramRows = memo(function ProgramRows(props: ProgramRowsProps) {
  const { program, waits, change } = props
  const [isAdding, setAdding] = useState(false)
  const { name, requests } = program
  const what = changeOf(props, program)
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
            <ProgramCells {...props} isAdded={what === 'added'} addStream={() => setAdding(true)} />
          )}
          {row === undefined ? (
            <td colSpan={3} className="muted">
              no requests
            </td>
          ) : (
            <RequestCells {...props} row={row} index={index} />
          )}
          {index === 0 && (
            <td rowSpan={rows.length}>
              <StreamsOf program={program} change={change} />
            </td>
          )}
          <td className={css('waits', waits[index] === NEVER ? 'muted' : 'number')}>{waits[index]}</td>
          <td>
            {row && (
              <IconButton
                icon="close"
                label={`Remove ${row.category} from ${name}`}
                onClick={() => change((now) => requestsRemoved(now, name, index))}
              />
            )}
          </td>
        </tr>
      ))}
      {isAdding && (
        <tr>
          <td colSpan={COLUMNS}>
            <AddStream
              name={name}
              add={(stream) => change((now) => streamAdded(now, name, stream))}
              close={() => setAdding(false)}
            />
          </td>
        </tr>
      )}
    </tbody>
  )
}, isSameProgram)

function AddCategory(props: Pick<ProgramRowsProps, 'limits' | 'program' | 'change'>) {
  const {
    limits,
    program: { name, requests },
    change,
  } = props
  const free = Object.keys(limits).filter((category) => requests.every((one) => one.category !== category))
  return (
    <select
      className={css('quiet')}
      aria-label={`Add a category to ${name}`}
      value=""
      disabled={free.length === 0}
      onChange={({ target: { value } }) => change((now) => requestsAdded(now, name, value))}
    >
      <option value="">+ category</option>
      {free.map((category) => (
        <option key={category}>{category}</option>
      ))}
    </select>
  )
}

interface ProgramCellsProps extends ProgramRowsProps {
  readonly isAdded: boolean
  addStream(): void
}

function ProgramCells({ limits, program, at, isAdded, change, addStream }: ProgramCellsProps) {
  const { name, class: own, weight, requests } = program
  // For a program on another machine, the line breaks after the machine's name: `LAPTOP/`, then the program.
  const machine = name.slice(0, name.indexOf('/') + 1)
  const rowSpan = Math.max(1, requests.length)
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
              onBlur={({ target: { value } }) => change((now) => programChanged(now, name, { name: value }))}
            />
          ) : (
            <b>
              {machine !== '' && (
                <>
                  {machine}
                  <wbr />
                </>
              )}
              {name.slice(machine.length)}
            </b>
          )}
          <IconButton
            icon="close"
            label={`Remove ${name}`}
            onClick={() => change((now) => programRemoved(now, name))}
          />
        </span>
        <span className={css('adders')}>
          <AddCategory limits={limits} program={program} change={change} />
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
        <Select
          aria-label={`Class of ${name}`}
          value={own}
          choices={PROGRAM_CLASSES}
          onChoose={(next) => change((now) => programChanged(now, name, { class: next }))}
        />
      </td>
      <td rowSpan={rowSpan} className={css('weight')}>
        <NumberField
          label={`Weight of ${name}`}
          value={weight}
          least={PROGRAM_LIMITS.weight.least}
          most={PROGRAM_LIMITS.weight.most}
          digits={Number.isInteger(weight) ? 0 : 2}
          change={(next) => change((now) => programChanged(now, name, { weight: next }))}
        />
      </td>
    </>
  )
}

interface RequestCellsProps extends ProgramRowsProps {
  readonly row: PlannedRequests
  readonly index: number
}

function RequestCells({ base, limits, program: { name }, row, index, change }: RequestCellsProps) {
  const { category, perSecond, burst } = row
  const size = limitOf({ limits }, category)
  // The slider ends at the refill. Higher rates can be typed.
  const most = Math.max(perSecond, size === undefined ? 1 : size.limit / size.periodSeconds)
  const top = Math.ceil(most * 100) / 100
  const before = rateBefore({ base }, name, row)
  const changed = (next: Partial<PlannedRequests>) =>
    change((draft) => requestsChanged(draft, name, { at: index, ...next }))
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
            onChange={({ target: { value } }) => changed({ perSecond: Number(value) })}
          />
          <NumberField
            label={`Requests per second of ${name}, ${category}`}
            value={perSecond}
            least={0}
            most={1000}
            digits={2}
            change={(next) => changed({ perSecond: next })}
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
          change={(next) => changed({ burst: next })}
        />
      </td>
    </>
  )
}

const waitsOf = (verdict: PlanVerdict, { name, requests }: PlannedProgram): readonly string[] =>
  requests.map(({ category }) => waitText(verdict, name, category))

function waitText({ categories }: PlanVerdict, name: string, category: string): string {
  const wait = categories
    .find((one) => one.category === category)
    ?.waits.find(({ program }) => program === name)
  if (wait === undefined) return ''
  if (wait.worstSeconds === null) return 'unlimited'
  return wait.worstSeconds === 0 ? NEVER : durationText(Math.ceil(wait.worstSeconds))
}
