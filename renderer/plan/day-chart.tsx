import { memo } from 'react'
import {
  Area,
  CartesianGrid,
  ComposedChart,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { waitText } from '../../app/status/durations.ts'
import { minuteText } from '../../app/status/moments.ts'
import { shareText } from '../../app/status/rates.ts'
import { REGULAR_SESSION_TEXT, sessionMoments } from '../../app/status/regular-session.ts'
import { LowestPoint } from '../components/chart-labels.tsx'
import {
  CURVE,
  type CursorProps,
  GRID,
  LEVEL,
  lowLine,
  rowUnderCursor,
  TIME_AXIS,
  VALUE_AXIS,
  WHOLE_FRAME,
} from '../components/chart-parts.ts'
import { classesOf } from '../components/classes.ts'
import sheet from './plan-day.module.css'

const css = classesOf(sheet)

/** A stretch of the picture: levels as shares of the limit, 0 to 1. */
export interface DayRow {
  /** Epoch ms. */
  readonly at: number
  readonly before: number
  readonly after: number
  readonly longestSeconds: number
}

interface DayChartProps {
  readonly rows: readonly DayRow[]
  /** Share of the limit under which the row is low. */
  readonly threshold: number
}

const MARGIN = { top: 8, right: 14, bottom: 0, left: 0 } as const
const LABELS_TOP = { ...MARGIN, top: 18 } as const
const LEVEL_DOMAIN = [0, 1]
const LEVEL_TICKS = [0, 0.25, 0.5, 0.75, 1]

/** Levels of the day with and without the change, and the longest waits below. */
export const DayChart = memo(function DayChart({ rows, threshold }: DayChartProps) {
  const longest = Math.max(...rows.map(({ longestSeconds }) => longestSeconds))
  const { sessions, lowest } = marksOf(rows)
  return (
    <div className={css('charts')}>
      <div className={css('levels')}>
        <ResponsiveContainer {...WHOLE_FRAME}>
          <ComposedChart data={rows as DayRow[]} margin={LABELS_TOP} accessibilityLayer={false}>
            <CartesianGrid {...GRID} />
            <TimeAxis rows={rows} />
            <YAxis
              {...VALUE_AXIS}
              domain={LEVEL_DOMAIN}
              ticks={LEVEL_TICKS}
              tickFormatter={(share: number) => `${Math.round(share * 100)} %`}
            />
            {threshold > 0 && <ReferenceLine {...lowLine(threshold, `${Math.round(threshold * 100)} %`)} />}
            <Area {...LEVEL} dataKey="after" />
            <Area
              {...CURVE}
              dataKey="before"
              type="linear"
              stroke="var(--muted)"
              strokeWidth={1.4}
              strokeDasharray="4 3"
              fill="none"
            />
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
        <span>
          <i className={css('bar-wait')} /> {longest === 0 ? 'no request waits' : 'longest wait'}
        </span>
        {sessions.length > 0 && <span>open, close: {REGULAR_SESSION_TEXT}</span>}
      </p>
      {longest > 0 && (
        <div className={css('waits-chart')}>
          <ResponsiveContainer {...WHOLE_FRAME}>
            <ComposedChart data={rows as DayRow[]} margin={MARGIN} accessibilityLayer={false}>
              <TimeAxis rows={rows} />
              <YAxis
                {...VALUE_AXIS}
                domain={[0, longest]}
                ticks={[0, longest]}
                tickFormatter={(seconds: number) => `${Math.ceil(seconds)} s`}
              />
              <Area
                {...CURVE}
                dataKey="longestSeconds"
                type="step"
                stroke="none"
                fill="var(--watch)"
                fillOpacity={1}
              />
            </ComposedChart>
          </ResponsiveContainer>
        </div>
      )}
    </div>
  )
})

/** A level is one to point at below this share of the limit. */
const POINTED_BELOW = 0.9

/** What the picture points at: the regular session, and the lowest level with the change. */
function marksOf(rows: readonly DayRow[]) {
  const fromMs = rows[0]?.at ?? 0
  const toMs = rows.at(-1)?.at ?? fromMs
  const least = Math.min(...rows.map(({ after }) => after))
  const lowest = least < POINTED_BELOW ? rows.find(({ after }) => after === least) : undefined
  return { sessions: sessionMoments(fromMs, toMs), lowest }
}

function TimeAxis({ rows }: { readonly rows: readonly DayRow[] }) {
  const from = rows[0]?.at ?? 0
  const to = rows.at(-1)?.at ?? from
  return (
    <XAxis
      {...TIME_AXIS}
      domain={[from, to]}
      ticks={hourTicks(from, to)}
      tickFormatter={minuteText}
      interval="preserveStartEnd"
      height={18}
    />
  )
}

const HOUR_MS = 3_600_000

/** Full hours, at most a dozen of them. */
function hourTicks(fromMs: number, toMs: number): number[] {
  const stepMs = HOUR_MS * Math.max(1, Math.ceil((toMs - fromMs) / (12 * HOUR_MS)))
  const first = Math.ceil(fromMs / stepMs) * stepMs
  const count = Math.max(0, Math.floor((toMs - first) / stepMs) + 1)
  return Array.from({ length: count }, (_, at) => first + at * stepMs)
}

function Reading(cursor: CursorProps<DayRow>) {
  const row = rowUnderCursor(cursor)
  if (row === undefined) return null
  return (
    <p className={css('reading')}>
      <b>{minuteText(row.at)}</b> without the change {shareText(row.before)}, with the change{' '}
      {shareText(row.after)}
      {row.longestSeconds > 0 && `, longest wait ${waitText(row.longestSeconds * 1000)}`}
    </p>
  )
}
