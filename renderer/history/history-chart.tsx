import { memo } from 'react'
import {
  Area,
  CartesianGrid,
  ComposedChart,
  ReferenceDot,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts'
import { minuteText, weekdayText } from '../../app/status/moments.ts'
import type { ChartRange } from '../state/view-state.ts'
import { RANGES } from './ranges.ts'
import { type ChartSeries, countTicks, timeTicks } from './series.ts'

const AXIS_TEXT = { fill: 'var(--muted)', fontSize: 11 } as const
const MARGIN = { top: 8, right: 14, bottom: 0, left: 0 } as const

/** The chart of the chosen row: its past, and a forecast at the present rate of use. */
export const HistoryChart = memo(function HistoryChart({ series }: { readonly series: ChartSeries }) {
  const { rows, fromMs, toMs, nowMs, limit, lowBelow, rejectedAt, range } = series
  const { asBand } = RANGES[range]
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 150 }}>
      <ComposedChart data={rows} margin={MARGIN} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="at"
          type="number"
          domain={[fromMs, toMs]}
          allowDataOverflow
          ticks={timeTicks(nowMs, range)}
          tickFormatter={(at: number) => (at === nowMs ? 'now' : tickText(at, range))}
          tick={AXIS_TEXT}
          tickLine={false}
          axisLine={false}
          interval="preserveEnd"
          height={20}
        />
        <YAxis
          type="number"
          domain={[0, limit]}
          ticks={countTicks(limit)}
          tick={AXIS_TEXT}
          tickLine={false}
          axisLine={false}
          interval="preserveStartEnd"
          width={42}
        />
        {lowBelow > 0 && (
          <ReferenceLine
            y={lowBelow}
            stroke="var(--watch)"
            strokeOpacity={0.8}
            strokeDasharray="6 4"
            label={{
              value: `low below ${Math.round(lowBelow)} (${Math.round((lowBelow / limit) * 100)} %)`,
              position: 'insideBottomLeft',
              fill: 'var(--watch)',
              fontSize: 11,
            }}
          />
        )}
        {!asBand && (
          <Area
            dataKey="range"
            type="linear"
            stroke="none"
            fill="var(--ok)"
            fillOpacity={0.3}
            dot={false}
            activeDot={false}
            isAnimationActive={false}
          />
        )}
        {!asBand && (
          <Area
            dataKey="header"
            type="linear"
            stroke="var(--ok)"
            strokeWidth={1.6}
            fill="var(--ok)"
            fillOpacity={0.13}
            dot={false}
            activeDot={false}
            isAnimationActive={false}
          />
        )}
        {!asBand && (
          <Area
            dataKey="modelled"
            type="linear"
            stroke="var(--ok)"
            strokeWidth={1.6}
            strokeDasharray="3 3"
            fill="var(--ok)"
            fillOpacity={0.05}
            dot={false}
            activeDot={false}
            isAnimationActive={false}
          />
        )}
        {asBand && (
          <Area
            dataKey="headerBand"
            type="linear"
            stroke="var(--ok)"
            strokeWidth={1}
            fill="var(--ok)"
            fillOpacity={0.35}
            dot={false}
            activeDot={false}
            isAnimationActive={false}
          />
        )}
        {asBand && (
          <Area
            dataKey="modelledBand"
            type="linear"
            stroke="var(--ok)"
            strokeWidth={1}
            strokeDasharray="3 3"
            fill="var(--ok)"
            fillOpacity={0.12}
            dot={false}
            activeDot={false}
            isAnimationActive={false}
          />
        )}
        {/* No stroke, because Recharts would measure a line's length at each render. */}
        <Area
          dataKey="forecast"
          type="linear"
          stroke="var(--watch)"
          fill="none"
          strokeWidth={1.6}
          strokeDasharray="5 4"
          dot={false}
          activeDot={false}
          isAnimationActive={false}
        />
        {rejectedAt.map((at) => (
          <ReferenceDot key={at} x={at} y={0} r={5} ifOverflow="discard" shape={Triangle} />
        ))}
      </ComposedChart>
    </ResponsiveContainer>
  )
})

const tickText = (atMs: number, range: ChartRange) => (range === '7 d' ? weekdayText(atMs) : minuteText(atMs))

function Triangle({ cx, cy }: { readonly cx?: number; readonly cy?: number }) {
  if (cx === undefined || cy === undefined) return <g />
  return (
    <path d={`M${cx - 5},${cy} L${cx + 5},${cy} L${cx},${cy - 8} Z`} fill="var(--critical)" data-mark="429" />
  )
}
