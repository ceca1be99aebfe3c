import { memo, useDeferredValue } from 'react'
import {
  Area,
  CartesianGrid,
  ComposedChart,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  YAxis,
} from 'recharts'
import { minuteText } from '../../app/status/moments.ts'
import { LowestPoint } from '../charts/chart-labels.tsx'
import {
  CURVE,
  type CursorProps,
  GRID,
  LEVEL,
  lineLabel,
  lowLine,
  rowUnderCursor,
  VALUE_AXIS,
  WHOLE_FRAME,
} from '../charts/chart-parts.ts'
import type { ChartMarker } from '../charts/markers.ts'
import { classesOf } from '../components/classes.ts'
import { chartReading } from './chart-reading.ts'
import sheet from './history.module.css'
import { MarkerLines } from './marker-lines.tsx'
import { type ChartRow, type ChartSeries, countTicks } from './series.ts'
import type { UseStrip } from './strip-of-use.ts'
import { HistoryTimeAxis } from './time-axis.tsx'

const css = classesOf(sheet)

const MARGIN = { top: 17, right: 14, bottom: 0, left: 0 } as const

interface HistoryChartProps {
  readonly series: ChartSeries
  readonly markers: readonly ChartMarker[]
  /** The chart in one sentence, for people who cannot see it. */
  readonly summary: string
  /** See `emptyLabel`. */
  readonly empties: string | undefined
}

/** The chart of the chosen row: its past, and a forecast at the present rate of use. */
export const HistoryChart = memo(function HistoryChart({
  series,
  markers,
  summary,
  empties,
}: HistoryChartProps) {
  const { rows, toMs, nowMs, limit, lowBelow, facts, strip, lowest, hasForecast, hasUsual, hasDesk } = series
  const { asBand } = facts
  // Use, forecast and usual load are drawn after the level, so that the first render is not one long task.
  const isWhole = useDeferredValue(true, false)
  return (
    <ResponsiveContainer {...WHOLE_FRAME}>
      <ComposedChart
        data={rows as ChartRow[]}
        margin={MARGIN}
        accessibilityLayer
        role="img"
        aria-label={summary}
      >
        {/* Areas are distinguished by hatching, not only by colour. */}
        <defs>
          <pattern
            id={HATCH}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="5" height="5" fill="var(--elsewhere)" opacity="0.25" />
            <rect width="2.2" height="5" fill="var(--elsewhere)" />
          </pattern>
          {hasDesk && (
            <pattern id={DESK_HATCH} width="4" height="4" patternUnits="userSpaceOnUse">
              <rect width="4" height="4" fill="var(--desk)" opacity="0.45" />
              <rect width="2" height="4" fill="var(--desk)" />
            </pattern>
          )}
          <pattern
            id={RANGE_HATCH}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="5" height="5" fill="var(--ok)" opacity="0.24" />
            <rect width="2" height="5" fill="var(--ok)" opacity="0.55" />
          </pattern>
          <pattern
            id={FORECAST_HATCH}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="1.5" height="5" fill="var(--warning)" opacity="0.5" />
          </pattern>
        </defs>
        <CartesianGrid
          {...GRID}
          vertical={{ strokeOpacity: 0.45 }}
          horizontalValues={[...(strip ? [strip.base] : []), ...countTicks(limit)]}
        />
        {facts.aheadMs > 0 && (
          <ReferenceArea x1={nowMs} x2={toMs} fill="var(--text)" fillOpacity={0.035} stroke="none" />
        )}
        <HistoryTimeAxis series={series} />
        <YAxis
          {...VALUE_AXIS}
          domain={[strip?.base ?? 0, limit]}
          ticks={strip ? [strip.base, strip.tick, ...countTicks(limit)] : countTicks(limit)}
          tickFormatter={(value: number) => axisText(value, strip)}
          interval={0}
        />
        {lowBelow > 0 && (
          <ReferenceLine
            {...lowLine(lowBelow, `${Math.round(lowBelow)} (${Math.round((lowBelow / limit) * 100)} %)`)}
            strokeOpacity={0.8}
          />
        )}
        {isWhole && hasForecast && empties !== undefined && (
          <ReferenceLine
            y={lowBelow}
            stroke="none"
            label={{
              ...lineLabel(empties, 'insideBottomRight', 'var(--warning)'),
              fontWeight: 600,
            }}
          />
        )}
        {isWhole && !asBand && (
          <Area
            {...CURVE}
            dataKey="range"
            type="linear"
            stroke="none"
            fill={`url(#${RANGE_HATCH})`}
            fillOpacity={1}
          />
        )}
        {!asBand && <Area {...LEVEL} dot={isRinged(rows) ? HeaderRing : false} dataKey="header" />}
        {!asBand && (
          <Area
            {...CURVE}
            dataKey="modelled"
            type="linear"
            stroke="var(--ok)"
            strokeWidth={1.6}
            strokeDasharray="3 3"
            fill="var(--ok)"
            fillOpacity={0.05}
          />
        )}
        {asBand && (
          <Area
            {...CURVE}
            dataKey="headerBand"
            type="linear"
            stroke="var(--ok)"
            strokeWidth={1}
            fill="var(--ok)"
            fillOpacity={0.35}
          />
        )}
        {asBand && (
          <Area
            {...CURVE}
            dataKey="modelledBand"
            type="linear"
            stroke="var(--ok)"
            strokeWidth={1}
            strokeDasharray="3 3"
            fill="var(--ok)"
            fillOpacity={0.12}
          />
        )}
        {isWhole && hasUsual && (
          <Area
            {...CURVE}
            dataKey="usual"
            type="linear"
            stroke="var(--muted)"
            strokeWidth={1.4}
            strokeDasharray="1 4"
            fill="none"
          />
        )}
        {/* Drawn as areas. For a line, Recharts would measure its length at each render. */}
        {isWhole && hasForecast && (
          <Area
            {...CURVE}
            dataKey="forecast"
            type="linear"
            stroke="none"
            fill={`url(#${FORECAST_HATCH})`}
            fillOpacity={1}
          />
        )}
        {isWhole && hasForecast && (
          <Area
            {...CURVE}
            dataKey="latest"
            type="linear"
            stroke="var(--warning)"
            strokeDasharray="2 3"
            fill="none"
          />
        )}
        {isWhole && hasForecast && (
          <Area
            {...CURVE}
            dataKey="earliest"
            type="linear"
            stroke="var(--warning)"
            strokeWidth={1.8}
            strokeDasharray="5 3"
            fill="none"
          />
        )}
        {isWhole && strip && (
          <Area
            {...CURVE}
            dataKey="othersBar"
            type="stepAfter"
            stroke="none"
            fill={`url(#${HATCH})`}
            fillOpacity={1}
          />
        )}
        {isWhole && hasDesk && (
          <Area
            {...CURVE}
            dataKey="deskBar"
            type="stepAfter"
            stroke="none"
            fill={`url(#${DESK_HATCH})`}
            fillOpacity={1}
          />
        )}
        {isWhole && strip && (
          <Area
            {...CURVE}
            dataKey="ownBar"
            type="stepAfter"
            stroke="none"
            fill="var(--own)"
            fillOpacity={0.9}
          />
        )}
        {isWhole && strip && (
          <ReferenceLine
            y={strip.refill}
            stroke="var(--muted)"
            strokeDasharray="3 3"
            label={lineLabel(
              `refill ${Number(strip.refillPerSecond.toFixed(2))}/s`,
              'insideBottomRight',
              'var(--muted)',
            )}
          />
        )}
        {facts.aheadMs > 0 && <ReferenceLine x={nowMs} stroke="var(--muted)" />}
        {lowest !== undefined && (
          <LowestPoint
            at={lowest.at}
            level={lowest.count}
            text={`lowest ${Math.floor(lowest.count)} at ${minuteText(lowest.at)}`}
          />
        )}
        <MarkerLines markers={markers} series={series} />
        <Tooltip
          content={<Reading limit={limit} />}
          cursor={{ stroke: 'var(--text)', strokeWidth: 1 }}
          isAnimationActive={false}
          filterNull={false}
        />
      </ComposedChart>
    </ResponsiveContainer>
  )
})

/** Ids of the hatch patterns: others' use, the desk's use, the possible range, and the forecast's range. */
const HATCH = 'chart-others'
const DESK_HATCH = 'chart-desk'
const RANGE_HATCH = 'chart-range'
const FORECAST_HATCH = 'chart-forecast'

/** Maximum number of headers drawn as rings. More rings would run into each other. */
const MAX_RINGS = 80
const isHeader = ({ headerAt, at, header }: ChartRow) => header !== undefined && headerAt === at
const isRinged = (rows: readonly ChartRow[]) => rows.filter(isHeader).length <= MAX_RINGS

interface RingProps {
  readonly cx?: number
  readonly cy?: number
  readonly payload?: ChartRow
}

/** A ring at a header on the line. Recharts passes its position. */
function HeaderRing({ cx, cy, payload }: RingProps) {
  if (cx === undefined || cy === undefined || payload === undefined || !isHeader(payload)) return <g />
  return <circle cx={cx} cy={cy} r={2.6} fill="var(--panel)" stroke="var(--ok)" strokeWidth={1.3} />
}

/** A label of the axis. A value below zero is in the strip of use, so its label is a rate. */
function axisText(value: number, strip: UseStrip | undefined): string {
  if (strip === undefined || value >= 0) return String(value)
  return value === strip.base ? '0' : `${strip.tickPerSecond}/s`
}

/** The tooltip at the cursor. When the cursor moves, only the tooltip renders. */
function Reading({ limit, ...cursor }: CursorProps<ChartRow> & { readonly limit: number }) {
  const row = rowUnderCursor(cursor)
  const reading = row && chartReading(row, limit)
  if (reading === undefined) return null
  return (
    <div className={css('reading')} aria-live="polite" data-testid="reading">
      <p>
        <b>{reading.time}</b> {reading.source}
      </p>
      <dl>
        {reading.facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
