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
import { classesOf } from '../components/classes.ts'
import sheet from './plan.module.css'

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

const AXIS_TEXT = { fill: 'var(--muted)', fontSize: 11 } as const
const MARGIN = { top: 8, right: 14, bottom: 0, left: 0 } as const
const LEVEL_TICKS = [0, 0.25, 0.5, 0.75, 1]

/** Levels of the day with and without the change, and the longest waits below. */
export const DayChart = memo(function DayChart({ rows, threshold }: DayChartProps) {
  const longest = Math.max(...rows.map(({ longestSeconds }) => longestSeconds))
  return (
    <div className={css('charts')}>
      <div className={css('levels')}>
        <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 150 }}>
          <ComposedChart data={rows as DayRow[]} margin={MARGIN} accessibilityLayer={false}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <TimeAxis rows={rows} />
            <YAxis
              type="number"
              domain={[0, 1]}
              ticks={LEVEL_TICKS}
              tickFormatter={(share: number) => `${Math.round(share * 100)} %`}
              tick={AXIS_TEXT}
              tickLine={false}
              axisLine={false}
              width={42}
            />
            {threshold > 0 && (
              <ReferenceLine
                y={threshold}
                stroke="var(--watch)"
                strokeDasharray="6 4"
                label={{
                  value: `low below ${Math.round(threshold * 100)} %`,
                  position: 'insideBottomLeft',
                  fill: 'var(--watch)',
                  fontSize: 11,
                }}
              />
            )}
            <Area
              dataKey="after"
              type="linear"
              stroke="var(--ok)"
              strokeWidth={1.6}
              fill="var(--ok)"
              fillOpacity={0.13}
              dot={false}
              activeDot={false}
              isAnimationActive={false}
            />
            <Area
              dataKey="before"
              type="linear"
              stroke="var(--muted)"
              strokeWidth={1.4}
              strokeDasharray="4 3"
              fill="none"
              dot={false}
              activeDot={false}
              isAnimationActive={false}
            />
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
      </p>
      {longest > 0 && (
        <div className={css('waits-chart')}>
          <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 60 }}>
            <ComposedChart data={rows as DayRow[]} margin={MARGIN} accessibilityLayer={false}>
              <TimeAxis rows={rows} />
              <YAxis
                type="number"
                domain={[0, longest]}
                ticks={[0, longest]}
                tickFormatter={(seconds: number) => `${Math.ceil(seconds)} s`}
                tick={AXIS_TEXT}
                tickLine={false}
                axisLine={false}
                width={42}
              />
              <Area
                dataKey="longestSeconds"
                type="step"
                stroke="none"
                fill="var(--watch)"
                fillOpacity={1}
                dot={false}
                activeDot={false}
                isAnimationActive={false}
              />
            </ComposedChart>
          </ResponsiveContainer>
        </div>
      )}
    </div>
  )
})

function TimeAxis({ rows }: { readonly rows: readonly DayRow[] }) {
  const from = rows[0]?.at ?? 0
  const to = rows.at(-1)?.at ?? from
  return (
    <XAxis
      dataKey="at"
      type="number"
      domain={[from, to]}
      ticks={hourTicks(from, to)}
      tickFormatter={minuteText}
      tick={AXIS_TEXT}
      tickLine={false}
      axisLine={false}
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

interface ReadingProps {
  /** Given by Recharts: whether there is a cursor, and the rows under it. */
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: DayRow }[]
}

function Reading({ active, payload }: ReadingProps) {
  const row = payload?.find((one) => one.payload !== undefined)?.payload
  if (active !== true || row === undefined) return null
  return (
    <p className={css('reading')}>
      <b>{minuteText(row.at)}</b> without the change {shareText(row.before)}, with the change{' '}
      {shareText(row.after)}
      {row.longestSeconds > 0 && `, longest wait ${waitText(row.longestSeconds * 1000)}`}
    </p>
  )
}
