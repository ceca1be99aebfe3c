import { memo, Suspense, useId, useMemo, useState } from 'react'
import { type DayStretch, dayLevels } from '../../app/plan/day-levels.ts'
import { limitOf, type PlannedProgram } from '../../app/plan/plan.ts'
import { isTooLittle, recordedText } from '../../app/plan/plan-words.ts'
import type { PlanVerdict } from '../../app/plan/verdict.ts'
import { waitText } from '../../app/status/durations.ts'
import { dayAndMinuteText } from '../../app/status/moments.ts'
import { countText, shareText } from '../../app/status/rates.ts'
import { capitalised } from '../../app/status/sentences.ts'
import { classesOf } from '../components/classes.ts'
import { Button, Select } from '../components/controls.tsx'
import { loadedLater } from '../components/loaded-later.ts'
import { ColumnHeads, ScrollBox } from '../components/table.tsx'
import type { PlanDraft } from '../state/plan-draft.ts'
import { useParts, useQuota } from '../state/window-parts.ts'
import type { DayRow } from './day-chart.tsx'
import planSheet from './plan.module.css'
import sheet from './plan-day.module.css'
import { type PlannedDays, RECORDED_MS, STRETCH_MS, useDay } from './use-day.ts'

const css = classesOf({ ...planSheet, ...sheet })

// A separate chunk, loaded after the verdict is shown.
const DayChart = loadedLater(async () => (await import('./day-chart.tsx')).DayChart)

interface DayPanelProps {
  readonly draft: PlanDraft
  readonly verdict: PlanVerdict
  /** Whether this draft is the newest one. False while a person is changing the plan. */
  readonly isResting: boolean
}

export const DayPanel = memo(function DayPanel({ draft, verdict, isResting }: DayPanelProps) {
  const id = useId()
  const { days, isBehind: isReplaying } = useDay(draft)
  const isBehind = isReplaying || !isResting
  const [chosen, setChosen] = useState('')
  const [asTable, setAsTable] = useState(false)
  const names = verdict.categories.map(({ category }) => category)
  const category = names.includes(chosen) ? chosen : tightestOf(verdict)
  const isChanged = draft.plan !== draft.base.plan
  const isTooBusy = days?.isTooBusy === true
  const rows = useMemo(
    () => (days && !isTooBusy && category !== undefined ? dayRowsOf(days, category) : []),
    [days, isTooBusy, category],
  )
  const boundSeconds = boundOf(verdict, category)
  const of = days?.isRecorded === true && isTooLittle(days.minutes) ? days.minutes : undefined
  const summary = summaryText({ rows, isBehind, isChanged, boundSeconds, ...(of !== undefined && { of }) })
  return (
    <section className={css('panel', 'day')} aria-labelledby="plan-day" data-history={category}>
      <div className={css('head', 'heading')}>
        <h2 id="plan-day">
          {days?.isRecorded === true && isTooLittle(days.minutes) ? 'Recorded' : 'A day'} with the change
        </h2>
        <span className="cut">{days === undefined ? 'replaying…' : aboutText(days)}</span>
        <span className={css('tools')}>
          <label htmlFor={id} className="spoken">
            Category of the chart
          </label>
          <Select id={id} value={category ?? ''} choices={names} onChoose={setChosen} />
          <Button look={css('small')} aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            Table
          </Button>
        </span>
      </div>
      <p className={css('note')} data-testid="plan-day-summary">
        {isTooBusy ? 'Too many requests to replay. Lower the rates first.' : summary}
      </p>
      {category !== undefined && rows.length > 0 && asTable && <DayTable rows={rows} category={category} />}
      {category !== undefined && rows.length > 0 && !asTable && (
        <Picture
          rows={rows}
          programs={days?.plan.programs ?? NO_PROGRAMS}
          category={category}
          summary={`${category}: ${summary}`}
        />
      )}
    </section>
  )
})

const NO_PROGRAMS: readonly PlannedProgram[] = []

interface PictureProps {
  readonly rows: readonly DayRow[]
  readonly programs: readonly PlannedProgram[]
  readonly category: string
  readonly summary: string
}

function Picture({ rows, programs, category, summary }: PictureProps) {
  const threshold = useQuota(category, (quota) => quota.threshold) ?? 0
  return (
    <div className={css('picture')} role="img" aria-label={summary}>
      <Suspense fallback={null}>
        <DayChart rows={rows} programs={programs} threshold={threshold} />
      </Suspense>
    </div>
  )
}

function DayTable({ rows, category }: { readonly rows: readonly DayRow[]; readonly category: string }) {
  const { live } = useParts()
  const nowMs = live.ticker.nowMs()
  return (
    <ScrollBox label={`${category}, the day as a table`}>
      <table className={css('headed', 'day-table')}>
        <thead>
          <tr>
            <ColumnHeads
              names={['From', 'Lowest without the change', 'Lowest with the change', 'Longest wait']}
            />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, before, after, longestSeconds }) => (
            <tr key={at}>
              <td>{dayAndMinuteText(at, nowMs)}</td>
              <td className="number">{shareText(before)}</td>
              <td className="number">{shareText(after)}</td>
              <td className="number">{longestSeconds === 0 ? 'none' : waitText(longestSeconds * 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function tightestOf({ categories }: PlanVerdict): string | undefined {
  const share = ({ perSecond, capacityPerSecond }: PlanVerdict['categories'][number]) =>
    perSecond / capacityPerSecond
  return categories.toSorted((a, b) => share(b) - share(a))[0]?.category
}

const aboutText = ({ isRecorded, minutes }: PlannedDays): string =>
  isRecorded
    ? `${recordedText(minutes, RECORDED_MS)}; replayed with the estimated use of others`
    : 'nothing recorded yet; this day is simulated from the plan’s rates'

/**
 * The intervals of a day in one category, with and without the change. Each level is a share of its plan's
 * limit.
 */
export function dayRowsOf(
  { fromMs, lengthMs, before, after, base, plan }: Omit<PlannedDays, 'isRecorded' | 'minutes' | 'isTooBusy'>,
  category: string,
): readonly DayRow[] {
  const of = { category, lengthMs, stretchMs: STRETCH_MS }
  // An opened file may add a category that has no limit in the base plan. Before the change, it is full.
  const beforePlan = limitOf(base, category) === undefined ? plan : base
  const unchanged: readonly DayStretch[] = dayLevels(before, { ...of, plan: beforePlan })
  const changed: readonly DayStretch[] = dayLevels(after, { ...of, plan })
  return unchanged.map(({ atMs, lowest }, at) => {
    const { lowest: after = lowest, longestSeconds = 0, longestBy } = changed[at] ?? {}
    return {
      at: fromMs + atMs,
      before: lowest,
      after,
      longestSeconds,
      ...(longestBy !== undefined && { longestBy }),
    }
  })
}

interface Summary {
  readonly rows: readonly DayRow[]
  readonly isBehind: boolean
  readonly isChanged: boolean
  /** The worst-case wait at the plan's rates, in seconds. Infinite if unbounded. */
  readonly boundSeconds: number
  /** Number of recorded minutes, if there are too few to judge a day. */
  readonly of?: number
}

function summaryText({ rows, isBehind, isChanged, boundSeconds, of }: Summary): string {
  if (rows.length === 0) return ''
  const lowest = Math.min(...rows.map(({ after }) => after))
  const before = Math.min(...rows.map((row) => row.before))
  const longest = Math.max(...rows.map(({ longestSeconds }) => longestSeconds))
  const when = of === undefined ? '' : `in ${countText(of, 'recorded minute')} `
  const level = isChanged
    ? `with the change the lowest level is ${shareText(lowest)}, without it ${shareText(before)}`
    : `the lowest level is ${shareText(lowest)}`
  const wait = longest === 0 ? 'no request waits' : `the longest wait is ${waitText(longest * 1000)}`
  const busier = longest > boundSeconds + 1 ? ' At times, recorded use was above these rates.' : ''
  return `${isBehind ? 'Replaying… ' : ''}${capitalised(`${when}${level}`)}; ${wait}.${busier}`
}

/**
 * The longest of the programs' worst-case waits in a category. Infinite if unbounded. 0 without the category.
 */
function boundOf({ categories }: PlanVerdict, category: string | undefined): number {
  const waits = categories.find((one) => one.category === category)?.waits ?? []
  return Math.max(0, ...waits.map(({ worstSeconds }) => worstSeconds ?? Number.POSITIVE_INFINITY))
}
