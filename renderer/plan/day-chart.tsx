import { memo } from 'react'
import {
  Area,
  CartesianGrid,
  ComposedChart,
  ReferenceDot,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import type { PlannedProgram } from '../../app/plan/plan.ts'
import { OTHERS_NAME } from '../../app/plan/running.ts'
import { waitText } from '../../app/status/durations.ts'
import { minuteText } from '../../app/status/moments.ts'
import { shareText } from '../../app/status/rates.ts'
import { REGULAR_SESSION_TEXT, sessionMoments } from '../../app/status/regular-session.ts'
import { LowestPoint } from '../charts/chart-labels.tsx'
import {
  type CursorProps,
  GRID,
  LEVEL,
  LINE,
  lowLine,
  rowUnderCursor,
  TIME_AXIS,
  VALUE_AXIS,
  WHOLE_FRAME,
} from '../charts/chart-parts.ts'
import { hourTicks } from '../charts/time-ticks.ts'
import { classesOf } from '../components/classes.ts'
import sheet from './plan-day.module.css'
import { WaitBars } from './wait-bars.tsx'

const css = classesOf(sheet)

/** One interval of the day in the chart. Levels are shares of the limit, 0 to 1. */
export interface DayRow {
  /** Epoch ms. */
  readonly at: number
  readonly before: number
  readonly after: number
  readonly longestSeconds: number
  /** The program that waited longest. Absent if none waited. */
  readonly longestBy?: string
}

interface DayChartProps {
  readonly rows: readonly DayRow[]
  /** The plan's programs in their order, which determines colours and patterns. */
  readonly programs: readonly PlannedProgram[]
  /** Level below which the row is low, as a share of the limit. */
  readonly threshold: number
}

const MARGIN = { top: 18, right: 14, bottom: 8, left: 0 } as const
const LEVEL_DOMAIN = [0, 1]
const LEVEL_TICKS = [0, 0.25, 0.5, 0.75, 1]

export const DayChart = memo(function DayChart({ rows, programs, threshold }: DayChartProps) {
  const longest = Math.max(...rows.map(({ longestSeconds }) => longestSeconds))
  const { sessions, lowest, isEarly, apart } = marksOf(rows)
  const low = lowLine(threshold, `${Math.round(threshold * 100)} %`)
  return (
    <div className={css('charts')}>
      <div className={css('levels')}>
        <ResponsiveContainer {...WHOLE_FRAME}>
          <ComposedChart data={rows as DayRow[]} margin={MARGIN} accessibilityLayer={false}>
            <CartesianGrid {...GRID} />
            <TimeAxis rows={rows} isHidden={longest > 0} />
            <YAxis
              {...VALUE_AXIS}
              domain={LEVEL_DOMAIN}
              ticks={LEVEL_TICKS}
              tickFormatter={(share: number) => `${Math.round(share * 100)} %`}
            />
            {threshold > 0 && (
              <ReferenceLine
                {...low}
                // The label must not be in the same corner as the label of the lowest point.
                label={isEarly ? { ...low.label, position: 'insideBottomRight' } : low.label}
              />
            )}
            <Area {...LEVEL} dataKey="after" />
            <Area {...LINE} dataKey="before" stroke="var(--muted)" strokeWidth={1.4} strokeDasharray="4 3" />
            {sessions.map(({ kind, at }) => (
              <ReferenceLine
                key={at}
                x={at}
                stroke="var(--muted)"
                strokeDasharray="2 3"
                label={{ value: kind, position: 'top', fill: 'var(--muted)', fontSize: 11 }}
              />
            ))}
            {lowest !== undefined && (
              <LowestPoint
                at={lowest.at}
                level={lowest.after}
                text={`lowest ${shareText(lowest.after)} at ${minuteText(lowest.at)}`}
              />
            )}
            {apart !== undefined && (
              <ReferenceDot
                x={apart.at}
                y={apart.before}
                r={0}
                label={{ value: 'without the change', position: 'top', fill: 'var(--muted)', fontSize: 11 }}
              />
            )}
            {apart !== undefined && (
              <ReferenceDot
                x={apart.at}
                y={apart.after}
                r={0}
                label={{ value: 'with the change', position: 'bottom', fill: 'var(--ok)', fontSize: 11 }}
              />
            )}
            <Tooltip content={<Reading />} cursor={{ stroke: 'var(--text)' }} isAnimationActive={false} />
          </ComposedChart>
        </ResponsiveContainer>
      </div>
      <p className={css('legend')} aria-hidden="true">
        <span>
          <i className={css('line-now')} /> without the change
        </span>
        <span>
          <i className={css('line-after')} /> with the change
        </span>
        {longest === 0 && <span>no request waits</span>}
        {sessions.length > 0 && <span>open, close: {REGULAR_SESSION_TEXT}</span>}
      </p>
      {longest > 0 && <WaitBars rows={rows} programs={programs} ticks={hourTicks(...endsOf(rows))} />}
    </div>
  )
})

/** The lowest point is labelled only if its level is at most this share of the limit. */
const POINTED_BELOW = 0.9

/** Lines and labels in the chart: the regular session, and the lowest level under the changed plan. */
function marksOf(rows: readonly DayRow[]) {
  const fromMs = rows[0]?.at ?? 0
  const toMs = rows.at(-1)?.at ?? fromMs
  const least = Math.min(...rows.map(({ after }) => after))
  const lowest = least < POINTED_BELOW ? rows.find(({ after }) => after === least) : undefined
  const isEarly = lowest !== undefined && lowest.at < fromMs + (toMs - fromMs) * 0.4
  return { sessions: sessionMoments(fromMs, toMs), lowest, isEarly, apart: mostApart(rows, lowest) }
}

/**
 * The row at which both curves get their labels. The curves are far apart at this row, and it is not close to
 * the edges or to the lowest point.
 */
function mostApart(rows: readonly DayRow[], lowest: DayRow | undefined): DayRow | undefined {
  const [fromMs, toMs] = endsOf(rows)
  const lengthMs = toMs - fromMs
  const isFree = ({ at, before, after }: DayRow) =>
    at > fromMs + lengthMs * 0.15 &&
    at < toMs - lengthMs * 0.15 &&
    before < 0.93 &&
    after > 0.2 &&
    before - after > 0.04 &&
    (lowest === undefined || Math.abs(lowest.at - at) > lengthMs * 0.2)
  return rows.filter(isFree).toSorted((a, b) => b.before - b.after - (a.before - a.after))[0]
}

const endsOf = (rows: readonly DayRow[]): readonly [fromMs: number, toMs: number] => [
  rows[0]?.at ?? 0,
  rows.at(-1)?.at ?? 0,
]

interface TimeAxisProps {
  readonly rows: readonly DayRow[]
  /** Whether the axis is hidden, because the bars below the chart have one. */
  readonly isHidden: boolean
}

function TimeAxis({ rows, isHidden }: TimeAxisProps) {
  const [from, to] = endsOf(rows)
  return (
    <XAxis
      {...TIME_AXIS}
      hide={isHidden}
      domain={[from, to]}
      ticks={hourTicks(from, to)}
      tickFormatter={minuteText}
      interval="preserveStartEnd"
      height={18}
    />
  )
}

function Reading(cursor: CursorProps<DayRow>) {
  const row = rowUnderCursor(cursor)
  if (row === undefined) return null
  return (
    <p className={css('reading')}>
      <b>{minuteText(row.at)}</b> without the change {shareText(row.before)}, with the change{' '}
      {shareText(row.after)}
      {row.longestSeconds > 0 && `, longest wait ${waitText(row.longestSeconds * 1000)}${ofProgram(row)}`}
    </p>
  )
}

/**
 * Names the program whose request waited longest, such as ` of backtest`. Empty if this was a request of
 * others, because others' requests wait only in the replay.
 */
const ofProgram = ({ longestBy }: DayRow): string =>
  longestBy === undefined || longestBy === OTHERS_NAME ? '' : ` of ${longestBy}`
